import { errorMessage } from "../../../core/error-message.ts";
import { formatIssue } from "../../../core/schema/format-issue.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { functionSource } from "../../../core/source/function-source.ts";
import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { isRecord, type JsonObject, typeName, withoutUndefined } from "../../../core/values/json.ts";
import { redactedCause, redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { REPLY } from "../cassette/call-lines.ts";
import { shortened } from "../failed-response.ts";
import type { Message, ToolCall } from "../message.ts";
import { frozenMessages } from "../message-list.ts";
import type {
  CallContext,
  FinishReason,
  Model,
  ModelCard,
  ModelReply,
  ModelRequest,
  Usage,
} from "../model.ts";
import { ModelError } from "../model-error.ts";
import { abortedCall, untilAborted } from "../to-model-error.ts";

/** What a function knows of the call besides the messages. */
export type FunctionContext = Pick<ModelRequest, "instructions" | "tools" | "schema"> &
  Omit<CallContext, "purpose"> & { readonly parameters?: JsonObject };

/** A model as a function: a team's own agent, a pipeline, anything that answers. */
export type ReplyFunction = (
  messages: readonly Message[],
  context: FunctionContext,
) => FunctionReply | PromiseLike<FunctionReply>;

/** What to know of a function that is a model. */
export interface FunctionModelOptions {
  /** As reports show it. */
  readonly name: string;
  /** Given to the function in its context. */
  readonly parameters?: JsonObject;
  /** The version of the agent. Answers of a named version are cached across runs. */
  readonly version?: string;
  /** True to cache answers across runs without a version (default false: they serve only the run that asked). */
  readonly cache?: boolean;
  /** True if the agent remembers what it was asked, by `context.session`. */
  readonly memory?: boolean;
  readonly price?: ModelCard["price"];
}

/**
 * A model from a function. What the function throws is an error of its author, and ends no more than the conversation.
 *
 * @example
 * functionModel(async (messages) => agent.answer(messages.at(-1)), { name: "our-agent", version: "1.4" })
 */
export function functionModel(reply: ReplyFunction, options: FunctionModelOptions): Model {
  const { name, parameters, version, price } = options;
  return {
    name,
    account: `function ${name}`,
    identity: {
      provider: "function",
      model: name,
      source: sha256(functionSource(reply)),
      ...(parameters === undefined ? {} : { parameters }),
      ...(version === undefined ? {} : { version }),
    },
    ...cacheRule(options),
    ...(options.memory === true ? { hasMemory: true } : {}),
    withParameters: (more) => functionModel(reply, { ...options, parameters: { ...parameters, ...more } }),
    ...(price === undefined ? {} : { price }),
    async reply(request, context) {
      const { signal } = context;
      if (signal.aborted) throw abortedCall(signal, name);
      let returned: unknown;
      try {
        const answer = (async () =>
          reply(frozenMessages(request.messages), functionContext(request, context, parameters)))();
        returned = await untilAborted(signal, answer, () => abortedCall(signal, name));
      } catch (error) {
        if (signal.aborted) throw abortedCall(signal, name);
        throw authorError(name, error);
      }
      return readFunctionReply(returned, name);
    },
  };
}

/** What a user's own function threw; it may have chosen the category of the error itself. */
export function authorError(name: string, error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError("author", `${name} threw: ${shortened(redactSecrets(errorMessage(error)), 1000)}`, {
    cause: redactedCause(error, (text) => redactSecrets(text)),
  });
}

/** What own agents say about the cache. */
export function cacheRule({
  version,
  cache = version !== undefined,
}: Pick<FunctionModelOptions, "version" | "cache">): Pick<ModelCard, "isVolatile"> {
  return cache ? {} : { isVolatile: true };
}

function functionContext(
  request: ModelRequest,
  context: CallContext,
  parameters: JsonObject | undefined,
): FunctionContext {
  const { instructions, tools, schema } = request;
  const { purpose: _, ...rest } = context;
  // Tools and schema are JSON, which is copied as it is.
  const copied = frozenCopy({ instructions, tools, schema, parameters }, () => {}) as typeof request;
  return Object.freeze({ ...copied, ...rest });
}

/** What a function that is a model may return: the text, or the text and more. */
type FunctionReply =
  | string
  | {
      readonly text: string;
      readonly object?: unknown;
      readonly toolCalls?: readonly ToolCall[];
      readonly finish?: FinishReason;
      readonly usage?: Usage;
    };

/** What a function returned, as a reply; throws a `ModelError` that says what is wrong with it. */
function readFunctionReply(returned: unknown, name: string): ModelReply {
  const wrong = (problem: string): ModelError =>
    new ModelError(
      "author",
      `${name} returned ${problem}. Return a string, or an object with a string \`text\`.`,
    );
  if (typeof returned === "string") return { text: returned, finish: "stop" };
  if (!isRecord(returned)) throw wrong(typeName(returned));
  let problem: string | undefined;
  const copied = frozenCopy(returned, ({ path, found = "what is not data" }) => {
    problem ??= `${found} at \`${path.join(".")}\``;
  });
  if (problem !== undefined) throw wrong(problem);
  // Through JSON, because a copy may still hold functions.
  const data = JSON.parse(JSON.stringify(copied)) as Readonly<Record<string, unknown>>;
  const { text, finish = "stop", object, toolCalls, usage } = data;
  const isCalling = !Array.isArray(toolCalls) || toolCalls.length > 0;
  const reply = withoutUndefined({
    text,
    finish,
    object,
    toolCalls: isCalling ? toolCalls : undefined,
    usage,
  });
  validateShape(REPLY, reply, [], (issue) => {
    throw wrong(`what is no reply: ${formatIssue(issue).replace(/\.$/, "")}`);
  });
  // The shape is just that.
  return reply as unknown as ModelReply;
}
