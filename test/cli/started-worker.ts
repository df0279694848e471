import type { ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { type CleanUp, type Ended, ended, folderWith, type Given, start } from "./cli.ts";

/** A worker that has been started. */
export interface StartedWorker {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when its log has a line of an event, of a run if one is named. */
  until(event: string, run?: string): Promise<void>;
  /** True if its log has such a line. */
  has(event: string, run?: string): boolean;
  /** Its log so far. */
  readonly log: () => string;
}

/** Starts a worker that takes jobs, in a folder of its own unless one is named. */
export async function startWorker(
  store: string,
  given: Partial<Given>,
  { more = [], cleanUp = onTestFinished }: { more?: readonly string[]; cleanUp?: CleanUp } = {},
): Promise<StartedWorker> {
  const where = { folder: given.folder ?? folderWith({}, cleanUp), ...given };
  const child = start(["worker", store, "--json", ...more], where, cleanUp);
  let log = "";
  const watchers = new Set<() => void>();
  const end = ended(child);
  let isOver = false;
  child.stdout?.on("data", (text: string) => {
    log += text;
    for (const watch of [...watchers]) watch();
  });
  child.on("close", () => {
    isOver = true;
    for (const watch of [...watchers]) watch();
  });
  const has = (event: string, run?: string): boolean =>
    log.includes(`"event":"${event}"${run === undefined ? "" : `,"run":"${run}"`}`);
  const until = (event: string, run?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (has(event, run)) resolve();
        else if (isOver)
          void end.then((last) => reject(new Error(`It ended without ${event}: ${JSON.stringify(last)}`)));
        else return;
        watchers.delete(watch);
      };
      watchers.add(watch);
      watch();
    });
  await until("ready");
  return { child, ended: end, until, has, log: () => log };
}
