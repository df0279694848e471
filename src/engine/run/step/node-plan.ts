import { RULES_JUDGE } from "../../../core/defaults.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { lazy, memoize } from "../../../core/lazy.ts";
import { hasTexts } from "../../../core/liquid/fill-texts.ts";
import { NO_NEEDS, needsOfParts, type TextNeeds } from "../../../core/liquid/text-needs.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import { isComposition } from "../../../core/logic/composition.ts";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { Question, ScenarioDefinition, ScenarioNode } from "../../../core/scenario/definition.ts";
import type { ModelReference } from "../../../core/scenario/model-override.ts";
import { gateReadsRefusal, type RoutedOn, routedOn } from "../../../core/scenario/routed-on.ts";
import { mergeRubrics, type Trait } from "../../../core/templates/rubric.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { type JudgePlan, judgePlans } from "../../grading/judge/judge-request.ts";
import { unreadByRules, withoutRules } from "../../grading/verify/conclude-reply.ts";
import { comparesMeaning } from "../../grading/verify/semantic-match.ts";
import type { ConversationSettings } from "../../journal/run-event.ts";

/** What is the same for every turn at a node. */
export interface NodePlan {
  /** Without rules where the judge reads everything. */
  readonly node: ScenarioNode;
  /** Its question without the text. */
  readonly others: Omit<Question, "question">;
  readonly traits: readonly Trait[];
  /** The requests to the judge, as far as they are the same for every reply. */
  readonly parts: readonly JudgePlan[];
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

/** What of the state the texts of a node need: to be asked, to be read, and to be verified. */
interface NodeNeeds {
  readonly ask: TextNeeds;
  readonly read: TextNeeds;
  readonly verify: TextNeeds;
}

const NOTHING_NEEDED: NodeNeeds = Object.freeze({ ask: NO_NEEDS, read: NO_NEEDS, verify: NO_NEEDS });

/** What follows from a definition alone. Each part is made when it is first asked for. */
class ScenarioFacts {
  readonly definition: ScenarioDefinition;
  readonly routes: () => ReadonlyMap<string, RoutedOn>;
  /** The nodes that an edge with a condition leaves. */
  readonly branching: () => ReadonlySet<string>;
  readonly looksAtRefusal: () => boolean;
  readonly needs: Map<string, NodeNeeds> = new Map();
  /** By settings, and then by node and the fields that are left to the judge. */
  readonly plans: Map<string, Map<string, NodePlan>> = new Map();

  constructor(definition: ScenarioDefinition) {
    const { edges } = definition;
    this.definition = definition;
    this.routes = lazy(() => routedOn(definition));
    this.branching = lazy(
      () => new Set(edges.filter(({ when }) => when !== undefined).map(({ source }) => source)),
    );
    this.looksAtRefusal = lazy(() => looksAtRefusalIn(definition, this.routes()));
  }
}

/** Definitions are frozen: what follows from one is kept as long as it is. */
const facts = new WeakMap<ScenarioDefinition, ScenarioFacts>();

function factsOf(definition: ScenarioDefinition): ScenarioFacts {
  // Rows and variants change texts, but not what is asked of whom.
  const base = definition.unbound ?? definition;
  return memoize(facts, base, () => new ScenarioFacts(base));
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
  const known = factsOf(definition);
  const { judged, judging, detectRefusal, reading, embeds } = settings;
  const key = `${judged} ${judging} ${detectRefusal} ${reading} ${embeds}`;
  const plans = memoize(known.plans, key, () => new Map<string, NodePlan>());
  // Ids of nodes are not JSON lists.
  const name = unread.length === 0 ? id : JSON.stringify([id, ...unread]);
  return memoize(plans, name, () => makePlan(known, id, settings, unread));
}

/** What the texts of a node need of the state. */
export function needsAt(definition: ScenarioDefinition, id: string): NodeNeeds {
  const { needs, definition: base } = factsOf(definition);
  return memoize(needs, id, () => {
    const node = base.nodes[id] as ScenarioNode;
    const prompt = promptOf(base, node);
    if (!hasTexts(node) && !hasTexts(prompt)) return NOTHING_NEEDED;
    const { question, fewShot, template, ...rest } = node.question;
    const fields = Object.values(template?.fields ?? {}).map(({ truth: _, check: __, ...field }) => field);
    return {
      ask: needsOfParts(question, fewShot, prompt, node.user),
      read: needsOfParts(rest, fields, node.rubric),
      verify: needsOfParts(template),
    };
  });
}

const NONE: readonly string[] = Object.freeze([]);

/** The fields of a reply that the judge reads in place of their rules: rules come first, and they found nothing, or several answers. */
export function leftToJudge(
  { node, readsRest }: NodePlan,
  { reply, finish }: { readonly reply: string; readonly finish: string },
): readonly string[] {
  return readsRest ? unreadByRules(node.question, reply, finish) : NONE;
}

function makePlan(
  { definition, routes, branching }: ScenarioFacts,
  id: string,
  { judged, judging, detectRefusal, reading, embeds }: PlannedBy,
  unread: readonly string[],
): NodePlan {
  // Nodes are asked by ids that the definition has.
  const authored = definition.nodes[id] as ScenarioNode;
  const judge = authored.modelOverride?.judge;
  const hasJudge = judge === undefined ? judged : judge !== RULES_JUDGE;
  const forJudge = hasJudge && (reading === "judge" || unread.length > 0);
  const node = forJudge ? forJudgeOnly(authored, unread.length === 0 ? undefined : unread) : authored;
  const { template, rubric } = node.question;
  const { traits } = mergeRubrics([
    { rubric, place: "the question" },
    { rubric: node.rubric, place: "the node" },
  ]);
  const parts = hasJudge ? judgePlans({ template, traits, refusal: detectRefusal }, judging) : [];
  // Every node has an entry.
  const needs = routes().get(id) as RoutedOn;
  const { verdict, refused, fields, traits: routedTraits } = needs;
  const reads = verdict || refused || fields.size > 0 || routedTraits.size > 0;
  const branches = branching().has(id);
  const readsRest = hasJudge && reading === "rules-then-judge";
  const meaning = embeds === true && comparesMeaning(template);
  // A verdict that depends on meanings is there only at the end.
  const waits = meaning && verdict ? "everything" : waitsFor(needs, node, parts);
  const { question: _, ...others } = node.question;
  return { node, others, traits, parts, waits, comparesMeaning: meaning, readsRest, reads, branches };
}

/** The requests to the judge about a reply: where texts were rendered, what is asked for has them. */
export function plannedParts(
  plan: NodePlan,
  { node, traits }: Pick<NodePlan, "node" | "traits">,
  { detectRefusal: refusal, judging }: PlannedBy,
): readonly JudgePlan[] {
  if (plan.parts.length === 0 || (node === plan.node && traits === plan.traits)) return plan.parts;
  try {
    return judgePlans({ template: node.question.template, traits, refusal }, judging);
  } catch (error) {
    // What came from the state may be of another type than the author expects.
    throw new TextError(`the judge cannot be asked for what it comes to: ${errorMessage(error)}`);
  }
}

/** The requests to the judge that something needs, by position, or everything. */
export function waitsFor(
  needs: RoutedOn,
  { question }: ScenarioNode,
  parts: readonly JudgePlan[],
): NodePlan["waits"] {
  if (needs.everything) return "everything";
  const fields = question.template?.fields ?? {};
  // A path that is not the name of a field or a trait may still read one.
  const anyField = [...needs.fields].some((name) => !Object.hasOwn(fields, name));
  return parts.flatMap(({ task }, part) => {
    const isNeeded =
      (task.refusal && (needs.refused || needs.verdict)) ||
      (task.fields.length > 0 && anyField) ||
      task.fields.some(({ name }) => needs.fields.has(name)) ||
      task.traits.some(({ name }) => [...needs.traits].some((path) => path === "" || path.startsWith(name)));
    return isNeeded ? [part] : [];
  });
}

/** A node whose fields, or some of them, are left to the judge. */
function forJudgeOnly(node: ScenarioNode, names?: readonly string[]): ScenarioNode {
  const { template } = node.question;
  if (template === undefined) return node;
  const question = Object.freeze({ ...node.question, template: withoutRules(template, names) });
  return Object.freeze({ ...node, question });
}

/** True if a condition, a gate or an outcome looks at whether a reply declines to answer. Code that might look is not asked. */
export function looksAtRefusal(definition: ScenarioDefinition): boolean {
  return factsOf(definition).looksAtRefusal();
}

function looksAtRefusalIn(
  { nodes, outcomes }: ScenarioDefinition,
  routes: ReadonlyMap<string, RoutedOn>,
): boolean {
  return (
    [...routes.values()].some(({ refused, everything }) => refused && !everything) ||
    Object.values(nodes).some(({ question }) => gateReadsRefusal(question.template)) ||
    outcomes.some(({ check }) => checksRefusal(check))
  );
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

/** The system prompt that the scenario has for a node: that of its override, its agent, or its own. */
export function promptOf({ systemPrompt }: ScenarioDefinition, node: ScenarioNode): string | undefined {
  const { modelOverride, agentIdentity } = node;
  return (
    modelOverride?.systemPrompt ??
    referenceAt(node)?.systemPrompt ??
    (typeof agentIdentity === "object" ? agentIdentity.systemPrompt : undefined) ??
    systemPrompt
  );
}

/** The model object that overrides the subject of a node. */
export function referenceAt({
  modelOverride,
}: ScenarioNode): Extract<ModelReference, { readonly parameters?: JsonObject }> | undefined {
  const subject = modelOverride?.subject;
  return typeof subject === "object" && "model" in subject ? subject : undefined;
}
