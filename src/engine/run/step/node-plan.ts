import { RULES_JUDGE } from "../../../core/defaults.ts";
import { memoize } from "../../../core/lazy.ts";
import { isComposition } from "../../../core/logic/composition.ts";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import { gateReadsRefusal, type RoutedOn, routedOn } from "../../../core/scenario/routed-on.ts";
import { mergeRubrics, type Trait } from "../../../core/templates/rubric.ts";
import { unreadByRules, withoutRules } from "../../grading/judge/assess-reply.ts";
import { judgePlans, NO_TEMPLATE, NO_TRAITS } from "../../grading/judge/judge-request.ts";
import type { JudgeTaskNames } from "../../grading/judge/judge-task.ts";
import { comparesMeaning } from "../../grading/verify/semantic-match.ts";
import type { ConversationSettings } from "../../journal/run-event.ts";

/** What is the same for every turn at a node. */
export interface NodePlan {
  /** Without rules where the judge reads everything. */
  readonly node: ScenarioNode;
  readonly traits: readonly Trait[];
  /** What each request to the judge asks for. */
  readonly parts: readonly JudgeTaskNames[];
  /**
   * What the next question waits for: the requests that something routes on, by position, or everything, where code may read
   * all of it. With nothing to wait for, the next question is asked while the judge still reads.
   */
  readonly waits: readonly number[] | "everything";
  /** True if fields are compared by meaning, once they have been read: one more request, after those to the judge. */
  readonly comparesMeaning: boolean;
  /** True if the judge reads what rules leave unread. */
  readonly readsRest: boolean;
  /** True if something routes on what is read of the reply, by rules or by a judge. */
  readonly reads: boolean;
  /** True if an edge from here has a condition. */
  readonly branches: boolean;
}

type PlannedBy = Pick<ConversationSettings, "judged" | "judging" | "detectRefusal" | "reading" | "embeds">;

const plans = new WeakMap<ScenarioDefinition, Map<string, Map<string, NodePlan>>>();
const routes = new WeakMap<ScenarioDefinition, ReadonlyMap<string, RoutedOn>>();

const branching = new WeakMap<ScenarioDefinition, ReadonlySet<string>>();

function branchingNodes({ edges }: ScenarioDefinition): ReadonlySet<string> {
  return new Set(edges.filter(({ when }) => when !== undefined).map(({ source }) => source));
}

/**
 * The plan of a node, made once for a definition. `unread` names the fields whose rules could not read the reply, see
 * `leftToJudge`: the judge reads them.
 */
export function nodePlan(
  definition: ScenarioDefinition,
  id: string,
  settings: PlannedBy,
  unread: readonly string[] = NONE,
): NodePlan {
  // Rows and variants change texts, but not what is asked of whom.
  const base = definition.unbound ?? definition;
  const found = plansFor(base, settings);
  // Asked for several times in each turn.
  if (unread.length === 0) return found.get(id) ?? memoize(found, id, () => makePlan(base, id, settings));
  // Ids of nodes are not JSON lists.
  return memoize(found, JSON.stringify([id, ...unread]), () => makePlan(base, id, settings, unread));
}

const NONE: readonly string[] = Object.freeze([]);

/** The fields of a reply that the judge reads in place of their rules: rules come first, and they found nothing, or several answers. */
export function leftToJudge(
  { node, readsRest }: NodePlan,
  { reply, finish }: { readonly reply: string; readonly finish: string },
): readonly string[] {
  return readsRest ? unreadByRules(node.question, reply, finish) : NONE;
}

type Plans = Map<string, NodePlan>;

/** Conversations of a run share their settings, so that the plans are found by looking at just one thing. */
const latest = new WeakMap<PlannedBy, { readonly definition: ScenarioDefinition; readonly plans: Plans }>();

function plansFor(definition: ScenarioDefinition, settings: PlannedBy): Plans {
  const known = latest.get(settings);
  if (known !== undefined && known.definition === definition) return known.plans;
  const { judged, judging, detectRefusal, reading, embeds } = settings;
  const bySettings = memoize(plans, definition, () => new Map<string, Plans>());
  const found = memoize(
    bySettings,
    `${judged} ${judging} ${detectRefusal} ${reading} ${embeds}`,
    () => new Map(),
  );
  latest.set(settings, { definition, plans: found });
  return found;
}

function makePlan(
  definition: ScenarioDefinition,
  id: string,
  { judged, judging, detectRefusal, reading, embeds }: PlannedBy,
  unread?: readonly string[],
): NodePlan {
  // Nodes are asked by ids that the definition has.
  const authored = definition.nodes[id] as ScenarioNode;
  const judge = authored.modelOverride?.judge;
  const hasJudge = judge === undefined ? judged : judge !== RULES_JUDGE;
  const forJudge = hasJudge && (reading === "judge" || unread !== undefined);
  const node = forJudge ? forJudgeOnly(authored, unread) : authored;
  const { template, rubric } = node.question;
  const { traits } = mergeRubrics([
    { rubric, place: "the question" },
    { rubric: node.rubric, place: "the node" },
  ]);
  const frozen = traits.length === 0 ? NO_TRAITS : Object.freeze(traits);
  const requests = hasJudge
    ? judgePlans(
        { template: template ?? NO_TEMPLATE, traits: frozen, refusal: detectRefusal, reference: true },
        judging,
      )
    : [];
  const parts = requests.map(({ task }) => task);
  // Every node has an entry.
  const needs = memoize(routes, definition, () => routedOn(definition)).get(id) as RoutedOn;
  const { verdict, refused, fields, traits: routedTraits } = needs;
  const reads = verdict || refused || fields.size > 0 || routedTraits.size > 0;
  const branches = memoize(branching, definition, () => branchingNodes(definition)).has(id);
  const readsRest = hasJudge && reading === "rules-then-judge";
  const meaning = embeds === true && comparesMeaning(template);
  // A verdict that depends on meanings is there only at the end.
  const waits = meaning && verdict ? "everything" : waitsFor(needs, node, parts);
  return { node, traits: frozen, parts, waits, comparesMeaning: meaning, readsRest, reads, branches };
}

/** The requests to the judge that something needs, by position, or everything. */
export function waitsFor(
  needs: RoutedOn,
  { question }: ScenarioNode,
  parts: readonly JudgeTaskNames[],
): NodePlan["waits"] {
  if (needs.everything) return "everything";
  const fields = question.template?.fields ?? {};
  // A path that is not the name of a field or a trait may still read one.
  const anyField = [...needs.fields].some((name) => !Object.hasOwn(fields, name));
  return parts.flatMap((asks, part) => {
    const isNeeded =
      (asks.refusal && (needs.refused || needs.verdict)) ||
      (asks.fields.length > 0 && anyField) ||
      asks.fields.some((name) => needs.fields.has(name)) ||
      asks.traits.some((name) => [...needs.traits].some((path) => path === "" || path.startsWith(name)));
    return isNeeded ? [part] : [];
  });
}

/** A node whose fields, or some of them, are left to the judge. */
export function forJudgeOnly(node: ScenarioNode, names?: readonly string[]): ScenarioNode {
  const { template } = node.question;
  if (template === undefined) return node;
  const question = Object.freeze({ ...node.question, template: withoutRules(template, names) });
  return Object.freeze({ ...node, question });
}

const known = new WeakMap<ScenarioDefinition, { readonly answer: boolean }>();

/** True if a condition, a gate or an outcome looks at whether a reply declines to answer. Code that might look is not asked. */
export function looksAtRefusal(definition: ScenarioDefinition): boolean {
  return memoize(known, definition, () => ({
    answer:
      [...routedOn(definition).values()].some(({ refused, everything }) => refused && !everything) ||
      Object.values(definition.nodes).some(({ question }) => gateReadsRefusal(question.template)) ||
      definition.outcomes.some(({ check }) => checksRefusal(check)),
  })).answer;
}

function checksRefusal(check: OutcomeCheck): boolean {
  if (typeof check !== "object") return false;
  if (isComposition(check))
    return check.type === "not" ? checksRefusal(check.condition) : check.conditions.some(checksRefusal);
  switch (check.type) {
    case "cross_turn_check":
      return check.sourceField === "refused" || check.targetField === "refused";
    case "measure_check":
      return [check.measure, check.expected].some((part) => typeof part === "object" && checksRefusal(part));
    default:
      return (
        ("field" in check && check.field === "refused") ||
        ("where" in check && "refused" in (check.where ?? {}))
      );
  }
}
