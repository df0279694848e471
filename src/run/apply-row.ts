import { copyDefinition } from "../core/scenario/copy-definition.ts";
import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import type { Question } from "../core/scenario/question.ts";
import { fieldProblem } from "../core/templates/field-problem.ts";
import { fillRowVariables, isRowVariable, rowVariables } from "../core/templates/row-variable.ts";
import { isRecord, type JsonObject, type JsonValue, ownValue } from "../core/values/json.ts";

/** A scenario with the values of a row in its questions, references and truths; and what is wrong with it. */
export interface AppliedRow {
  readonly definition: ScenarioDefinition;
  readonly problems: readonly string[];
}

/** Puts the values of a row where the questions of a scenario say `{{row.…}}`; without a row every variable is a problem. */
export function applyRow(definition: ScenarioDefinition, row: JsonObject | null): AppliedRow {
  const problems: string[] = [];
  let isChanged = false;
  const nodes = Object.entries(definition.nodes).map(([id, node]) => {
    const filling = new Filling(row, (problem) => problems.push(`the question of node "${id}" ${problem}`));
    // What is filled in has the shape of what it was filled into; fields are looked at again.
    const question = filling.fill(node.question, "") as Question;
    if (!filling.isUsed) return [id, node] as const;
    isChanged = true;
    for (const [name, field] of Object.entries(question.template?.fields ?? {})) {
      const problem = fieldProblem(field);
      if (problem !== null)
        problems.push(`field "${name}" of node "${id}" has a wrong ${problem.key}: ${problem.message}`);
    }
    return [id, Object.freeze({ ...node, question })] as const;
  });
  if (!isChanged || problems.length > 0) return { definition, problems };
  return {
    definition: copyDefinition(definition, { nodes: Object.freeze(Object.fromEntries(nodes)) }),
    problems,
  };
}

/** Parts that must be text, whatever type the row's value has. */
const TEXTS: ReadonlySet<string> = new Set([
  "question",
  "rawAnswer",
  "answer",
  "description",
  "hint",
  "keywords",
]);

class Filling {
  isUsed = false;
  readonly #row: JsonObject | null;
  readonly #report: (problem: string) => void;

  constructor(row: JsonObject | null, report: (problem: string) => void) {
    this.#row = row;
    this.#report = report;
  }

  /** What has no variables is kept as it is, so that what was prepared for it can be used again. */
  fill(part: unknown, key: string): unknown {
    if (typeof part === "string") return rowVariables(part).length === 0 ? part : this.#text(part, key);
    if (typeof part !== "object" || part === null) return part;
    const entries = Object.entries(part).map(
      ([name, value]) => [name, value, this.fill(value, name)] as const,
    );
    if (entries.every(([, before, after]) => before === after)) return part;
    const filled = entries.map(([name, , after]) => [name, after] as const);
    return Object.freeze(Array.isArray(part) ? filled.map(([, after]) => after) : Object.fromEntries(filled));
  }

  #text(text: string, key: string): unknown {
    this.isUsed = true;
    if (isRowVariable(text) && !TEXTS.has(key)) return this.#value(rowVariables(text)[0] as string);
    return fillRowVariables(text, (path) => {
      const value = this.#value(path);
      return typeof value === "string" ? value : JSON.stringify(value);
    });
  }

  #value(path: string): JsonValue {
    let value: unknown = this.#row;
    for (const key of path.split(".")) value = isRecord(value) ? ownValue(value, key) : undefined;
    if (value !== undefined) return value as JsonValue;
    const names =
      this.#row === null
        ? "but the run has no rows"
        : `but the row has only ${Object.keys(this.#row).join(", ")}`;
    this.#report(`uses {{row.${path}}}, ${names}`);
    return "";
  }
}
