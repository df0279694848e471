import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isPostgresAddress, shownStore } from "../../../engine/journal/store/postgres/postgres-address.ts";
import type { RunInternals, RunOptions } from "../../../engine/run/run-options.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { coordinateRun } from "../../../engine/scale/coordinate-run.ts";
import { WorkQueue } from "../../../engine/scale/work-queue.ts";
import { WorkTables } from "../../../engine/scale/work-tables.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import { findProjectFile } from "../../project/project-file.ts";
import type { SettingsRequest } from "../flags.ts";

/** The address behind `--workers`: of the store, whose server has the queue, too. */
export function workAddress(address: string): string {
  if (isPostgresAddress(address)) return address;
  throw new ProjectError(["Workers need the address of a PostgreSQL server: postgres://host:5432/database"]);
}

/** The command that starts a worker, without passwords. */
export function workerCommand(store: string): string {
  return `elenchus worker ${shownStore(store)}`;
}

/** The hash of the project file that a command uses; undefined if there is none. */
export async function projectHash(
  { config }: SettingsRequest,
  { folder }: Terminal,
): Promise<string | undefined> {
  const file = config === undefined ? await findProjectFile(folder) : resolve(folder, config);
  return file === null
    ? undefined
    : createHash("sha256")
        .update(readFileSync(resolve(folder, file)))
        .digest("hex");
}

/** The connections that runs on workers need. */
export interface OpenWork {
  /** Starts a run whose conversations workers run. */
  readonly startRun: (options: RunOptions, internals?: RunInternals) => Run;
  close(): Promise<void>;
}

/** Connects to the tables and the queue of workers. */
export async function openWork(
  address: string,
  settings: SettingsRequest,
  terminal: Terminal,
): Promise<OpenWork> {
  const tables = await WorkTables.open(address);
  try {
    const queue = await WorkQueue.open(address, tables.queueName);
    const project = await projectHash(settings, terminal);
    const command = workerCommand(address);
    return {
      startRun: (options, internals = {}) =>
        coordinateRun(options, internals, { tables, queue, project, command }),
      close: async () => {
        await queue.close();
        await tables.close();
      },
    };
  } catch (error) {
    await tables.close();
    throw error;
  }
}
