import { randomUUID } from "node:crypto";
import { ProjectError } from "../../project/project-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import type { SettingsRequest } from "../read-settings.ts";
import { withRuns } from "../stored-runs.ts";
import { watchCommand, wordsWithout } from "./watch.ts";

/** The options of `run --watch`. */
export interface WatchRunsOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The name of the first run; the others add a number. */
  readonly name?: string;
  readonly view?: true;
  readonly record?: string;
}

/**
 * Runs again whenever something changes. What a change does not affect comes from the store. Of the runs only the last one is kept; all
 * answers are.
 */
export async function watchRuns(options: WatchRunsOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, settings: request, view, record } = options;
  if (view !== undefined)
    throw new ProjectError([
      "--view stays open, so that --watch cannot run again. Open it beside: elenchus view",
    ]);
  if (record !== undefined)
    throw new ProjectError(["--record writes a file once, so that it cannot be used with --watch."]);
  const base = options.name ?? `watch-${randomUUID().slice(0, 8)}`;
  const nameOf = (round: number): string => (round === 1 ? base : `${base}-${round}`);
  let kept: string | undefined;
  return watchCommand(
    {
      names,
      settings: request,
      // The last of several names counts.
      words: (round) => [...wordsWithout("--watch"), "--name", nameOf(round)],
      stopsRounds: true,
      async onRound(round, { store: path }) {
        const run = nameOf(round);
        await withRuns(
          path,
          (store) => {
            if (store.run(run)?.run !== run) return;
            if (kept !== undefined && store.run(kept)?.run === kept) store.delete(kept);
            kept = run;
          },
          { readOnly: false },
        ).catch((error: unknown) => {
          // A round that could not start has left no store.
          if (!(error instanceof ProjectError)) throw error;
        });
      },
    },
    terminal,
  );
}
