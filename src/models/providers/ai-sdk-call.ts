import type { generateText as GenerateText, JSONSchema7, ToolSet } from "ai";
import type { ModelRequest, ToolDefinition } from "../model.ts";
import type { ModelParameters } from "../model-parameters.ts";
import { CACHE_MARK, isAnthropic, toSdkMessages } from "./ai-sdk-messages.ts";
import { type AiSdkLanguageModel, quietModel } from "./quiet-model.ts";

/** One answer of the AI SDK, as it came. */
export type AiSdkStep = Awaited<ReturnType<typeof GenerateText>>["steps"][number];

/** What a call of the AI SDK needs besides the request. */
export interface AiSdkCallOptions {
  readonly parameters: ModelParameters;
  readonly signal?: AbortSignal | undefined;
  /** What the schema is called towards the provider. */
  readonly schemaName: string;
}

type Settings = Omit<Parameters<typeof GenerateText>[0], "prompt">;

/**
 * Asks once, without a second try; tools are offered and never run. An answer that does not follow the schema is an
 * answer, too: it comes without an object. Errors are thrown as the AI SDK has them.
 */
export async function callAiSdk(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  options: AiSdkCallOptions,
): Promise<{ readonly step: AiSdkStep; readonly object?: unknown }> {
  // Takes 200 ms to load, so only those who call a model pay for it.
  const { generateText, jsonSchema, NoObjectGeneratedError, NoOutputGeneratedError, Output } = await import(
    "ai"
  );
  const { schema, tools = [] } = request;
  const { structured = true } = options.parameters;
  let step: AiSdkStep | undefined;
  const call = {
    ...settingsOf(model.provider, options),
    model: await quietModel(model),
    ...instructionsOf(model.provider, request.instructions),
    messages: toSdkMessages(request.messages, model.provider),
    ...(tools.length === 0 ? {} : { tools: toolSet(tools, jsonSchema) }),
    // The answer must not be lost if it does not follow the schema.
    onStepEnd: (ended: AiSdkStep) => {
      step = ended;
    },
  };
  if (schema === undefined || !structured) {
    await generateText(call);
    return { step: present(step) };
  }
  // The same JSON, in other types. Nothing is validated here: what is wrong must reach the judge in our words.
  const output = Output.object({ name: options.schemaName, schema: jsonSchema(schema as JSONSchema7) });
  try {
    const result = await generateText({ ...call, output });
    return { step: present(step), object: result.output };
  } catch (error) {
    // The second is thrown when the output is asked for, if the model was cut off at once, or said no more than null.
    if (!NoObjectGeneratedError.isInstance(error) && !NoOutputGeneratedError.isInstance(error)) throw error;
    return { step: present(step) };
  }
}

function settingsOf(
  provider: string,
  { parameters, signal }: AiSdkCallOptions,
): Pick<Settings, "maxRetries" | "headers" | "providerOptions" | "abortSignal"> {
  const { structured: _, headers, providerOptions, stopSequences, ...settings } = parameters;
  return {
    ...settings,
    maxRetries: 0,
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    ...withDefaults(provider, providerOptions),
  };
}

/**
 * The Responses API would keep every conversation, and later calls would name its parts instead of sending them: what was
 * sent could then not be read from the request, nor sent again once the provider has forgotten it. Summaries of reasoning,
 * which the AI SDK would ask for, are refused to many accounts.
 */
const RESPONSES_DEFAULTS = { store: false, reasoningSummary: null } as const;

function withDefaults(
  provider: string,
  providerOptions: ModelParameters["providerOptions"],
): Pick<Settings, "providerOptions"> {
  const merged =
    provider === "openai.responses"
      ? { ...providerOptions, openai: { ...RESPONSES_DEFAULTS, ...providerOptions?.openai } }
      : providerOptions;
  // The same JSON, but the types of the AI SDK are not readonly.
  return merged === undefined ? {} : { providerOptions: merged as NonNullable<Settings["providerOptions"]> };
}

function instructionsOf(provider: string, instructions: string | undefined): Pick<Settings, "instructions"> {
  if (instructions === undefined || instructions === "") return {};
  return isAnthropic(provider)
    ? { instructions: { role: "system", content: instructions, providerOptions: CACHE_MARK } }
    : { instructions };
}

/** The tools without anything that could run: one call is one step, and whoever asked runs what is asked for. */
function toolSet(tools: readonly ToolDefinition[], jsonSchema: typeof import("ai").jsonSchema): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      {
        ...(description === undefined ? {} : { description }),
        // The same JSON, in other types.
        inputSchema: jsonSchema(inputSchema as JSONSchema7),
      },
    ]),
  );
}

function present(step: AiSdkStep | undefined): AiSdkStep {
  if (step === undefined) throw new Error("The AI SDK gave no answer and no error.");
  return step;
}
