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

/** Where workers find their work. */
interface WorkAddresses {
  /** The store, on a PostgreSQL server. */
  readonly store: string;
  /** The queue, if it is on a Redis server. */
  readonly queue?: string;
}

/** The addresses behind `--workers`: a PostgreSQL server has the store and the queue, a Redis server only the queue. */
export function workAddresses(address: string, store: string | undefined): WorkAddresses {
  if (isPostgresAddress(address)) return { store: address };
  if (!/^rediss?:\/\//i.test(address))
    throw new ProjectError([
      "Workers need the address of a server: postgres://host:5432/database, or redis://host:6379 with --store postgres://…",
    ]);
  if (store === undefined || !isPostgresAddress(store))
    throw new ProjectError([
      "A Redis server can hold the queue, but the journal of a run on workers is in a store on a PostgreSQL server. Name it: --store postgres://…",
    ]);
  return { store, queue: address };
}

/** The command that starts a worker, without passwords. */
export function workerCommand({ store, queue }: WorkAddresses): string {
  const shown = shownStore(store);
  return queue === undefined
    ? `elenchus worker ${shown}`
    : `elenchus worker ${shownQueue(queue)} --store ${shown}`;
}

function shownQueue(address: string): string {
  const url = new URL(address);
  url.password = "";
  return url.href;
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
  addresses: WorkAddresses,
  settings: SettingsRequest,
  terminal: Terminal,
): Promise<OpenWork> {
  const tables = await WorkTables.open(addresses.store);
  try {
    const queue = await WorkQueue.open(addresses.queue ?? addresses.store, tables.queueName);
    const project = await projectHash(settings, terminal);
    const command = workerCommand(addresses);
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
