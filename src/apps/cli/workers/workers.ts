import { openStore } from "../../../engine/journal/store/open-store.ts";
import { isPostgresAddress } from "../../../engine/journal/store/postgres/postgres-address.ts";

import { type SeenWorker, WorkTables } from "../../../engine/scale/work-tables.ts";
import { countText, durationText } from "../../../insight/report/text/figures.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { STOP, WORKERS } from "../commands/workers-commands.ts";
import { readSettings } from "../read-settings.ts";
import { findRun } from "../stored-runs.ts";
import { workerCommand } from "./shared-work.ts";

/** Lists the workers that are alive. */
export async function workers(options: OptionsOf<typeof WORKERS>, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const address = options.address ?? (await readSettings(options.settings, terminal)).settings.store;
  return withWork(address, async (tables): Promise<ExitCode> => {
    const found = await tables.workers();
    if (options.json) {
      for (const one of found) output.data(`${JSON.stringify(one)}\n`);
      return 0;
    }
    if (found.length === 0) {
      output.write(`No worker is alive. Start one: ${workerCommand({ store: address })}\n`);
      return 0;
    }
    const lines = alignColumns(
      [HEAD, ...found.map(cellsOf)].map((cells) => cells.map((text) => ({ text }))),
      ["<", ">", ">", ">", ">", "<"],
    );
    for (const line of lines) output.write(`${line}\n`);
    for (const { name, problems } of found)
      for (const [run, problem] of Object.entries(problems))
        output.write(`${printableText(`${name} takes no conversations of ${run}: ${problem}`)}\n`);
    return 0;
  });
}

const HEAD = ["worker", "running", "finished", "a minute", "errors", "state"];

function cellsOf({
  name,
  running,
  concurrency,
  finished,
  perMinute,
  errors,
  isDraining,
  runs,
  startedMs,
}: SeenWorker): string[] {
  const works = runs.length === 0 ? "waits" : `works on ${runs.slice(0, 3).join(", ")}`;
  return [
    printableText(name),
    `${running} of ${concurrency}`,
    countText(finished),
    countText(perMinute),
    countText(errors),
    printableText(`${isDraining ? "drains" : works}, for ${durationText(startedMs)}`),
  ];
}

/** Opens the tables of workers at an address, where there must be a store already. */
async function withWork<Result>(
  address: string,
  use: (tables: WorkTables) => Promise<Result>,
): Promise<Result> {
  if (!isPostgresAddress(address))
    throw new ProjectError([
      "Workers have a store on a PostgreSQL server. Name it: postgres://host/database",
    ]);
  // Throws if the address, the server or the format is wrong.
  await (await openStore(address, { readOnly: true, runs: [] })).close();
  const tables = await WorkTables.open(address);
  try {
    return await use(tables);
  } finally {
    await tables.close();
  }
}

/** Stops a run on all its workers. */
export async function stop(
  { run: given, now, settings: request }: OptionsOf<typeof STOP>,
  terminal: Terminal,
): Promise<ExitCode> {
  const { settings } = await readSettings(request, terminal);
  return withWork(settings.store, async (tables): Promise<ExitCode> => {
    const store = await openStore(settings.store, { readOnly: true, runs: [] });
    const { run } = findRun(store, given);
    await store.close();
    if (!(await tables.setState(run, now ? "aborting" : "stopping")))
      throw new ProjectError([
        `Run ${printableText(run)} does not run on workers now, so there is nothing to stop.`,
      ]);
    const { claimed } = await tables.progress(run);
    if (claimed === 0) await tables.dropUnclaimed(run);
    terminal.output.write(
      `Run ${printableText(run)} is stopping${now ? "" : "; workers finish calls in flight"}. Continue it with: elenchus resume ${runWord(run)}\n`,
    );
    return 0;
  });
}
