import type { Environment } from "../../core/environment.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { rememberSecrets } from "../../secrets/mask-secrets.ts";
import { redactSecrets } from "../../secrets/redact-secrets.ts";
import {
  openAddress,
  openData,
  openPath,
  secretDataValues,
  secretQueryValues,
} from "../../secrets/secret-data.ts";
import { openHeaders, secretHeaderValues } from "../../secrets/secret-headers.ts";
import { contentHash } from "../content-hash.ts";
import type { Model, ModelCard, ModelReply } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { firstSet } from "../providers/provider.ts";
import { abortedCall, toModelError } from "../providers/to-model-error.ts";
import { bodyTemplate } from "./body-template.ts";
import { type FailedCall, failedResponse, quotedStart, reportedStatus } from "./failed-response.ts";
import { type HttpResponse, sendRequest } from "./http-client.ts";
import { type HttpUsage, httpReply, type ReplyPaths, replyPaths } from "./http-reply.ts";

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
   * The body, in which `{{messages}}`, `{{message}}`, `{{instructions}}`, `{{conversation}}`, `{{scenario}}`, `{{node}}`,
   * `{{turn}}`, `{{replicate}}` and `{{seed}}` are filled in (default: `{ model, messages }`).
   */
  readonly body?: JsonObject;
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

/**
 * A model behind a URL: of OpenAI's shape by default, or with any JSON body and reply. It is sent neither tools of the run,
 * for an agent behind a URL has its own, nor a schema.
 *
 * @example
 * httpModel({ url: "http://localhost:8000/chat", body: { input: "{{message}}", session: "{{conversation}}" }, reply: "output.text" })
 */
export function httpModel(options: HttpModelOptions): Model {
  const url = checkedUrl(options.url);
  const {
    name = `${url.host}${openPath(url.pathname)}`,
    method = "POST",
    headers = {},
    now = Date.now,
  } = options;
  const body: JsonObject = options.body ?? { model: options.model ?? name, messages: "{{messages}}" };
  const template = bodyTemplate(body, name);
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
    account: `${url.origin}${key === undefined ? "" : ` key ${contentHash(key).slice(0, 8)}`}`,
    identity: identityOf(url.href, { ...options, method, body, headers }),
    ...(options.price === undefined ? {} : { price: options.price }),
    async reply(request, context) {
      const { signal } = context;
      if (signal.aborted) throw abortedCall(signal, name);
      const call = { name, signal, secrets, keyVariable: options.keyVariable, now: now() };
      try {
        const content = JSON.stringify(template(request, context));
        const response = await sendRequest(url, { method, headers: sent, body: content, signal, name });
        return readResponse(response, paths, { ...call, now: now() });
      } catch (error) {
        throw toModelError(error, { ...call, url: url.href });
      }
    },
  };
}

function readResponse(response: HttpResponse, paths: ReplyPaths, call: FailedCall): ModelReply {
  const { status, headers } = response;
  const text = response.bytes.toString("utf8");
  const problem = (what: string): ModelError => notProtocol(what, { text, status }, call);
  if (status < 200 || status > 299) throw failedResponse({ statusCode: status, headers, body: text }, call);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw problem(`not JSON (${headers["content-type"] ?? "no content type"})`);
  }
  const reply = httpReply(json, paths, { headers, now: call.now });
  if (typeof reply !== "string") return reply;
  const statusCode = reportedStatus(json);
  if (statusCode !== undefined) throw failedResponse({ statusCode, headers, body: text }, call);
  throw problem(reply);
}

function checkedUrl(text: unknown): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ModelError("bad_request", "Expected `url` of a model behind HTTP to be an http or https URL.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ModelError(
      "bad_request",
      `The URL of ${url.host} holds a user name or password. Send them in a header, or use \`keyVariable\`.`,
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

function identityOf(
  url: string,
  {
    method,
    body,
    headers,
    reply,
  }: Required<Pick<HttpModelOptions, "method" | "body" | "headers">> & Pick<HttpModelOptions, "reply">,
): JsonObject {
  return {
    provider: "http",
    ...openAddress(url, (query) => contentHash(query).slice(0, 16)),
    method,
    body: openData(body),
    ...(reply === undefined ? {} : { reply }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: openHeaders(headers) }),
  };
}

/** An answer that came but is not what was agreed on. */
function notProtocol(
  problem: string,
  { text, status }: { readonly text: string; readonly status: number },
  { name, secrets }: FailedCall,
): ModelError {
  const redact = (shown: string): string => redactSecrets(shown, secrets);
  return new ModelError(
    "bad_response",
    redact(`The answer of ${name} is ${problem}: ${quotedStart(text, redact)}. Check its URL and settings.`),
    { statusCode: status },
  );
}
