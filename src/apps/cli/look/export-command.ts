import { Option } from "commander";
import { type AddCommand, commaList, examples, repeatable } from "../command.ts";
import { addSettingFlags, averageOption, type GivenFlags, settingsRequest } from "../flags.ts";
import type { ExportOptions } from "./export.ts";

const FORMATS: readonly Exclude<ExportFlags["format"], "baseline" | "plot">[] = [
  "run",
  "csv",
  "json",
  "parquet",
  "records",
  "cassette",
  "inspect",
  "karenina",
];
const TABLES: readonly ExportOptions["table"][] = ["turns", "conversations", "outcomes", "calls", "rates"];

/** `elenchus export` */
export const addExportCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("export")
    .description("export a run as a run file, a table, a cassette or logs; or scenarios for karenina")
    .argument(
      "[run...]",
      "the run, or the beginning of its name (default: the latest); for karenina: scenario files, folders or packs",
    )
    .addOption(
      new Option(
        "--format <format>",
        "run: a file for import; csv, json, parquet: a table; records: conversations for grade; cassette: the answers; inspect: logs for Inspect; karenina: scenarios as a checkpoint",
      )
        .choices(FORMATS)
        .default("run"),
    )
    .addOption(
      new Option("--table <table>", "the table for csv, json and parquet")
        .choices(TABLES)
        .default("conversations"),
    )
    .option(
      "-o, --output <file>",
      "the file to write (default: standard output); for inspect, the folder (default: logs)",
    )
    .option("--eval", "for inspect: archives (.eval) instead of JSON")
    .option("--by-scenario", "for inspect: a log for each scenario and subject")
    .option("--lossy", "for karenina: leave out what it cannot express")
    .option("--by <names>", "what the table of rates is grouped by (default: subject)", commaList)
    .addOption(averageOption())
    .option(
      "--variant <factor=level>",
      "only conversations with this level of a factor, in tables (repeatable)",
      repeatable,
    )
    .option("--plot <file>", "draw how long right answers last as an SVG file")
    .option("--baseline", "write a small file to compare later runs with: run --baseline, compare");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus export --output monday.jsonl",
        "elenchus export 3f2a --format csv --table turns > turns.csv",
        "elenchus export --format cassette --output calls.jsonl",
        "elenchus export --baseline --output baseline.jsonl",
        "elenchus export --plot survival.svg",
        "elenchus export --format karenina scenarios/ --output benchmark.jsonld",
      ),
    )
    .action((names: readonly string[], given: GivenFlags & ExportFlags) =>
      execute(async () => {
        const { table, by, average, baseline, plot, lossy = false } = given;
        const format = plot !== undefined ? "plot" : baseline === true ? "baseline" : given.format;
        const output = plot ?? given.output;
        const settings = settingsRequest({ ...given, variant: undefined });
        const misplaced = misplacedFlag(given, format, command.getOptionValueSource("table") === "cli");
        if (misplaced !== undefined) {
          const { ProjectError } = await import("../../project/project-error.ts");
          throw new ProjectError([misplaced]);
        }
        if (format === "karenina") {
          const { exportKarenina } = await import("./export-other-tools.ts");
          return exportKarenina({ settings, names, output: output ?? "-", lossy }, terminal);
        }
        const [run, ...others] = names;
        if (others.length > 0) {
          const { ProjectError } = await import("../../project/project-error.ts");
          throw new ProjectError([
            `Name one run. Is ${JSON.stringify(others.at(-1))} the file to write? Then give it with --output.`,
          ]);
        }
        if (format === "inspect") {
          const { exportInspect } = await import("./export-other-tools.ts");
          const how = { isArchive: given.eval === true, byScenario: given.byScenario === true };
          return exportInspect({ settings, run, folder: output ?? "logs", ...how }, terminal);
        }
        const { exportCommand } = await import("./export.ts");
        const { levelsOf } = await import("../stored-runs.ts");
        return exportCommand(
          {
            settings,
            format,
            table,
            by,
            average,
            variant: given.variant && levelsOf(given.variant),
            run,
            output,
          },
          terminal,
        );
      }),
    );
};

/** Why a flag would have no effect; undefined if each has one. */
function misplacedFlag(
  { table, by, average, variant, eval: archives, byScenario, lossy }: ExportFlags,
  format: ExportFlags["format"],
  hasTable: boolean,
): string | undefined {
  const isTable = format === "csv" || format === "json" || format === "parquet";
  const forTables = hasTable ? "--table" : variant !== undefined ? "--variant" : undefined;
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

type ExportFlags = Pick<ExportOptions, "table" | "output" | "by" | "average"> & {
  readonly baseline?: true;
  readonly variant?: readonly string[];
  readonly plot?: string;
  readonly format: ExportOptions["format"] | "inspect" | "karenina";
  readonly eval?: true;
  readonly byScenario?: true;
  readonly lossy?: true;
};
