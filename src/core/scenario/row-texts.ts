import { textsIn } from "../liquid/fill-texts.ts";
import { compileText, isExpression, TextError } from "../liquid/text-template.ts";
import type { TextVariable } from "../liquid/text-variables.ts";
import type { Issue, IssuePath } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { fieldProblem } from "../templates/field-problem.ts";
import type { TemplateField } from "../templates/template.ts";
import { isRecord, type JsonObject, ownValue } from "../values/json.ts";
import type { ScenarioDefinition } from "./definition.ts";
import { pathText, unknownVariable } from "./validate-texts.ts";

/** A variable of a row that a text uses, and where. */
interface RowVariable {
  readonly variable: TextVariable;
  readonly path: IssuePath;
}

/** A field whose right value, or what it is compared with, comes from the row. */
interface RowField {
  readonly node: string;
  readonly name: string;
  readonly field: TemplateField;
}

/** The parts of a scenario that may use rows. */
const PARTS = ["systemPrompt", "nodes", "edges", "outcomes", "variants", "history"];

/** The variables of rows in the texts of a scenario, or of the data of one. */
export function* rowVariables(scenario: object): Generator<RowVariable, void> {
  const parts = Object.fromEntries(PARTS.map((part) => [part, ownValue(scenario, part)]));
  for (const { text, path } of textsIn(parts))
    for (const variable of compileText(text).variables)
      if (variable.path[0] === "row") yield { variable, path };
}

/** What a scenario uses of rows: collected once, and then tested with each row. */
export class RowTexts {
  readonly #variables: readonly RowVariable[];
  readonly #required: readonly (readonly (string | number)[])[];
  readonly #fields: readonly RowField[];
  readonly #verdicts = new Map<string, string | null>();

  constructor(definition: ScenarioDefinition) {
    const { nodes } = definition;
    this.#variables = [...rowVariables(definition)];
    const required = this.#variables
      .filter(({ variable }) => !variable.isOptional)
      .map(({ variable }) => knownKeys(variable.path.slice(1)));
    this.#required = [...new Map(required.map((keys) => [JSON.stringify(keys), keys])).values()];
    this.#fields = Object.entries(nodes).flatMap(([node, { question }]) =>
      Object.entries(question.template?.fields ?? {})
        .filter(([, { truth }]) => isRowExpression(truth))
        .map(([name, field]) => ({ node, name, field })),
    );
  }

  /** True if a text of the scenario uses the row. */
  get isUsed(): boolean {
    return this.#variables.length > 0;
  }

  /** The issues of columns that no row has. */
  unknownColumns(columns: readonly string[]): readonly Issue[] {
    return this.#variables.flatMap(({ variable, path }) => {
      const [, column] = variable.path;
      if (typeof column !== "string" || variable.isOptional || columns.includes(column)) return [];
      const { nearest } = nearestOf(column, columns);
      const meant = nearest === undefined ? undefined : pathText(["row", nearest, ...variable.path.slice(2)]);
      const message = `the rows have ${columns.length === 0 ? "no columns" : `the columns ${columns.join(", ")}`}`;
      return [unknownVariable(variable, path, { message, nearest: meant })];
    });
  }

  /** The issues of texts that use a row, if there is none. */
  withoutRows(): readonly Issue[] {
    const message = "the run has no rows; give the scenario a dataset";
    return this.#variables
      .filter(({ variable }) => !variable.isOptional)
      .map(({ variable, path }) => unknownVariable(variable, path, { message }));
  }

  /** What is wrong with a row, in clauses. */
  problems(row: JsonObject): readonly string[] {
    const missing = this.#required.filter((keys) => isMissing(keys, row));
    if (missing.length > 0)
      return missing.map((keys) => `it has no ${JSON.stringify(keys.join("."))}, which a text uses`);
    return this.#fields.flatMap((field) => this.#fieldProblem(field, row) ?? []);
  }

  #fieldProblem({ node, name, field }: RowField, row: JsonObject): string | null {
    let truth: unknown;
    try {
      // Only one expression that reads the row.
      truth = compileText(field.truth as string).value({ row });
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      return `the truth of field "${name}" of node "${node}" cannot be rendered: ${error.message}`;
    }
    const value = field.type === "string" && truth !== null ? String(truth) : truth;
    const key = JSON.stringify([node, name, value]);
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const problem = fieldProblem({ ...field, truth: value as TemplateField["truth"] });
    const verdict =
      problem === null
        ? null
        : `field "${name}" of node "${node}" has a wrong ${problem.key}: ${problem.message.replace(/\.$/, "")}`;
    if (this.#verdicts.size < MOST_VERDICTS) this.#verdicts.set(key, verdict);
    return verdict;
  }
}

/** Truths are few, or all different. */
const MOST_VERDICTS = 10_000;

function isRowExpression(truth: unknown): boolean {
  return isExpression(truth) && compileText(truth).variables.every(({ path }) => path[0] === "row");
}

/** The keys of a path up to the first that is computed, and without words that are no keys. */
function knownKeys(path: TextVariable["path"]): readonly (string | number)[] {
  const end = path.findIndex((key) => key === null || key === "size" || key === "first" || key === "last");
  return (end === -1 ? path : path.slice(0, end)) as readonly (string | number)[];
}

function isMissing(keys: readonly (string | number)[], row: JsonObject): boolean {
  let value: unknown = row;
  for (const key of keys) {
    if (value === null) return false;
    if (Array.isArray(value) && typeof key === "number") value = value.at(key);
    else value = isRecord(value) ? ownValue(value, String(key)) : undefined;
    if (value === undefined) return true;
  }
  return false;
}
