import type { Store } from "../../../engine/journal/store/store.ts";
import { exportRun } from "../../../engine/journal/transfer/export-run.ts";
import { toParquet } from "../../../engine/journal/transfer/parquet.ts";
import { exportRecords } from "../../../engine/journal/transfer/records.ts";
import { compressed, inChunks } from "../../../engine/journal/transfer/run-file.ts";
import { cassetteFromRun } from "../../../engine/journal/transfer/stored-run.ts";
import { toCsv, toJson } from "../../../engine/journal/transfer/table-text.ts";
import {
  callTable,
  conversationTable,
  outcomeTable,
  type Table,
  turnTable,
} from "../../../engine/journal/transfer/tables.ts";
import { cassettePieces } from "../../../engine/models/cassette/cassette.ts";
import { baselineLines } from "../../../insight/report/data/baseline.ts";
import { type Average, rates } from "../../../insight/report/data/rates.ts";
import { sequences } from "../../../insight/report/data/sequences.ts";
import { rateRows } from "../../../insight/report/data/table-rows.ts";
import { survivalSvg } from "../../../insight/report/text/sequences-text.ts";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, levelsOf, withRuns } from "../stored-runs.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";
import { exportInspect, exportKarenina } from "./export-other-tools.ts";

/** The flags of `export`. */
interface ExportFlags {
  readonly settings: SettingsRequest;
  /** The run, the latest if there is none; for karenina, scenarios. */
  readonly names: readonly string[];
  readonly format: "run" | "csv" | "json" | "parquet" | "records" | "cassette" | "inspect" | "karenina";
  readonly table: ExportOptions["table"] | undefined;
  readonly output: string | undefined;
  readonly eval: boolean;
  readonly byScenario: boolean;
  readonly lossy: boolean;
  readonly by: readonly string[] | undefined;
  readonly average: Average | undefined;
  readonly variant: readonly string[] | undefined;
  readonly plot: string | undefined;
  readonly baseline: boolean;
}

/** Exports a run in some format, or scenarios for karenina. A flag that would have no effect is refused. */
export async function exportAny(flags: ExportFlags, terminal: Terminal): Promise<ExitCode> {
  const { settings, names, plot, baseline, variant, table = "conversations", by, average } = flags;
  const format = plot !== undefined ? "plot" : baseline ? "baseline" : flags.format;
  const output = plot ?? flags.output;
  const misplaced = misplacedFlag(flags, format);
  if (misplaced !== undefined) throw new ProjectError([misplaced]);
  if (format === "karenina")
    return exportKarenina({ settings, names, output: output ?? "-", lossy: flags.lossy }, terminal);
  const [run, ...others] = names;
  if (others.length > 0)
    throw new ProjectError([
      `Name one run. Is ${JSON.stringify(others.at(-1))} the file to write? Then give it with --output.`,
    ]);
  if (format === "inspect") {
    const how = { isArchive: flags.eval, byScenario: flags.byScenario };
    return exportInspect({ settings, run, folder: output ?? "logs", ...how }, terminal);
  }
  return exportCommand(
    { settings, run, format, table, by, average, variant: variant && levelsOf(variant), output },
    terminal,
  );
}

/** Why a flag would have no effect; undefined if each has one. */
function misplacedFlag(
  { table, by, average, variant, eval: archives, byScenario, lossy }: ExportFlags,
  format: ExportFlags["format"] | ExportOptions["format"],
): string | undefined {
  const isTable = format === "csv" || format === "json" || format === "parquet";
  const forTables = table !== undefined ? "--table" : variant !== undefined ? "--variant" : undefined;
  if (forTables !== undefined && !isTable)
    return `${forTables} is for tables: add --format csv, json or parquet.`;
  const forRates = by !== undefined ? "--by" : average !== undefined ? "--average" : undefined;
  if (forRates !== undefined && !(isTable && table === "rates"))
    return `${forRates} is for the table of rates: add --format csv --table rates.`;
  const forInspect = archives ? "--eval" : byScenario ? "--by-scenario" : undefined;
  if (forInspect !== undefined && format !== "inspect")
    return `${forInspect} is for logs of Inspect: add --format inspect.`;
  return lossy && format !== "karenina" ? "--lossy is for karenina: add --format karenina." : undefined;
}

/** What is written of a run. */
interface ExportOptions {
  readonly settings: SettingsRequest;
  /** Default: the latest run. */
  readonly run: string | undefined;
  readonly format: "run" | "csv" | "json" | "parquet" | "records" | "cassette" | "baseline" | "plot";
  readonly table: "turns" | "conversations" | "outcomes" | "calls" | "rates";
  /** Only conversations with these levels, in tables. */
  readonly variant: Readonly<Record<string, string>> | undefined;
  /** What rates are grouped by. */
  readonly by: readonly string[] | undefined;
  /** How groups are averaged. */
  readonly average: Average | undefined;
  /** Default: standard output. */
  readonly output: string | undefined;
}

const TABLES = {
  turns: turnTable,
  conversations: conversationTable,
  outcomes: outcomeTable,
  calls: callTable,
} as const;

/** Writes a run to a file or to standard output. */
async function exportCommand(options: ExportOptions, terminal: Terminal): Promise<ExitCode> {
  const { format, output: path } = options;
  const { settings } = await readSettings(options.settings, terminal);
  if (path !== undefined) await refuseOutput(path, terminal);
  await withRuns(settings.store, async (store) => {
    const { run } = findRun(store, options.run);
    if (format === "cassette" && path === undefined)
      throw new ProjectError([
        "A cassette is a file. Say which: elenchus export --format cassette --output calls.jsonl",
      ]);
    if (format === "parquet") {
      if (path === undefined || path === "-")
        throw new ProjectError([
          "Parquet is not text. Name a file: elenchus export --format parquet --output turns.parquet",
        ]);
      if (options.table === "rates")
        throw new ProjectError(["The table of rates is small: write it with --format csv or --format json."]);
      await writeWholeFile(
        path,
        toParquet(wantedTable(store, run, { table: options.table, variant: options.variant })),
        { folder: terminal.folder },
      );
      terminal.messages.write(`Wrote ${options.table} of run ${printableText(run)} to ${path}\n`);
      return;
    }
    const text = pieces(store, run, options);
    const isCompressed = format === "run" && path?.endsWith(".zst") === true;
    if (isCompressed) await writeWholeFile(path, compressed(text), { folder: terminal.folder });
    if (isCompressed || (await writeOutput(path ?? "-", text, terminal)))
      terminal.messages.write(`Wrote run ${printableText(run)} to ${path}\n`);
  });
  return 0;
}

function* pieces(
  store: Store,
  run: string,
  { format, table, by = ["subject"], average, variant }: ExportOptions,
): Generator<string> {
  if (format === "baseline") return yield* baselineLines(store, run);
  if (format === "plot") return yield survivalSvg(sequences(store, run));
  if (format === "cassette") yield* cassettePieces(cassetteFromRun(store, run));
  else if (format === "records") yield* inChunks(exportRecords(store, run));
  else if (format === "run") yield* inChunks(exportRun(store, run));
  else {
    const filter = variant === undefined ? {} : { filter: { variant } };
    const rows =
      table === "rates"
        ? rateRows(rates(store, run, { by, ...(average === undefined ? {} : { average }), ...filter }))
        : wantedTable(store, run, { table, variant });
    yield* format === "csv" ? toCsv(rows) : toJson(rows);
  }
}

/** A table, or the part of it that is about conversations with some levels. */
function wantedTable(
  store: Store,
  run: string,
  { table, variant }: { readonly table: keyof typeof TABLES; readonly variant: ExportOptions["variant"] },
): Table {
  // All tables name the conversation of their lines.
  const whole = TABLES[table](store, run) as unknown as Table;
  if (variant === undefined) return whole;
  const wanted = new Set([...store.conversations(run, { variant })].map(({ conversation }) => conversation));
  return {
    columns: whole.columns,
    *[Symbol.iterator]() {
      for (const line of whole) if (wanted.has(String(line.conversation))) yield line;
    },
  };
}
