import { compileText, isTemplate, TextError } from "../liquid/text-template.ts";
import type { JsonObject } from "../values/json.ts";
import { isContentId } from "./dataset.ts";
import type { ScenarioDefinition } from "./definition.ts";

/** Columns that say what a row is called, if the dataset names none as its id. */
const NAME_COLUMNS = /^(id|name|key)$/i;
const LONGEST_NAME = 60;
const LONGEST_QUESTION = 48;

/**
 * What a person sees of a row: its id or name, and the first words of its question, such as `turkey "What is the capital of Turkey?"`.
 * Rows are told apart by their ids: two may look the same.
 */
export function rowName(bound: ScenarioDefinition, id: string | undefined, row: JsonObject): string {
  const name = id === undefined || isContentId(id) ? nameIn(row) : id;
  const about = `"${questionOf(bound) ?? shortened(firstText(row) ?? JSON.stringify(row))}"`;
  return name === undefined ? about : `${name} ${about}`;
}

function nameIn(row: JsonObject): string | undefined {
  const named = Object.entries(row).find(
    ([column, value]) =>
      NAME_COLUMNS.test(column) &&
      (typeof value === "number" ||
        (typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_NAME)),
  );
  return named === undefined ? undefined : String(named[1]).trim();
}

function firstText(row: JsonObject): string | undefined {
  return Object.values(row).find((value) => typeof value === "string" && value.trim() !== "") as
    | string
    | undefined;
}

/** The beginning of the first question that uses the row: of the entry, else of another node. */
function questionOf({ entryNode, nodes, given }: ScenarioDefinition): string | undefined {
  for (const node of [nodes[entryNode], ...Object.values(nodes)]) {
    const text = node?.user === undefined ? node?.question.question : undefined;
    if (text === undefined || !isTemplate(text)) continue;
    const { variables, text: render } = compileText(text);
    if (!variables.some(({ path }) => path[0] === "row")) continue;
    try {
      const fixed = oneLine(text.slice(0, text.search(/\{[{%]/)));
      const whole = oneLine(render({ ...given }));
      // Words that all rows begin with say nothing about this one.
      const isLate = whole.length > LONGEST_QUESTION && fixed.length > LONGEST_QUESTION / 2;
      return isLate && whole.startsWith(fixed)
        ? `…${shortened(whole.slice(fixed.length).trim())}`
        : shortened(whole);
    } catch (error) {
      // It needs more than the row, such as an earlier reply.
      if (!(error instanceof TextError)) throw error;
    }
  }
  return undefined;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function shortened(text: string): string {
  const line = oneLine(text);
  const letters = [...line];
  if (letters.length <= LONGEST_QUESTION) return line;
  // At the end of a word, unless that would leave little.
  const words = letters
    .slice(0, LONGEST_QUESTION + 1)
    .join("")
    .replace(/(?<=.{24})\s\S*$/u, "");
  return `${[...words].slice(0, LONGEST_QUESTION).join("")}…`;
}
