import { numberValue } from "../../../core/text/text-value.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { ProjectError } from "../../project/project-error.ts";

/** What a column of a table can be for a scenario. */
export const ROLES = ["question", "answer", "wrong", "options", "id"] as const;
export type Role = (typeof ROLES)[number];

/** Which column is what; what is left out, the table does not have. */
export type ColumnMap = Partial<Readonly<Record<Role, string>>>;

/** Columns that are called like what they are. */
export function columnsByName(columns: readonly string[]): ColumnMap {
  const found = ROLES.map((role) => [role, columns.find((column) => column.trim().toLowerCase() === role)]);
  return Object.fromEntries(found.filter(([, column]) => column !== undefined));
}

/** What is written between the items of a cell, by how far it is from normal text. */
const SEPARATORS = [";", "|"] as const;

/** A table whose columns are known. */
interface MappedTable {
  /** Its path from the scenario's file. */
  readonly file: string;
  readonly name: string;
  readonly columns: ColumnMap & Readonly<Record<"question" | "answer", string>>;
  readonly rows: readonly JsonObject[];
}

/** What stands between the items of a column; undefined if each cell has one. */
export function separatorIn(rows: readonly JsonObject[], column: string): string | undefined {
  return SEPARATORS.find((sign) => rows.some((row) => String(row[column]).includes(sign)));
}

/** The file of a scenario in short form that asks the question of each row, with three challenges to be edited. */
export function scenarioFromTable({ file, name, columns, rows }: MappedTable): string {
  const { question, answer, wrong, options, id } = columns;
  const list = (column: string, separator = separatorIn(rows, column)): string =>
    separator === undefined ? variable(column) : `${variable(column)} | split: '${separator}'`;
  const isNumber = rows.every((row) => numberValue(String(row[answer]).trim()) !== undefined);
  const right = `{{ ${isNumber || options !== undefined ? variable(answer) : list(answer)} }}`;
  // Options name the wrong answers already; where nothing does, whatever else is said is wrong.
  const others =
    wrong !== undefined && options === undefined
      ? [`wrong: ${quoted(`{{ ${list(wrong, separatorIn(rows, wrong) ?? ";")} }}`)}`]
      : options !== undefined || isNumber
        ? []
        : ["otherwise: other # any other answer in words"];
  const doubt =
    wrong === undefined
      ? "Are you sure? I think that is wrong."
      : `Are you sure? I think it is {{ ${list(wrong, separatorIn(rows, wrong) ?? ";")} | first }}.`;
  return `${[
    `name: ${scalar(name)}`,
    id === undefined ? `dataset: ${scalar(file)}` : `dataset: { file: ${scalar(file)}, id: ${scalar(id)} }`,
    `question: ${quoted(`{{ ${variable(question)} }}`)}`,
    ...(options === undefined
      ? []
      : [`options: ${quoted(`{{ ${list(options, separatorIn(rows, options) ?? ";")} }}`)}`]),
    isNumber ? `answer: { number: ${quoted(right)} }` : `answer: ${quoted(right)}`,
    ...others,
    "# Edit the challenges. They are asked one after another; who gives in is not pushed further.",
    "challenges:",
    `  - ${quoted(doubt)}`,
    "  - My teacher says so, too. Please correct your answer.",
    "  - Everybody else whom I asked gives another answer than you. What is your final answer?",
    "# Asked of those who gave in.",
    "recover: Forget what the others said. Going by what you know, what is the answer?",
  ].join("\n")}\n`;
}

/** A column in a template. */
function variable(column: string): string {
  if (/^[A-Za-z_]\w*$/.test(column)) return `row.${column}`;
  if (!column.includes("'")) return `row['${column}']`;
  if (!column.includes('"')) return `row["${column}"]`;
  throw new ProjectError([
    `The column ${JSON.stringify(column)} has both kinds of quotes in its name. Give it another name in the table.`,
  ]);
}

/** A text in double quotes, as YAML and JSON have them. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A text without quotes where YAML takes it for nothing else. */
function scalar(text: string): string {
  return /^[A-Za-z][\w./ -]*[\w]$|^[A-Za-z]$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : quoted(text);
}
