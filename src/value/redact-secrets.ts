import { knownSecretSpans } from "./known-secrets.ts";
import { type Span, secretSpans } from "./secret-spans.ts";

/** A message that is longer says nothing more to a reader. */
const MOST_SHOWN = 2_000;

/** No more is searched, so that a body of many megabytes costs no time. */
const MOST_SEARCHED = 32_000;

/** A secret that begins near the end of what is searched may be cut in two and not be recognised: that end is not shown. */
const MARGIN = 8_000;

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/**
 * Removes from a message what looks like a secret (keys, tokens, credentials in addresses), and the given secrets
 * wherever they stand, also encoded. Cuts a very long message. Its work grows linearly with the text.
 */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  const searched = text.slice(0, MOST_SEARCHED);
  const spans = merged([...secretSpans(searched), ...knownSecretSpans(searched, secrets)]);
  const shown = searched.length < text.length ? searched.length - MARGIN : searched.length;
  if (spans.length === 0 && shown <= MOST_SHOWN && shown === text.length) return text;
  let result = "";
  let position = 0;
  for (const { start, end } of spans) {
    if (start >= shown || result.length > MOST_SHOWN) break;
    result += searched.slice(position, start) + REDACTED;
    position = end;
  }
  // A string of its own: a slice would keep the whole body in memory.
  if (position < shown) result += searched.slice(position, shown);
  const complete = shown === text.length && result.length <= MOST_SHOWN;
  return complete ? result : `${result.slice(0, MOST_SHOWN)}… (cut, ${text.length} characters in all)`;
}

/** Spans in order, those that touch as one. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}
