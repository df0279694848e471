import type { OutcomeResult } from "../../core/outcomes/evaluate-outcome.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../core/values/json.ts";
import type { RunFailure } from "../../journal/failure.ts";
import { foldCalls, type MadeCall } from "../../journal/fold/calls.ts";
import { foldConversation } from "../../journal/fold/conversation.ts";
import type { ConversationSummary, Store } from "../../journal/store/store.ts";
import { answeredCall } from "../../journal/transfer/stored-run.ts";
import type { Turn } from "../../journal/turn.ts";
import { EventLog, isoTime } from "./event-log.ts";
import { type UsageByModel, usageOf } from "./inspect-usage.ts";
import { type LoggedMessage, SampleMessages } from "./sample-messages.ts";

/** What of a conversation a log needs. */
export interface SampleSource {
  readonly store: Store;
  readonly run: string;
  readonly summary: ConversationSummary;
  /** Undefined if the scenario has functions that could not be stored. */
  readonly definition: ScenarioDefinition | undefined;
  /** What the run may spend, as its configuration has it. */
  readonly budget: JsonValue | undefined;
  /** How an outcome is called in this log. */
  readonly scoreName: (outcome: string) => string;
}

/** A conversation as a sample, and what lists show of it. */
export interface InspectSample {
  readonly sample: JsonObject;
  readonly summary: JsonObject;
  /** The usage by model, and of judges alone. */
  readonly usage: UsageByModel;
}

/** The id of a sample: its scenario, with row, variant and arm. */
export function sampleId({ scenario, row, variant, arm }: ConversationSummary): string {
  const cell = Object.entries(variant ?? {}).map(([factor, level]) => `${factor}=${level}`);
  const parts = [scenario, ...(row === null ? [] : [row]), ...cell, ...(arm === null ? [] : [arm])];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ids become file names
  return parts.join(":").replace(/[/\\\u0000-\u001f]/g, "-");
}

/** Writes one conversation of a store as a sample of an Inspect log. */
export function inspectSample(source: SampleSource): InspectSample {
  const { store, run, summary } = source;
  const events = [...store.events(run, summary.conversation)];
  const conversation = foldConversation(events);
  const calls = Map.groupBy(foldCalls(events), ({ turn }) => turn);
  const messages = new SampleMessages(summary.conversation);
  const log = new EventLog(summary.conversation, conversation.startedAt ?? 0);
  const [first] = conversation.turns;
  const target = targetOf(source, first?.node);
  const input = first?.questionText ?? "";
  const id = sampleId(summary);
  const limit = limitOf(conversation.status, conversation.settings?.turnLimit, source.budget);
  log.span("init", { type: "init", parent: null, at: conversation.startedAt ?? 0 }, () => {
    log.add("sample_init", conversation.startedAt ?? 0, { sample: { input, target, id }, state: {} });
  });
  log.span("solvers", { type: "solvers", parent: null, at: conversation.startedAt ?? 0 }, (span) => {
    for (const turn of conversation.turns) {
      const at = turn.startedAt ?? log.now;
      log.span(
        `turn${turn.turn}`,
        { type: "turn", name: `${turn.turn} ${turn.node}`, parent: span, at },
        () => {
          addTurn(turn, calls.get(turn.turn) ?? [], { source, log, messages });
        },
      );
    }
    if (limit !== null)
      log.add("sample_limit", conversation.endedAt ?? log.now, { ...limit, message: limitMessage(limit) });
    if (conversation.status === "error")
      log.add("error", conversation.endedAt ?? log.now, { error: errorOf(conversation.failure) });
  });
  const scores = Object.fromEntries(
    [...conversation.outcomes].map(([name, outcome]) => [source.scoreName(name), scoreOf(outcome)]),
  );
  log.span("scorers", { type: "scorers", parent: null, at: conversation.endedAt ?? log.now }, () => {
    for (const [scorer, score] of Object.entries(scores))
      log.add("score", conversation.endedAt ?? log.now, { intermediate: false, scorer, score });
  });
  const usage = usageOf([...calls.values()].flat());
  const last = conversation.finishedTurns.at(-1);
  const answer = messages.all.findLast(({ role }) => role === "assistant");
  const times = timesOf(conversation.startedAt, conversation.endedAt, [...calls.values()].flat());
  const metadata = {
    scenario: summary.scenario,
    scenario_hash: conversation.scenarioHash,
    row: summary.row,
    variant: summary.variant as JsonValue,
    arm: summary.arm,
    conversation: summary.conversation,
    judge: summary.judge,
    status: conversation.status,
    path: conversation.path,
    hops: conversation.turns.flatMap(({ node, hop }) =>
      hop === undefined ? [] : [`${node} → ${hop.target ?? "nowhere"}${hop.fallback ? " (fallback)" : ""}`],
    ),
    verdicts: conversation.finishedTurns.map(({ verdict }) => verdict ?? "unverified"),
    attempts: conversation.attempt,
  };
  const common = {
    id,
    epoch: summary.replicate,
    input,
    target,
    metadata,
    scores,
    model_usage: usage.models,
    role_usage: usage.roles,
    ...times,
    uuid: summary.conversation,
  };
  return {
    usage,
    sample: {
      ...common,
      messages: messages.all,
      ...(answer === undefined
        ? {}
        : {
            output: {
              model: last?.model ?? summary.subject,
              choices: [{ message: answer, stop_reason: stopReason(last?.finish) }],
            },
          }),
      // The journal has no copies of the state: it follows from the turns.
      store: {},
      events: log.events,
      events_data: { messages: messages.all, calls: [] },
      attachments: {},
      turn_count: conversation.turnCount,
      ...(limit === null ? {} : { limit }),
      ...(conversation.status === "error" ? { error: errorOf(conversation.failure) } : {}),
    } as unknown as JsonObject,
    summary: {
      ...common,
      completed: true,
      message_count: messages.all.length,
      turn_count: conversation.turnCount,
      ...(limit === null ? {} : { limit: limit.type }),
      ...(conversation.status === "error" ? { error: conversation.failure?.message ?? "It failed." } : {}),
    } as unknown as JsonObject,
  };
}

interface TurnParts {
  readonly source: SampleSource;
  readonly log: EventLog;
  readonly messages: SampleMessages;
}

function addTurn(turn: Turn, calls: readonly MadeCall[], { source, log, messages }: TurnParts): void {
  const { node, hop } = turn;
  const replies = messages.addTurn(turn);
  let reply = 0;
  for (const retry of turn.retries ?? [])
    log.add("info", log.now, { source: "retry", data: { ...retry } as JsonObject });
  for (const call of calls) {
    if (call.purpose === "tool") continue;
    if (call.purpose !== "subject") {
      log.add("model", call.startedAt, roleEvent(source, call));
      continue;
    }
    const step = replies[reply++];
    log.add("model", call.startedAt, {
      ...callEvent(call),
      input: [],
      input_refs: step?.inputs ?? [],
      output: outputOf(call.model, step?.message ?? null, turn.finish),
    });
    for (const result of step?.results ?? []) log.add("tool", call.end?.at ?? call.startedAt, result);
  }
  for (const warning of turn.warnings ?? [])
    log.add("info", log.now, { source: "warning", data: { ...warning } });
  if (turn.fields !== undefined && Object.keys(turn.fields).length > 0)
    log.add("score", turn.endedAt ?? log.now, {
      intermediate: true,
      scorer: "verdict",
      target: targetOf(source, node),
      score: verdictScore(turn),
    });
  else if (Object.keys(turn.rubric ?? {}).length > 0)
    log.add("info", turn.endedAt ?? log.now, { source: "rubric", data: turn.rubric as JsonObject });
  if (hop !== undefined)
    log.add("info", turn.endedAt ?? log.now, {
      source: "hop",
      data: {
        from: node,
        to: hop.target,
        edge: hop.edge,
        fallback: hop.fallback,
        tested: hop.tested as unknown as JsonValue,
      },
    });
}

function callEvent({ model, end }: MadeCall): JsonObject {
  return {
    model,
    tools: [],
    tool_choice: "none",
    config: {},
    ...(end === undefined
      ? {}
      : {
          completed: isoTime(end.at),
          ...(end.cached ? { cache: "read" } : { working_time: end.latencyMs / 1000 }),
          ...(end.attempts !== undefined && end.attempts > 1 ? { retries: end.attempts - 1 } : {}),
          ...(end.failure === undefined ? {} : { error: end.failure.message }),
        }),
  };
}

/** A call of the judge or of the simulated user, with what it was asked and said. */
function roleEvent({ store, run }: SampleSource, call: MadeCall): JsonObject {
  const recorded = call.identity === undefined ? undefined : answeredCall(store, run, call.identity);
  const asked = (recorded?.request.messages ?? []).flatMap((message) =>
    message.role === "tool" ? [] : [{ role: message.role, content: message.content }],
  );
  const answer =
    recorded === undefined ? null : { role: "assistant", content: recorded.reply.text, source: "generate" };
  return {
    ...callEvent(call),
    role: call.purpose,
    input: asked,
    output: outputOf(call.model, answer, recorded?.reply.finish),
  };
}

function outputOf(
  model: string,
  message: JsonObject | LoggedMessage | null,
  finish: string | undefined,
): JsonObject {
  return {
    model,
    choices: message === null ? [] : [{ message: message as JsonObject, stop_reason: stopReason(finish) }],
  };
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "max_tokens",
  "tool-calls": "tool_calls",
  tool_calls: "tool_calls",
  "content-filter": "content_filter",
  content_filter: "content_filter",
};

function stopReason(finish: string | undefined): string {
  return STOP_REASONS[finish ?? ""] ?? "unknown";
}

/** The verdict on a turn; texts of replies stand only in metadata, since explanations are rendered as Markdown. */
function verdictScore(turn: Turn): JsonObject {
  const { verifyResult = null, parsed = {}, fields = {}, verdict, rubric = {}, judgeFailure } = turn;
  const values = Object.values(parsed);
  const [only] = values;
  return {
    value: verifyResult ?? Number.NaN,
    answer: values.length === 1 && typeof only !== "object" ? String(only) : JSON.stringify(parsed),
    explanation: Object.entries(fields)
      .map(
        ([name, { result, reason }]) =>
          `${name}: ${result ?? "unreadable"}${reason === undefined ? "" : ` (${reason})`}`,
      )
      .join("; "),
    metadata: {
      turn: turn.turn,
      node: turn.node,
      verdict: verdict ?? "unverified",
      fields: Object.fromEntries(Object.entries(fields).map(([name, { result }]) => [name, result])),
      score: turn.score ?? null,
      parsed: parsed as JsonObject,
      ...(Object.keys(rubric).length === 0 ? {} : { rubric: rubric as JsonObject }),
      ...(judgeFailure === undefined ? {} : { failure: judgeFailure.message }),
    },
  };
}

const CERTAINTY = {
  decided: undefined,
  inconclusive: "inconclusive",
  not_applicable: "not applicable",
} as const;

function scoreOf({ value, status, turns, reason }: OutcomeResult): JsonObject {
  const answer = CERTAINTY[status];
  const isDecided = status === "decided" && value !== null;
  return {
    // What is not decided must not count in any mean.
    value: isDecided ? value : Number.NaN,
    ...(answer === undefined ? {} : { answer }),
    ...(reason === undefined ? {} : { explanation: reason }),
    metadata: {
      certainty: status,
      turns,
      ...(!isDecided && typeof value === "number" ? { proven: value } : {}),
    },
  };
}

function targetOf({ definition }: SampleSource, node: string | undefined): string {
  return node === undefined ? "" : (definition?.nodes[node]?.question.rawAnswer ?? "");
}

type Limit = JsonObject & { readonly type: string; readonly limit: number };

function limitOf(
  status: string | null,
  turnLimit: number | undefined,
  budget: JsonValue | undefined,
): Limit | null {
  switch (status) {
    case "limit_reached":
      return { type: "turn", limit: turnLimit ?? 0 };
    case "timeout":
      return { type: "time", limit: 0 };
    case "budget_exhausted": {
      const { usd, tokens } = isRecord(budget) ? budget : {};
      if (typeof usd === "number") return { type: "cost", limit: usd };
      return typeof tokens === "number" ? { type: "token", limit: tokens } : { type: "custom", limit: 0 };
    }
    case "cancelled":
      return { type: "operator", limit: 0 };
    case "simulator_fault":
    case "record_mismatch":
      return { type: "custom", limit: 0 };
    default:
      return null;
  }
}

function limitMessage({ type }: Limit): string {
  return `The conversation ended early (${type}).`;
}

function errorOf(failure: RunFailure | undefined): JsonObject {
  return { message: failure?.message ?? "It failed.", traceback: "", traceback_ansi: "" };
}

function timesOf(startedAt: number | null, endedAt: number | null, calls: readonly MadeCall[]): JsonObject {
  if (startedAt === null) return {};
  const working = calls.reduce(
    (sum, { end }) => sum + (end === undefined || end.cached ? 0 : end.latencyMs),
    0,
  );
  return {
    started_at: isoTime(startedAt),
    ...(endedAt === null
      ? {}
      : {
          completed_at: isoTime(endedAt),
          total_time: (endedAt - startedAt) / 1000,
          working_time: working / 1000,
        }),
  };
}
