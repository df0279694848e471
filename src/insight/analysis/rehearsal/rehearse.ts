import { DEFAULTS } from "../../../core/defaults.ts";
import { leavesOf } from "../../../core/logic/composition.ts";
import type { Outcome } from "../../../core/outcomes/outcome-check.ts";
import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import { copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { RowOptions } from "../../../engine/run/open-rows.ts";
import { explore } from "./explore.ts";
import type { ExploredGraph } from "./explored-graph.ts";
import { type FactOptions, type GraphFacts, graphFacts } from "./graph-facts.ts";
import { type BoundPlace, rehearsedPlaces } from "./places.ts";
import { Oracle, prepareCode } from "./prepare-code.ts";
import type {
  NeverTaken,
  OutcomeWitness,
  Possibility,
  Rehearsal,
  RehearsedEdge,
  RehearsedNode,
  RehearsedOutcome,
  RehearsedValue,
  Undecided,
  Witness,
} from "./rehearsal.ts";
import { replyClasses } from "./reply-classes.ts";
import { watchedTurns } from "./watched-turns.ts";

/** Options of `rehearse`. */
export interface RehearseOptions extends RowOptions {
  /** As that of a run (default 20). */
  readonly turnLimit?: number;
  /** How many paths are listed (default 20). */
  readonly list?: number;
  /** After how many states the exploration stops (default 20,000). */
  readonly maxStates?: number;
  /** How many rows and variants that differ in what matters are rehearsed (default 12). */
  readonly maxPlaces?: number;
}

/**
 * Walks every path through a scenario without a model. Each node is answered with every reply that the scenario distinguishes from others:
 * right, wrong, unreadable, and each value that a condition names. The turns are computed by the same `step` as in a run.
 *
 * @example
 * const { outcomes, paths } = await rehearse(definition);
 */
export async function rehearse(
  definition: ScenarioDefinition,
  options: RehearseOptions = {},
): Promise<Rehearsal> {
  const { turnLimit = DEFAULTS.turnLimit, list = 20, maxStates = 20_000, maxPlaces = 12, ...rows } = options;
  for (const [name, value] of Object.entries({ turnLimit, maxStates, maxPlaces }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(
        `Expected \`${name}\` to be an integer from 1 and up, got \`${String(value)}\` (${typeof value})`,
      );
  const { places, undecided } = await rehearsedPlaces(definition, rows, maxPlaces);
  const rehearsed: RehearsedAt[] = [];
  for (const place of places) rehearsed.push(await rehearseAt(place, { turnLimit, list, maxStates }));
  return joined(definition, turnLimit, { rehearsed, undecided });
}

interface RehearsedAt {
  readonly place: BoundPlace;
  /** What needs no code that was not run. */
  readonly certain: GraphFacts;
  readonly all: GraphFacts;
  /** The same with the values of outcomes. */
  readonly judged: { readonly certain: GraphFacts; readonly all: GraphFacts; readonly isComplete: boolean };
  readonly replies: ReadonlyMap<string, number>;
  readonly undecided: readonly Undecided[];
  readonly opaqueOutcomes: ReadonlySet<string>;
  readonly states: number;
  readonly isComplete: boolean;
}

async function rehearseAt(
  place: BoundPlace,
  {
    turnLimit,
    list,
    maxStates,
  }: { readonly turnLimit: number; readonly list: number; readonly maxStates: number },
): Promise<RehearsedAt> {
  const oracle = new Oracle();
  const prepared = await prepareCode(place.definition, oracle);
  try {
    const { definition, code } = prepared;
    const replies = new Map(
      [...watchedTurns(definition, code)].map(([id, watched]) => [
        id,
        replyClasses(definition, id, { watched, code }),
      ]),
    );
    const limits = { turnLimit, maxStates, replies };
    const judged = await explore(prepared, oracle, limits);
    // Outcomes that read all turns tell many conversations apart: what can happen in them is found without.
    const bare = { ...prepared, definition: copyDefinition(definition, { outcomes: [] }) };
    const hasRest = !judged.isComplete && definition.outcomes.length > 0;
    const rest = hasRest ? await explore(bare, oracle, limits) : judged;
    const graph = rest.isComplete ? rest : judged;
    const options = { definition: place.definition, place: place.name, turnLimit, list };
    const facts = await factsOf(graph, options);
    const isComplete = graph.isComplete && facts.all.isWhole;
    return {
      place,
      ...facts,
      judged: {
        ...(graph === judged ? facts : await factsOf(judged, options)),
        isComplete: isComplete && judged.isComplete,
      },
      replies: new Map([...replies].map(([node, found]) => [node, found.replies.length])),
      undecided: [
        ...prepared.undecided,
        ...graph.undecided,
        ...(graph.isComplete && !judged.isComplete ? [tooManyForOutcomes(maxStates)] : []),
        ...(facts.all.isWhole ? [] : [tooLong(turnLimit)]),
      ],
      opaqueOutcomes: code.opaqueOutcomes,
      states: graph.states.length,
      isComplete,
    };
  } finally {
    prepared.dispose();
  }
}

async function factsOf(
  graph: ExploredGraph,
  options: Omit<FactOptions, "withAssumed">,
): Promise<{ readonly certain: GraphFacts; readonly all: GraphFacts }> {
  const hasAssumed = graph.states.some(({ transitions }) => transitions?.some(({ isAssumed }) => isAssumed));
  const all = await graphFacts(graph, { ...options, withAssumed: hasAssumed });
  return { all, certain: hasAssumed ? await graphFacts(graph, { ...options, withAssumed: false }) : all };
}

function tooManyForOutcomes(maxStates: number): Undecided {
  return {
    kind: "not_all_tried",
    place: "the outcomes",
    message: `they tell apart more than ${maxStates} states: only values in some conversations were found`,
  };
}

function tooLong(turnLimit: number): Undecided {
  return {
    kind: "not_all_tried",
    place: `the turn limit of ${turnLimit}`,
    message:
      "there are too many turns to count the paths, or to say how conversations end that the limit stops",
  };
}

/** Joins the results of all rows and variants: what can happen with one of them can happen. */
function joined(
  definition: ScenarioDefinition,
  turnLimit: number,
  {
    rehearsed,
    undecided: before,
  }: { readonly rehearsed: readonly RehearsedAt[]; readonly undecided: readonly Undecided[] },
): Rehearsal {
  const all = rehearsed.map((one) => one.all);
  const certain = rehearsed.map((one) => one.certain);
  const isComplete = before.length === 0 && rehearsed.every((one) => one.isComplete);
  const undecided = distinctUndecided([
    ...before,
    ...rehearsed.flatMap((one) => one.undecided),
    ...definition.outcomes.flatMap(wordsOrCost),
  ]);
  const possibility = (isFound: (facts: GraphFacts) => boolean): Possibility =>
    certain.some(isFound) ? "yes" : all.some(isFound) || !isComplete ? "maybe" : "no";
  const first = <Found>(find: (facts: GraphFacts) => Found | null | undefined): Found | null =>
    [...certain, ...all].map(find).find((found) => found !== null && found !== undefined) ?? null;

  const beyond = beyondLimit(definition, all);
  const nodes = definition.nodeIds.map((id): RehearsedNode => {
    const found = first((facts) => facts.nodes.get(id));
    const isReached = possibility((facts) => facts.nodes.has(id));
    const replies = Math.max(0, ...rehearsed.map((one) => one.replies.get(id) ?? 0));
    return {
      id,
      isReached,
      after: found?.after ?? null,
      witness: found?.witness ?? null,
      ...(isReached === "no"
        ? { reason: beyond.has(id) ? ("turn_limit" as const) : ("no_path" as const) }
        : {}),
      replies,
    };
  });
  const reached = new Map(nodes.map((node) => [node.id, node.isReached]));
  const edges = definition.edges.map(({ source, target }, edge): RehearsedEdge => {
    const isTaken = possibility((facts) => facts.edges.has(edge));
    return {
      edge,
      source,
      target,
      isTaken,
      witness: first((facts) => facts.edges.get(edge)),
      ...(isTaken === "no"
        ? { never: neverTaken(definition, edge, { all, isReached: reached.get(source) === "yes" }) }
        : {}),
    };
  });
  const largest = all.reduce<GraphFacts | null>(
    (best, facts) => (best === null || (facts.count ?? -1n) > (best.count ?? -1n) ? facts : best),
    null,
  );
  const shortest = all.flatMap((facts) => facts.shortest ?? []);
  const longest = all.flatMap((facts) => facts.longest ?? []);
  const isOpen = all.some((facts) => facts.count === null);
  return {
    scenario: definition.name,
    turnLimit,
    places: rehearsed.map(({ place }) => place.name),
    nodes,
    edges,
    outcomes: definition.outcomes.map((outcome) =>
      rehearsedOutcome(outcome, {
        rehearsed,
        isComplete: isComplete && rehearsed.every(({ judged }) => judged.isComplete),
      }),
    ),
    shortest: shortest.reduce<Witness | null>(
      (best, one) => (best === null || one.turns.length < best.turns.length ? one : best),
      null,
    ),
    longest: longest.reduce<Witness | null>(
      (best, one) => (best === null || one.turns.length > best.turns.length ? one : best),
      null,
    ),
    paths: {
      count: isOpen ? null : (largest?.count ?? null),
      limited: isOpen ? null : (largest?.limited ?? null),
      routes: isOpen ? null : (largest?.routes ?? null),
      listed: largest?.listed ?? [],
    },
    loops: distinctBy(
      all.flatMap((facts) => facts.loops),
      ({ nodes: inside }) => JSON.stringify(inside),
    ),
    overlaps: distinctBy(
      all.flatMap((facts) => facts.overlaps),
      ({ taken, also }) => `${taken} ${also}`,
    ),
    failures: distinctBy(
      all.flatMap((facts) => facts.failures),
      ({ message }) => message,
    ),
    undecided,
    states: rehearsed.reduce((sum, { states }) => sum + states, 0),
    isComplete,
  };
}

/** The nodes behind the turn limit: an edge that is taken leads to them, directly or through others. */
function beyondLimit(definition: ScenarioDefinition, all: readonly GraphFacts[]): ReadonlySet<string> {
  const open = new Set<string>();
  // Of a conversation that the limit stops, the next question would have been asked.
  if (!all.some((facts) => facts.limited === null || facts.limited > 0n)) return open;
  const targets = new Map<string, string[]>();
  for (const { source, target } of definition.edges) {
    const list = targets.get(source);
    if (list === undefined) targets.set(source, [target]);
    else list.push(target);
  }
  for (const facts of all)
    for (const [edge] of facts.edges) {
      const target = definition.edges[edge]?.target ?? "";
      if (!all.some((one) => one.nodes.has(target))) open.add(target);
    }
  // Iteration over a set includes what is added during it.
  for (const node of open) for (const target of targets.get(node) ?? []) open.add(target);
  return open;
}

function neverTaken(
  definition: ScenarioDefinition,
  edge: number,
  { all, isReached }: { readonly all: readonly GraphFacts[]; readonly isReached: boolean },
): NeverTaken {
  if (!isReached) return { reason: "source_not_reached" };
  const { source = "", when } = definition.edges[edge] ?? {};
  const before = new Set<number>();
  for (const facts of all)
    for (const taken of (when === undefined ? facts.taken.get(source) : facts.held.get(edge)) ?? [])
      if (taken !== edge) before.add(taken);
  if (before.size === 0) return { reason: "never_holds" };
  return { reason: "taken_before", by: [...before].sort((left, right) => left - right) };
}

function rehearsedOutcome(
  { name, ...outcome }: Outcome,
  { rehearsed, isComplete }: { readonly rehearsed: readonly RehearsedAt[]; readonly isComplete: boolean },
): RehearsedOutcome {
  const isOpaque =
    rehearsed.some(({ opaqueOutcomes }) => opaqueOutcomes.has(name)) ||
    wordsOrCost({ name, ...outcome }).length > 0;
  if (isOpaque) return { name, values: [], isComplete: false };
  const values = new Map<RehearsedValue, OutcomeWitness>();
  for (const isPossible of ["yes", "maybe"] as const)
    for (const one of rehearsed) {
      const facts = isPossible === "yes" ? one.judged.certain : one.judged.all;
      for (const [value, witness] of facts.values.get(name) ?? []) {
        const known = values.get(value);
        const isBetter =
          known === undefined ||
          (known.isPossible === isPossible && witness.turns.length < known.witness.turns.length);
        if (isBetter) values.set(value, { value, isPossible, witness });
      }
    }
  const sorted = [...values.values()].sort((left, right) => order(left.value) - order(right.value));
  return { name, values: sorted, isComplete: isComplete && !measuresNumbers(outcome.check) };
}

/** The numbers of a field may be any: only some of them stand for all. */
function measuresNumbers(check: Outcome["check"]): boolean {
  return typeof check === "object" && isMeasure(check) && "field" in check;
}

/** True, false, numbers, inconclusive, not applicable. */
function order(value: RehearsedValue): number {
  if (typeof value === "number") return value;
  return {
    true: Number.NEGATIVE_INFINITY,
    false: -Number.MAX_VALUE,
    inconclusive: Number.MAX_VALUE,
    not_applicable: Number.POSITIVE_INFINITY,
  }[String(value) as "true" | "false" | "inconclusive" | "not_applicable"];
}

/** An outcome that reads the words of replies or costs: a rehearsal does not know them. */
function wordsOrCost({ name, check }: Outcome): readonly Undecided[] {
  if (typeof check !== "object" || isMeasure(check)) return [];
  const fields = leavesOf(check).flatMap((leaf) =>
    leaf.type === "cross_turn_check"
      ? [leaf.sourceField, leaf.targetField]
      : leaf.type === "measure_check"
        ? []
        : [leaf.field],
  );
  const field = fields.find((one) =>
    ["reply", "raw_response", "question_text", "cost", "tokens"].includes(one),
  );
  if (field === undefined) return [];
  return [
    {
      kind: "words_or_cost",
      place: `the outcome ${JSON.stringify(name)}`,
      message: `it looks at ${field}, which only a run knows`,
    },
  ];
}

function distinctUndecided(found: readonly Undecided[]): readonly Undecided[] {
  return distinctBy(found, ({ kind, place }) => `${kind} ${place}`);
}

function distinctBy<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}
