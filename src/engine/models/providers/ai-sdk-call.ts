import type { OpenAIProvider } from "@ai-sdk/openai";
import { isRecord, type JsonValue } from "../../../core/values/json.ts";
import type { ToolCall } from "../message.ts";
import type { FinishReason, ModelReply, ModelRequest, ToolDefinition, Usage } from "../model.ts";
import type { ModelParameters } from "../model-parameters.ts";
import { nativeOf, toPrompt } from "./ai-sdk-messages.ts";
import type { AiSdkLanguageModel } from "./language-model.ts";

/** A model of the newest specification; the types of the specification come from the provider that makes such models. */
type LanguageModel = ReturnType<OpenAIProvider["languageModel"]>;
type CallOptions = Parameters<LanguageModel["doGenerate"]>[0];
type GenerateResult = Awaited<ReturnType<LanguageModel["doGenerate"]>>;
type ToolCallPart = Extract<GenerateResult["content"][number], { type: "tool-call" }>;

/** What a call needs besides the request. */
interface AiSdkCallOptions {
  readonly parameters: ModelParameters;
  readonly signal?: AbortSignal | undefined;
  /** Headers of this request alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The name of the schema that the provider is given. */
  readonly schemaName: string;
}

/** A reply before its limits are read, and what only the caller can judge. */
interface AiSdkAnswer {
  readonly reply: Omit<ModelReply, "rateLimit">;
  readonly headers: Readonly<Record<string, string>>;
  /** True if the model gave neither content nor a reason to stop. */
  readonly isMissing: boolean;
}

/**
 * Calls a model once, without retry; tools are offered and never run. An answer that does not follow the schema is an answer,
 * too: it comes without an object. Errors are thrown as the AI SDK has them.
 *
 * It calls the provider's `doGenerate` itself: `generateText` of the AI SDK takes longer than the rest of a call.
 */
export async function callAiSdk(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  options: AiSdkCallOptions,
): Promise<AiSdkAnswer> {
  // Models of older specifications take the same options; what they answer is brought to the newest form.
  const { doGenerate } = model as unknown as LanguageModel;
  const result = asNewest(await doGenerate.call(model, callOptions(model, request, options)));
  warnOnce(model, result.warnings);
  const { content, finishReason, response } = result;
  return {
    reply: replyOf(model, request, { result, isStructured: options.parameters.structured !== false }),
    headers: response?.headers ?? {},
    isMissing: content.length === 0 && finishReason.raw === undefined,
  };
}

/**
 * With `store` the Responses API keeps every conversation, and later calls name its parts instead of sending them: what was
 * sent could then not be read from the request, nor sent again once the provider has deleted it. Summaries of reasoning,
 * which the AI SDK asks for, are refused to many accounts.
 */
const RESPONSES_DEFAULTS = { store: false, reasoningSummary: null } as const;

function callOptions(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  { parameters, signal, headers: own, schemaName: name }: AiSdkCallOptions,
): CallOptions {
  const { structured, headers, providerOptions, ...settings } = parameters;
  const { schema, tools = [] } = request;
  const sent =
    model.provider === "openai.responses"
      ? { ...providerOptions, openai: { ...RESPONSES_DEFAULTS, ...providerOptions?.openai } }
      : providerOptions;
  const options = {
    ...settings,
    prompt: toPrompt(request, model),
    toolChoice: { type: "auto" },
    ...(headers === undefined && own === undefined ? {} : { headers: { ...own, ...headers } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    ...(sent === undefined ? {} : { providerOptions: sent }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: "function", ...tool })) }),
    ...(schema === undefined || structured === false
      ? {}
      : { responseFormat: { type: "json", name, schema } }),
  };
  // The same data, but the types of the AI SDK are not readonly.
  return options as unknown as CallOptions;
}

/** The warnings that this process has shown: a parameter that a model does not know comes with each of thousands of calls. */
const told = new Set<string>();

function warnOnce({ provider, modelId }: AiSdkLanguageModel, warnings: readonly object[] = []): void {
  for (const warning of warnings) {
    const text = `${provider}/${modelId}: ${warningText(warning)}`;
    if (!told.has(text)) process.emitWarning(text, "ModelWarning");
    told.add(text);
  }
}

function warningText(warning: object): string {
  const { feature, details, message, type } = warning as Readonly<Record<string, unknown>>;
  const what = typeof feature === "string" ? `"${feature}" is ${String(type)}.` : "";
  const why = [details, message].find((text) => typeof text === "string") ?? "";
  return `${what} ${why}`.trim() || String(type);
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

function replyOf(
  { provider }: AiSdkLanguageModel,
  { schema, tools = [] }: ModelRequest,
  { result, isStructured }: { readonly result: GenerateResult; readonly isStructured: boolean },
): AiSdkAnswer["reply"] {
  const { content, finishReason, structuredOutputText } = result;
  let text = "";
  const toolCalls: ToolCall[] = [];
  for (const part of content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call" && part.providerExecuted !== true)
      toolCalls.push({ id: part.toolCallId, name: part.toolName, input: toolInput(part, tools) });
  }
  const { unified } = finishReason;
  const isWhole = unified === "stop" || (unified !== "tool-calls" && text !== "");
  const hasObject = schema !== undefined && isStructured && isWhole;
  const object = hasObject ? parsedJson(structuredOutputText ?? text) : undefined;
  const usage = usageOf(result.usage);
  const native = nativeOf(content, provider, (part) => sentAgain(part, tools));
  return {
    text,
    // Null is not an object that a schema could ask for.
    ...(object === undefined || object === null ? {} : { object }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    // Some servers call tools and say that they have stopped.
    finish: toolCalls.length > 0 ? "tool_calls" : (FINISH[unified] ?? "other"),
    ...(usage === undefined ? {} : { usage }),
    ...(native === undefined ? {} : { native }),
  };
}

/** The JSON of a tool call's input, or its text where it is not JSON; many models send nothing for a tool without input. */
function toolInput({ toolName, input }: ToolCallPart, tools: readonly ToolDefinition[]): JsonValue {
  if (input.trim() === "" && tools.some(({ name }) => name === toolName)) return {};
  const value = parsedJson(input);
  return value === undefined ? input : value;
}

/** The input as later calls send it: providers refuse text that is not JSON, and single values for unknown tools. */
function sentAgain(part: ToolCallPart, tools: readonly ToolDefinition[]): JsonValue {
  const input = toolInput(part, tools);
  const isKnown = tools.some(({ name }) => name === part.toolName);
  return typeof input !== "object" && (!isKnown || input === part.input) ? {} : input;
}

/** Undefined for what is no JSON. */
function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The tokens of a call; undefined if the provider did not say, or gave numbers that cannot be right. */
function usageOf(usage: GenerateResult["usage"] | undefined): Usage | undefined {
  const { total: inputTokens, cacheRead, cacheWrite } = usage?.inputTokens ?? {};
  const { total: outputTokens, reasoning } = usage?.outputTokens ?? {};
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...(isCount(cacheRead) ? { cacheReadTokens: cacheRead } : {}),
    ...(isCount(cacheWrite) ? { cacheWriteTokens: cacheWrite } : {}),
    ...(isCount(reasoning) ? { reasoningTokens: reasoning } : {}),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Version 2 of the specification has one text for the finish reason, and flat usage. */
function asNewest(result: GenerateResult): GenerateResult {
  const { finishReason, usage } = result as { readonly finishReason: unknown; readonly usage: unknown };
  if (typeof finishReason !== "string") return result;
  const flat = isRecord(usage) ? usage : {};
  const newest = {
    ...result,
    finishReason: { unified: finishReason },
    usage: {
      inputTokens: { total: flat.inputTokens, cacheRead: flat.cachedInputTokens },
      outputTokens: { total: flat.outputTokens, reasoning: flat.reasoningTokens },
    },
  };
  // As much of it as is read above.
  return newest as unknown as GenerateResult;
}
