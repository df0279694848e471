import { isRecord, ownValue } from "../../core/values/json.ts";

const LONGEST = 300;

/** The start of a text on one line, for error messages. */
export function shortened(text: string, longest: number = LONGEST): string {
  // Enough to fill the line whatever white space is in it, without reading megabytes.
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** The start of what a server sent, in quotes. */
export function quotedStart(body: string, redact: (text: string) => string): string {
  return body.trim() === "" ? "nothing at all" : `"${shortened(redact(body), 200)}"`;
}

/**
 * What a server says is wrong: the message in its JSON, or the start of whatever it sent; empty if it says nothing.
 * Secrets go before the text is shortened: half a secret would not be recognised.
 */
export function serverMessage(body: string | undefined, redact: (text: string) => string): string {
  if (body === undefined || body.trim() === "") return "";
  if (/^\s*<(?:!doctype|html|head|body)/i.test(body)) {
    const title = /<title[^>]*>([^<]{1,300})<\/title>/i.exec(body.slice(0, 10_000))?.[1];
    return title === undefined ? "a web page" : `a web page, "${shortened(redact(title), 100)}"`;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return shortened(redact(body));
  }
  return shortened(redact(messageIn(parsed) ?? body));
}

/** OpenAI and Anthropic have `error.message`, Google too, sometimes in an array; others `message`, `detail`, `error`. */
function messageIn(parsed: unknown): string | undefined {
  const record = Array.isArray(parsed) ? parsed[0] : parsed;
  if (typeof record === "string") return record;
  if (!isRecord(record)) return undefined;
  for (const key of ["error", "message", "detail"]) {
    const value = ownValue(record, key);
    if (typeof value === "string" && value !== "") return value;
    if (isRecord(value)) {
      const inner = ownValue(value, "message");
      if (typeof inner === "string" && inner !== "") return inner;
    }
  }
  return undefined;
}
