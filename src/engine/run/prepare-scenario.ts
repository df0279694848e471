import { fillTexts } from "../../core/liquid/fill-texts.ts";
import {
  bindScenario,
  copyDefinition,
  type ScenarioDefinition,
  type ScenarioNode,
} from "../../core/scenario/definition.ts";
import { type Variant, variantValues } from "../../core/scenario/variants.ts";
import { mergeRubrics, type Rubric } from "../../core/templates/rubric.ts";
import { canonicalJson, type JsonObject } from "../../core/values/json.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { RunError } from "../journal/failure.ts";
import { itemHasher, openRows, type RowOptions } from "./open-rows.ts";
import type { ConversationSources, SeedCell } from "./run-context.ts";
import { hasSources, linkSources } from "./sandbox/link-sources.ts";
import { openSandbox, type Sandbox } from "./sandbox/open-sandbox.ts";
import { ScenarioSources, SourceBudget } from "./sandbox/source-budget.ts";

/** A definition that is ready to run, and what frees it afterwards. */
export interface PreparedScenario {
  /** For conversations about a row and a variant, if there are any. */
  definition(row: JsonObject | undefined, variant: Variant | undefined): ScenarioDefinition;
  /** Its rows; null if it uses none. */
  readonly dataset: Dataset | null;
  /** The hash of what the scenario uses of a row. */
  itemHash(row: JsonObject): string;
  readonly warnings: readonly string[];
  /** For a conversation, if the scenario has source strings. */
  readonly sources?: (cell: SeedCell) => ConversationSources;
  dispose(): void;
}

/** What a run adds to a scenario. */
interface Additions extends RowOptions {
  readonly rubric?: Rubric | undefined;
  readonly seed: number;
  /** False if rows come with conversations (default true). */
  readonly readsRows?: boolean;
}

/**
 * Makes a definition ready to run: adds the rubric of the run to every node, turns source strings into functions of a sandbox, and
 * validates the rows. Throws `RunError` with all problems.
 */
export async function prepareScenario(
  definition: ScenarioDefinition,
  { rubric, seed, readsRows = true, ...rows }: Additions,
): Promise<PreparedScenario> {
  const dataset = readsRows ? await openRows(definition, rows) : null;
  const { definition: merged, warnings } = withRubric(definition, rubric);
  const { linked, sandbox } = await linkInSandbox(merged, seed);
  const spent = new ScenarioSources();
  return {
    definition(row, variant) {
      return boundScenario(linked, row, variant);
    },
    dataset,
    itemHash: itemHasher(merged),
    warnings: [...warnings, ...skippedRows(definition, dataset)],
    ...(sandbox === undefined
      ? {}
      : { sources: (cell) => conversationSources(sandbox, new SourceBudget(spent), cell) }),
    dispose: () => sandbox?.dispose(),
  };
}

/** A scenario for conversations about a row and a variant, if there are any. */
export function boundScenario(
  definition: ScenarioDefinition,
  row: JsonObject | undefined,
  variant: Variant | undefined,
): ScenarioDefinition {
  if (row === undefined && variant === undefined) return definition;
  const { variants } = definition;
  // Texts of levels are the author's, and may use the row; what they come to is not rendered again.
  const values =
    variants === undefined || variant === undefined
      ? {}
      : { variant: fillTexts(variantValues(variants, variant), row === undefined ? {} : { row }) };
  return bindScenario(definition, { ...(row === undefined ? {} : { row }), ...values });
}

function conversationSources(sandbox: Sandbox, budget: SourceBudget, cell: SeedCell): ConversationSources {
  const conversation = seedOf(cell);
  return {
    evaluate: (work, signal) =>
      sandbox.evaluate(work, { conversation, budget, ...(signal === undefined ? {} : { signal }) }),
    get offReason() {
      return budget.reason;
    },
    forArm: (arm) => conversationSources(sandbox, budget, arm),
  };
}

/** The random seed of a conversation, beside that of the run. */
export function seedOf({ scenario, row, variant, arm, replicate }: SeedCell): string {
  return canonicalJson([scenario, row ?? null, variant ?? null, arm ?? null, replicate]);
}

function skippedRows({ name }: ScenarioDefinition, dataset: Dataset | null): readonly string[] {
  if (dataset === null || dataset.skipped === 0) return [];
  const { skipped, count } = dataset;
  return [
    `In scenario "${name}", ${skipped === 1 ? "1 row was" : `${skipped} rows were`} left out because it cannot be used; ${count} are used.`,
  ];
}

async function linkInSandbox(
  merged: ScenarioDefinition,
  seed: number,
): Promise<{ readonly linked: ScenarioDefinition; readonly sandbox?: Sandbox }> {
  if (!hasSources(merged)) return { linked: merged };
  const sandbox: Sandbox = openSandbox({ seed });
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

/** A definition whose nodes have the traits of the run, too. */
export function withRubric(
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
