import { isRecord } from "../../../core/values/json.ts";
import { streamingFetch } from "../http/client-fetch.ts";

const ANSWER_LIMIT = 16_000_000;
const ERROR_TEXT_LIMIT = 2_000;
const GOODBYE_MS = 2_000;

/** The code of answers that are made here because the server did not give one; none that JSON-RPC or MCP use. */
export const NO_ANSWER = -39_001;

/**
 * A `fetch` for the client's HTTP transport that reads no more than it can hold, and makes sure that every request gets
 * an answer: the transport itself would wait forever if a stream breaks or ends early.
 */
export async function httpFetch(
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  // The stream of messages that a server may send unasked; none of them is of use here.
  if (init.method === "GET") return new Response(null, { status: 405 });
  if (init.method === "DELETE")
    return streamingFetch(input, { ...init, signal: AbortSignal.timeout(GOODBYE_MS) });
  const id = requestId(init.body);
  const response = await streamingFetch(input, init);
  const { status } = response;
  if (!response.ok) return errorResponse(response);
  if (id === undefined) return response;
  if (response.body === null || status === 202 || status === 204)
    return Response.json(noAnswer(id, `it answered with HTTP ${status} and no content`));
  const streamed = (response.headers.get("content-type") ?? "").includes("text/event-stream");
  return new Response(bounded(response.body, streamed ? id : undefined), {
    status,
    headers: response.headers,
  });
}

function requestId(body: unknown): string | number | undefined {
  // Our own client has just written it.
  const message: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
  const id = isRecord(message) && "method" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function noAnswer(id: string | number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code: NO_ANSWER, message } };
}

/**
 * Only the start of the text is kept. Apart from 400, with which newer servers send errors of the protocol, it must not
 * look like a JSON-RPC error: an unknown session is no answer of a tool.
 */
async function errorResponse(response: Response): Promise<Response> {
  const { status } = response;
  let text = "";
  if (response.body !== null) {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > ERROR_TEXT_LIMIT) break;
      }
    } catch {
      // The status says enough.
    }
  }
  const shown = text.slice(0, ERROR_TEXT_LIMIT);
  return new Response(status === 400 ? shown : `answer: ${shown}`, { status });
}

/** The bytes of an answer up to the limit. A stream of events ends with an error for `id`, ignored if it has its answer. */
function bounded(
  body: ReadableStream<Uint8Array>,
  id: string | number | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let length = 0;
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, problem: string): void => {
    if (id === undefined) return controller.error(new Error(problem));
    const event = `\n\nevent: message\ndata: ${JSON.stringify(noAnswer(id, problem))}\n\n`;
    controller.enqueue(new TextEncoder().encode(event));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          if (id === undefined) controller.close();
          else finish(controller, "it ended its answer too early");
          return;
        }
        length += value.length;
        if (length > ANSWER_LIMIT) {
          await reader.cancel().catch(() => {});
          finish(controller, "its answer is larger than 16 MB");
        } else controller.enqueue(value);
      } catch (error) {
        finish(controller, `the connection broke (${networkCode(error)})`);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => {});
    },
  });
}

/** What the network says of an error of `fetch`: `ECONNREFUSED`, `ENOTFOUND`, … */
export function networkCode(error: unknown): string {
  for (let at = error, depth = 0; isRecord(at) && depth < 4; at = at.cause, depth++) {
    if (typeof at.code === "string") return at.code;
  }
  return "no reason given";
}
