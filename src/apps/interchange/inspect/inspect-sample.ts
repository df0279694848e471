import type { OutcomeResult } from "../../../core/outcomes/evaluate-outcome.ts";
import { shownScenario } from "../../../core/scenario/shown-scenario.ts";
import { isRecord, type JsonValue } from "../../../core/values/json.ts";
import type { RunFailure } from "../../../engine/journal/failure.ts";
import { foldCalls, type MadeCall } from "../../../engine/journal/fold/calls.ts";
import { foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { ConversationSummary } from "../../../engine/journal/store/store.ts";
import type { Usage } from "../../../engine/models/model.ts";
import { addTurn, EventLog, isoTime, type SampleSource, stopReason, targetOf } from "./sample-events.ts";
import { type LogData, SampleMessages } from "./sample-messages.ts";

/** A conversation as a sample, and what lists show of it. */
export interface InspectSample {
  readonly sample: LogData;
  readonly summary: LogData;
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
export function inspectSample(given: SampleSource): InspectSample {
  const { store, run, summary } = given;
  const events = [...store.events(run, summary.conversation)];
  const conversation = foldConversation(events);
  const place = { row: conversation.rowValues, variant: summary.variant };
  const source = {
    ...given,
    definition: given.definition && shownScenario(given.definition, place),
  };
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
    variant: summary.variant,
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
      output: answer && {
        model: last?.model ?? summary.subject,
        choices: [{ message: answer, stop_reason: stopReason(last?.finish) }],
      },
      // The journal has no copies of the state: it follows from the turns.
      store: {},
      events: log.events,
      events_data: { messages: messages.all, calls: [] },
      attachments: {},
      turn_count: conversation.turnCount,
      limit: limit ?? undefined,
      error: conversation.status === "error" ? errorOf(conversation.failure) : undefined,
    },
    summary: {
      ...common,
      completed: true,
      message_count: messages.all.length,
      turn_count: conversation.turnCount,
      limit: limit?.type,
      error: conversation.status === "error" ? (conversation.failure?.message ?? "It failed.") : undefined,
    },
  };
}

function scoreOf({ value, status, turns, reason }: OutcomeResult): LogData {
  const isDecided = status === "decided" && value !== null;
  return {
    // What is not decided must not count in any mean.
    value: isDecided ? value : Number.NaN,
    answer: status === "decided" ? undefined : status.replace("_", " "),
    explanation: reason,
    metadata: {
      certainty: status,
      turns,
      proven: !isDecided && typeof value === "number" ? value : undefined,
    },
  };
}

type Limit = LogData & { readonly type: string; readonly limit: number };

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

function errorOf(failure: RunFailure | undefined): LogData {
  return { message: failure?.message ?? "It failed.", traceback: "", traceback_ansi: "" };
}

function timesOf(startedAt: number | null, endedAt: number | null, calls: readonly MadeCall[]): LogData {
  if (startedAt === null) return {};
  const working = calls.reduce(
    (sum, { end }) => sum + (end === undefined || end.cached ? 0 : end.latencyMs),
    0,
  );
  return {
    started_at: isoTime(startedAt),
    completed_at: endedAt === null ? undefined : isoTime(endedAt),
    total_time: endedAt === null ? undefined : (endedAt - startedAt) / 1000,
    working_time: endedAt === null ? undefined : working / 1000,
  };
}

/** Usage by the name of the model, and by role. */
export interface UsageByModel {
  readonly models: Readonly<Record<string, LogData>>;
  readonly roles: Readonly<Record<string, LogData>>;
}

/** The usage of calls that were really made; what a provider did not say is left out. */
function usageOf(calls: readonly MadeCall[]): UsageByModel {
  const models: Record<string, LogData> = {};
  const roles: Record<string, LogData> = {};
  for (const { purpose, model, end } of calls) {
    if (purpose === "tool" || end === undefined || end.cached || end.usage === undefined) continue;
    const usage = inspectUsage(end.usage, end.cost ?? null);
    models[model] = addUsage(models[model], usage);
    if (purpose !== "subject") roles[purpose] = addUsage(roles[purpose], usage);
  }
  return { models, roles };
}

/** Inspect counts cached input by itself. */
function inspectUsage(usage: Usage, cost: number | null): LogData {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0),
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { input_tokens_cache_read: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { input_tokens_cache_write: cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
    ...(cost === null ? {} : { total_cost: cost }),
  };
}

/** The sum of two usages; a cost that is unknown in one of them is unknown. */
export function addUsage(left: LogData | undefined, right: LogData): LogData {
  if (left === undefined) return right;
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (key) => key !== "total_cost" || (key in left && key in right),
  );
  return Object.fromEntries(keys.map((key) => [key, Number(left[key] ?? 0) + Number(right[key] ?? 0)]));
}
