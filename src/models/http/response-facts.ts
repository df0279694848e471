import { isRecord, ownValue } from "../../core/values/json.ts";

/** What an error knows of the response that caused it. */
export interface ResponseFacts {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly url?: string;
}

/** What an error of the AI SDK knows of the response, as far as it is of the right type. */
export function responseFacts(error: unknown): ResponseFacts {
  if (!isRecord(error)) return {};
  try {
    const { statusCode, responseHeaders, responseBody, url } = error;
    const facts = {
      // Made from a response, so all values are text.
      ...(isRecord(responseHeaders) ? { headers: responseHeaders as Record<string, string> } : {}),
      ...(typeof url === "string" ? { url } : {}),
    };
    // A body that is not text has been understood: the response was a good one, and its status has been made up.
    if (isRecord(responseBody)) {
      return {
        ...facts,
        statusCode: reportedStatus(responseBody) ?? 200,
        body: JSON.stringify(responseBody),
      };
    }
    if (typeof statusCode !== "number") return facts;
    if (typeof responseBody !== "string") return { ...facts, statusCode };
    const reported = statusCode === 200 ? reportedStatus(parsed(responseBody)) : undefined;
    return { ...facts, statusCode: reported ?? statusCode, body: responseBody };
  } catch {
    // A getter threw.
    return {};
  }
}

/** Some servers report errors in a response with status 200: the status that they mean; undefined if they report none. */
export function reportedStatus(json: unknown): number | undefined {
  const error = isRecord(json) ? ownValue(json, "error") : undefined;
  if (!isRecord(error)) return undefined;
  const code = ownValue(error, "code") ?? ownValue(error, "type");
  if (typeof code === "number" && code >= 400 && code <= 599) return code;
  if (/rate_limit/.test(String(code))) return 429;
  return /server|overloaded|timeout|unavailable/.test(String(code)) ? 500 : 400;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
