import {
  describeAppliesWhen,
  describeOutcome,
  describeOutcomeCheck,
} from "../../../core/outcomes/describe-outcome.ts";
import type { ScenarioDefinition, ScenarioEdge } from "../../../core/scenario/definition.ts";
import { END } from "../../../core/scenario/definition.ts";
import { scenarioToRead } from "../../../core/scenario/scenario-to-json.ts";
import { compileWhen } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { type Affected, type Change, keysOfBoth, nodeChanges, partChange, recordOf } from "./change.ts";
import { type ChangedOutcome, outcomeMeanings } from "./outcome-meanings.ts";

/** Whether stored replies to the questions of a node can still be used. */
export interface NodeReplies {
  readonly node: string;
  /** `after`: its own question is the same, but a conversation may come to it from one that is not. */
  readonly replies: "kept" | "changed" | "after";
  /** `changed`: the judge is asked something else about its replies. */
  readonly readings: "kept" | "changed";
}

/** The differences between two versions of a scenario. */
export interface DefinitionDiff {
  readonly scenario: string;
  /** Its name before, where that is another. */
  readonly renamedFrom?: string;
  readonly hashes: { readonly before: string; readonly after: string };
  readonly changes: readonly Change[];
  /** The nodes that both versions have, in the order of the later one. */
  readonly nodes: readonly NodeReplies[];
  /** Outcomes and rates that both versions have, and that now mean something else. */
  readonly meanings: readonly ChangedOutcome[];
}

/**
 * Compares two versions of a scenario: what changed, which stored replies can still be used at which node, and which outcomes mean
 * something else.
 *
 * @example
 * const { changes, meanings } = diffDefinitions(before, after);
 */
export function diffDefinitions(before: ScenarioDefinition, after: ScenarioDefinition): DefinitionDiff {
  const [was, is] = [scenarioToRead(before), scenarioToRead(after)];
  const changes = [
    ...scenarioChanges(was, is),
    ...nodesOf(before, after, { was, is }),
    ...edgeChanges(before.edges, after.edges),
    ...namedChanges(outcomesOf(before), outcomesOf(after), OUTCOMES).map((change) =>
      inWords(change, before, after),
    ),
    ...namedChanges(recordOf(was.rates), recordOf(is.rates), RATES),
  ];
  return {
    scenario: after.name,
    ...(before.name === after.name ? {} : { renamedFrom: before.name }),
    hashes: { before: before.hash, after: after.hash },
    changes,
    nodes: nodeReplies(before, after, changes),
    meanings: outcomeMeanings(before, after, changes),
  };
}

const SCENARIO_PARTS: readonly {
  readonly key: string;
  readonly what: string;
  readonly affects: readonly Affected[];
}[] = [
  { key: "description", what: "description", affects: [] },
  { key: "systemPrompt", what: "system prompt", affects: ["questions"] },
  { key: "history", what: "history", affects: ["questions"] },
  { key: "entry", what: "entry", affects: ["questions", "edges"] },
  { key: "dataset", what: "dataset", affects: ["conversations"] },
  { key: "variants", what: "variants", affects: ["conversations", "questions"] },
  { key: "metadata", what: "metadata", affects: [] },
];

function scenarioChanges(was: JsonObject, is: JsonObject): readonly Change[] {
  return SCENARIO_PARTS.flatMap(({ key, what, affects }) =>
    partChange({ part: "scenario", name: "", what, affects }, was[key], is[key]),
  );
}

function nodesOf(
  before: ScenarioDefinition,
  after: ScenarioDefinition,
  { was, is }: { readonly was: JsonObject; readonly is: JsonObject },
): readonly Change[] {
  const [old, now] = [recordOf(was.nodes), recordOf(is.nodes)];
  const affects = ["questions", "edges"] as const;
  return [
    ...before.nodeIds
      .filter((id) => !Object.hasOwn(now, id))
      .map((name) => ({ part: "node", name, change: "removed", affects }) as const),
    ...after.nodeIds.flatMap((name): readonly Change[] => {
      if (!Object.hasOwn(old, name)) return [{ part: "node", name, change: "added", affects }];
      return nodeChanges(name, recordOf(old[name]), recordOf(now[name]));
    }),
  ];
}

/** An edge in words. */
function edgeName({ source, target, fork }: ScenarioEdge): string {
  const word = (id: string): string => (id === END ? "END" : id);
  return `${source} → ${fork === undefined ? word(target) : fork.map(word).join(" and ")}`;
}

/** Edges have no names: those with the same source and target are compared, the same conditions first. */
function edgeChanges(before: readonly ScenarioEdge[], after: readonly ScenarioEdge[]): readonly Change[] {
  const [old, now] = [before.filter(isFirstOfFork), after.filter(isFirstOfFork)];
  const pairs = pairedEdges(old, now);
  const paired = new Set(pairs.values());
  const edge = { part: "edge", affects: ["edges"] } as const;
  const removed = old
    .filter((one) => !pairs.has(one))
    .map((one) => ({ ...edge, ...described(one, "before"), change: "removed" }) as const);
  const added = now
    .filter((one) => !paired.has(one))
    .map((one) => ({ ...edge, ...described(one, "after"), change: "added" }) as const);
  const changed = [...pairs].flatMap(([one, other]): readonly Change[] => {
    const name = edgeName(other);
    return [
      ...partChange({ ...edge, name, what: "condition" }, conditionText(one), conditionText(other)),
      ...partChange(
        { part: "edge", name, what: "handover", affects: ["questions"] },
        handoverText(one),
        handoverText(other),
      ),
    ];
  });
  return [...removed, ...added, ...changed, ...movedEdges(old, now, pairs)];
}

function described(edge: ScenarioEdge, key: "before" | "after"): Pick<Change, "name" | "before" | "after"> {
  const condition = conditionText(edge);
  return { name: edgeName(edge), ...(condition === undefined ? {} : { [key]: condition }) };
}

function isFirstOfFork({ target, fork }: ScenarioEdge): boolean {
  return fork === undefined || target === fork[0];
}

function conditionText({ when }: ScenarioEdge): string | undefined {
  const condition = compileWhen(when);
  return condition === null ? undefined : describeCondition(condition);
}

function handoverText({ handover }: ScenarioEdge): string | undefined {
  return handover === undefined ? undefined : String(handover);
}

function pairedEdges(
  old: readonly ScenarioEdge[],
  now: readonly ScenarioEdge[],
): ReadonlyMap<ScenarioEdge, ScenarioEdge> {
  const pairs = new Map<ScenarioEdge, ScenarioEdge>();
  const pair = (keyOf: (edge: ScenarioEdge) => string): void => {
    const taken = new Set(pairs.values());
    const open = Map.groupBy(
      now.filter((edge) => !taken.has(edge)),
      keyOf,
    );
    for (const edge of old) {
      if (pairs.has(edge)) continue;
      const match = open.get(keyOf(edge))?.shift();
      if (match !== undefined) pairs.set(edge, match);
    }
  };
  pair((edge) => JSON.stringify([edgeName(edge), conditionText(edge), handoverText(edge)]));
  pair((edge) => JSON.stringify([edgeName(edge), conditionText(edge)]));
  pair(edgeName);
  return pairs;
}

/** The first edge whose condition holds is taken, so that their order matters. */
function movedEdges(
  old: readonly ScenarioEdge[],
  now: readonly ScenarioEdge[],
  pairs: ReadonlyMap<ScenarioEdge, ScenarioEdge>,
): readonly Change[] {
  const place = new Map(now.map((edge, index) => [edge, index]));
  const latest = new Map<string, number>();
  return old.flatMap((edge): readonly Change[] => {
    const match = pairs.get(edge);
    const at = match === undefined ? undefined : place.get(match);
    if (at === undefined || match === undefined) return [];
    const before = latest.get(edge.source) ?? -1;
    latest.set(edge.source, Math.max(before, at));
    if (at > before) return [];
    const { name } = described(match, "after");
    const after = conditionText(match);
    return [
      { part: "edge", name, change: "moved", ...(after === undefined ? {} : { after }), affects: ["edges"] },
    ];
  });
}

interface NamedParts {
  readonly part: "outcome" | "rate";
  readonly affects: readonly Affected[];
  /** Keys whose words differ, or that change no number. */
  readonly words: Readonly<Record<string, { readonly what: string; readonly affects?: readonly Affected[] }>>;
}

const OUTCOMES: NamedParts = {
  part: "outcome",
  affects: ["outcomes"],
  words: {
    when: { what: "when it applies" },
    good: { what: "whether it is good" },
    shown: { what: "whether it is shown", affects: [] },
    description: { what: "description", affects: [] },
  },
};
const RATES: NamedParts = {
  part: "rate",
  affects: ["outcomes"],
  words: { good: { what: "whether it is good" }, description: { what: "description", affects: [] } },
};

function namedChanges(
  was: JsonObject,
  is: JsonObject,
  { part, affects, words }: NamedParts,
): readonly Change[] {
  return keysOfBoth(was, is).flatMap((name): readonly Change[] => {
    const [old, now] = [was[name], is[name]];
    if (old === undefined)
      return [{ part, name, change: "added", affects, ...(now === undefined ? {} : { after: now }) }];
    if (now === undefined) return [{ part, name, change: "removed", affects, before: old }];
    const [before, after] = [recordOf(old), recordOf(now)];
    return keysOfBoth(before, after).flatMap((key) =>
      partChange({ part, name, what: key, affects, ...words[key] }, before[key], after[key]),
    );
  });
}

/** A change of an outcome with its checks in words, as far as they say what changed. */
function inWords(change: Change, before: ScenarioDefinition, after: ScenarioDefinition): Change {
  const { what, name } = change;
  if (what !== undefined && what !== "check" && what !== OUTCOMES.words.when?.what) return change;
  const words = ({ outcomes }: ScenarioDefinition): string | undefined => {
    const outcome = outcomes.find((one) => one.name === name);
    if (outcome === undefined) return undefined;
    if (what === undefined) return describeOutcome(outcome);
    if (what === "check") return describeOutcomeCheck(outcome.check);
    return outcome.when === undefined ? undefined : describeAppliesWhen(outcome.when);
  };
  const [was, is] = [words(before), words(after)];
  if (was === is) return change;
  return {
    ...change,
    ...(was === undefined ? {} : { before: was }),
    ...(is === undefined ? {} : { after: is }),
  };
}

function outcomesOf(definition: ScenarioDefinition): JsonObject {
  const { outcomes = [] } = scenarioToRead(definition) as { readonly outcomes?: readonly JsonObject[] };
  return Object.fromEntries(outcomes.map(({ name, ...rest }) => [String(name), rest]));
}

function nodeReplies(
  before: ScenarioDefinition,
  after: ScenarioDefinition,
  changes: readonly Change[],
): readonly NodeReplies[] {
  const asks = changes.filter(({ affects }) => affects.includes("questions"));
  const isAll = asks.some(({ part, what }) => part === "scenario" && what !== "entry");
  const handedOver = new Set(asks.filter(({ part }) => part === "edge").map(({ name }) => name));
  const changed = new Set([
    ...asks.filter(({ part, change }) => part === "node" && change === "changed").map(({ name }) => name),
    ...after.edges.filter((edge) => handedOver.has(edgeName(edge))).map(({ target }) => target),
  ]);
  const added = after.nodeIds.filter((id) => !Object.hasOwn(before.nodes, id));
  const later = reachable(after.edges, [...changed, ...added]);
  const read = new Set(
    changes
      .filter(({ part, affects }) => part === "node" && affects.includes("readings"))
      .map(({ name }) => name),
  );
  return after.nodeIds
    .filter((id) => Object.hasOwn(before.nodes, id))
    .map((node) => ({
      node,
      replies: isAll || changed.has(node) ? "changed" : later.has(node) ? "after" : "kept",
      readings: read.has(node) ? "changed" : "kept",
    }));
}

/** The nodes that edges lead to from these. */
function reachable(edges: readonly ScenarioEdge[], from: readonly string[]): ReadonlySet<string> {
  const targets = Map.groupBy(edges, ({ source }) => source);
  const found = new Set<string>();
  const open = [...from];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const { target } of targets.get(node) ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      open.push(target);
    }
  return found;
}
