import type { OpenAIProvider } from "@ai-sdk/openai";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { AssistantMessage, Message, ToolResult } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { AiSdkLanguageModel } from "./language-model.ts";

type DoGenerate = ReturnType<OpenAIProvider["languageModel"]>["doGenerate"];
type Content = Awaited<ReturnType<DoGenerate>>["content"][number];

/** A message as the specification of language models has it. */
type PromptMessage = Parameters<DoGenerate>[0]["prompt"][number];

type AssistantPart = Extract<PromptMessage, { role: "assistant" }>["content"][number];
type ToolMessagePart = Extract<PromptMessage, { role: "tool" }>["content"][number];
type Output = Extract<ToolMessagePart, { type: "tool-result" }>["output"];

/** Where Anthropic may end a prefix that it keeps; other providers find the prefixes by themselves. */
const CACHE_MARK = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Our messages as providers take them, the system prompt first. A message of the provider's own, kept from an earlier answer,
 * is sent as it came. An answer without text is left out: most providers refuse empty messages.
 */
export function toPrompt(
  { instructions = "", messages }: Pick<ModelRequest, "instructions" | "messages">,
  model: AiSdkLanguageModel,
): PromptMessage[] {
  const { provider } = model;
  // Anthropic caches only where a request says so.
  const isAnthropic = provider.startsWith("anthropic");
  const prompt: PromptMessage[] = [];
  if (instructions !== "") {
    const mark = isAnthropic ? { providerOptions: CACHE_MARK } : {};
    prompt.push({ role: "system", content: instructions, ...mark });
  }
  for (const message of messages) addMessage(prompt, message, model);
  const last = prompt.at(-1);
  if (last !== undefined && last.role !== "system" && isAnthropic) last.providerOptions = CACHE_MARK;
  return prompt;
}

function addMessage(prompt: PromptMessage[], message: Message, model: AiSdkLanguageModel): void {
  if (message.role === "user") {
    prompt.push({ role: "user", content: [{ type: "text", text: message.content }] });
  } else if (message.role === "assistant") {
    const content = nativeParts(message, model) ?? plainParts(message);
    if (content.length > 0) prompt.push({ role: "assistant", content });
  } else {
    const content = message.results.map(toolResult);
    const last = prompt.at(-1);
    if (last?.role === "tool") last.content.push(...content);
    else if (content.length > 0) prompt.push({ role: "tool", content });
  }
}

function plainParts({ content, toolCalls = [] }: AssistantMessage): AssistantPart[] {
  const parts: AssistantPart[] = content === "" ? [] : [{ type: "text", text: content }];
  for (const { id, name, input } of toolCalls) {
    // Providers refuse input that is no object; the result of such a call says so.
    parts.push({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: isRecord(input) ? input : {},
    });
  }
  return parts;
}

function toolResult({ id, name, output, isError = false }: ToolResult): ToolMessagePart {
  return { type: "tool-result", toolCallId: id, toolName: name, output: outputOf(output, isError) };
}

function outputOf(output: JsonValue, isError: boolean): Output {
  if (typeof output === "string") return { type: isError ? "error-text" : "text", value: output };
  // The same JSON, but the types of the AI SDK are not readonly.
  const value = output as Extract<Output, { type: "json" }>["value"];
  return { type: isError ? "error-json" : "json", value };
}

/**
 * What must be sent again in the provider's own form; undefined if an answer is no more than its text. It is part of stored
 * messages and of the identity of later calls, so its form must not change.
 */
export function nativeOf(
  answer: readonly Content[],
  provider: string,
  inputOf: (call: Extract<Content, { type: "tool-call" }>) => JsonValue,
): JsonObject | undefined {
  const callsTools = answer.some(({ type }) => type === "tool-call");
  const isNeeded = (part: Content): boolean => {
    if (part.type === "text") return !isPlain(part.providerMetadata);
    // Between turns, unsigned reasoning is not sent again: some servers refuse it. With tools it may be needed.
    if (part.type === "reasoning") return callsTools || part.providerMetadata !== undefined;
    return part.type !== "source" && part.type !== "tool-approval-request";
  };
  if (!answer.some(isNeeded)) return undefined;
  const content = answer.flatMap((part) =>
    part.type === "reasoning" && !isNeeded(part) ? [] : (storedPart(part, inputOf) ?? []),
  );
  try {
    // Through JSON, because it goes into the journal: what JSON cannot hold is of no use in a later call either.
    return { provider, content: JSON.parse(JSON.stringify(content)) as JsonValue };
  } catch {
    return undefined;
  }
}

/** Text that carries no more than the number under which the provider has filed it. */
function isPlain(options: unknown): boolean {
  if (!isRecord(options)) return true;
  return Object.values(options).every(
    (ofProvider) => isRecord(ofProvider) && Object.keys(ofProvider).every((key) => key === "itemId"),
  );
}

/** A part of an answer as it is stored; undefined if no provider wants to see it again. */
function storedPart(
  part: Content,
  inputOf: (call: Extract<Content, { type: "tool-call" }>) => JsonValue,
): object | undefined {
  const { type } = part;
  if (type === "source" || type === "tool-approval-request") return undefined;
  const stored = { type, providerOptions: part.providerMetadata };
  switch (type) {
    case "text":
    case "reasoning":
      if (type === "text" && part.text === "" && part.providerMetadata === undefined) return undefined;
      return { ...stored, text: part.text };
    case "custom":
      return { ...stored, kind: part.kind };
    case "file":
    case "reasoning-file":
      return { ...stored, data: fileText(part.data), mediaType: part.mediaType };
    case "tool-call": {
      const { toolCallId, toolName, providerExecuted } = part;
      return { ...stored, toolCallId, toolName, input: inputOf(part), providerExecuted };
    }
    case "tool-result": {
      const { toolCallId, toolName, result, isError } = part;
      const output =
        isError === true ? { type: "error-json", value: result } : outputOf(result as JsonValue, false);
      return { ...stored, toolCallId, toolName, output };
    }
    default:
      return undefined;
  }
}

/** The bytes of a file in base 64, or its URL; older specifications have the data without a wrapper. */
function fileText(data: unknown): string {
  const inner = isRecord(data) && "type" in data ? (data.data ?? data.url) : data;
  return inner instanceof Uint8Array ? Buffer.from(inner).toString("base64") : String(inner);
}

function nativeParts({ native }: AssistantMessage, model: AiSdkLanguageModel): AssistantPart[] | undefined {
  if (!isRecord(native) || native.provider !== model.provider || !Array.isArray(native.content))
    return undefined;
  return native.content.flatMap((part) => sentPart(part, model));
}

/** A part as `storedPart` made it, of which providers may change their own copy. */
function sentPart(stored: unknown, { specificationVersion }: AiSdkLanguageModel): AssistantPart[] {
  if (!isRecord(stored) || typeof stored.type !== "string") return [];
  // Made by `storedPart`, or by an earlier version in the same form.
  const part = structuredClone(stored) as unknown as AssistantPart & { data?: unknown };
  if (part.type === "text" && part.text === "" && part.providerOptions === undefined) return [];
  if (part.type !== "file" && part.type !== "reasoning-file") return [part];
  const text = String(part.data);
  const isUrl = /^https?:/.test(text);
  const isOld = specificationVersion === "v2" || specificationVersion === "v3";
  const data = isUrl ? { type: "url", url: new URL(text) } : { type: "data", data: text };
  return [{ ...part, data: isOld ? (data.url ?? data.data) : data } as unknown as AssistantPart];
}
