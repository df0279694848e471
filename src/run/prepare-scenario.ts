import { locatorOf } from "../core/scenario/define-scenario.ts";
import {
  bindScenario,
  copyDefinition,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../core/scenario/definition.ts";
import { RowTexts } from "../core/scenario/row-texts.ts";
import { formatIssue } from "../core/schema/format-issue.ts";
import { mergeRubrics, type Rubric } from "../core/templates/rubric.ts";
import type { JsonObject } from "../core/values/json.ts";
import { RunError } from "../journal/failure.ts";
import type { ConversationSources } from "./run-context.ts";
import { hasSources, linkSources } from "./sandbox/link-sources.ts";
import { openSandbox, type Sandbox } from "./sandbox/open-sandbox.ts";
import { ScenarioSources, SourceBudget } from "./sandbox/source-budget.ts";

/** A definition that is ready to run, and what frees it afterwards. */
export interface PreparedScenario {
  /** With the values of a row, if there are rows. */
  definition(row: number | undefined): ScenarioDefinition;
  readonly warnings: readonly string[];
  /** For a conversation, if the scenario has source strings. */
  readonly sources?: () => ConversationSources;
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
  validateRows(definition, rows);
  const { definition: merged, warnings } = withRubric(definition, rubric);
  const { linked, sandbox } = await linkInSandbox(merged, seed);
  const spent = new ScenarioSources();
  return {
    definition(index) {
      const row = index === undefined ? undefined : rows?.[index];
      return row === undefined ? linked : bindScenario(linked, { row });
    },
    warnings,
    ...(sandbox === undefined ? {} : { sources: () => conversationSources(sandbox, spent) }),
    dispose: () => sandbox?.dispose(),
  };
}

function conversationSources(sandbox: Sandbox, spent: ScenarioSources): ConversationSources {
  const budget = new SourceBudget(spent);
  return {
    evaluate: (work, signal) =>
      sandbox.evaluate(work, signal === undefined ? { budget } : { budget, signal }),
    get offReason() {
      return budget.reason;
    },
  };
}

/** True if a scenario has `{{row.…}}` in it. */
export function usesRow(definition: ScenarioDefinition): boolean {
  return new RowTexts(definition).isUsed;
}

function validateRows(definition: ScenarioDefinition, rows: readonly JsonObject[] | undefined): void {
  const texts = new RowTexts(definition);
  const where = `In scenario "${definition.name}"`;
  const located = locatorOf(definition);
  const columns = rows === undefined ? [] : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const issues = rows === undefined ? texts.withoutRows() : texts.unknownColumns(columns);
  const found =
    issues.length > 0 || rows === undefined
      ? issues.map((issue) => `${where}, ${formatIssue(located(issue))}`)
      : rows.flatMap((row, index) =>
          texts.problems(row).map((problem) => `${where}, row ${index + 1}: ${problem}.`),
        );
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
): Promise<{ readonly linked: ScenarioDefinition; readonly sandbox?: Sandbox }> {
  if (!hasSources(merged)) return { linked: merged };
  const sandbox: Sandbox = await openSandbox({ seed });
  const linked = await linkSources(merged, (source) => sandbox.compile(source));
  if (linked.problems.length > 0) {
    sandbox.dispose();
    throw new RunError(
      linked.problems.map(
        ({ place, message }) => `In scenario "${merged.name}", ${place} cannot be run: ${message}`,
      ),
    );
  }
  return { linked: linked.definition, sandbox };
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
