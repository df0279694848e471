import { NO_NEEDS, needsOfParts, type TurnNeed } from "../liquid/text-needs.ts";
import { leavesOf } from "../logic/composition.ts";
import { type Condition, compileWhen } from "../state/condition.ts";
import { parseStatePath } from "../state/state-path.ts";
import {
  fieldNamed,
  gateOf,
  isTruthFrom,
  type Template,
  verifiedNames,
  verifyRuleOf,
} from "../templates/template.ts";
import { isTranscript, type ScenarioDefinition } from "./definition.ts";

/** What must be known of a turn at a node before the conversation can go on. */
export interface RoutedOn {
  readonly verdict: boolean;
  readonly refused: boolean;
  readonly fields: ReadonlySet<string>;
  readonly traits: ReadonlySet<string>;
  /** True if code may read all of it, or the verdict itself depends on earlier turns: then earlier turns must be known, too. */
  readonly everything: boolean;
}

interface OpenRoutedOn extends RoutedOn {
  verdict: boolean;
  refused: boolean;
  readonly fields: Set<string>;
  readonly traits: Set<string>;
  everything: boolean;
}

/**
 * For every node, what conditions read of its turns: fields and traits that nothing routes on need not be waited for.
 * Code can read anything, so a condition that is a function, a handover that is one, and a state update whose result is
 * routed on, need it all.
 */
export function routedOn(definition: ScenarioDefinition): ReadonlyMap<string, RoutedOn> {
  const needs = new Map<string, OpenRoutedOn>(definition.nodeIds.map((id) => [id, nothingNeeded()]));
  let readsAccumulated = false;
  let readsAnything = false;
  const handsOver = new Set<string>();
  for (const { source, when, handover } of definition.edges) {
    if (handover !== undefined && !isTranscript(handover)) handsOver.add(source);
    const condition = compileWhen(when);
    if (condition === null) continue;
    const texts = typeof when === "object" ? needsOfParts(when) : NO_NEEDS;
    if (texts.accumulated) readsAccumulated = true;
    for (const need of texts.turns) markText(need, source, { definition, needs });
    for (const field of fieldsOf(condition)) {
      if (field === null) readsAnything = true;
      else if (field.split(".")[0] === "accumulated") readsAccumulated = true;
      else if (!markWhole(field, definition, needs)) markPath(field, source, needs);
    }
  }
  for (const [id, need] of needs) {
    const node = definition.nodes[id];
    if (readsAnything || handsOver.has(id) || (readsAccumulated && node?.stateUpdate !== undefined))
      markAll(need, definition, id);
    addVerdict(need, node?.question.template);
  }
  return needs;
}

/** What must be known of a turn at a node for texts that read it. */
export function readByTexts(
  definition: ScenarioDefinition,
  id: string,
  texts: readonly TurnNeed[],
): RoutedOn {
  const need = nothingNeeded();
  const needs = new Map([[id, need]]);
  for (const text of texts) markText({ ...text, node: id }, id, { definition, needs });
  addVerdict(need, definition.nodes[id]?.question.template);
  return need;
}

function nothingNeeded(): OpenRoutedOn {
  return { verdict: false, refused: false, fields: new Set(), traits: new Set(), everything: false };
}

/** A verdict needs what it depends on. */
function addVerdict(need: OpenRoutedOn, template: Template | undefined): void {
  if (!need.verdict) return;
  if (gateReadsRefusal(template)) need.refused = true;
  if (dependsOnThePast(template)) need.everything = true;
  for (const field of verdictFields(template)) need.fields.add(field);
}

/** The paths that a condition reads; null stands for code, which may read anything. */
function fieldsOf(condition: Condition): (string | null)[] {
  return leavesOf(condition).map((leaf) => (leaf.type === "state_check" ? leaf.field : null));
}

/** A path to all that is known of a node, or of every node, needs all of it; true if it is one. */
function markWhole(
  path: string,
  definition: ScenarioDefinition,
  needs: ReadonlyMap<string, OpenRoutedOn>,
): boolean {
  const parsed = parseStatePath(path);
  if ("problem" in parsed || parsed.root !== "node_results" || parsed.part !== null) return false;
  for (const [id, need] of needs)
    if (parsed.node === null || parsed.node === id) markAll(need, definition, id);
  return true;
}

/** What a text in a condition reads of turns. */
function markText(
  { node, index, part, name }: TurnNeed,
  source: string,
  { definition, needs }: { definition: ScenarioDefinition; needs: ReadonlyMap<string, OpenRoutedOn> },
): void {
  const ids = typeof node === "string" ? [node] : index === -1 ? [source] : [...needs.keys()];
  for (const id of ids) {
    const need = needs.get(id);
    if (need === undefined) continue;
    const isWhole = name === "" && (part === "parsed" || part === "rubric");
    if (part === "everything" || isWhole) markAll(need, definition, id);
    else if (part === "verdict") need.verdict = true;
    else if (part === "refused") need.refused = true;
    else need[part === "parsed" ? "fields" : "traits"].add(name);
  }
}

function markPath(path: string, source: string, needs: ReadonlyMap<string, OpenRoutedOn>): void {
  const parsed = parseStatePath(path);
  if ("problem" in parsed) return;
  const need = needs.get(parsed.root === "node_results" ? (parsed.node ?? "") : source);
  if (need === undefined) return;
  const part = parsed.root === "node_results" ? parsed.part : parsed.root;
  const name = "keys" in parsed ? parsed.keys.join(".") : "";
  switch (part) {
    case "verify_result":
      need.verdict = true;
      return;
    case "refused":
      need.refused = true;
      return;
    case "parsed":
      need.fields.add(name);
      return;
    case "rubric":
      need.traits.add(name);
  }
}

function markAll(need: OpenRoutedOn, { nodes }: ScenarioDefinition, id: string): void {
  const node = nodes[id];
  need.verdict = true;
  need.refused = true;
  need.everything = true;
  for (const field of Object.keys(node?.question.template?.fields ?? {})) need.fields.add(field);
  for (const rubric of [node?.rubric, node?.question.rubric]) {
    for (const trait of rubric?.traits ?? []) need.traits.add(trait.name);
  }
}

function dependsOnThePast(template: Template | undefined): boolean {
  if (needsOfParts(template?.verify).readsState) return true;
  return Object.values(template?.fields ?? {}).some(
    ({ truth, check }) => isTruthFrom(truth) || needsOfParts(truth, check).readsState,
  );
}

/** True if the gate of a template looks at whether a reply declines to answer. */
export function gateReadsRefusal(template: Template | undefined): boolean {
  const gate = template === undefined ? null : compileWhen(gateOf(template)?.when);
  return gate !== null && fieldsOf(gate).includes("refused");
}

/** The fields that the verdict depends on. */
function verdictFields(template: Template | undefined): readonly string[] {
  if (template === undefined) return [];
  const rule = verifyRuleOf(template);
  const gate = compileWhen(gateOf(template)?.when);
  return [
    ...(typeof rule === "object" ? leavesOf(rule).map(({ field }) => field) : verifiedNames(template)),
    ...(gate === null ? [] : fieldsOf(gate)).flatMap((path) => fieldName(path, template)),
  ];
}

/** The field that a path of a gate looks at. */
function fieldName(path: string | null, { fields }: Template): readonly string[] {
  const parsed = parseStatePath(path ?? "");
  const name = "problem" in parsed || parsed.root !== "parsed" ? undefined : fieldNamed(fields, parsed.keys);
  return name === undefined ? [] : [name];
}
