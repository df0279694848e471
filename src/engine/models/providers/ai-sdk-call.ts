import type { OpenAIProvider } from "@ai-sdk/openai";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import type { ToolCall } from "../message.ts";
import type { FinishReason, ModelReply, ModelRequest, ToolDefinition, Usage } from "../model.ts";
import type { ModelParameters } from "../model-parameters.ts";
import { nativeOf, type PromptMessage, toPrompt } from "./ai-sdk-messages.ts";
import type { AiSdkLanguageModel } from "./language-model.ts";

/** A model of the newest specification; the types of the specification come from the provider that makes such models. */
type LanguageModel = ReturnType<OpenAIProvider["languageModel"]>;
type CallOptions = Parameters<LanguageModel["doGenerate"]>[0];
type GenerateResult = Awaited<ReturnType<LanguageModel["doGenerate"]>>;
type Content = GenerateResult["content"][number];

/** What a call needs besides the request. */
export interface AiSdkCallOptions {
  readonly parameters: ModelParameters;
  readonly signal?: AbortSignal | undefined;
  /** Headers of this request alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The name of the schema that the provider is given. */
  readonly schemaName: string;
}

/** A reply before its limits are read, and what only the caller can judge. */
export interface AiSdkAnswer {
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
  const { schema, tools = [] } = request;
  const hasSchema = schema !== undefined && options.parameters.structured !== false;
  // Models of older specifications take the same options; what they answer is brought to the newest form.
  const { doGenerate } = model as unknown as LanguageModel;
  const result = asNewest(
    await doGenerate.call(model, {
      ...settingsOf(model.provider, options),
      prompt: promptOf(model, request),
      ...(tools.length === 0 ? {} : { tools: tools.map(functionTool) }),
      toolChoice: { type: "auto" },
      ...(hasSchema
        ? {
            responseFormat: {
              type: "json",
              name: options.schemaName,
              // The same JSON, but the types of the AI SDK are not readonly.
              schema: schema as NonNullable<
                Extract<CallOptions["responseFormat"], { type: "json" }>["schema"]
              >,
            },
          }
        : {}),
    }),
  );
  warnOnce(model, result.warnings);
  const { content, finishReason, response } = result;
  return {
    reply: replyOf(result, { provider: model.provider, hasSchema, tools }),
    headers: response?.headers ?? {},
    isMissing: content.length === 0 && finishReason.raw === undefined,
  };
}

function settingsOf(
  provider: string,
  { parameters, signal, headers: own }: AiSdkCallOptions,
): Omit<CallOptions, "prompt"> {
  const { structured: _, headers, providerOptions, stopSequences, ...settings } = parameters;
  return {
    ...settings,
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(headers === undefined && own === undefined ? {} : { headers: { ...own, ...headers } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    ...withDefaults(provider, providerOptions),
  };
}

/**
 * With `store` the Responses API keeps every conversation, and later calls name its parts instead of sending them: what was
 * sent could then not be read from the request, nor sent again once the provider has deleted it. Summaries of reasoning,
 * which the AI SDK asks for, are refused to many accounts.
 */
const RESPONSES_DEFAULTS = { store: false, reasoningSummary: null } as const;

function withDefaults(
  provider: string,
  providerOptions: ModelParameters["providerOptions"],
): Pick<CallOptions, "providerOptions"> {
  const merged =
    provider === "openai.responses"
      ? { ...providerOptions, openai: { ...RESPONSES_DEFAULTS, ...providerOptions?.openai } }
      : providerOptions;
  // The same JSON, but the types of the AI SDK are not readonly.
  return merged === undefined
    ? {}
    : { providerOptions: merged as NonNullable<CallOptions["providerOptions"]> };
}

/** Named as the AI SDK names what it refuses to send. */
class InvalidPrompt extends Error {
  override readonly name = "AI_InvalidPromptError";
}

function promptOf(model: AiSdkLanguageModel, request: ModelRequest): PromptMessage[] {
  const prompt = toPrompt(request, model);
  const refuse = (problem: string): never => {
    throw new InvalidPrompt(problem);
  };
  if (!prompt.some(({ role }) => role !== "system")) refuse("there are no messages.");
  if (!prompt.some(callsTools)) return prompt;
  const open = new Set<string>();
  for (const message of prompt) {
    if (message.role === "user" && open.size > 0) break;
    if (message.role === "assistant") {
      for (const part of message.content)
        if (part.type === "tool-call" && part.providerExecuted !== true) open.add(part.toolCallId);
    } else if (message.role === "tool") {
      for (const part of message.content) if (part.type === "tool-result") open.delete(part.toolCallId);
    }
  }
  if (open.size > 0) refuse(`the result of the tool call ${[...open].join(", ")} is missing.`);
  return prompt;
}

function callsTools({ role, content }: PromptMessage): boolean {
  return role === "assistant" && content.some(({ type }) => type === "tool-call");
}

function functionTool({
  name,
  description,
  inputSchema,
}: ToolDefinition): NonNullable<CallOptions["tools"]>[number] {
  return {
    type: "function",
    name,
    // The same JSON, in other types.
    inputSchema: inputSchema as Extract<
      NonNullable<CallOptions["tools"]>[number],
      { type: "function" }
    >["inputSchema"],
    ...(description === undefined ? {} : { description }),
  };
}

const given = new WeakMap<AiSdkLanguageModel, Set<string>>();

/** Shows each warning of a model (a parameter that it does not know) once, not with each of thousands of calls. */
function warnOnce(model: AiSdkLanguageModel, warnings: readonly object[] = []): void {
  if (warnings.length === 0) return;
  const known = given.get(model) ?? new Set();
  given.set(model, known);
  for (const warning of warnings) {
    const text = warningText(warning);
    if (known.has(text)) continue;
    known.add(text);
    process.emitWarning(`${model.provider}/${model.modelId}: ${text}`, "ModelWarning");
  }
}

function warningText(warning: object): string {
  const { feature, details, message, type } = warning as Readonly<Record<string, unknown>>;
  const what = typeof feature === "string" ? `"${feature}" is ${String(type)}.` : "";
  const why = typeof details === "string" ? details : typeof message === "string" ? message : "";
  return `${what} ${why}`.trim() || String(type);
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

function replyOf(
  { content, finishReason, usage: given, structuredOutputText }: GenerateResult,
  {
    provider,
    hasSchema,
    tools,
  }: { readonly provider: string; readonly hasSchema: boolean; readonly tools: readonly ToolDefinition[] },
): AiSdkAnswer["reply"] {
  let text = "";
  let toolCalls: ToolCall[] | undefined;
  for (const part of content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call" && part.providerExecuted !== true) {
      toolCalls ??= [];
      toolCalls.push({ id: part.toolCallId, name: part.toolName, input: toolInput(part, tools) });
    }
  }
  const { unified } = finishReason;
  const isWhole = unified === "stop" || (unified !== "tool-calls" && text !== "");
  const object = hasSchema && isWhole ? safeJson(structuredOutputText ?? text) : undefined;
  const usage = usageOf(given);
  const native = nativeOf(content, provider, (part) => sentAgain(part, tools));
  return {
    text,
    // Null is not an object that a schema could ask for.
    ...(object === undefined || object === null ? {} : { object }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    // Some servers call tools and say that they have stopped.
    finish: toolCalls !== undefined ? "tool_calls" : (FINISH[unified] ?? "other"),
    ...(usage === undefined ? {} : { usage }),
    ...(native === undefined ? {} : { native }),
  };
}

/** The JSON of a tool call's input, or its text where it is not JSON; many models send nothing for a tool without input. */
function toolInput(
  { toolName, input }: Extract<Content, { type: "tool-call" }>,
  tools: readonly ToolDefinition[],
): JsonValue {
  if (input.trim() === "" && tools.some(({ name }) => name === toolName)) return {};
  return (safeJson(input) as JsonValue | undefined) ?? (input.trim() === "null" ? null : input);
}

/** The input as later calls send it: providers refuse text that is not JSON, and single values for unknown tools. */
function sentAgain(
  part: Extract<Content, { type: "tool-call" }>,
  tools: readonly ToolDefinition[],
): JsonValue {
  const input = toolInput(part, tools);
  const isKnown = tools.some(({ name }) => name === part.toolName);
  return typeof input !== "object" && (!isKnown || input === part.input) ? {} : input;
}

const SUSPECT = /"(?:_|\\u005f){2}(?:p|\\u0070)|"(?:c|\\u0063)(?:o|\\u006f)(?:n|\\u006e)/i;

/** Parsed JSON; undefined if it is none, or has keys by which prototypes can be changed. */
function safeJson(text: string): unknown {
  let isSafe = true;
  const inspect = (key: string, value: unknown): unknown => {
    const reachesPrototype =
      key === "__proto__" || (key === "constructor" && isRecord(value) && Object.hasOwn(value, "prototype"));
    if (reachesPrototype) isSafe = false;
    return value;
  };
  try {
    const value: unknown = SUSPECT.test(text) ? JSON.parse(text, inspect) : JSON.parse(text);
    return isSafe ? value : undefined;
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
  const flat = (isRecord(usage) ? usage : {}) as JsonObject & Record<string, number | undefined>;
  return {
    ...result,
    finishReason: { unified: finishReason as GenerateResult["finishReason"]["unified"], raw: undefined },
    usage: {
      inputTokens: {
        total: flat.inputTokens,
        noCache: undefined,
        cacheRead: flat.cachedInputTokens,
        cacheWrite: undefined,
      },
      outputTokens: { total: flat.outputTokens, text: undefined, reasoning: flat.reasoningTokens },
    },
  };
}
