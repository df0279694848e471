import { fillTexts, hasTexts } from "../liquid/fill-texts.ts";
import { TextError, type TextScope } from "../liquid/text-template.ts";
import { formatIssue } from "../schema/format-issue.ts";
import type { Issue } from "../schema/issue.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { canonicalJson } from "../values/json.ts";
import { type Condition, compileWhen, WHEN_SHAPE, type When } from "./condition.ts";
import { type ConditionTest, compileCondition } from "./condition-test.ts";
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
export interface FailedCondition {
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

/** The edges that leave one node, prepared for repeated routing. */
class OutEdges {
  readonly #conditional: {
    readonly edge: number;
    readonly target: string;
    readonly condition: ConditionTest | FilledCondition;
    readonly fork: RoutingEdge["fork"] | undefined;
  }[] = [];
  readonly #fallback: {
    readonly edge: number;
    readonly target: string;
    readonly fork: RoutingEdge["fork"] | undefined;
  } | null = null;

  constructor(edges: readonly RoutingEdge[], positions: Iterable<number>) {
    for (const edge of positions) {
      const { target, when, fork } = edges[edge] as RoutingEdge;
      // The first edge of a fork stands for all of them.
      if (fork !== undefined && target !== fork[0]) continue;
      const condition =
        hasTexts(when) && typeof when !== "string" ? new FilledCondition(when) : conditionOf(when);
      if (condition !== null) this.#conditional.push({ edge, target, condition, fork });
      else this.#fallback ??= { edge, target, fork };
    }
  }

  /** Conditional edges in order, first match; else the first unconditional edge; else the end. */
  resolve(state: ScenarioState, scope: () => TextScope): RoutingDecision {
    const tested: TestedEdge[] = [];
    for (const { edge, target, fork, condition: given } of this.#conditional) {
      const condition = given instanceof FilledCondition ? given.filled(scope) : given;
      const answer = condition.test(state);
      if (answer === true) {
        tested.push({ edge, target, matched: true, evaluable: true });
        return decision({ target, edge, fork }, false, tested);
      }
      const evaluable = answer !== null;
      tested.push({
        edge,
        target,
        matched: false,
        evaluable,
        ...(!evaluable && condition.failed ? { failed: true as const } : {}),
        reason: condition.reason(answer),
        actual: condition.actual,
      });
    }
    const fallback = this.#fallback;
    if (fallback === null) return { target: null, edge: null, fallback: false, tested };
    return decision(fallback, true, tested);
  }
}

/** A condition with texts that are rendered before it is tested. Few come to different values, so that those are kept. */
class FilledCondition {
  readonly #when: unknown;
  readonly #compiled = new Map<string, ConditionTest>();

  constructor(when: unknown) {
    this.#when = when;
  }

  filled(scope: () => TextScope): ConditionTest {
    try {
      const when = fillTexts(this.#when, scope());
      const key = canonicalJson(when);
      const known = this.#compiled.get(key);
      if (known !== undefined) return known;
      if (this.#compiled.size >= MOST_COMPILED) this.#compiled.clear();
      const made = conditionOf(when) ?? unusable("is null");
      this.#compiled.set(key, made);
      return made;
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      return unusable(`cannot be rendered: ${error.message}`);
    }
  }
}

const MOST_COMPILED = 100;

function decision(
  {
    target,
    edge,
    fork,
  }: Pick<RoutingEdge, "target"> & { readonly edge: number; readonly fork: RoutingEdge["fork"] | undefined },
  fallback: boolean,
  tested: readonly TestedEdge[],
): RoutingDecision {
  if (fork === undefined) return { target, edge, fallback, tested };
  return { target: null, edge, fallback, tested, fork };
}

/** The out-edges of every node. Edges are sorted by node once, and prepared when a conversation first leaves the node. */
class EdgeIndex {
  readonly #edges: readonly RoutingEdge[];
  readonly #positions = new Map<string, number[]>();
  readonly #prepared = new Map<string, OutEdges>();

  constructor(edges: readonly RoutingEdge[]) {
    this.#edges = edges;
    edges.forEach(({ source }, position) => {
      const known = this.#positions.get(source);
      if (known === undefined) this.#positions.set(source, [position]);
      else known.push(position);
    });
  }

  from(node: string): OutEdges {
    let outEdges = this.#prepared.get(node);
    if (outEdges === undefined) {
      outEdges = new OutEdges(this.#edges, this.#positions.get(node) ?? []);
      this.#prepared.set(node, outEdges);
    }
    return outEdges;
  }
}

const indexes = new WeakMap<readonly RoutingEdge[], EdgeIndex>();

/**
 * Decides where a conversation goes. `edges` are those of a definition, of which the ones that leave
 * `state.currentNode` count, or a list with the edges of just one node. `scope` has the values for texts in conditions.
 */
export function resolveNextNode(
  edges: readonly RoutingEdge[],
  state: ScenarioState,
  scope: () => TextScope = () => NO_VALUES,
): RoutingDecision {
  // Only the edges of a definition are frozen, and only what cannot change may be cached.
  if (!Object.isFrozen(edges)) return outEdgesIn(edges, state.currentNode).resolve(state, scope);
  let index = indexes.get(edges);
  if (index === undefined) {
    index = new EdgeIndex(edges);
    indexes.set(edges, index);
  }
  return index.from(state.currentNode).resolve(state, scope);
}

const NO_VALUES: TextScope = Object.freeze({});

function outEdgesIn(edges: readonly RoutingEdge[], node: string): OutEdges {
  const sameSource = edges.every(({ source }) => source === edges[0]?.source);
  const positions = [...edges.keys()].filter((position) => sameSource || edges[position]?.source === node);
  return new OutEdges(edges, positions);
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
  return unusable(`is not a condition: ${issues.map(formatIssue).join(" ")}`);
}

function unusable(reason: string): ConditionTest {
  return { test: () => null, reason: () => reason, actual: null, failed: false };
}
