import { textsIn } from "../../../core/liquid/fill-texts.ts";
import { compileText } from "../../../core/liquid/text-template.ts";
import { END, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { factorsOf } from "../../../core/scenario/variants.ts";
import { canonicalJson, type JsonValue, ownValue } from "../../../core/values/json.ts";
import { needsJudge, needsJudgeText } from "../../../engine/run/required-models.ts";
import type { LintRules } from "./lint-subject.ts";
import { ends } from "./routing-rules.ts";

/** Rules about what a run makes of a scenario: judges, handovers, rows and variants. */
export const RUN_RULES: LintRules = {
  *needs_judge({ definition, facts }) {
    const { hasJudge, rubric, detectRefusal } = facts;
    if (hasJudge) return;
    const options = {
      ...(rubric === undefined ? {} : { rubric }),
      ...(detectRefusal === undefined ? {} : { detectRefusal }),
    };
    const needs = needsJudge(definition, options);
    if (needs === null) return;
    const node = definition.nodeIds.find(
      (id) => needsJudge(onlyNode(definition, id), { ...options, detectRefusal: needs.refused }) !== null,
    );
    const message = `${needsJudgeText(needs)} Neither --judge nor a project file names a model for it, and \`elenchus run\` does not start without one; such as --judge openai/gpt-5-mini.`;
    yield { path: node === undefined ? [] : ["nodes", node], message };
  },

  *handover_without_effect({ outEdges }) {
    for (const [source, edges] of outEdges)
      for (const { edge, targets, path } of edges) {
        if (edge.handover === undefined || targets.some((target) => target !== END)) continue;
        const message = `The handover on the edge ${ends(source, targets)} has no effect: no question follows.`;
        yield { path: [...path, "handover"], message };
      }
  },

  *idle_variant({ definition }) {
    const { variants } = definition;
    if (variants === undefined) return;
    const used = usedKeys(definition, "variant");
    for (const [factor, levels] of factorsOf(variants)) {
      if (used !== null && !used.has(factor)) {
        const message = `No text uses {{ variant.${factor} }}: its ${levels.size} levels give the same conversations.`;
        yield { path: ["variants", factor], message };
        continue;
      }
      const first = new Map<string, string>();
      for (const [level, value] of levels) {
        const key = canonicalJson(value);
        const same = first.get(key);
        if (same === undefined) {
          first.set(key, level);
          continue;
        }
        const message = `The levels ${JSON.stringify(same)} and ${JSON.stringify(level)} of ${JSON.stringify(factor)} stand for the same.`;
        yield { path: ["variants", factor, level], message };
      }
    }
  },

  *same_conversations({ definition, facts: { rows } }) {
    const used = usedKeys(definition, "row");
    if (rows.length < 2 || used === null || used.size === 0) return;
    const first = new Map<string, number>();
    const pairs: (readonly [number, number])[] = [];
    rows.forEach((row, index) => {
      const key = canonicalJson([...used].map((column) => (ownValue(row, column) ?? null) as JsonValue));
      const same = first.get(key);
      if (same === undefined) first.set(key, index);
      else pairs.push([same, index]);
    });
    const [pair] = pairs;
    if (pair === undefined) return;
    const more = pairs.length === 1 ? "" : `, and ${pairs.length - 1} more like them`;
    const message = `Rows ${pair[0] + 1} and ${pair[1] + 1}${more} give identical conversations: no text uses a column in which they differ. They count as independent items.`;
    yield { path: ["dataset"], message };
  },
};

/** The scenario as if it had one node only. */
function onlyNode(definition: ScenarioDefinition, id: string): ScenarioDefinition {
  return { ...definition, nodes: { [id]: definition.nodes[id] as ScenarioDefinition["nodes"][string] } };
}

/** The keys of `row` or `variant` that texts use; null if a text may use any. */
function usedKeys(definition: ScenarioDefinition, root: "row" | "variant"): ReadonlySet<string> | null {
  const { nodes, edges, outcomes, systemPrompt, history, variants } = definition;
  const parts = { nodes, edges, outcomes, systemPrompt, history, ...(root === "row" ? { variants } : {}) };
  const keys = new Set<string>();
  for (const { text } of textsIn(parts))
    for (const { path } of compileText(text).variables) {
      if (path[0] !== root) continue;
      if (typeof path[1] !== "string") return null;
      keys.add(path[1]);
    }
  return keys;
}
