import { type Attributes, metrics, type Span, SpanStatusCode } from "@opentelemetry/api";
import type { CallEnd, CallStart } from "../../../engine/journal/run-event.ts";
import type { Message } from "../../../engine/models/message.ts";

/** The names of OpenTelemetry's conventions for generative AI, version 1.42.0. They are in development, so they stand here and nowhere else. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  conversation: "gen_ai.conversation.id",
  workflow: "gen_ai.workflow.name",
  agent: "gen_ai.agent.name",
  tool: "gen_ai.tool.name",
  outputType: "gen_ai.output.type",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  instructions: "gen_ai.system_instructions",
  tokenType: "gen_ai.token.type",
  evaluation: "gen_ai.evaluation.result",
  evaluationName: "gen_ai.evaluation.name",
  evaluationValue: "gen_ai.evaluation.score.value",
  evaluationLabel: "gen_ai.evaluation.score.label",
  evaluationReason: "gen_ai.evaluation.explanation",
} as const;

export const ERROR_TYPE = "error.type";

/** Tells backends which version of the conventions the names are of. */
export const SCHEMA = { schemaUrl: "https://opentelemetry.io/schemas/gen-ai/1.42.0" };

/** Reasons of the conventions why a model stopped; others stay as providers call them. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  tool_calls: "tool_call",
  "tool-calls": "tool_call",
  "content-filter": "content_filter",
};

/** Why a model stopped, in the words of the conventions. */
export function finishReason(finish: string): string {
  return FINISH_REASONS[finish] ?? finish;
}

const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
  "openai-compatible": "openai_compatible",
  sim: "elenchus.simulated",
};

/** The provider and the model of a name such as `openai/gpt-5-mini`. */
export function providerAndModel(name: string): { readonly provider: string; readonly model: string } {
  if (/^https?:\/\//.test(name)) return { provider: "http", model: name };
  const slash = name.indexOf("/");
  if (slash === -1) return { provider: name === "person" ? "person" : "function", model: name };
  const provider = name.slice(0, slash);
  return { provider: PROVIDERS[provider] ?? provider, model: name.slice(slash + 1) };
}

/** What a call took. */
export function usageOf({ usage, cost, attempts }: CallEnd): Attributes {
  return {
    ...(attempts === undefined ? {} : { "elenchus.attempts": attempts }),
    ...(cost === undefined || cost === null ? {} : { "elenchus.cost": cost }),
    ...(usage === undefined
      ? {}
      : {
          [GEN_AI.inputTokens]: usage.inputTokens,
          [GEN_AI.outputTokens]: usage.outputTokens,
          ...(usage.cacheReadTokens === undefined ? {} : { [GEN_AI.cacheReadTokens]: usage.cacheReadTokens }),
          ...(usage.cacheWriteTokens === undefined
            ? {}
            : { [GEN_AI.cacheWriteTokens]: usage.cacheWriteTokens }),
          ...(usage.reasoningTokens === undefined ? {} : { [GEN_AI.reasoningTokens]: usage.reasoningTokens }),
        }),
  };
}

/** A message in the form of the conventions. */
export function contentOf(message: Message): object {
  const parts =
    message.role === "tool"
      ? message.results.map(({ id, output }) => ({ type: "tool_call_response", id, response: output }))
      : [{ type: "text", content: message.content }, ...toolCalls(message)];
  return { role: message.role, parts };
}

function toolCalls(message: Message): readonly object[] {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return calls.map(({ id, name, input }) => ({ type: "tool_call", id, name, arguments: input }));
}

/** A verdict, a trait or an outcome. */
export interface Evaluation {
  readonly name: string;
  readonly value?: number | undefined;
  readonly label?: string | undefined;
  readonly reason?: string | undefined;
  readonly error?: string | undefined;
}

/** Writes an evaluation as an event of a span. A wrong answer is a result, and no error. */
export function evaluate(
  span: Span | undefined,
  at: number,
  { name, value, label, reason, error }: Evaluation,
): void {
  span?.addEvent(
    GEN_AI.evaluation,
    {
      [GEN_AI.evaluationName]: name,
      ...(value === undefined ? {} : { [GEN_AI.evaluationValue]: value }),
      ...(label === undefined ? {} : { [GEN_AI.evaluationLabel]: label }),
      ...(reason === undefined || reason === "" ? {} : { [GEN_AI.evaluationReason]: reason }),
      ...(error === undefined ? {} : { [ERROR_TYPE]: error }),
    },
    at,
  );
}

/** Marks a span as failed. */
export function fail(span: Span, category: string, message: string): void {
  span.setAttribute(ERROR_TYPE, category);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Calls, tokens and cost as metrics, by purpose and model. */
export class RunMeters {
  readonly #calls = metrics.getMeter("elenchus").createCounter("elenchus.calls");
  readonly #tokens = metrics
    .getMeter("elenchus")
    .createHistogram("gen_ai.client.token.usage", { unit: "{token}" });
  readonly #cost = metrics.getMeter("elenchus").createCounter("elenchus.cost", { unit: "USD" });
  readonly #duration = metrics
    .getMeter("elenchus")
    .createHistogram("gen_ai.client.operation.duration", { unit: "s" });

  count({ purpose, model }: CallStart, { cached, usage, cost, failure, latencyMs }: CallEnd): void {
    const named = providerAndModel(model);
    const attributes: Attributes = {
      "elenchus.purpose": purpose,
      [GEN_AI.provider]: named.provider,
      [GEN_AI.model]: named.model,
      ...(failure === undefined ? {} : { [ERROR_TYPE]: failure.category }),
    };
    this.#calls.add(1, { ...attributes, "elenchus.cached": cached });
    if (cached || purpose === "tool") return;
    this.#duration.record(latencyMs / 1000, attributes);
    if (cost !== undefined && cost !== null) this.#cost.add(cost, attributes);
    if (usage === undefined) return;
    this.#tokens.record(usage.inputTokens, { ...attributes, [GEN_AI.tokenType]: "input" });
    this.#tokens.record(usage.outputTokens, { ...attributes, [GEN_AI.tokenType]: "output" });
  }
}
