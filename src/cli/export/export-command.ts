import { Option } from "commander";
import { type AddCommand, examples } from "../command.ts";
import { addSettingFlags, type GivenFlags, settingsRequest } from "../flags.ts";
import type { ExportOptions } from "./export.ts";

const FORMATS: readonly ExportOptions["format"][] = ["run", "csv", "json", "records", "cassette"];
const TABLES: readonly ExportOptions["table"][] = ["turns", "conversations", "outcomes"];

/** `elenchus export` */
export const addExportCommand: AddCommand = (program, { terminal, execute }) => {
  const command = program
    .command("export")
    .description("write a run to a file: everything, a table, or its answers as a cassette")
    .argument("[run]", "the run, or the beginning of its name (default: the latest)")
    .addOption(
      new Option(
        "--format <format>",
        "run: a file for import; csv, json: a table; records: conversations for grade; cassette: the answers",
      )
        .choices(FORMATS)
        .default("run"),
    )
    .addOption(
      new Option("--table <table>", "the table for csv and json").choices(TABLES).default("conversations"),
    )
    .option("-o, --output <file>", "the file to write (default: standard output)");
  addSettingFlags(command, ["store"])
    .addHelpText(
      "after",
      examples(
        "elenchus export --output monday.jsonl",
        "elenchus export 3f2a --format csv --table turns > turns.csv",
        "elenchus export --format cassette --output calls.jsonl",
      ),
    )
    .action(
      (run: string | undefined, given: GivenFlags & Pick<ExportOptions, "format" | "table" | "output">) =>
        execute(async () => {
          const { exportCommand } = await import("./export.ts");
          const { format, table, output } = given;
          return exportCommand(
            {
              settings: settingsRequest(given),
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
