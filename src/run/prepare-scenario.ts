import { memoize } from "../core/lazy.ts";
import {
  copyDefinition,
  type Question,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../core/scenario/definition.ts";
import { fieldProblem } from "../core/templates/field-problem.ts";
import { mergeRubrics, type Rubric } from "../core/templates/rubric.ts";
import { fillRowVariables, isRowVariable, rowVariables } from "../core/templates/template.ts";
import { isRecord, type JsonObject, type JsonValue, ownValue } from "../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import { hasSources, linkSources } from "./sandbox/link-sources.ts";
import { openSandbox, type Sandbox } from "./sandbox/open-sandbox.ts";

/** A definition that is ready to run, and what frees it afterwards. */
export interface PreparedScenario {
  /** With the values of a row, if there are rows. */
  definition(row: number | undefined): ScenarioDefinition;
  readonly warnings: readonly string[];
  dispose(): void;
}

/** What a run adds to a scenario. */
export interface Additions {
  readonly rubric?: Rubric | undefined;
  readonly rows?: readonly JsonObject[] | undefined;
  readonly seed: number;
}

/**
 * Makes a definition ready to run: adds the rubric of the run to every node, turns source strings into functions of a sandbox, and
 * validates the rows. Throws `RunError` with all problems.
 */
export async function prepareScenario(
  definition: ScenarioDefinition,
  { rubric, rows, seed }: Additions,
): Promise<PreparedScenario> {
  const { definition: merged, warnings } = withRubric(definition, rubric);
  validateRows(merged, rows);
  const { linked, dispose } = await linkInSandbox(merged, seed);
  const filled = new Map<JsonObject, ScenarioDefinition>();
  return {
    definition(index) {
      const row = index === undefined ? undefined : rows?.[index];
      return row === undefined ? linked : memoize(filled, row, () => applyRow(linked, row).definition);
    },
    warnings,
    dispose,
  };
}

/** True if a scenario has `{{row.…}}` in it. */
export function usesRow(definition: ScenarioDefinition): boolean {
  return applyRow(definition, null).problems.length > 0;
}

function validateRows(definition: ScenarioDefinition, rows: readonly JsonObject[] | undefined): void {
  const found = (rows ?? [null]).flatMap((row, index) => {
    const place = row === null ? "" : `, row ${index + 1}`;
    return applyRow(definition, row).problems.map(
      (problem) => `In scenario "${definition.name}"${place}, ${problem}.`,
    );
  });
  const problems = [...new Set(found)];
  if (problems.length === 0) return;
  const more = problems.length - SHOWN_PROBLEMS;
  throw new RunError([
    ...problems.slice(0, SHOWN_PROBLEMS),
    ...(more > 0 ? [`And ${more} more of this kind.`] : []),
  ]);
}

/** A column that is missing is missing in every row. */
const SHOWN_PROBLEMS = 20;

async function linkInSandbox(
  merged: ScenarioDefinition,
  seed: number,
): Promise<{ readonly linked: ScenarioDefinition; readonly dispose: () => void }> {
  if (!hasSources(merged)) return { linked: merged, dispose: () => {} };
  const sandbox: Sandbox = await openSandbox({ seed });
  const linked = linkSources(merged, (source) => sandbox.compile(source));
  if (linked.problems.length > 0) {
    sandbox.dispose();
    throw new RunError(
      linked.problems.map(
        ({ place, message }) => `In scenario "${merged.name}", ${place} cannot be run: ${message}`,
      ),
    );
  }
  return { linked: linked.definition, dispose: () => sandbox.dispose() };
}

function withRubric(
  definition: ScenarioDefinition,
  rubric: Rubric | undefined,
): { readonly definition: ScenarioDefinition; readonly warnings: readonly string[] } {
  if (rubric === undefined || rubric.traits.length === 0) return { definition, warnings: [] };
  const warnings = new Set<string>();
  const nodes = Object.fromEntries(
    Object.entries(definition.nodes).map(([id, node]): [string, ScenarioNode] => {
      const { traits, clashes } = mergeRubrics([
        { rubric: node.question.rubric, place: "the question" },
        { rubric: node.rubric, place: "the node" },
        { rubric, place: "the run" },
      ]);
      for (const { trait } of clashes)
        warnings.add(
          `In scenario "${definition.name}", the trait "${trait}" of node "${id}" counts, not the one of the run.`,
        );
      return [id, Object.freeze({ ...node, rubric: Object.freeze({ traits: Object.freeze(traits) }) })];
    }),
  );
  const merged = copyDefinition(definition, { nodes: Object.freeze(nodes) });
  return { definition: merged, warnings: [...warnings] };
}

/** A scenario with the values of a row in its questions, references and truths, and its problems. */
export interface AppliedRow {
  readonly definition: ScenarioDefinition;
  readonly problems: readonly string[];
}

/** Fills in the values of a row for `{{row.…}}` in the questions of a scenario. Without a row every variable is a problem. */
export function applyRow(definition: ScenarioDefinition, row: JsonObject | null): AppliedRow {
  const problems: string[] = [];
  let isChanged = false;
  const nodes = Object.entries(definition.nodes).map(([id, node]) => {
    const filler = new RowFiller(row, (problem) => problems.push(`the question of node "${id}" ${problem}`));
    // Filling keeps the shape; fields are validated again below.
    const question = filler.fill(node.question, "") as Question;
    if (!filler.isUsed) return [id, node] as const;
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

/** Parts that are always text, whatever type the value of the row has. */
const TEXTS: ReadonlySet<string> = new Set([
  "question",
  "rawAnswer",
  "answer",
  "description",
  "hint",
  "keywords",
]);

function isStringField(part: object): boolean {
  return "type" in part && part.type === "string";
}

class RowFiller {
  isUsed = false;
  readonly #row: JsonObject | null;
  readonly #report: (problem: string) => void;

  constructor(row: JsonObject | null, report: (problem: string) => void) {
    this.#row = row;
    this.#report = report;
  }

  /** Parts without variables stay the same objects, so that what is memoized for them is reused. */
  fill(part: unknown, key: string): unknown {
    if (typeof part === "string") return rowVariables(part).length === 0 ? part : this.#text(part, key);
    if (typeof part !== "object" || part === null) return part;
    const entries = Object.entries(part).map(
      // The truth of a field of type string is a text, also where a row has a number.
      ([name, value]) =>
        [name, value, this.fill(value, name === "truth" && isStringField(part) ? "answer" : name)] as const,
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
