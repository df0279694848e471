import { memoize } from "../lazy.ts";
import { fillTexts, hasTexts } from "../liquid/fill-texts.ts";
import { TextError, type TextScope } from "../liquid/text-template.ts";
import { formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { canonicalJson } from "../values/json.ts";
import { type Condition, compileWhen, WHEN_SHAPE, type When } from "./condition.ts";
import { answered, type ConditionAnswer, type ConditionTest, compileCondition } from "./condition-test.ts";
import type { ScenarioState } from "./state.ts";

/** What routing needs of an edge. */
export interface RoutingEdge {
  readonly source: string;
  readonly target: string;
  readonly when?: unknown;
  /** The targets of all arms, of an edge that is part of a fork. */
  readonly fork?: readonly string[];
}

/** The test of one conditional edge. */
export interface TestedEdge {
  /** Index in the list of edges. */
  readonly edge: number;
  readonly target: string;
  readonly matched: boolean;
  /** False if the condition could not be evaluated; such an edge never matches. */
  readonly evaluable: boolean;
  /** True if it could not be evaluated because its code threw or returned a promise. */
  readonly failed?: true;
  /** Why it did not match. */
  readonly reason?: string;
  /** The value that was found, where the reason is about one value. */
  readonly actual?: unknown;
}

/** Where a conversation goes after a turn, and why. */
export interface RoutingDecision {
  /** The next node, `END`, or null if no edge leads on, or several do: the conversation is over, or continues in its arms. */
  readonly target: string | null;
  /** The nodes with which it continues, each by itself. */
  readonly fork?: readonly string[];
  /** Index of the chosen edge in the list of edges. */
  readonly edge: number | null;
  /** True if no condition matched and the unconditional edge was taken. */
  readonly fallback: boolean;
  /** The conditional edges in the order they were tested, up to the one that matched. */
  readonly tested: readonly TestedEdge[];
}

/** A condition whose code failed: it does not match, which its author should know. */
interface FailedCondition {
  /** Index in the list of edges. */
  readonly edge: number;
  readonly target: string;
  readonly reason: string;
}

/** The tested conditions whose code threw, or returned a promise. */
export function failedConditions({ tested }: Pick<RoutingDecision, "tested">): readonly FailedCondition[] {
  return tested.flatMap(({ edge, target, failed, reason = "" }) =>
    failed ? [{ edge, target, reason }] : [],
  );
}

/** An edge that leaves a node, prepared for repeated routing. Without a test it is a fallback. */
interface OutEdge {
  readonly edge: number;
  readonly target: string;
  readonly fork: RoutingEdge["fork"];
  readonly test: ((state: ScenarioState, scope: () => TextScope) => ConditionAnswer) | null;
}

function outEdges(edges: readonly RoutingEdge[], positions: readonly number[]): readonly OutEdge[] {
  return positions.flatMap((edge) => {
    const { target, when, fork } = edges[edge] as RoutingEdge;
    // The first edge of a fork stands for all of them.
    if (fork !== undefined && target !== fork[0]) return [];
    const isFilled = hasTexts(when) && typeof when !== "string";
    return [{ edge, target, fork, test: isFilled ? filledCondition(when) : conditionOf(when) }];
  });
}

/** Conditional edges in order, first match; else the first unconditional edge; else the end. */
function resolve(edges: readonly OutEdge[], state: ScenarioState, scope: () => TextScope): RoutingDecision {
  const tested: TestedEdge[] = [];
  const decision = ({ target, edge, fork }: OutEdge, fallback: boolean): RoutingDecision =>
    fork === undefined ? { target, edge, fallback, tested } : { target: null, edge, fallback, tested, fork };
  for (const outEdge of edges) {
    const { edge, target, test } = outEdge;
    if (test === null) continue;
    const { truth, reason, actual, failed } = test(state, scope);
    if (truth === true) {
      tested.push({ edge, target, matched: true, evaluable: true });
      return decision(outEdge, false);
    }
    const step: TestedEdge = { edge, target, matched: false, evaluable: truth !== null, reason, actual };
    tested.push(failed ? { ...step, failed } : step);
  }
  const fallback = edges.find(({ test }) => test === null);
  return fallback === undefined
    ? { target: null, edge: null, fallback: false, tested }
    : decision(fallback, true);
}

const MOST_COMPILED = 100;

/** A condition with texts that are rendered before it is tested. Few come to different values, so that those are kept. */
function filledCondition(when: unknown): OutEdge["test"] {
  const compiled = new Map<string, ConditionTest>();
  return (state, scope) => {
    try {
      const filled = fillTexts(when, scope());
      if (compiled.size >= MOST_COMPILED) compiled.clear();
      const test = memoize(
        compiled,
        canonicalJson(filled),
        () => conditionOf(filled) ?? (() => answered(null, "is null")),
      );
      return test(state);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      return answered(null, `cannot be rendered: ${error.message}`);
    }
  };
}

/** The edges of a definition by node; those of a node are prepared when a conversation first leaves it. */
class EdgeIndex {
  readonly #edges: readonly RoutingEdge[];
  readonly #positions: ReadonlyMap<string, readonly number[]>;
  readonly #prepared = new Map<string, readonly OutEdge[]>();

  constructor(edges: readonly RoutingEdge[]) {
    this.#edges = edges;
    this.#positions = Map.groupBy(edges.keys(), (position) => edges[position]?.source ?? "");
  }

  from(node: string): readonly OutEdge[] {
    return memoize(this.#prepared, node, () => outEdges(this.#edges, this.#positions.get(node) ?? []));
  }
}

/** Only the edges of a definition are frozen, and only what cannot change may be kept. */
const indexes = new WeakMap<readonly RoutingEdge[], EdgeIndex>();

/**
 * Decides where a conversation goes. `edges` are those of a definition, of which the ones that leave
 * `state.currentNode` count, or a list with the edges of just one node. `scope` has the values for texts in conditions.
 */
export function resolveNextNode(
  edges: readonly RoutingEdge[],
  state: ScenarioState,
  scope: () => TextScope = () => ({}),
): RoutingDecision {
  const node = state.currentNode;
  if (Object.isFrozen(edges))
    return resolve(memoize(indexes, edges, () => new EdgeIndex(edges)).from(node), state, scope);
  const isOneNode = edges.every(({ source }) => source === edges[0]?.source);
  const positions = [...edges.keys()].filter((position) => isOneNode || edges[position]?.source === node);
  return resolve(outEdges(edges, positions), state, scope);
}

/** Compiles a `when` that may not be validated: what is not a condition never matches, and its reason says why. */
function conditionOf(when: unknown): ConditionTest | null {
  const issues: Issue[] = [];
  if (when === undefined) return null;
  if (validateShape(WHEN_SHAPE, when, [], (issue) => issues.push(issue))) {
    // The shape has just been checked.
    const condition: Condition | null = compileWhen(when as When);
    return condition === null ? null : compileCondition(condition);
  }
  const answer = answered(null, `is not a condition: ${issues.map(formatIssue).join(" ")}`);
  return () => answer;
}
