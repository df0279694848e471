import type { Environment } from "../../../core/environment.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { isRecord, type JsonObject, type JsonValue, ownValue, typeName } from "../../../core/values/json.ts";
import { rememberSecrets } from "../../../system/secrets/mask-secrets.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import {
  openAddress,
  openData,
  openHeaders,
  openPath,
  secretDataValues,
  secretHeaderValues,
  secretQueryValues,
} from "../../../system/secrets/secret-data.ts";
import { type FailedCall, failedResponse, quotedStart, reportedStatus } from "../failed-response.ts";
import { cacheRule } from "../function/function-model.ts";
import {
  FINISH_REASONS,
  type FinishReason,
  type Model,
  type ModelCard,
  type ModelReply,
  type Usage,
} from "../model.ts";
import { ModelError } from "../model-error.ts";
import { firstSet } from "../providers/provider.ts";
import { parseRateLimitHints } from "../rate-limit-headers.ts";
import { abortedCall, toModelError } from "../to-model-error.ts";
import { bodyTemplate } from "./body-template.ts";
import { type HttpResponse, sendRequest } from "./http-client.ts";

/** A model behind a URL. */
export interface HttpModelOptions {
  readonly url: string;
  /** As reports show it (default: the URL's host and path). */
  readonly name?: string;
  /** Sent as `model` in a body of OpenAI's shape (default: the name). */
  readonly model?: string;
  readonly method?: "POST" | "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The body, in which `{{messages}}`, `{{message}}`, `{{instructions}}`, `{{conversation}}`, `{{run}}`, `{{session}}`,
   * `{{scenario}}`, `{{node}}`, `{{turn}}`, `{{replicate}}` and `{{seed}}` are filled in (default: `{ model, messages }`).
   */
  readonly body?: JsonObject;
  /** The path of a session id in the response, which `{{session}}` sends back in the next turn. */
  readonly session?: string;
  /** The version of the service. Answers of a named version are cached across runs. */
  readonly version?: string;
  /** True to cache answers across runs without a version (default false: they serve only the run that asked). */
  readonly cache?: boolean;
  /** The path of the reply's text (default `choices[0].message.content`). */
  readonly reply?: string;
  /** The paths of the numbers of tokens (default: as OpenAI has them, unless `reply` is given). */
  readonly usage?: HttpUsage;
  /** The environment variable with a key that is sent as `Authorization: Bearer`. */
  readonly keyVariable?: string;
  readonly price?: ModelCard["price"];
  /** Default: that of the process. */
  readonly environment?: Environment;
  /** The clock, for servers that say when to try again (default: the real one). */
  readonly now?: () => number;
}

/** The paths of the numbers of tokens in a response. */
interface HttpUsage {
  readonly inputTokens: string;
  readonly outputTokens: string;
  readonly cacheReadTokens?: string;
  readonly reasoningTokens?: string;
}

/**
 * A model behind a URL: of OpenAI's shape by default, or with any JSON body and reply. It is sent neither tools of the run,
 * for an agent behind a URL has its own, nor a schema.
 *
 * @example
 * httpModel({ url: "http://localhost:8000/chat", body: { input: "{{message}}", session: "{{conversation}}" }, reply: "output.text" })
 */
export function httpModel(options: HttpModelOptions): Model {
  const url = checkedUrl(options.url);
  const { name = `${url.host}${openPath(url.pathname)}`, method = "POST", headers = {} } = options;
  const { keyVariable, now = Date.now } = options;
  const body: JsonObject = options.body ?? { model: options.model ?? name, messages: "{{messages}}" };
  const template = bodyTemplate(body, name, options.session !== undefined);
  const paths = replyPaths(options, name);
  const key = keyOf(options, name);
  const secrets = [
    ...(key === undefined ? [] : [key]),
    ...secretHeaderValues(headers),
    ...secretDataValues(body),
    ...secretQueryValues(url.href),
  ];
  rememberSecrets(secrets);
  const sent = {
    "content-type": "application/json",
    accept: "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...headers,
  };
  return {
    name,
    account: `${url.origin}${key === undefined ? "" : ` key ${sha256(key).slice(0, 8)}`}`,
    identity: {
      provider: "http",
      ...openAddress(url.href, (query) => sha256(query).slice(0, 16)),
      method,
      body: openData(body),
      ...(options.reply === undefined ? {} : { reply: options.reply }),
      ...(options.version === undefined ? {} : { version: options.version }),
      ...(Object.keys(headers).length === 0 ? {} : { headers: openHeaders(headers) }),
    },
    ...cacheRule(options),
    ...(template.needsMemory ? { hasMemory: true } : {}),
    ...(options.price === undefined ? {} : { price: options.price }),
    // They are keys of the body, as the server names them.
    withParameters: (parameters) => httpModel({ ...options, name, body: { ...body, ...parameters } }),
    async reply(request, context) {
      const { signal } = context;
      if (signal.aborted) throw abortedCall(signal, name);
      const call = (): FailedCall => ({ name, signal, secrets, keyVariable, url: url.href, now: now() });
      try {
        const content = JSON.stringify(template.fill(request, context));
        const all = context.headers === undefined ? sent : { ...context.headers, ...sent };
        const response = await sendRequest(url, { method, headers: all, body: content, signal, name });
        return readResponse(response, paths, call());
      } catch (error) {
        throw toModelError(error, call());
      }
    },
  };
}

function checkedUrl(text: unknown): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ModelError("bad_request", "Expected `url` of a model behind HTTP to be an http or https URL.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ModelError(
      "bad_request",
      `The URL of ${url.host} contains a user name or password. Send them in a header, or use \`keyVariable\`.`,
    );
  }
  return url;
}

function keyOf(
  { keyVariable, environment = process.env }: HttpModelOptions,
  name: string,
): string | undefined {
  if (keyVariable === undefined) return undefined;
  const key = firstSet([keyVariable], environment)?.value;
  if (key === undefined) throw new ModelError("authentication", `${name} needs a key. Set ${keyVariable}.`);
  return key;
}

/** Where everything is in a response. */
interface ReplyPaths {
  readonly text: JsonPath;
  /** As it was written, for errors. */
  readonly written: string;
  readonly usage: readonly (readonly [key: string, path: JsonPath])[];
  readonly finish: JsonPath | undefined;
  readonly session: JsonPath | undefined;
}

const OPENAI_REPLY = "choices[0].message.content";
const OPENAI_USAGE: HttpUsage = {
  inputTokens: "usage.prompt_tokens",
  outputTokens: "usage.completion_tokens",
  cacheReadTokens: "usage.prompt_tokens_details.cached_tokens",
  reasoningTokens: "usage.completion_tokens_details.reasoning_tokens",
};

/** Checks where a reply is to be found. */
function replyPaths({ reply, usage, session }: HttpModelOptions, name: string): ReplyPaths {
  const written = reply ?? OPENAI_REPLY;
  const counts = usage ?? (reply === undefined ? OPENAI_USAGE : {});
  return {
    text: parseJsonPath(written, `\`reply\` of ${name}`),
    written,
    usage: Object.entries(counts).map(([key, path]) => [
      key,
      parseJsonPath(path, `\`usage.${key}\` of ${name}`),
    ]),
    finish: reply === undefined ? ["choices", 0, "finish_reason"] : undefined,
    session: session === undefined ? undefined : parseJsonPath(session, `\`session\` of ${name}`),
  };
}

function readResponse(response: HttpResponse, paths: ReplyPaths, call: FailedCall): ModelReply {
  const { status, headers } = response;
  const body = response.bytes.toString("utf8");
  if (status < 200 || status > 299) throw failedResponse({ statusCode: status, headers, body }, call);
  const redact = (shown: string): string => redactSecrets(shown, call.secrets);
  const wrong = (problem: string): ModelError =>
    new ModelError(
      "bad_response",
      redact(
        `The answer of ${call.name} is ${problem}: ${quotedStart(body, redact)}. Check its URL and settings.`,
      ),
      { statusCode: status },
    );
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw wrong(`not JSON (${headers["content-type"] ?? "no content type"})`);
  }
  const text = valueAt(json, paths.text);
  const session = paths.session === undefined ? undefined : valueAt(json, paths.session);
  // Null is how some servers write that the model said nothing.
  const hasText = typeof text === "string" || text === null;
  const hasSession = paths.session === undefined || ["string", "number"].includes(typeof session);
  if (!hasText || !hasSession) {
    const statusCode = reportedStatus(json);
    if (statusCode !== undefined) throw failedResponse({ statusCode, headers, body }, call);
    if (hasText) throw wrong("without the session id");
    if (text === undefined) throw wrong(`without \`${paths.written}\``);
    throw wrong(`one whose \`${paths.written}\` is not text but ${typeName(text)}`);
  }
  const finish = paths.finish === undefined ? "stop" : valueAt(json, paths.finish);
  const usage = usageAt(json, paths.usage);
  const rateLimit = parseRateLimitHints(headers, call.now);
  return {
    text: text ?? "",
    finish: isFinish(finish) ? finish : "other",
    ...(usage === undefined ? {} : { usage }),
    ...(session === undefined ? {} : { native: { session: session as JsonValue } }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

function isFinish(value: unknown): value is FinishReason {
  return FINISH_REASONS.some((reason) => reason === value);
}

function usageAt(json: unknown, paths: ReplyPaths["usage"]): Usage | undefined {
  const counts = paths
    .map(([key, path]) => [key, valueAt(json, path)] as const)
    .filter(([, count]) => Number.isSafeInteger(count) && (count as number) >= 0);
  // Only the keys of `HttpUsage`, with whole numbers.
  const usage = Object.fromEntries(counts) as Partial<Usage>;
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { ...usage, inputTokens, outputTokens };
}

/** The path of a value in JSON. */
type JsonPath = readonly (string | number)[];

/** Reads a path such as `output.text` or `choices[0].message.content`. */
export function parseJsonPath(text: unknown, what: string): JsonPath {
  if (typeof text !== "string" || !/^(?:[^.[\]]+|\[\d{1,6}\])(?:\.[^.[\]]+|\[\d{1,6}\])*$/.test(text)) {
    throw new ModelError(
      "bad_request",
      `Expected ${what} to be a path such as "output.text" or "choices[0].message.content", got ${JSON.stringify(text)}.`,
    );
  }
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
}

/** The value at a path, or undefined if there is none. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let value = json;
  for (const part of path) {
    if (typeof part === "number") value = Array.isArray(value) ? value[part] : undefined;
    else value = isRecord(value) ? ownValue(value, part) : undefined;
  }
  return value;
}
