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
    const fields = fieldsOf(condition);
    readsAnything ||= fields.includes(null);
    readsAccumulated ||= texts.accumulated || fields.some((path) => path?.split(".")[0] === "accumulated");
    for (const need of [...texts.turns, ...fields.flatMap((path) => pathNeeds(path ?? ""))])
      mark(need, source, { definition, needs });
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
  for (const text of texts) mark({ ...text, node: id }, id, { definition, needs });
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

/** What a path of the state reads of a turn, as texts say it. */
function pathNeeds(path: string): readonly TurnNeed[] {
  const parsed = parseStatePath(path);
  if ("problem" in parsed) return [];
  const isPast = parsed.root === "node_results";
  const place = isPast ? { node: parsed.node } : { index: -1 };
  const part = isPast ? (parsed.part ?? "everything") : parsed.root;
  const name = "keys" in parsed ? parsed.keys.join(".") : "";
  if (part === "verify_result") return [{ ...place, part: "verdict", name: "" }];
  const isRead = part === "refused" || part === "parsed" || part === "rubric" || part === "everything";
  return isRead ? [{ ...place, part, name }] : [];
}

/** Marks what a text or a condition after a turn at `source` reads of turns. */
function mark(
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

function markAll(need: OpenRoutedOn, { nodes }: ScenarioDefinition, id: string): void {
  const node = nodes[id];
  need.verdict = true;
  need.refused = true;
  need.everything = true;
  for (const field of Object.keys(node?.question.template?.fields ?? {})) need.fields.add(field);
  for (const rubric of [node?.rubric, node?.question.rubric])
    for (const trait of rubric?.traits ?? []) need.traits.add(trait.name);
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
