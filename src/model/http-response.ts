import { redactSecrets } from "../value/redact-secrets.ts";
import type { FailedCall } from "./failed-response.ts";
import type { HttpResponse } from "./http-exchange.ts";
import { ModelError } from "./model-error.ts";
import { quotedStart } from "./server-message.ts";

/** The JSON of a response; if it is none, an error that shows what came instead. */
export function responseJson(response: HttpResponse, call: FailedCall): unknown {
  try {
    return JSON.parse(response.text);
  } catch {
    const type = response.headers["content-type"] ?? "no content type";
    throw notProtocol(`not JSON (${type})`, response, call);
  }
}

/** An answer that came but is not what was agreed on. */
export function notProtocol(
  problem: string,
  { text, status }: HttpResponse,
  { name, secrets }: FailedCall,
): ModelError {
  const redact = (shown: string): string => redactSecrets(shown, secrets);
  return new ModelError(
    "bad_response",
    redact(`The answer of ${name} is ${problem}: ${quotedStart(text, redact)}. Check its URL and settings.`),
    { statusCode: status },
  );
}
