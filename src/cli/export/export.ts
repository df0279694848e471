import type { Store } from "../../journal/store/store.ts";
import { exportRun } from "../../journal/transfer/export-run.ts";
import { exportRecords } from "../../journal/transfer/records.ts";
import { cassetteFromRun } from "../../journal/transfer/stored-run.ts";
import { toCsv, toJson } from "../../journal/transfer/table-text.ts";
import { conversationTable, outcomeTable, turnTable } from "../../journal/transfer/tables.ts";
import { cassettePieces } from "../../models/cassette/cassette-file.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";

/** The options of `export`. */
export interface ExportOptions {
  readonly settings: SettingsRequest;
  /** The latest if it is left out. */
  readonly run?: string;
  readonly format: "run" | "csv" | "json" | "records" | "cassette";
  readonly table: "turns" | "conversations" | "outcomes";
  /** Standard output if it is left out. */
  readonly output?: string;
}

const TABLES = { turns: turnTable, conversations: conversationTable, outcomes: outcomeTable } as const;

/** Writes a run to a file or to standard output. */
export async function exportCommand(options: ExportOptions, terminal: Terminal): Promise<ExitCode> {
  const { format, output: path } = options;
  const { settings } = await readSettings(options.settings, terminal);
  if (path !== undefined) await refuseOutput(path, terminal);
  await withRuns(settings.store, async (store) => {
    const { run } = findRun(store, options.run);
    if (format === "cassette" && path === undefined)
      throw new ProjectError([
        "A cassette is a file. Say which: elenchus export --format cassette --output calls.jsonl",
      ]);
    const isFile = await writeOutput(path ?? "-", pieces(store, run, options), terminal);
    if (isFile) terminal.messages.write(`Wrote run ${run} to ${path}\n`);
  });
  return 0;
}

function* pieces(store: Store, run: string, { format, table }: ExportOptions): Generator<string> {
  if (format === "cassette") yield* cassettePieces(cassetteFromRun(store, run));
  else if (format === "records") for (const line of exportRecords(store, run)) yield `${line}\n`;
  else if (format === "run") for (const line of exportRun(store, run)) yield `${line}\n`;
  else {
    const rows = TABLES[table](store, run);
    yield* format === "csv" ? toCsv(rows) : toJson(rows);
  }
}
