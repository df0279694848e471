import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { foldTurn, plainState } from "../../core/state/advance-state.ts";
import { compileWhen } from "../../core/state/condition.ts";
import { describeCondition } from "../../core/state/describe-condition.ts";
import { INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import type { TemplateField } from "../../core/templates/template.ts";
import { type JsonObject, type JsonValue, ownValue } from "../../core/values/json.ts";
import { foldCalls, type MadeCall } from "../../journal/fold/calls.ts";
import { foldConversation } from "../../journal/fold/conversation.ts";
import type { ForkPoint, RunEvent } from "../../journal/run-event.ts";
import type { RunSummary, Store } from "../../journal/store/store.ts";
import { isFinishedTurn, type Turn } from "../../journal/turn.ts";
import { expectedText } from "../../report/text/fields-text.ts";
import { failureSentence } from "../../report/text/verdict-text.ts";
import { linkSources } from "../../run/sandbox/link-sources.ts";
import { openSandbox } from "../../run/sandbox/open-sandbox.ts";
import type {
  CallView,
  ConversationAnswer,
  EdgeView,
  FieldView,
  OutcomeView,
  TraitView,
  TurnView,
} from "../answers.ts";
import type { Viewed } from "./run-data.ts";
import { storedScenario } from "./scenario-data.ts";

/** Texts of a conversation that are longer come in full only when asked for. */
const LONGEST_TEXT = 200_000;

/** One conversation with everything that explains it; undefined if there is none of this name. */
export async function conversationAnswer(
  { store, browser }: Viewed,
  { run, start }: RunSummary,
  name: string,
  longest: number = LONGEST_TEXT,
): Promise<ConversationAnswer | undefined> {
  const columns = browser.conversation(run, name);
  if (columns === undefined) return undefined;
  const events = [...store.events(run, name)];
  const folded = foldConversation(events);
  const stored = storedScenario(store, run, folded.cell.scenario);
  const isChanged = stored !== undefined && stored.hash !== folded.scenarioHash;
  const definition = isChanged ? undefined : stored;
  const { cell, status, failure, attempt, settings, spending, startedAt, endedAt } = folded;
  const inherited = inheritedTurns(store, run, folded.fork);
  const turns = [...inherited.turns, ...folded.turns.filter(({ ofParent }) => ofParent !== true)];
  const states = await replayStates(turns, definition, start.seed);
  return {
    run,
    conversation: name,
    cell,
    status,
    failure: failure === undefined ? null : failureSentence(failure),
    attempt,
    turnLimit: settings?.turnLimit ?? null,
    parent: folded.fork === null ? null : { conversation: folded.fork.parent, turn: folded.fork.turn },
    turns: turnViews(turns, states, {
      calls: callsByTurn([...inherited.events, ...events]),
      definition,
      longest,
    }),
    outcomes: [...folded.outcomes.values()].map(
      ({ name: outcome, value, status: decided, turns: looked }): OutcomeView => {
        const known = stored?.outcomes.find((one) => one.name === outcome);
        return {
          name: outcome,
          value:
            decided === "not_applicable"
              ? decided
              : decided === "inconclusive" || value === null
                ? "inconclusive"
                : value,
          ...(known?.description ? { description: known.description } : {}),
          ...(known?.good === undefined ? {} : { good: known.good }),
          turns: looked.map((index) => index + 1),
        };
      },
    ),
    spending,
    startedAt,
    endedAt,
    isChanged,
    initialState: jsonOf(INITIAL_STATE),
    others: othersOf(browser, { run, start }, columns),
    ...browser.neighbours(run, columns),
  };
}

interface Inherited {
  readonly turns: readonly Turn[];
  readonly events: readonly RunEvent[];
}

/** What an arm of a fork has from the conversations that it continues, the first of them first. */
function inheritedTurns(store: Store, run: string, fork: ForkPoint | null): Inherited {
  if (fork === null) return { turns: [], events: [] };
  const events = [...store.events(run, fork.parent)];
  const parent = foldConversation(events);
  const before = inheritedTurns(store, run, parent.fork);
  const own = parent.turns.filter(({ turn, ofParent }) => turn <= fork.turn && ofParent !== true);
  return {
    turns: [...before.turns, ...own].map((turn) => ({ ...turn, ofParent: true })),
    events: [...before.events, ...events],
  };
}

function othersOf(
  browser: Viewed["browser"],
  { run, start }: Pick<RunSummary, "run" | "start">,
  columns: NonNullable<ReturnType<Viewed["browser"]["conversation"]>>,
): ConversationAnswer["others"] {
  return browser
    .siblings(run, columns, start.subjects)
    .map(({ name, subject }) => ({ conversation: name, subject }));
}

function turnViews(
  turns: readonly Turn[],
  states: readonly (ScenarioState | undefined)[],
  {
    calls,
    ...rest
  }: Pick<TurnParts, "definition" | "longest"> & {
    readonly calls: ReadonlyMap<number, readonly CallView[]>;
  },
): readonly TurnView[] {
  let before: ScenarioState = INITIAL_STATE;
  return turns.map((turn, index) => {
    const after = states[index];
    const view = turnView(turn, { before, calls: calls.get(turn.turn) ?? [], ...rest });
    if (after === undefined) return view;
    before = after;
    return { ...view, state: jsonOf(plainState(after)) };
  });
}

interface TurnParts {
  readonly before: ScenarioState;
  readonly definition: ScenarioDefinition | undefined;
  readonly calls: readonly CallView[];
  /** How much of a text is given. */
  readonly longest: number;
}

function turnView(turn: Turn, { before, definition, calls, longest }: TurnParts): TurnView {
  const { messages = [], replyMessages = [], questionText } = turn;
  const { agent, model, instructions, reply, finish, verdict, score, refused, next, judgeFailure } = turn;
  const { spending, latencyMs, startedAt, endedAt } = turn;
  const sent = messages.at(-1);
  const isQuestion = sent?.role === "user" && sent.content === questionText;
  return {
    turn: turn.turn,
    node: turn.node,
    ...given({ agent, model, instructions, finish, verdict, score, refused, next }),
    ...given({ spending, latencyMs, startedAt, endedAt }),
    question: cut(questionText ?? "", longest),
    ...(turn.user === undefined ? {} : { user: turn.user }),
    ...(turn.ofParent === true ? { isOfParent: true } : {}),
    ...(turn.hop?.fork === undefined ? {} : { arms: turn.hop.fork }),
    before: isQuestion ? messages.slice(0, -1) : messages,
    ...(reply === undefined ? {} : { reply: cut(reply, longest) }),
    steps: replyMessages.slice(0, -1),
    fields: fieldViews(turn, before, definition),
    traits: traitViews(turn, definition),
    edges: edgeViews(turn, definition),
    ...(judgeFailure === undefined ? {} : { judgeFailure: failureSentence(judgeFailure) }),
    warnings: turn.warnings ?? [],
    retries: turn.retries ?? [],
    calls,
  };
}

function given<Part extends object>(part: Part): { [Key in keyof Part]?: Exclude<Part[Key], undefined> } {
  // What is undefined is left out.
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as never;
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return text.slice(0, longest).toWellFormed();
}

function fieldViews(
  { node, fields = {}, parsed = {}, notes = {}, quotes = {} }: Turn,
  before: ScenarioState,
  definition: ScenarioDefinition | undefined,
): readonly FieldView[] {
  const question = definition?.nodes[node]?.question;
  return Object.entries(fields).map(([name, { result, score, reason }]) => {
    const note = ownValue(notes, name) ?? reason;
    const quote = ownValue(quotes, name);
    return {
      name,
      ...(Object.hasOwn(parsed, name) ? { value: (ownValue(parsed, name) ?? null) as JsonValue } : {}),
      result,
      score,
      expected: question === undefined ? null : expectedText(question, name, before),
      ...(typeof note === "string" ? { reason: note } : {}),
      ...(typeof quote === "string" ? { quote } : {}),
      choices: choicesOf(question?.template?.fields[name], ownValue(parsed, name)),
    };
  });
}

/** The values that a field can have, as far as they can be listed: those of its type, or what was read and what is true. */
function choicesOf(field: TemplateField | undefined, read: unknown): readonly JsonValue[] {
  if (field?.type === "boolean") return [true, false];
  if (field !== undefined && "values" in field && Array.isArray(field.values))
    return field.values as readonly JsonValue[];
  const known = [read, field?.truth].filter(
    (value) => typeof value === "string" || typeof value === "number" || typeof value === "boolean",
  );
  return [...new Set(known)];
}

function traitViews(
  { node, traits = {} }: Turn,
  definition: ScenarioDefinition | undefined,
): readonly TraitView[] {
  const known = definition?.nodes[node];
  const described = [...(known?.rubric?.traits ?? []), ...(known?.question.rubric?.traits ?? [])];
  return Object.entries(traits).map(([name, { value, reason }]) => {
    const description = described.find((trait) => trait.name === name)?.description;
    return {
      name,
      // Values of traits are JSON.
      value: value as JsonValue,
      ...(reason === undefined ? {} : { reason }),
      ...(description === undefined ? {} : { description }),
    };
  });
}

/** Every edge that leaves the node, in the order in which routing tries them. */
function edgeViews({ node, hop }: Turn, definition: ScenarioDefinition | undefined): readonly EdgeView[] {
  if (hop === undefined) return [];
  const tested = new Map(hop.tested.map((edge) => [edge.edge, edge]));
  const known = (definition?.edges ?? []).flatMap(({ source, target, when }, edge) => {
    const condition = source === node ? compileWhen(when) : null;
    return source === node
      ? [{ edge, target, condition: condition === null ? "" : describeCondition(condition) }]
      : [];
  });
  const listed =
    known.length > 0 ? known : hop.tested.map(({ edge, target }) => ({ edge, target, condition: "" }));
  const inOrder = [
    ...listed.filter(({ condition }) => condition !== ""),
    ...listed.filter(({ condition }) => condition === ""),
  ];
  return inOrder.map(({ edge, target, condition }) => {
    const test = tested.get(edge);
    const result =
      hop.edge === edge
        ? "taken"
        : test === undefined
          ? "not tried"
          : test.evaluable
            ? "not met"
            : "not evaluable";
    const found =
      test === undefined || test.actual === undefined ? "" : `, found ${JSON.stringify(test.actual)}`;
    const reason = test?.reason === undefined ? undefined : `${test.reason}${found}`;
    return { edge, target, condition, result, ...(reason === undefined ? {} : { reason }) };
  });
}

function callsByTurn(events: readonly RunEvent[]): ReadonlyMap<number, readonly CallView[]> {
  const calls = new Map<number, CallView[]>();
  for (const call of foldCalls(events)) {
    const known = calls.get(call.turn);
    if (known === undefined) calls.set(call.turn, [callView(call)]);
    else known.push(callView(call));
  }
  return calls;
}

function callView({ call, purpose, model, startedAt, end }: MadeCall): CallView {
  return {
    call,
    purpose,
    model,
    startedAt,
    endedAt: end?.at ?? null,
    latencyMs: end === undefined || end.cached ? null : end.latencyMs,
    cached: end?.cached ?? false,
    inputTokens: end?.usage?.inputTokens ?? null,
    outputTokens: end?.usage?.outputTokens ?? null,
    cost: end?.cost ?? null,
    attempts: end?.attempts ?? null,
    failure: end?.failure === undefined ? null : failureSentence(end.failure),
  };
}

function jsonOf(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/**
 * The state after each turn, as routing saw it; undefined for a turn that is not finished. Code that updates the state runs in a
 * sandbox, as it did in the run.
 */
async function replayStates(
  turns: readonly Turn[],
  definition: ScenarioDefinition | undefined,
  seed: number,
): Promise<readonly (ScenarioState | undefined)[]> {
  const hasUpdates = Object.values(definition?.nodes ?? {}).some(
    ({ stateUpdate }) => stateUpdate !== undefined,
  );
  if (definition === undefined || !hasUpdates) return foldAll(turns);
  const sandbox = await openSandbox({ seed });
  try {
    const linked = await linkSources(definition, (source) => sandbox.compile(source));
    return await sandbox.evaluate(() => foldAll(turns, linked.definition));
  } finally {
    sandbox.dispose();
  }
}

function foldAll(
  turns: readonly Turn[],
  definition?: ScenarioDefinition,
): readonly (ScenarioState | undefined)[] {
  let state = INITIAL_STATE;
  return turns.map((turn) => {
    if (!isFinishedTurn(turn)) return undefined;
    ({ state } = foldTurn(state, turn, definition?.nodes[turn.node]?.stateUpdate));
    return state;
  });
}
