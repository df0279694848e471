import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { shownScenario } from "../../../core/scenario/shown-scenario.ts";
import { compileWhen } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import { INITIAL_STATE } from "../../../core/state/state.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { definitionsOf, storedDefinition, storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import type { RehearsedTurn, Witness } from "../../../insight/analysis/rehearsal/rehearsal.ts";
import { type EdgeRole, edgeRoles } from "../../../insight/report/graph/drawn-graph.ts";
import { expectedText } from "../../../insight/report/text/verdict-text.ts";
import type {
  CoverageAnswer,
  EdgeTraffic,
  GraphAnswer,
  NodeTraffic,
  ScenarioAnswer,
  WitnessView,
} from "../answers.ts";
import type { Viewed } from "./run-data.ts";

/** A scenario of a run with its traffic; undefined if the run has no such scenario. */
export function scenarioAnswer(
  { store }: Viewed,
  { run, start }: RunSummary,
  scenario: string,
): ScenarioAnswer | undefined {
  if (!Object.hasOwn(start.scenarios, scenario)) return undefined;
  const definition = storedScenario(store, run, scenario);
  const example = definition && exampleOf(store, run, definition);
  const nodes = new Map<string, { -readonly [Key in keyof NodeTraffic]: NodeTraffic[Key] }>();
  const edges = new Map<string, { -readonly [Key in keyof EdgeTraffic]: EdgeTraffic[Key] }>();
  const conversations = new Map<string, number>();
  for (const tally of store.tallies(run)) {
    if (tally.scenario !== scenario) continue;
    const { subject } = tally;
    conversations.set(subject, (conversations.get(subject) ?? 0) + tally.conversations);
    const nodeOf = (node: string): { visits: number; verdicts: NodeTraffic["verdicts"] } => {
      const key = JSON.stringify([subject, node]);
      const known = nodes.get(key) ?? { subject, node, visits: 0, verdicts: {} };
      nodes.set(key, known);
      return known;
    };
    for (const [node, count] of tally.visits) nodeOf(node).visits += count;
    for (const { node, verdict, count } of tally.turns) {
      const known = nodeOf(node);
      known.verdicts = { ...known.verdicts, [verdict]: (known.verdicts[verdict] ?? 0) + count };
    }
    for (const [edge, count] of tally.edges) {
      const key = JSON.stringify([subject, edge]);
      const known = edges.get(key) ?? { subject, edge, hops: 0 };
      edges.set(key, known);
      known.hops += count;
    }
  }
  return {
    graph: definition === undefined ? null : graphOf(example?.definition ?? definition),
    ...(example === undefined ? {} : { example: example.place }),
    subjects: start.subjects,
    nodes: [...nodes.values()],
    edges: [...edges.values()],
    conversations: Object.fromEntries(conversations),
  };
}

/** A scenario with the texts of its first conversation, if that has a row or a variant. */
function exampleOf(
  store: Store,
  run: string,
  definition: ScenarioDefinition,
): { readonly definition: ScenarioDefinition; readonly place: string } | undefined {
  const [first] = store.conversations(run, { scenario: definition.name });
  if (first === undefined) return undefined;
  const { rowValues: row } = foldConversation(store.events(run, first.conversation));
  const shown = shownScenario(definition, { row, variant: first.variant });
  return shown === definition ? undefined : { definition: shown, place: placeTexts(first).join(", ") };
}

/** A scenario as a graph with its texts. */
export function graphOf(definition: ScenarioDefinition): GraphAnswer {
  const { name, description, entryNode, nodeIds, nodes, edges } = definition;
  const roles = edgeRoles(definition);
  return {
    scenario: name,
    description,
    entry: entryNode,
    nodes: nodeIds.map((id) => {
      const question = nodes[id]?.question;
      return {
        id,
        question: question?.question ?? "",
        fields: Object.entries(question?.template?.fields ?? {}).map(([field, { description: about }]) => ({
          name: field,
          description: about ?? "",
          truth: question === undefined ? null : expectedText(question, field, INITIAL_STATE),
        })),
      };
    }),
    edges: edges.map(({ source, target, when }, edge) => {
      const condition = compileWhen(when);
      return {
        edge,
        source,
        target,
        condition: condition === null ? "" : describeCondition(condition),
        role: roles[edge] as EdgeRole,
      };
    }),
  };
}

/** How many scenarios are cached. */
const MOST = 500;
/** Each conversation needs its scenario, and validating a large one takes longer than reading the conversation. */
const parsed = new WeakMap<Store, Map<string, ScenarioDefinition | null>>();

/** A scenario of a run, cached; undefined if it is missing, or has functions that use something from outside. */
export function storedScenario(store: Store, run: string, scenario: string): ScenarioDefinition | undefined {
  const known = parsed.get(store) ?? new Map<string, ScenarioDefinition | null>();
  parsed.set(store, known);
  const key = JSON.stringify([run, scenario]);
  const before = known.get(key);
  if (before !== undefined) return before ?? undefined;
  if (known.size >= MOST) known.clear();
  for (const event of definitionsOf(store, run)) {
    if (event.scenario !== scenario) continue;
    known.set(key, storedDefinition(event, storedRun(store, run).start) ?? null);
    return known.get(key) ?? undefined;
  }
  return undefined;
}

/** A longer search would delay the next answer. */
const MOST_STATES = 2_000;

/** What a run reached of a scenario, and by which replies the rest would be reached; null if the scenario cannot be read. */
export async function coverageAnswer(
  store: Store,
  run: string,
  scenario: string,
): Promise<CoverageAnswer | null> {
  const definition = storedScenario(store, run, scenario);
  if (definition === undefined) return null;
  // Rehearsals are seldom asked for.
  const { coverage } = await import("../../../insight/analysis/coverage/coverage.ts");
  const found = await coverage(store, [run], {
    scenario,
    definitions: new Map([[scenario, definition]]),
    maxStates: MOST_STATES,
    neverRun: false,
  });
  const [own] = found.scenarios;
  if (own === undefined) return null;
  const { all, notReached, problem } = own;
  return {
    shares: (["nodes", "edges", "outcomes"] as const).map((kind) => ({
      kind,
      reached: Number(all[kind].reached),
      possible: Number(all[kind].possible ?? all[kind].reached),
    })),
    notReached: notReached.map(({ witness, ...rest }) => ({
      ...rest,
      witness: witness === null ? null : witnessView(witness),
    })),
    ...(problem === undefined ? {} : { problem }),
  };
}

function witnessView({ place, turns, status, isAssumed }: Witness): WitnessView {
  return {
    place: placeTexts(place).join(", "),
    turns: turns.map((turn) => ({ node: turn.node, reply: turn.reply, verdict: verdictOf(turn) })),
    status,
    isAssumed: isAssumed === true,
  };
}

function verdictOf({
  unreadable,
  notVerified,
  verifyResult,
}: RehearsedTurn): WitnessView["turns"][number]["verdict"] {
  if (unreadable === true) return "unreadable";
  if (notVerified === true) return "not_verified";
  return verifyResult === null ? "unverified" : verifyResult ? "pass" : "fail";
}
