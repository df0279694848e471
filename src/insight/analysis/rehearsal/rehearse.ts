import { DEFAULTS } from "../../../core/defaults.ts";
import type { Outcome } from "../../../core/outcomes/outcome-check.ts";
import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import { canHold } from "../../../core/scenario/condition-logic.ts";
import { copyDefinition, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { compileWhen } from "../../../core/state/condition.ts";
import type { RowOptions } from "../../../engine/run/open-rows.ts";
import { fieldsRead } from "../outcome-reads.ts";
import { explore } from "./explore.ts";
import { type Found, type GraphFacts, graphFacts } from "./graph-facts.ts";
import { type BoundPlace, rehearsedPlaces } from "./places.ts";
import { Oracle, prepareCode } from "./prepare-code.ts";
import type {
  NeverTaken,
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
  readonly facts: GraphFacts;
  readonly values: GraphFacts["values"];
  /** True if no other values of outcomes are possible. */
  readonly hasAllValues: boolean;
  readonly replies: ReadonlyMap<string, number>;
  readonly undecided: readonly Undecided[];
  readonly opaqueOutcomes: ReadonlySet<string>;
  readonly states: number;
  readonly isComplete: boolean;
}

type Limits = Required<Pick<RehearseOptions, "turnLimit" | "list" | "maxStates">>;

async function rehearseAt(place: BoundPlace, { turnLimit, list, maxStates }: Limits): Promise<RehearsedAt> {
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
    const facts = await graphFacts(graph, options);
    const isComplete = graph.isComplete && facts.isWhole;
    return {
      place,
      facts,
      values: (graph === judged ? facts : await graphFacts(judged, options)).values,
      hasAllValues: isComplete && judged.isComplete,
      replies: new Map([...replies].map(([node, found]) => [node, found.replies.length])),
      undecided: [
        ...prepared.undecided,
        ...graph.undecided,
        ...(graph.isComplete && !judged.isComplete ? [tooManyForOutcomes(maxStates)] : []),
        ...(facts.isWhole ? [] : [tooLong(turnLimit)]),
      ],
      opaqueOutcomes: code.opaqueOutcomes,
      states: graph.states.length,
      isComplete,
    };
  } finally {
    prepared.dispose();
  }
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
  const all = rehearsed.map(({ facts }) => facts);
  const isComplete = before.length === 0 && rehearsed.every((one) => one.isComplete);
  const undecided = [
    ...before,
    ...rehearsed.flatMap((one) => one.undecided),
    ...definition.outcomes.flatMap(wordsOrCost),
  ];
  const possibility = (found: Found | undefined): Possibility =>
    found === undefined ? (isComplete ? "no" : "maybe") : found.isCertain ? "yes" : "maybe";
  const asked = mergedFacts(all.map((facts) => facts.nodes));
  const taken = mergedFacts(all.map((facts) => facts.edges));
  const beyond = beyondLimit(definition, { all, asked, taken });
  const nodes = definition.nodeIds.map((id): RehearsedNode => {
    const found = asked.get(id);
    const isReached = possibility(found);
    const reason = beyond.has(id) ? "turn_limit" : "no_path";
    return {
      id,
      isReached,
      after: found?.after ?? null,
      witness: found?.witness ?? null,
      ...(isReached === "no" ? { reason } : {}),
      replies: Math.max(0, ...rehearsed.map((one) => one.replies.get(id) ?? 0)),
    };
  });
  const edges = definition.edges.map(({ source, target }, edge): RehearsedEdge => {
    const found = taken.get(edge);
    const isTaken = possibility(found);
    const never = isTaken === "no" ? { never: neverTaken(definition, edge, { asked, taken }) } : {};
    return { edge, source, target, isTaken, witness: found?.witness ?? null, ...never };
  });
  const largest = all.reduce<GraphFacts | undefined>(
    (best, facts) => (best === undefined || (facts.count ?? -1n) > (best.count ?? -1n) ? facts : best),
    undefined,
  );
  const counted = all.some(({ count }) => count === null) ? undefined : largest;
  return {
    scenario: definition.name,
    turnLimit,
    places: rehearsed.map(({ place }) => place.name),
    nodes,
    edges,
    outcomes: definition.outcomes.map((outcome) => rehearsedOutcome(outcome, { rehearsed, isComplete })),
    shortest: byTurns(all.flatMap(({ shortest }) => shortest ?? []))[0] ?? null,
    longest: byTurns(all.flatMap(({ longest }) => longest ?? []).reverse()).at(-1) ?? null,
    paths: {
      count: counted?.count ?? null,
      limited: counted?.limited ?? null,
      routes: counted?.routes ?? null,
      listed: largest?.listed ?? [],
    },
    loops: distinctBy(
      all.flatMap(({ loops }) => loops),
      ({ nodes: inside }) => JSON.stringify(inside),
    ),
    failures: [...mergedFacts(all.map((facts) => facts.failures))].map(([message, { witness }]) => ({
      message,
      witness,
    })),
    undecided: distinctBy(undecided, ({ kind, place }) => `${kind} ${place}`),
    states: rehearsed.reduce((sum, { states }) => sum + states, 0),
    isComplete,
  };
}

/** What was found in several rows and variants: what is certain before what is not, and of that the shortest conversation. */
function mergedFacts<Key, Fact extends Found>(
  found: readonly ReadonlyMap<Key, Fact>[],
): ReadonlyMap<Key, Fact> {
  const merged = new Map<Key, Fact>();
  for (const [key, fact] of found.flatMap((facts) => [...facts])) {
    const known = merged.get(key);
    const isBetter =
      known === undefined ||
      (known.isCertain === fact.isCertain
        ? fact.witness.turns.length < known.witness.turns.length
        : fact.isCertain);
    if (isBetter) merged.set(key, fact);
  }
  return merged;
}

function byTurns(witnesses: readonly Witness[]): readonly Witness[] {
  return witnesses.toSorted((one, other) => one.turns.length - other.turns.length);
}

interface Reached {
  readonly asked: ReadonlyMap<string, Found>;
  readonly taken: ReadonlyMap<number, Found>;
}

/** The nodes behind the turn limit: an edge that is taken leads to them, directly or through others. */
function beyondLimit(
  { edges }: ScenarioDefinition,
  { all, asked, taken }: Reached & { readonly all: readonly GraphFacts[] },
): ReadonlySet<string> {
  const open = new Set<string>();
  // Of a conversation that the limit stops, the next question would have been asked.
  if (!all.some(({ limited }) => limited === null || limited > 0n)) return open;
  const targets = Map.groupBy(edges, ({ source }) => source);
  for (const edge of taken.keys()) {
    const { target = "" } = edges[edge] ?? {};
    if (!asked.has(target)) open.add(target);
  }
  // Iteration over a set includes what is added during it.
  for (const node of open) for (const { target } of targets.get(node) ?? []) open.add(target);
  return open;
}

function neverTaken(
  { edges, nodes }: ScenarioDefinition,
  edge: number,
  { asked, taken }: Reached,
): NeverTaken {
  const { source = "", when } = edges[edge] ?? {};
  if (!asked.has(source)) return { reason: "source_not_reached" };
  const condition = compileWhen(when);
  const place = { source, fields: (id: string) => nodes[id]?.question.template?.fields };
  if (condition !== null && !canHold({ all: [condition] }, place)) return { reason: "never_holds" };
  // Edges with a condition are tested in order, before those without.
  const by = [...taken.keys()].filter((other) => {
    const isBefore = condition === null || (other < edge && edges[other]?.when !== undefined);
    return edges[other]?.source === source && isBefore;
  });
  if (by.length === 0) return { reason: "never_holds" };
  return { reason: "taken_before", by: by.sort((left, right) => left - right) };
}

function rehearsedOutcome(
  outcome: Outcome,
  { rehearsed, isComplete }: { readonly rehearsed: readonly RehearsedAt[]; readonly isComplete: boolean },
): RehearsedOutcome {
  const { name, check } = outcome;
  const isOpaque =
    rehearsed.some(({ opaqueOutcomes }) => opaqueOutcomes.has(name)) || wordsOrCost(outcome).length > 0;
  if (isOpaque) return { name, values: [], isComplete: false };
  const found = mergedFacts(rehearsed.flatMap(({ values }) => values.get(name) ?? []));
  const values = [...found].map(([value, { isCertain, witness }]) => ({
    value,
    isPossible: isCertain ? ("yes" as const) : ("maybe" as const),
    witness,
  }));
  return {
    name,
    values: values.sort((left, right) => order(left.value) - order(right.value)),
    isComplete: isComplete && rehearsed.every(({ hasAllValues }) => hasAllValues) && !measuresNumbers(check),
  };
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

const WORDS_OR_COST = new Set(["reply", "raw_response", "question_text", "cost", "tokens"]);

/** An outcome that reads the words of replies or costs: a rehearsal does not know them. */
function wordsOrCost({ name, check }: Outcome): readonly Undecided[] {
  const field = fieldsRead(check).find((one) => WORDS_OR_COST.has(one));
  if (field === undefined) return [];
  return [
    {
      kind: "words_or_cost",
      place: `the outcome ${JSON.stringify(name)}`,
      message: `it looks at ${field}, which only a run knows`,
    },
  ];
}

function distinctBy<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}
