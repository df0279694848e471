import { InvalidArgumentError, Option } from "commander";
import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";
import type { ExportOptions } from "./export.ts";

const FORMATS: readonly (ExportOptions["format"] | "karenina")[] = [
  "run",
  "csv",
  "json",
  "records",
  "cassette",
  "karenina",
];
const TABLES: readonly ExportOptions["table"][] = ["turns", "conversations", "outcomes"];

/** `elenchus export` */
export const addExportCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("export")
    .description(
      "write a run to a file: everything, a table, or its answers as a cassette; or scenarios for karenina",
    )
    .argument(
      "[run...]",
      "the run, or the beginning of its name (default: the latest); for karenina: scenario files, folders or packs",
    )
    .addOption(
      new Option(
        "--format <format>",
        "run: a file for import; csv, json: a table; records: conversations for grade; cassette: the answers; karenina: scenarios as a checkpoint",
      )
        .choices(FORMATS)
        .default("run"),
    )
    .addOption(
      new Option("--table <table>", "the table for csv and json").choices(TABLES).default("conversations"),
    )
    .option("-o, --output <file>", "the file to write (default: standard output)")
    .option("--lossy", "for karenina: leave out what it cannot express");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus export --output monday.jsonl",
        "elenchus export 3f2a --format csv --table turns > turns.csv",
        "elenchus export --format cassette --output calls.jsonl",
        "elenchus export --format karenina scenarios/ --output benchmark.jsonld",
      ),
    )
    .action((names: readonly string[], given: GivenFlags & ExportFlags) =>
      execute(async () => {
        const { format, table, output, lossy = false } = given;
        const settings = settingsRequest(given);
        if (format === "karenina") {
          const { exportKarenina } = await import("./export-karenina.ts");
          return exportKarenina({ settings, names, output: output ?? "-", lossy }, terminal);
        }
        const { exportCommand } = await import("./export.ts");
        const [run, ...others] = names;
        if (others.length > 0) throw new InvalidArgumentError("Name one run.");
        return exportCommand(
          {
            settings,
            format,
            table,
            ...(run === undefined ? {} : { run }),
            ...(output === undefined ? {} : { output }),
          },
          terminal,
        );
      }),
    );
};

type ExportFlags = Pick<ExportOptions, "table" | "output"> & {
  readonly format: ExportOptions["format"] | "karenina";
  readonly lossy?: true;
};
