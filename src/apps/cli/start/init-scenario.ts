import { existsSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { nameHint } from "../../../core/schema/nearest-name.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { readDataset } from "../../../engine/datasets/dataset.ts";
import { DatasetError } from "../../../engine/datasets/row-files.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { readBytes } from "../../../system/files/read-text-file.ts";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableText, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns, cutToWidth, linesText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { examplePath } from "../../project/scenario-files/find-files.ts";
import { type ExitCode, optionsOf } from "../command.ts";
import { RUN } from "../commands/run-commands.ts";
import { CHECK } from "../commands/write-commands.ts";
import { run } from "../run/run.ts";
import { readAnswer } from "../trust/consent.ts";
import { check } from "../write/check.ts";
import {
  type ColumnMap,
  columnsByName,
  ROLES,
  type Role,
  scenarioFromTable,
  separatorIn,
} from "./scenario-from-table.ts";

/** Writes a scenario for the rows of a table, checks it, and runs it with simulated subjects. */
export async function initFromTable(
  file: string,
  { folder, map }: { readonly folder: string; readonly map: readonly string[] },
  terminal: Terminal,
): Promise<ExitCode> {
  const path = resolve(terminal.folder, file);
  const name = basename(file).replace(/\.[^.]+$/, "");
  const scenario = join(folder, `${name}.yaml`);
  refuseTaken([scenario], terminal);
  const { columns, rows, count } = await readTable(path, file);
  const named = { ...columnsByName(columns), ...mappedColumns(map, columns, file) };
  const { output } = terminal;
  output.write(linesText([`${printableText(file)}: ${countedText(count, "row")}`]));
  const found = await askedColumns(named, { columns, rows }, terminal);
  const { question, answer } = found;
  if (question === undefined || answer === undefined)
    throw new ProjectError([
      `Which columns of ${file} are the question and the right answer? It has ${columns.join(", ")}. Say it: --map "question=<column>,answer=<column>,wrong=<column>"`,
    ]);
  output.write(columnsText(found, { columns, rows }, terminal));
  const near = relative(resolve(terminal.folder, folder), path).replaceAll("\\", "/");
  // A scenario file names only tables in its folder or below, so another table is copied.
  const isAway = near.startsWith("..") || resolve(near) === near;
  const table = isAway ? basename(file) : near;
  const mapped = { ...found, question, answer };
  const text = scenarioFromTable({ file: table, name, columns: mapped, rows });
  await writeNew(
    { [scenario]: text, ...(isAway ? { [join(folder, table)]: bytesOf(path, file) } : {}) },
    terminal,
  );
  output.write("\n");
  const code = await check(optionsOf(CHECK, { files: [scenario], draw: false, format: "text" }), terminal);
  if (code !== 0) return code;
  output.write("\nA run with two simulated subjects; one gives in. No model is called.\n");
  const subjects = { flag: "--subject", path: ["subjects"], value: ["sim/steadfast", "sim/sycophant"] };
  await run(optionsOf(RUN, { files: [scenario], settings: { flags: [subjects], sets: [] } }), terminal);
  printNext(scenario, " --limit 3", terminal);
  return 0;
}

/** Copies an example of this package, to be edited. */
export async function initFromExample(name: string, folder: string, terminal: Terminal): Promise<ExitCode> {
  const path = examplePath(name);
  if (typeof path !== "string") throw new ProjectError([path.problem]);
  const scenario = join(folder, basename(path));
  await writeNew({ [scenario]: bytesOf(path, name) }, terminal);
  printNext(scenario, "", terminal);
  return 0;
}

/** The rows of a table that are looked at, its columns, and how many rows there are. */
interface LookedAt {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

const MOST_ROWS = 10_000;

async function readTable(path: string, file: string): Promise<LookedAt & { readonly count: number }> {
  try {
    const dataset = await readDataset(path);
    const rows: JsonObject[] = [];
    for await (const { values } of dataset) if (rows.push(values) === MOST_ROWS) break;
    return { columns: dataset.columns, rows, count: dataset.count };
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    throw new ProjectError([error.message.replaceAll(path, file)], { cause: error });
  }
}

/** What `--map` says: `question=Frage,answer=Antwort`. */
function mappedColumns(map: readonly string[], columns: readonly string[], file: string): ColumnMap {
  const parts = map.flatMap((text) => text.split(new RegExp(`,(?=\\s*(?:${ROLES.join("|")})\\s*=)`)));
  return Object.fromEntries(
    parts.map((part) => {
      const [, role = "", column = ""] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
      if (!ROLES.includes(role as Role))
        throw new ProjectError([
          `--map: Expected "question=<column>", with ${ROLES.join(", ")} as what a column can be, got ${JSON.stringify(part)}.`,
        ]);
      if (!columns.includes(column))
        throw new ProjectError([`${file} has no column "${column}". ${nameHint(column, columns)}`]);
      return [role, column];
    }),
  );
}

const QUESTIONS: Readonly<Partial<Record<Role, string>>> = {
  question: "Which column is the question?",
  answer: "Which column is the right answer?",
  wrong: "Which column has wrong answers? (Enter: none)",
};

/** Asks for what no column is called, if a person is there and a question or an answer is missing. */
async function askedColumns(
  named: ColumnMap,
  { columns, rows }: LookedAt,
  terminal: Terminal,
): Promise<ColumnMap> {
  if (named.question !== undefined && named.answer !== undefined) return named;
  const { output } = terminal;
  const lines = columns.map((column, index) => [
    { text: `${index + 1}` },
    { text: printableText(column) },
    { text: cellText(rows, column, output.width / 2) },
  ]);
  output.write(linesText(["", ...alignColumns(lines, [">", "<", "<"]).map((line) => `  ${line}`)]));
  const found: Partial<Record<Role, string>> = { ...named };
  for (const [role, text] of Object.entries(QUESTIONS) as [Role, string][]) {
    while (found[role] === undefined) {
      const typed = await readAnswer(`${text} `, terminal);
      if (typed === undefined) return found;
      if (typed === "" && role === "wrong") break;
      const column = columns.find((one) => one === typed) ?? columns[Number(typed) - 1];
      if (column === undefined) terminal.messages.write(`Type a number from 1 to ${columns.length}.\n`);
      else found[role] = column;
    }
  }
  return found;
}

/** What the columns are, and what a separator in their cells stands between. */
const MEANINGS: Readonly<Record<Role, readonly [alone: string, items?: string]>> = {
  question: ["the question"],
  answer: ["the right answer", "words that mean the same"],
  wrong: ["wrong answers", "them"],
  options: ["the options", "them"],
  id: ["names the row"],
};

/** The columns of a table with a cell of each, and what they are taken for. */
function columnsText(found: ColumnMap, { columns, rows }: LookedAt, { output }: Terminal): string {
  const lines = columns.map((column) => {
    const role = ROLES.find((one) => found[one] === column);
    const [meaning, items] = role === undefined ? ["not used"] : MEANINGS[role];
    const separator = items === undefined ? undefined : separatorIn(rows, column);
    return [
      { text: printableText(column) },
      { text: cellText(rows, column, output.width / 3) },
      {
        text: separator === undefined ? meaning : `${meaning}, ${separator} between ${items}`,
        paint: output.style.bold,
      },
    ];
  });
  return linesText(["", ...alignColumns(lines, ["<", "<", "<"]).map((line) => `  ${line}`), ""]);
}

function cellText([row]: readonly JsonObject[], column: string, width: number): string {
  return cutToWidth(printableText(String(row?.[column] ?? "")), Math.max(8, Math.floor(width)));
}

function bytesOf(path: string, name: string): Uint8Array {
  const content = readBytes(path, name);
  if ("problem" in content) throw new ProjectError([content.problem]);
  return content.bytes;
}

/** Throws if one of some files exists. */
function refuseTaken(names: readonly string[], { folder }: Terminal): void {
  const taken = names.find((name) => existsSync(resolve(folder, name)));
  if (taken !== undefined)
    throw new ProjectError([
      `${taken} exists already, and nothing is overwritten. Delete or rename it, or name a folder: elenchus init <folder>`,
    ]);
}

/** Writes files if none of them exists. */
async function writeNew(
  files: Readonly<Record<string, string | Uint8Array>>,
  terminal: Terminal,
): Promise<void> {
  const { folder, output } = terminal;
  refuseTaken(Object.keys(files), terminal);
  for (const [name, content] of Object.entries(files)) {
    await writeWholeFile(name, [content], { folder, keeps: true });
    output.write(`Wrote ${printableText(name)}\n`);
  }
}

function printNext(scenario: string, options: string, { output }: Terminal): void {
  const file = shellWord(scenario);
  const steps = [
    [`npx elenchus check ${file}`, "when you have edited it"],
    [`npx elenchus play ${file}`, "answer yourself"],
    [`npx elenchus run ${file} --subject openai/gpt-5-mini${options}`, ""],
    ["npx elenchus export -o results.xlsx", "results for Excel"],
  ].map(([command = "", about = ""]) => [
    { text: command, paint: output.style.bold },
    { text: about, paint: output.style.dim },
  ]);
  output.write(
    linesText([
      "",
      output.style.bold("Next steps:"),
      ...alignColumns(steps, ["<", "<"]).map((line) => `  ${line}`),
    ]),
  );
}
