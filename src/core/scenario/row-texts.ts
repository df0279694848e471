import { textsIn } from "../liquid/fill-texts.ts";
import { compileText, isExpression, isTemplate, TextError } from "../liquid/text-template.ts";
import type { TextVariable } from "../liquid/text-variables.ts";
import type { Issue, IssuePath } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { fieldProblem } from "../templates/field-problem.ts";
import type { TemplateField } from "../templates/template.ts";
import { isRecord, type JsonObject, type JsonValue, ownValue } from "../values/json.ts";
import type { ScenarioDefinition } from "./definition.ts";
import { pathText, unknownVariable } from "./validate-texts.ts";

/** A variable of a row that a text uses, and where. */
interface RowVariable {
  readonly variable: TextVariable;
  readonly path: IssuePath;
}

/** A field whose right value, or what a rule tells it from, comes from the row. */
interface RowField {
  readonly node: string;
  readonly name: string;
  readonly field: TemplateField;
  /** Those that its right value comes from. */
  readonly truthColumns: readonly string[];
  /** The values of its alias list, if they depend on nothing but the row. */
  readonly aliases: readonly string[];
}

/** A question that depends on nothing but the row. */
interface RowQuestion {
  readonly node: string;
  readonly text: string;
}

/** What is wrong with a row. Rows with the same `kind` have the same problem. */
export interface RowProblem {
  readonly kind: string;
  /** A clause without a full stop. */
  readonly text: string;
  /** The columns that it is about. */
  readonly columns?: readonly string[];
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
  readonly #questions: readonly RowQuestion[];
  /** Null if a text computes which column it uses. */
  readonly #columns: ReadonlySet<string> | null;
  readonly #verdicts = new Map<string, string | null>();

  constructor(definition: ScenarioDefinition) {
    const { nodes } = definition;
    this.#variables = [...rowVariables(definition)];
    const columns = this.#variables.map(({ variable }) => variable.path[1]);
    this.#columns = columns.every((column) => typeof column === "string") ? new Set(columns) : null;
    const required = this.#variables
      .filter(({ variable }) => !variable.isOptional)
      .map(({ variable }) => knownKeys(variable.path.slice(1)));
    this.#required = [...new Map(required.map((keys) => [JSON.stringify(keys), keys])).values()];
    const fields = Object.entries(nodes).flatMap(([node, { question }]) =>
      Object.entries(question.template?.fields ?? {})
        .map(([name, field]) => rowField(node, name, field))
        .filter(({ truthColumns, aliases }) => truthColumns.length + aliases.length > 0),
    );
    // Nodes often share a template.
    const keyed = fields.map((one) => [JSON.stringify([one.name, one.field]), one] as const);
    this.#fields = [...new Map(keyed.reverse()).values()];
    this.#questions = Object.entries(nodes).flatMap(([node, { question, user }]) =>
      user === undefined && isRowText(question.question) ? [{ node, text: question.question }] : [],
    );
  }

  /** True if a text of the scenario uses the row. */
  get isUsed(): boolean {
    return this.#variables.length > 0;
  }

  /** The issues of columns that no row has. */
  unknownColumns(columns: readonly string[]): readonly Issue[] {
    const said = new Set<string>();
    return this.#variables.flatMap(({ variable, path }) => {
      const [, column] = variable.path;
      if (typeof column !== "string" || variable.isOptional || columns.includes(column)) return [];
      // Once, at the first of the texts that use it.
      if (said.has(column)) return [];
      said.add(column);
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

  /** What texts use of a row: the same values give the same questions, truths and rules. All of it if a text computes its column. */
  used(row: JsonObject): JsonObject {
    const columns = this.#columns;
    return columns === null
      ? row
      : Object.fromEntries(Object.entries(row).filter(([column]) => columns.has(column)));
  }

  /** What is wrong with a row. */
  problems(row: JsonObject): readonly RowProblem[] {
    const missing = this.#required.filter((keys) => isMissing(keys, row));
    if (missing.length > 0)
      return missing.map((keys) => {
        const text = `it has no ${JSON.stringify(keys.join("."))}, which a text uses`;
        return { kind: text, text };
      });
    // A bad cell may be used by many nodes: the first of them is enough to find it.
    const found = new Map<string, RowProblem>();
    for (const problem of this.#allProblems(row))
      if (!found.has(problem.kind)) found.set(problem.kind, problem);
    return [...found.values()];
  }

  *#allProblems(row: JsonObject): Generator<RowProblem> {
    for (const { node, text } of this.#questions)
      if (rendered(text, row).trim() === "")
        yield {
          kind: `question ${text}`,
          text: `the question of node "${node}" comes to an empty text`,
          columns: columnsIn(text),
        };
    for (const field of this.#fields) {
      const problem = this.#fieldProblem(field, row);
      if (problem !== null) yield problem;
    }
  }

  #fieldProblem({ node, name, field, truthColumns, aliases }: RowField, row: JsonObject): RowProblem | null {
    const place = `field "${name}" of node "${node}"`;
    const about = (columns: readonly string[], text: string): RowProblem => ({
      kind: `${text.replace(place, "")} ${columns}`,
      text,
      columns,
    });
    try {
      const truth = truthColumns.length > 0 ? compileText(field.truth as string).value({ row }) : null;
      if (truthColumns.length > 0 && isEmptyTruth(truth, field))
        return about(truthColumns, `it is empty, but it is the right answer of ${place}`);
      const seen = new Map<string, string>();
      for (const alias of aliases) {
        const texts = aliasTexts(alias, row);
        if (texts.every((text) => text === ""))
          return about(columnsIn(alias), `it is empty, but it is an answer of ${place}`);
        for (const text of texts) {
          const other = seen.get(text);
          if (other !== undefined)
            return about(columnsIn(other, alias), `they are the same, but different answers of ${place}`);
          seen.set(text, alias);
        }
      }
      if (truthColumns.length === 0) return null;
      const problem = this.#truthProblem({ node, name, field }, truth);
      return problem === null
        ? null
        : {
            ...about(truthColumns, `${place} has a wrong ${problem}`),
            kind: `wrong ${truthColumns} ${name}`,
          };
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      return about(truthColumns, `a text of ${place} cannot be rendered: ${error.message}`);
    }
  }

  #truthProblem(
    { node, name, field }: Pick<RowField, "node" | "name" | "field">,
    truth: unknown,
  ): string | null {
    const value = field.type === "string" && truth !== null ? String(truth) : truth;
    const key = JSON.stringify([node, name, value]);
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const problem = fieldProblem({ ...field, truth: value as JsonValue });
    const verdict = problem === null ? null : `${problem.key}: ${problem.message.replace(/\.$/, "")}`;
    if (this.#verdicts.size < MOST_VERDICTS) this.#verdicts.set(key, verdict);
    return verdict;
  }
}

/** Truths are few, or all different. */
const MOST_VERDICTS = 10_000;

function rowField(node: string, name: string, field: TemplateField): RowField {
  const { truth, extract } = field;
  const aliases = extract?.type === "aliases" ? Object.keys(extract.values) : [];
  const isRows = aliases.some(isTemplate) && aliases.every((alias) => !isTemplate(alias) || isRowText(alias));
  return {
    node,
    name,
    field,
    truthColumns: isExpression(truth) && isRowText(truth) ? columnsIn(truth) : [],
    aliases: isRows ? aliases : [],
  };
}

function isRowText(text: string): boolean {
  if (!isTemplate(text)) return false;
  const { variables } = compileText(text);
  return variables.length > 0 && variables.every(({ path }) => path[0] === "row");
}

function columnsIn(...texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) => compileText(text).variables.map(({ path }) => path[1]));
  return [...new Set(found.filter((column) => typeof column === "string"))];
}

/** The values that a key of an alias list stands for: one, or all of a list in a cell. */
function aliasTexts(alias: string, row: JsonObject): readonly string[] {
  const value = isTemplate(alias) ? compileText(alias).value({ row }) : alias;
  const texts = Array.isArray(value) ? value.map((item) => (Array.isArray(item) ? item[0] : item)) : [value];
  return texts.map((text) =>
    String(text ?? "")
      .trim()
      .toLowerCase(),
  );
}

function rendered(text: string, row: JsonObject): string {
  return isTemplate(text) ? compileText(text).text({ row }) : text;
}

/** A field that may be missing can have null as its right value. */
function isEmptyTruth(truth: unknown, { optional }: TemplateField): boolean {
  return typeof truth === "string" ? truth.trim() === "" : truth === null && optional !== true;
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
