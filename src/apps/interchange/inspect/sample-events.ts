import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import type { MadeCall } from "../../../engine/journal/fold/calls.ts";
import type { ConversationSummary, Store } from "../../../engine/journal/store/store.ts";
import { answeredCall } from "../../../engine/journal/transfer/stored-run.ts";
import type { Turn } from "../../../engine/journal/turn.ts";
import type { LogData, SampleMessages } from "./sample-messages.ts";

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

/** Events in order of time, inside of spans. */
export class EventLog {
  readonly events: LogData[] = [];
  now: number;
  readonly #name: string;
  readonly #start: number;
  readonly #spans: string[] = [];

  constructor(name: string, start: number) {
    this.#name = name;
    this.#start = start;
    this.now = start;
  }

  add(event: string, at: number, parts: LogData): void {
    // Judges may answer late: order is what counts.
    this.now = Math.max(this.now, at);
    this.events.push({
      event,
      uuid: `${this.#name}.e${this.events.length + 1}`,
      span_id: this.#spans.at(-1) ?? null,
      timestamp: isoTime(this.now),
      working_start: (this.now - this.#start) / 1000,
      ...parts,
    });
  }

  span(
    key: string,
    {
      type,
      name = key,
      parent,
      at,
    }: { readonly type: string; readonly name?: string; readonly parent: string | null; readonly at: number },
    inside: (id: string) => void,
  ): void {
    const id = `${this.#name}.${key}`;
    this.#spans.push(id);
    this.add("span_begin", at, { id, parent_id: parent, type, name });
    inside(id);
    this.add("span_end", this.now, { id });
    this.#spans.pop();
  }
}

/** ISO 8601 in UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

interface TurnParts {
  readonly source: SampleSource;
  readonly log: EventLog;
  readonly messages: SampleMessages;
}

/** What happened in a turn: calls, the verdict, and where the conversation went. */
export function addTurn(turn: Turn, calls: readonly MadeCall[], { source, log, messages }: TurnParts): void {
  const { node, hop } = turn;
  const replies = messages.addTurn(turn);
  let reply = 0;
  for (const retry of turn.retries ?? []) log.add("info", log.now, { source: "retry", data: { ...retry } });
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
    log.add("info", turn.endedAt ?? log.now, { source: "rubric", data: turn.rubric });
  if (hop !== undefined)
    log.add("info", turn.endedAt ?? log.now, {
      source: "hop",
      data: {
        from: node,
        to: hop.target,
        edge: hop.edge,
        fallback: hop.fallback,
        tested: hop.tested,
      },
    });
}

function callEvent({ model, end }: MadeCall): LogData {
  return {
    model,
    tools: [],
    tool_choice: "none",
    config: {},
    completed: end && isoTime(end.at),
    cache: end?.cached ? "read" : undefined,
    working_time: end === undefined || end.cached ? undefined : end.latencyMs / 1000,
    retries: end?.attempts !== undefined && end.attempts > 1 ? end.attempts - 1 : undefined,
    error: end?.failure?.message,
  };
}

/** A call of the judge or of the simulated user, with what it was asked and said. */
function roleEvent({ store, run }: SampleSource, call: MadeCall): LogData {
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

function outputOf(model: string, message: LogData | null, finish: string | undefined): LogData {
  return { model, choices: message === null ? [] : [{ message, stop_reason: stopReason(finish) }] };
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "max_tokens",
  "tool-calls": "tool_calls",
  tool_calls: "tool_calls",
  "content-filter": "content_filter",
  content_filter: "content_filter",
};

/** Why a model stopped, in Inspect's words. */
export function stopReason(finish: string | undefined): string {
  return STOP_REASONS[finish ?? ""] ?? "unknown";
}

/** The verdict on a turn; texts of replies stand only in metadata, since explanations are rendered as Markdown. */
function verdictScore(turn: Turn): LogData {
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
      parsed: parsed,
      rubric: Object.keys(rubric).length === 0 ? undefined : rubric,
      failure: judgeFailure?.message,
    },
  };
}

/** The reference answer of a node. */
export function targetOf({ definition }: SampleSource, node: string | undefined): string {
  return node === undefined ? "" : (definition?.nodes[node]?.question.rawAnswer ?? "");
}
