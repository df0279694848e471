import type { LanguageModelUsage } from "ai";
import type { JsonValue } from "../../core/values/json.ts";
import type { ToolCall } from "../message.ts";
import type { FinishReason, ModelReply, Usage } from "../model.ts";
import type { AiSdkStep } from "./ai-sdk-call.ts";
import { nativeOf } from "./ai-sdk-messages.ts";
import { parseRateLimitHints } from "./rate-limit-headers.ts";

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/** An answer of the AI SDK as a reply. */
export function replyOf(
  { step, object }: { readonly step: AiSdkStep; readonly object?: unknown },
  provider: string,
  now: number,
): ModelReply {
  const usage = usageOf(step.usage);
  const rateLimit = parseRateLimitHints(step.response.headers ?? {}, now);
  const native = nativeOf(step.response.messages, provider);
  const toolCalls = step.toolCalls
    .filter((call) => call.providerExecuted !== true)
    .map(({ toolCallId, toolName, input }): ToolCall => {
      // Parsed from the JSON of the reply, or the text itself where it could not be parsed.
      return { id: toolCallId, name: toolName, input: input as JsonValue };
    });
  return {
    text: step.text,
    ...(object === undefined ? {} : { object }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    // Some servers call tools and say that they have stopped.
    finish: toolCalls.length > 0 ? "tool_calls" : (FINISH[step.finishReason] ?? "other"),
    ...(usage === undefined ? {} : { usage }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(native === undefined ? {} : { native }),
  };
}

/** The tokens of a call; undefined if the provider did not say, or said what cannot be. */
export function usageOf(usage: LanguageModelUsage | undefined): Usage | undefined {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = usage ?? {};
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined;
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails ?? {};
  const { reasoningTokens } = outputTokenDetails ?? {};
  return {
    inputTokens,
    outputTokens,
    ...(isCount(cacheReadTokens) ? { cacheReadTokens } : {}),
    ...(isCount(cacheWriteTokens) ? { cacheWriteTokens } : {}),
    ...(isCount(reasoningTokens) ? { reasoningTokens } : {}),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
