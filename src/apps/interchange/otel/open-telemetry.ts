import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { CallEnd, CallStart, Cell, RunEvent, RunObserver } from "../../../engine/journal/run-event.ts";
import { type FinishedTurn, turnVerdict } from "../../../engine/journal/turn.ts";
import {
  contentOf,
  ERROR_TYPE,
  evaluate,
  fail,
  finishReason,
  GEN_AI,
  providerAndModel,
  RunMeters,
  SCHEMA,
  usageOf,
} from "./attributes.ts";

/** What a run looks like in a backend for traces. */
export interface OpenTelemetryOptions {
  /** Default: that of the global provider. */
  readonly tracer?: Tracer;
  /** True to add questions and replies (default false). */
  readonly content?: boolean;
  /** `"run"` for one trace of the whole run; by default each conversation is one, linked to the run. */
  readonly trace?: "conversation" | "run";
}

type EventOf<Type extends RunEvent["type"]> = RunEvent & { readonly type: Type };

interface OpenSpan {
  /** Answers that were known already. */
  cachedCalls?: number;
  /** The last call of the subject: why it stopped is known after the turn's reply. */
  lastCall?: { readonly span: Span; readonly endedAt: number };
  /** Of a turn: whether it is known where the conversation goes, and when the turn ended. Either may be first. */
  hasHop?: true;
  endedAt?: number;
  readonly span: Span;
  readonly context: Context;
}

interface OpenCall extends CallStart {
  readonly at: number;
  readonly retries: EventOf<"retry">[];
}

/**
 * Writes a run as spans, events and metrics of OpenTelemetry: run → conversation → turn → call. The SDK and its exporters are
 * yours; without a provider nothing happens. Also for stored runs: give it their events one by one.
 *
 * @example
 * await runScenarios({ scenarios, subjects, observer: openTelemetry() }).results;
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): RunObserver {
  return new RunTracer(options);
}

class RunTracer implements RunObserver {
  readonly #tracer: Tracer;
  readonly #content: boolean;
  readonly #isOneTrace: boolean;
  readonly #meters = new RunMeters();
  #run: OpenSpan | undefined;
  #runName: Attributes = {};
  /** A conversation that was resumed began in another process, and its cell is not told again. */
  readonly #conversations = new Map<string, OpenSpan & { readonly cell?: Cell }>();
  readonly #turns = new Map<string, OpenSpan>();
  readonly #calls = new Map<string, OpenCall>();

  constructor({ tracer, content = false, trace: one = "conversation" }: OpenTelemetryOptions) {
    this.#tracer = tracer ?? trace.getTracerProvider().getTracer("elenchus", undefined, SCHEMA);
    this.#content = content;
    this.#isOneTrace = one === "run";
  }

  headersOf(conversation: string, turn: number): Readonly<Record<string, string>> | undefined {
    const context = this.#turns.get(`${conversation} ${turn}`)?.span.spanContext();
    if (context === undefined || /^0*$/.test(context.traceId)) return undefined;
    const flags = context.traceFlags.toString(16).padStart(2, "0");
    return { traceparent: `00-${context.traceId}-${context.spanId}-${flags}` };
  }

  onEvent(event: RunEvent): void {
    switch (event.type) {
      case "run-start":
        this.#runName = { "elenchus.run": event.run };
        this.#run = this.#open(`elenchus.run ${event.run}`, ROOT_CONTEXT, event.at, {
          ...this.#runName,
          "elenchus.seed": event.seed,
          "elenchus.conversations": event.conversations,
        });
        break;
      case "conversation-start":
        this.#startConversation(event);
        break;
      case "conversation-resume":
        this.#resumeConversation(event.conversation, event.attempt, event.at);
        break;
      case "turn-start":
        this.#startTurn(event);
        break;
      case "call-start":
        this.#calls.set(`${event.conversation} ${event.call}`, { ...event, retries: [] });
        break;
      case "retry":
        this.#calls.get(`${event.conversation} ${event.call}`)?.retries.push(event);
        break;
      case "call-end":
        this.#endCall(event);
        break;
      case "warning":
        this.#warn(event);
        break;
      case "hop":
        this.#hop(event);
        break;
      case "turn-reply":
        this.#endLastCall(this.#turns.get(`${event.conversation} ${event.turn}`), event.finish);
        break;
      case "turn-end":
        this.#endTurn(event.conversation, event.result, event.at);
        break;
      case "outcome":
        evaluate(this.#conversations.get(event.conversation)?.span, event.at, {
          name: event.name,
          value: event.status === "decided" && event.value !== null ? Number(event.value) : undefined,
          label:
            event.status === "decided"
              ? typeof event.value === "boolean"
                ? String(event.value)
                : undefined
              : event.status,
          reason: event.reason,
        });
        break;
      case "conversation-end":
        this.#endConversation(event);
        break;
      case "run-end":
        // What is still open was cut off.
        for (const open of [...this.#turns.values(), ...this.#conversations.values()]) {
          this.#endLastCall(open);
          open.span.end(open.endedAt ?? event.at);
        }
        this.#run?.span.end(event.at);
        break;
    }
  }

  #open(
    name: string,
    parent: Context,
    at: number,
    attributes: Attributes,
    links: readonly OpenSpan[] = [],
  ): OpenSpan {
    const span = this.#tracer.startSpan(
      name,
      {
        kind: SpanKind.INTERNAL,
        startTime: at,
        attributes,
        links: links.map((link) => ({ context: link.span.spanContext() })),
      },
      parent,
    );
    return { span, context: trace.setSpan(ROOT_CONTEXT, span) };
  }

  #startConversation({ conversation, cell, scenarioHash, at }: EventOf<"conversation-start">): void {
    const { scenario, subject, judge, replicate, row, variant, arm } = cell;
    const opened = this.#openConversation(`invoke_workflow ${scenario}`, at, {
      [GEN_AI.operation]: "invoke_workflow",
      [GEN_AI.workflow]: scenario,
      [GEN_AI.conversation]: conversation,
      ...this.#runName,
      "elenchus.scenario": scenario,
      "elenchus.scenario.hash": scenarioHash,
      "elenchus.subject": subject,
      "elenchus.judge": judge,
      "elenchus.replicate": replicate,
      ...(row === undefined ? {} : { "elenchus.row": row }),
      ...(arm === undefined ? {} : { "elenchus.arm": arm }),
      ...Object.fromEntries(
        Object.entries(variant ?? {}).map(([factor, level]) => [`elenchus.variant.${factor}`, level]),
      ),
    });
    this.#conversations.set(conversation, { ...opened, cell });
  }

  #resumeConversation(conversation: string, attempt: number, at: number): void {
    const opened = this.#openConversation("invoke_workflow", at, {
      [GEN_AI.operation]: "invoke_workflow",
      [GEN_AI.conversation]: conversation,
      "elenchus.attempt": attempt,
    });
    this.#conversations.set(conversation, opened);
  }

  /** A trace of its own that is linked to the run, or a part of the run's. */
  #openConversation(name: string, at: number, attributes: Attributes): OpenSpan {
    const run = this.#run;
    if (run === undefined) return this.#open(name, ROOT_CONTEXT, at, attributes);
    return this.#isOneTrace
      ? this.#open(name, run.context, at, attributes)
      : this.#open(name, ROOT_CONTEXT, at, attributes, [run]);
  }

  #startTurn({
    conversation,
    turn,
    node,
    agent,
    model,
    instructions,
    messages,
    at,
  }: EventOf<"turn-start">): void {
    const parent = this.#conversations.get(conversation);
    const who = agent ?? parent?.cell?.subject ?? model;
    const named = providerAndModel(model);
    const opened = this.#open(`invoke_agent ${who}`, parent?.context ?? ROOT_CONTEXT, at, {
      [GEN_AI.operation]: "invoke_agent",
      [GEN_AI.provider]: named.provider,
      [GEN_AI.model]: named.model,
      [GEN_AI.agent]: who,
      [GEN_AI.conversation]: conversation,
      "elenchus.node": node,
      "elenchus.turn": turn,
      ...(this.#content
        ? {
            [GEN_AI.inputMessages]: JSON.stringify(messages.map(contentOf)),
            ...(instructions === undefined
              ? {}
              : { [GEN_AI.instructions]: JSON.stringify([{ type: "text", content: instructions }]) }),
          }
        : {}),
    });
    this.#turns.set(`${conversation} ${turn}`, opened);
  }

  /** Known answers are no calls: dashboards would count tokens that were not paid. */
  #endCall(end: CallEnd & { readonly at: number }): void {
    const key = `${end.conversation} ${end.call}`;
    const start = this.#calls.get(key);
    this.#calls.delete(key);
    const turn = this.#turns.get(`${end.conversation} ${end.turn}`);
    if (start === undefined) return;
    this.#meters.count(start, end);
    if (end.cached) {
      if (turn !== undefined) turn.cachedCalls = (turn.cachedCalls ?? 0) + 1;
      return;
    }
    const isTool = start.purpose === "tool";
    const { provider, model } = providerAndModel(start.model);
    const span = this.#tracer.startSpan(
      isTool ? `execute_tool ${start.model}` : `chat ${model}`,
      {
        kind: isTool ? SpanKind.INTERNAL : SpanKind.CLIENT,
        startTime: start.at,
        attributes: {
          [GEN_AI.operation]: isTool ? "execute_tool" : "chat",
          ...(isTool
            ? { [GEN_AI.tool]: start.model }
            : {
                [GEN_AI.provider]: provider,
                [GEN_AI.model]: model,
                [GEN_AI.outputType]: start.purpose === "judge" ? "json" : "text",
              }),
          [GEN_AI.conversation]: end.conversation,
          "elenchus.purpose": start.purpose,
          "elenchus.call": end.call,
          ...usageOf(end),
        },
      },
      turn?.context ?? this.#conversations.get(end.conversation)?.context ?? ROOT_CONTEXT,
    );
    for (const { attempt, category, delayMs, statusCode, at } of start.retries)
      span.addEvent(
        "elenchus.retry",
        {
          attempt,
          [ERROR_TYPE]: category,
          "elenchus.delay_ms": delayMs,
          ...(statusCode === undefined ? {} : { "http.response.status_code": statusCode }),
        },
        at,
      );
    if (end.failure !== undefined) fail(span, end.failure.category, end.failure.message);
    if (start.purpose !== "subject" || end.failure !== undefined || turn === undefined) {
      span.end(end.at);
      return;
    }
    this.#endLastCall(turn);
    turn.lastCall = { span, endedAt: end.at };
  }

  #endLastCall(turn: OpenSpan | undefined, finish?: string): void {
    if (turn?.lastCall === undefined) return;
    const { span, endedAt } = turn.lastCall;
    delete turn.lastCall;
    if (finish !== undefined) span.setAttribute(GEN_AI.finishReasons, [finishReason(finish)]);
    span.end(endedAt);
  }

  #hop({ conversation, turn, target, edge, fallback }: EventOf<"hop">): void {
    const key = `${conversation} ${turn}`;
    const open = this.#turns.get(key);
    if (open === undefined) return;
    open.span.setAttributes({
      "elenchus.next": target ?? "",
      ...(edge === null ? {} : { "elenchus.edge": edge }),
      "elenchus.fallback": fallback,
    });
    open.hasHop = true;
    this.#closeTurn(key, open);
  }

  #closeTurn(key: string, turn: OpenSpan): void {
    if (turn.hasHop === undefined || turn.endedAt === undefined) return;
    turn.span.end(turn.endedAt);
    this.#turns.delete(key);
  }

  #endTurn(conversation: string, result: FinishedTurn, at: number): void {
    const key = `${conversation} ${result.turn}`;
    const turn = this.#turns.get(key);
    if (turn === undefined) return;
    const { span } = turn;
    turn.endedAt = at;
    this.#endLastCall(turn, result.finish);
    if (turn.cachedCalls !== undefined) span.setAttribute("elenchus.cached_calls", turn.cachedCalls);
    if (this.#content)
      span.setAttribute(
        GEN_AI.outputMessages,
        JSON.stringify([
          {
            ...contentOf({ role: "assistant", content: result.reply }),
            finish_reason: finishReason(result.finish),
          },
        ]),
      );
    const verdict = turnVerdict(result);
    if (Object.keys(result.fields).length > 0)
      evaluate(span, at, {
        name: "verdict",
        value: result.verifyResult === null ? undefined : Number(result.verifyResult),
        label: verdict,
        reason: Object.entries(result.fields)
          .filter(([, field]) => field.result !== true)
          .map(([name]) => name)
          .join(", "),
        error: result.judgeFailure?.category,
      });
    for (const [name, value] of Object.entries(result.rubric))
      evaluate(span, at, {
        name: `rubric.${name}`,
        value: typeof value === "number" || typeof value === "boolean" ? Number(value) : undefined,
        label: typeof value === "string" ? value : undefined,
      });
    this.#closeTurn(key, turn);
  }

  #endConversation({ conversation, status, path, failure, at }: EventOf<"conversation-end">): void {
    const known = this.#conversations.get(conversation);
    this.#conversations.delete(conversation);
    if (known === undefined) return;
    known.span.setAttributes({ "elenchus.status": status, "elenchus.path": [...path] });
    for (const [key, turn] of this.#turns) {
      if (!key.startsWith(`${conversation} `)) continue;
      this.#endLastCall(turn);
      if (failure !== undefined && turn.endedAt === undefined)
        fail(turn.span, failure.category, failure.message);
      turn.span.end(turn.endedAt ?? at);
      this.#turns.delete(key);
    }
    if (failure !== undefined && (status === "error" || status === "timeout"))
      fail(known.span, failure.category, failure.message);
    known.span.end(at);
  }

  #warn({ conversation, turn, code, message, at }: EventOf<"warning">): void {
    const span = (
      this.#turns.get(`${conversation} ${turn}`) ??
      this.#conversations.get(conversation ?? "") ??
      this.#run
    )?.span;
    span?.addEvent("elenchus.warning", { code, message }, at);
  }
}
