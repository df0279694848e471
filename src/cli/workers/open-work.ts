import type { RunInternals, RunOptions } from "../../run/run-options.ts";
import type { Run } from "../../run/run-scenarios.ts";
import { coordinateRun } from "../../scale/coordinate-run.ts";
import { WorkQueue } from "../../scale/work-queue.ts";
import { WorkTables } from "../../scale/work-tables.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { SettingsRequest } from "../read-settings.ts";
import { projectHash, type WorkAddresses, workerCommand } from "./shared-work.ts";

/** What runs on workers are begun with. */
export interface OpenWork {
  /** Begins a run whose conversations workers run. */
  readonly begin: (options: RunOptions, internals?: RunInternals) => Run;
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
      begin: (options, internals = {}) =>
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
