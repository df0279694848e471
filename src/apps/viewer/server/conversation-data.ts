import { hasTexts } from "../../../core/liquid/fill-texts.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { shownScenario } from "../../../core/scenario/shown-scenario.ts";
import { questionBefore } from "../../../core/scenario/state-scope.ts";
import { foldTurn, plainState } from "../../../core/state/advance-state.ts";
import { compileWhen } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { scoreRange, type Trait } from "../../../core/templates/rubric.ts";
import type { TemplateField } from "../../../core/templates/template.ts";
import { type JsonObject, type JsonValue, ownValue } from "../../../core/values/json.ts";
import { foldCalls, type MadeCall } from "../../../engine/journal/fold/calls.ts";
import type { Conversation } from "../../../engine/journal/fold/conversation.ts";
import { outcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { Cell, RunEvent } from "../../../engine/journal/run-event.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { type StoredConversation, withForkParents } from "../../../engine/journal/transfer/stored-run.ts";
import { isFinishedTurn, type Turn } from "../../../engine/journal/turn.ts";
import { seedOf } from "../../../engine/run/prepare-scenario.ts";
import { linkSources } from "../../../engine/run/sandbox/link-sources.ts";
import { openSandbox } from "../../../engine/run/sandbox/open-sandbox.ts";
import { expectedText, failureSentence } from "../../../insight/report/text/verdict-text.ts";
import type {
  CallAnswer,
  CallView,
  ConversationAnswer,
  EdgeView,
  FieldView,
  OutcomeView,
  TraitView,
  TurnView,
} from "../answers.ts";
import { placeText } from "./entries-data.ts";
import type { Viewed } from "./run-data.ts";
import { graphOf, storedScenario } from "./scenario-data.ts";

/** One conversation with everything that explains it; undefined if there is none of this name. */
export async function conversationAnswer(
  { store, browser }: Viewed,
  { run, start }: RunSummary,
  name: string,
): Promise<ConversationAnswer | undefined> {
  const columns = browser.conversation(run, name);
  if (columns === undefined) return undefined;
  const { events, parents, cells, folded } = withParents(store, run, name);
  const stored = storedScenario(store, run, folded.cell.scenario);
  const isChanged = stored !== undefined && stored.hash !== folded.scenarioHash;
  const place = { row: folded.rowValues, variant: folded.cell.variant ?? null };
  const definition = isChanged || stored === undefined ? undefined : shownScenario(stored, place);
  const { cell, status, failure, attempt, spending, startedAt, endedAt } = folded;
  const turns = [
    ...parents.map((turn): Turn => ({ ...turn, ofParent: true })),
    ...folded.turns.filter(({ ofParent }) => ofParent !== true),
  ];
  const states = await replayStates(turns, definition, {
    seed: start.seed,
    cellOf: (turn) => cells[turn] ?? cell,
  });
  return {
    run,
    conversation: name,
    cell,
    place: placeText(cell),
    status,
    failure: failure === undefined ? null : failureSentence(failure),
    attempt,
    parent: folded.fork === null ? null : { conversation: folded.fork.parent, turn: folded.fork.turn },
    turns: turnViews(turns, states, {
      calls: Map.groupBy(foldCalls(events), ({ turn }) => turn),
      definition,
    }),
    outcomes: outcomeViews(folded, stored),
    spending,
    startedAt,
    endedAt,
    isChanged,
    initialState: jsonOf(INITIAL_STATE),
    ...(definition === undefined || definition === stored ? {} : { graph: graphOf(definition) }),
    others: browser
      .siblings(run, columns, start.subjects)
      .map(({ name: other, subject }) => ({ conversation: other, subject })),
    ...browser.neighbours(run, columns),
  };
}

interface Whole {
  /** After those of the conversations that an arm of a fork continues. */
  readonly events: readonly RunEvent[];
  /** The turns that an arm has from those conversations. */
  readonly parents: readonly Turn[];
  /** The cells of the conversations that these turns belong to. */
  readonly cells: readonly Cell[];
  readonly folded: Conversation;
}

/** A conversation with those that it continues as an arm of a fork. */
function withParents(store: Store, run: string, conversation: string): Whole {
  const chain = withForkParents(store, run, conversation);
  // The conversation itself is the last.
  const { folded } = chain.at(-1) as StoredConversation;
  const before = chain.slice(0, -1).flatMap((parent, i) => {
    const last = chain[i + 1]?.folded.fork?.turn ?? 0;
    const turns = parent.folded.turns.filter(({ turn, ofParent }) => turn <= last && ofParent !== true);
    return turns.map((turn) => ({ turn, cell: parent.folded.cell }));
  });
  return {
    events: chain.flatMap(({ events }) => events),
    parents: before.map(({ turn }) => turn),
    cells: before.map(({ cell }) => cell),
    folded,
  };
}

/** What was sent in a call and what came back; undefined if the conversation has no such call. */
export function callAnswer(
  store: Store,
  run: string,
  conversation: string,
  call: string,
): CallAnswer | undefined {
  const { events } = withParents(store, run, conversation);
  const made = foldCalls(events).find((known) => known.call === call);
  if (made === undefined) return undefined;
  return recordedCall(store, run, made.identity) ?? { request: null, reply: null };
}

/** The calls of a conversation that are kept, by name. */
export function keptCalls(store: Store, run: string, conversation: string): ReadonlyMap<string, CallAnswer> {
  const { events } = withParents(store, run, conversation);
  return new Map(
    foldCalls(events).flatMap(({ call, identity }) => {
      const recorded = recordedCall(store, run, identity);
      return recorded === undefined ? [] : [[call, recorded] as const];
    }),
  );
}

function recordedCall(store: Store, run: string, identity: string | undefined): CallAnswer | undefined {
  if (identity === undefined) return undefined;
  // Those of a run from elsewhere came with it.
  const recorded = store.calls.get(identity) ?? store.callsOf(run).get(identity);
  if (recorded === undefined) return undefined;
  // A recorded call is JSON.
  const { request, reply } = recorded as unknown as CallAnswer;
  return { request, reply };
}

function outcomeViews(
  { outcomes, status, verdicts }: Conversation,
  stored: ScenarioDefinition | undefined,
): readonly OutcomeView[] {
  return [...outcomes.values()].flatMap((outcome) => {
    const known = stored?.outcomes.find(({ name }) => name === outcome.name);
    if (known?.shown === false) return [];
    return {
      name: outcome.name,
      value: outcomeScore(outcome, { status, unjudged: verdicts.unjudged }),
      ...given({ description: known?.description || undefined, good: known?.good }),
      turns: outcome.turns.map((index) => index + 1),
    };
  });
}

function turnViews(
  turns: readonly Turn[],
  states: readonly (ScenarioState | undefined)[],
  {
    calls,
    ...rest
  }: Pick<TurnParts, "definition"> & {
    readonly calls: ReadonlyMap<number, readonly MadeCall[]>;
  },
): readonly TurnView[] {
  let before: ScenarioState = INITIAL_STATE;
  return turns.map((turn, index) => {
    const after = states[index];
    const view = turnView(turn, { before, calls: (calls.get(turn.turn) ?? []).map(callView), ...rest });
    if (after === undefined) return view;
    before = after;
    return { ...view, state: jsonOf(plainState(after)) };
  });
}

interface TurnParts {
  readonly before: ScenarioState;
  readonly definition: ScenarioDefinition | undefined;
  readonly calls: readonly CallView[];
}

function turnView(turn: Turn, { before, definition, calls }: TurnParts): TurnView {
  const { messages = [], replyMessages = [], questionText = "", reply, judgeFailure, hop } = turn;
  const { agent, model, instructions, user, finish, verdict, score, refused, next } = turn;
  const sent = messages.at(-1);
  const isQuestion = sent?.role === "user" && sent.content === questionText;
  return {
    turn: turn.turn,
    node: turn.node,
    ...given({ agent, model, instructions, user, finish, verdict, score, refused, next }),
    ...given({
      startedAt: turn.startedAt,
      arms: hop?.fork,
      isOfParent: turn.ofParent === true || undefined,
      reply,
      judgeFailure: judgeFailure && failureSentence(judgeFailure),
    }),
    question: questionText,
    before: isQuestion ? messages.slice(0, -1) : messages,
    steps: replyMessages.slice(0, -1),
    fields: fieldViews(turn, before, definition),
    traits: traitViews(turn, definition),
    edges: edgeViews(turn, definition),
    warnings: turn.warnings ?? [],
    retries: turn.retries ?? [],
    calls,
  };
}

/** What is undefined is left out. */
function given<Part extends object>(part: Part): { [Key in keyof Part]?: Exclude<Part[Key], undefined> } {
  // The same keys, but for those.
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as never;
}

function fieldViews(
  { node, fields = {}, parsed = {}, notes = {}, quotes = {} }: Turn,
  before: ScenarioState,
  definition: ScenarioDefinition | undefined,
): readonly FieldView[] {
  const question = definition === undefined ? undefined : questionBefore(definition, node, before);
  return Object.entries(fields).map(([name, { result, score, reason }]) => {
    // Both are texts by field.
    const [note, quote] = [ownValue(notes, name) ?? reason, ownValue(quotes, name)] as (string | undefined)[];
    return {
      name,
      ...(Object.hasOwn(parsed, name) ? { value: (ownValue(parsed, name) ?? null) as JsonValue } : {}),
      result,
      score,
      expected: question === undefined ? null : expectedText(question, name, before),
      ...given({ reason: note, quote }),
      choices: choicesOf(question?.template?.fields[name], ownValue(parsed, name)),
    };
  });
}

/** The values that a field can have, as far as they can be listed: those of its type, or what was read and what is true. */
function choicesOf(field: TemplateField | undefined, read: unknown): readonly JsonValue[] {
  if (field?.type === "boolean") return [true, false];
  const listed =
    field !== undefined && "values" in field && Array.isArray(field.values) ? field.values : null;
  // Of a row, long texts and lists are not stored: what comes from them cannot be listed.
  const known = [...(listed ?? [field?.truth]), read].filter(
    (value) =>
      !hasTexts(value) &&
      (typeof value === "string" || typeof value === "number" || typeof value === "boolean"),
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
    const trait = described.find((one) => one.name === name);
    const { description } = trait ?? {};
    // Values of traits are JSON.
    return {
      name,
      value: value as JsonValue,
      ...given({ reason, description }),
      choices: traitChoices(trait, value),
    };
  });
}

/** The values that a trait can have, as far as they can be listed. */
function traitChoices(
  trait: Trait | undefined,
  read: NonNullable<Turn["rubric"]>[string],
): readonly JsonValue[] {
  if (trait?.type === "regex" || typeof read === "boolean") return [true, false];
  if (trait?.type !== "llm") return read === null ? [] : [read];
  if (trait.kind === "literal") return Object.keys(trait.classes);
  if (trait.kind === "boolean") return [true, false];
  const { min, max } = scoreRange(trait);
  return Array.from({ length: Math.min(max - min + 1, MOST_CHOICES) }, (_, index) => min + index);
}

const MOST_CHOICES = 20;

/** Every edge that leaves the node, in the order in which routing tries them; a fork is one of them. */
function edgeViews({ node, hop }: Turn, definition: ScenarioDefinition | undefined): readonly EdgeView[] {
  if (hop === undefined) return [];
  const tested = new Map(hop.tested.map((edge) => [edge.edge, edge]));
  const known = (definition?.edges ?? []).flatMap(({ source, target, when, fork = [target] }, edge) => {
    if (source !== node || target !== fork[0]) return [];
    const condition = compileWhen(when);
    return [{ edge, targets: fork, condition: condition === null ? "" : describeCondition(condition) }];
  });
  const listed =
    known.length > 0
      ? known
      : hop.tested.map(({ edge, target }) => ({ edge, targets: [target], condition: "" }));
  const isFallback = ({ condition }: (typeof listed)[number]): boolean => condition === "";
  return [...listed.filter((edge) => !isFallback(edge)), ...listed.filter(isFallback)].map((view) => {
    const test = tested.get(view.edge);
    const result =
      hop.edge === view.edge
        ? "taken"
        : test === undefined
          ? "not tried"
          : test.evaluable
            ? "not met"
            : "not evaluable";
    const found = test?.actual === undefined ? "" : `, found ${JSON.stringify(test.actual)}`;
    return { ...view, result, ...given({ reason: test?.reason && `${test.reason}${found}` }) };
  });
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
  {
    seed,
    cellOf,
  }: {
    readonly seed: number;
    /** The cell of the conversation in which a turn was made, by its place. */
    readonly cellOf: (turn: number) => Cell;
  },
): Promise<readonly (ScenarioState | undefined)[]> {
  const hasUpdates = Object.values(definition?.nodes ?? {}).some(
    ({ stateUpdate }) => stateUpdate !== undefined,
  );
  const sandbox = definition !== undefined && hasUpdates ? openSandbox({ seed }) : undefined;
  try {
    const linked =
      sandbox === undefined || definition === undefined
        ? undefined
        : (await linkSources(definition, (source) => sandbox.compile(source))).definition;
    const states: (ScenarioState | undefined)[] = [];
    let before = INITIAL_STATE;
    for (const [place, turn] of turns.entries()) {
      const fold = (): ScenarioState | undefined =>
        isFinishedTurn(turn)
          ? foldTurn(before, turn, linked?.nodes[turn.node]?.stateUpdate).state
          : undefined;
      const state = await (sandbox?.evaluate(fold, { conversation: seedOf(cellOf(place)) }) ?? fold());
      states.push(state);
      before = state ?? before;
    }
    return states;
  } finally {
    sandbox?.dispose();
  }
}
