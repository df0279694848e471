import { join, parse } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { exportRecords, exportRun as runLines } from "../../../engine/journal/transfer/export-run.ts";
import { toParquet } from "../../../engine/journal/transfer/parquet.ts";
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
import { baselineLines } from "../../../insight/report/data/baseline.ts";
import { rates } from "../../../insight/report/data/rates.ts";
import { sequences } from "../../../insight/report/data/sequences.ts";
import { rateRows } from "../../../insight/report/data/table-rows.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { survivalSvg } from "../../../insight/report/text/sequences-text.ts";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableLines, printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { inspectLogs } from "../../interchange/inspect/inspect-log.ts";
import {
  grouped,
  KareninaError,
  type KareninaExport,
  toKarenina,
} from "../../interchange/karenina/checkpoint.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { EXPORT } from "../commands/look-commands.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { findRun, levelsOf, withRuns } from "../stored-runs.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";

type ExportOptions = OptionsOf<typeof EXPORT>;

/** Exports a run in some format, or scenarios for karenina. */
export async function exportRun(options: ExportOptions, terminal: Terminal): Promise<ExitCode> {
  return exportAs({ ...options, ...wantedForm(options) }, terminal);
}

/** The options of an export, with its format. */
type FormedOptions = ExportOptions & { readonly format: Format };

type Format = NonNullable<ExportOptions["format"]>;

async function exportAs(options: FormedOptions, terminal: Terminal): Promise<ExitCode> {
  const { format, plot, baseline, variant } = options;
  refuseUselessFlags(options);
  if (format === "karenina") return exportKarenina(options, terminal);
  const [name, ...others] = options.run;
  if (others.length > 0)
    throw new ProjectError([
      `Name one run. Is ${JSON.stringify(others.at(-1))} the file to write? Then give it with --output.`,
    ]);
  const path = plot ?? options.output;
  const { settings } = await readSettings(options.settings, terminal);
  if (path !== undefined && format !== "inspect") await refuseOutput(path, terminal);
  await withRuns(settings.store, async (store) => {
    const { run } = findRun(store, name);
    const levels = variant && levelsOf(variant);
    if (plot !== undefined) await writeRun([survivalSvg(sequences(store, run))]);
    else if (baseline) await writeRun(baselineLines(store, run));
    else if (format === "inspect") await writeLogs(store, run, { options, terminal });
    else if (format === "parquet") {
      const table = options.table ?? "conversations";
      if (path === undefined || path === "-" || table === "rates")
        throw new ProjectError([
          "Parquet is a file of one of the large tables: elenchus export --format parquet --table turns --output turns.parquet",
        ]);
      const bytes = toParquet(wantedTable(store, run, { table, variant: levels }));
      await writeWholeFile(path, bytes, { folder: terminal.folder });
      terminal.messages.write(`Wrote ${table} of run ${printableText(run)} to ${path}\n`);
    } else if (format === "xlsx") {
      if (path === undefined || path === "-")
        throw new ProjectError(["A workbook is a file. Say which: elenchus export -o results.xlsx"]);
      await writeWorkbook(store, run, { path, variant: levels, terminal });
    } else if (format === "run" && path?.endsWith(".zst")) {
      await writeWholeFile(path, compressed(inChunks(runLines(store, run))), { folder: terminal.folder });
      terminal.messages.write(`Wrote run ${printableText(run)} to ${path}\n`);
    } else if (format === "csv" && path !== undefined && path !== "-")
      await writeRun(withByteOrderMark(pieces(store, run, options)));
    else await writeRun(pieces(store, run, options));

    async function writeRun(text: Iterable<string>): Promise<void> {
      if (await writeOutput(path ?? "-", text, terminal))
        terminal.messages.write(`Wrote run ${printableText(run)} to ${path}\n`);
    }
  });
  return 0;
}

/** The formats of files by the ends of their names. */
const ENDINGS: Readonly<Record<string, Format>> = {
  csv: "csv",
  json: "json",
  parquet: "parquet",
  xlsx: "xlsx",
  eval: "inspect",
  jsonld: "karenina",
};

/** The format and the table: as the flags say, else as the name of the file says. */
function wantedForm({ format, table, output = "" }: ExportOptions): Pick<FormedOptions, "format" | "table"> {
  const { name, ext } = parse(output.toLowerCase());
  const wanted = format ?? ENDINGS[ext.slice(1)] ?? "run";
  const named = TABLE_FORMATS.includes(wanted) && isTableName(name) ? name : undefined;
  return { format: wanted, table: table ?? named };
}

const TABLE_FORMATS: readonly string[] = ["csv", "json", "parquet"];

function isTableName(name: string): name is keyof typeof TABLES | "rates" {
  return name === "rates" || Object.hasOwn(TABLES, name);
}

/** Without it, Excel does not take a CSV file for UTF-8. */
function* withByteOrderMark(text: Iterable<string>): Generator<string> {
  yield "\ufeff";
  yield* text;
}

/** Writes results, conversations and turns as the sheets of a workbook. */
async function writeWorkbook(
  store: Store,
  run: string,
  {
    path,
    variant,
    terminal,
  }: {
    readonly path: string;
    readonly variant: Readonly<Record<string, string>> | undefined;
    readonly terminal: Terminal;
  },
): Promise<void> {
  const { toXlsx, WorkbookError } = await import("../../interchange/excel/workbook.ts");
  const filter = variant === undefined ? {} : { filter: { variant } };
  const results = [...rateRows(rates(store, run, { by: ["subject"], ...filter }))];
  const sheets = [
    { name: "results", rows: results },
    { name: "conversations", rows: wantedTable(store, run, { table: "conversations", variant }) },
    { name: "turns", rows: wantedTable(store, run, { table: "turns", variant }) },
  ];
  try {
    await writeWholeFile(path, toXlsx(sheets), { folder: terminal.folder });
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw new ProjectError([`${error.message} Write CSV or Parquet: elenchus export -o turns.csv`], {
      cause: error,
    });
  }
  terminal.messages.write(`Wrote run ${printableText(run)} to ${path}\n`);
}

/** Throws for a flag that would have no effect. */
function refuseUselessFlags(options: FormedOptions): void {
  const { format, table, variant, by, average, eval: isArchive, byScenario, lossy } = options;
  const isPlain = options.plot === undefined && !options.baseline;
  const isTable = isPlain && TABLE_FORMATS.includes(format);
  const needs: readonly (readonly [string, isGiven: boolean, hasEffect: boolean, needed: string])[] = [
    ["--table", table !== undefined, isTable, "--format csv, json or parquet"],
    ["--variant", variant !== undefined, isTable || format === "xlsx", "--format csv, json, parquet or xlsx"],
    ["--by", by !== undefined, isTable && table === "rates", "--format csv --table rates"],
    ["--average", average !== undefined, isTable && table === "rates", "--format csv --table rates"],
    ["--eval", isArchive, isPlain && format === "inspect", "--format inspect"],
    ["--by-scenario", byScenario, isPlain && format === "inspect", "--format inspect"],
    ["--lossy", lossy, isPlain && format === "karenina", "--format karenina"],
  ];
  const useless = needs.find(([, isGiven, hasEffect]) => isGiven && !hasEffect);
  if (useless !== undefined) throw new ProjectError([`${useless[0]} has no effect here: add ${useless[3]}.`]);
  if (isPlain && format === "cassette" && options.output === undefined)
    throw new ProjectError([
      "A cassette is a file. Say which: elenchus export --format cassette --output calls.jsonl",
    ]);
}

const TABLES = {
  turns: turnTable,
  conversations: conversationTable,
  outcomes: outcomeTable,
  calls: callTable,
} as const;

function* pieces(store: Store, run: string, options: FormedOptions): Generator<string> {
  const { format, table = "conversations", by = ["subject"], average } = options;
  const variant = options.variant && levelsOf(options.variant);
  if (format === "cassette") yield* cassetteFromRun(store, run).lines();
  else if (format === "records") yield* inChunks(exportRecords(store, run));
  else if (format === "run") yield* inChunks(runLines(store, run));
  else {
    const filter = variant === undefined ? {} : { filter: { variant } };
    const rows =
      table === "rates"
        ? rateRows(rates(store, run, { by, ...filter, ...withoutUndefined({ average }) }))
        : wantedTable(store, run, { table, variant });
    yield* format === "csv" ? toCsv(rows) : toJson(rows);
  }
}

/** A table, or the part of it that is about conversations with some levels. */
function wantedTable(
  store: Store,
  run: string,
  {
    table,
    variant,
  }: { readonly table: keyof typeof TABLES; readonly variant: Readonly<Record<string, string>> | undefined },
): Table {
  // All tables name the conversation of their lines.
  const whole = TABLES[table](store, run) as unknown as Table;
  if (variant === undefined) return whole;
  const wanted = new Set([...store.conversations(run, { variant })].map(({ conversation }) => conversation));
  return {
    columns: whole.columns,
    ...(whole.types === undefined ? {} : { types: whole.types }),
    *[Symbol.iterator]() {
      for (const line of whole) if (wanted.has(String(line.conversation))) yield line;
    },
  };
}

/** Writes a run as logs for Inspect, one per subject. */
async function writeLogs(
  store: Store,
  run: string,
  { options, terminal }: { readonly options: ExportOptions; readonly terminal: Terminal },
): Promise<void> {
  const { output: folder = "logs", eval: isArchive, byScenario } = options;
  for (const log of inspectLogs(store, run, { byScenario, version: packageVersion() })) {
    const path = join(folder, `${log.name}.${isArchive ? "eval" : "json"}`);
    await writeWholeFile(path, isArchive ? log.eval() : log.json(), { folder: terminal.folder });
    terminal.messages.write(`Wrote ${path}\n`);
  }
  terminal.messages.write(`Look at them: inspect view --log-dir ${folder}\n`);
}

/** Writes scenarios as a karenina checkpoint. */
async function exportKarenina(options: ExportOptions, terminal: Terminal): Promise<ExitCode> {
  const { run: names, output = "-", lossy } = options;
  await refuseOutput(output, terminal);
  const { settings } = await readSettings(options.settings, terminal);
  const definitions = await readScenarios(names, settings, terminal);
  let written: KareninaExport;
  try {
    written = toKarenina(definitions, { lossy });
  } catch (error) {
    if (error instanceof KareninaError) throw new ProjectError([error.message], { cause: error });
    throw error;
  }
  const isFile = await writeOutput(output, [written.text], terminal);
  const lines = [
    ...grouped(written.losses).map((line) => `left out: ${line}`),
    ...grouped(written.notes),
    ...(isFile ? [`Wrote ${countedText(definitions.length, "scenario")} to ${output}`] : []),
  ];
  terminal.messages.write(`${printableLines(lines.join("\n"))}\n`);
  return 0;
}
