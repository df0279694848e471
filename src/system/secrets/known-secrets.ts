import { isMadeUp, isWordy, publicPrefix } from "./credential-look.ts";
import { folded, foldedPlaces, foldedString, type Span } from "./folded-text.ts";
import { encodedForms, isBase64Form, reversed, widened } from "./secret-forms.ts";
import { textViews } from "./text-views.ts";
import { WINDOW, type WindowHit, WindowTable, type WindowUse } from "./window-table.ts";

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** Of a longer value only the beginning is looked for: it is a document, not a key. */
const LONGEST = 20_000;

/** How much must stand in a text until it counts. */
const PLAIN = WINDOW;

/** Words with so many characters are found also where a text has other spaces between them. */
const MANY_WORDS = 20;

/**
 * Finds secrets in texts by their value: as they are, in any case, reversed, in JSON, in URLs, in base64, in hex, as escapes
 * (`\\u0041`, `&#65;`, `%41`), with white space anywhere in them, and every part of them from eight characters up.
 *
 * Secrets and texts are folded, so that case, white space and quotes make no difference, and compared in windows of eight characters.
 *
 * Not every value can be searched for without making rubble of ordinary text:
 * - fewer than eight characters are not looked for, and neither is a single word (`placeholder`);
 * - several words (`correct-horse-battery-staple`) are found whole, but not by their parts;
 * - a word with a number (`summer2024`) is not found where white space is inside (`summer 2024`), unless between all characters;
 * - a prefix that all keys of a provider have (`sk-proj-`) is not found alone.
 */
export class SecretMatcher {
  readonly #seen = new Set<string>();
  readonly #table = new WindowTable();

  /** Makes a value known; returns whether it is new. */
  add(value: string): boolean {
    const secret = value.slice(0, LONGEST);
    if (this.#seen.has(secret)) return false;
    this.#seen.add(secret);
    if (secret.length < WINDOW || isOneWord(secret)) return true;
    // Windows that lie within the prefix are public; those that reach beyond it are not.
    const own = secret.slice(Math.max(0, publicPrefix(secret) - WINDOW + 1));
    const isWords = isWordy(own);
    for (const form of plainForms(own))
      for (const text of [form, reversed(form)]) this.#table.add(plainWindows(text, !isMadeUp(own)));
    for (const { form, least } of encodedForms(own))
      this.#table.add(encodedWindows(form, isWords ? form.length : least));
    return true;
  }

  /** True if nothing is looked for. */
  get isEmpty(): boolean {
    return this.#table.size === 0;
  }

  /** Where known secrets stand in a text, in order and apart from each other. */
  spans(text: string): readonly Span[] {
    if (this.isEmpty || text.length < WINDOW) return NONE;
    let spans = this.#spansIn(text);
    for (const view of textViews(text)) {
      const found = this.#spansIn(view.text);
      if (found.length > 0) spans = spans.concat(view.placesOf(found));
    }
    return spans.length < 2 ? spans : merged(spans);
  }

  /** The text with every known secret masked; the same text if there is none. */
  mask(text: string): string {
    const spans = this.spans(text);
    if (spans.length === 0) return text;
    let result = "";
    let position = 0;
    for (const { start, end } of spans) {
      result += text.slice(position, start) + REDACTED;
      position = end;
    }
    return result + text.slice(position);
  }

  #spansIn(text: string): Span[] {
    const hits = this.#table.hits(folded(text));
    const spans: Span[] = [];
    if (hits.length === 0) return spans;
    const places = foldedPlaces(text);
    for (const group of groupsOf(hits)) {
      const least = leastOf(group, text, places);
      const [first, last] = [group[0]?.start ?? 0, (group.at(-1)?.start ?? 0) + WINDOW - 1];
      if (last + 1 - first < least) continue;
      const span = trimmed(places, first, last);
      spans.push(isBase64Form(least) ? widened(text, span.start, span.end) : span);
    }
    return spans;
  }
}

const NONE: readonly Span[] = Object.freeze([]);

/** Spans in order, those that touch as one. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}

function isOneWord(text: string): boolean {
  return /^[A-Za-z]+$/.test(text) && isWordy(text);
}

/** As it is, and as spaces are written in addresses. Everything else is the same when it is folded or decoded. */
function plainForms(secret: string): readonly string[] {
  return secret.includes(" ") ? [secret, secret.replaceAll(" ", "+")] : [secret];
}

function* plainWindows(form: string, spansGaps: boolean): Generator<readonly [string, WindowUse]> {
  const text = foldedString(form);
  const places = foldedPlaces(form);
  for (let start = 0; start + WINDOW <= text.length; start++) {
    const window = text.slice(start, start + WINDOW);
    const written = form.slice(placeOf(places, start), placeOf(places, start + WINDOW - 1) + 1);
    const use = { least: PLAIN, whole: text.length, length: written.length, spansGaps };
    if (isWordy(written) || isUniform(window)) yield [window, { ...use, isFiller: true }];
    else if (isWordy(window)) yield [window, { ...use, exact: written }];
    else yield [window, use];
  }
}

/** True for lines and zeros: of at most two characters. */
function isUniform(window: string): boolean {
  const first = window.charCodeAt(0);
  let other = first;
  for (let index = 1; index < WINDOW; index++) {
    const code = window.charCodeAt(index);
    if (code === first || code === other) continue;
    if (other !== first) return false;
    other = code;
  }
  return true;
}

function* encodedWindows(form: string, least: number): Generator<readonly [string, WindowUse]> {
  const text = foldedString(form);
  // One object for all: a long secret has thousands of windows.
  const use: WindowUse = { least, whole: least, length: WINDOW, spansGaps: true };
  const filler: WindowUse = { ...use, whole: text.length, isFiller: true };
  for (let start = 0; start + WINDOW <= text.length; start++) {
    const window = text.slice(start, start + WINDOW);
    yield [window, isUniform(window) ? filler : use];
  }
}

/** Hits that follow each other. */
function* groupsOf(hits: readonly WindowHit[]): Generator<readonly WindowHit[]> {
  for (let from = 0, to = 1; to <= hits.length; to++) {
    if (hits[to]?.start === (hits[to - 1]?.start ?? 0) + 1) continue;
    yield hits.slice(from, to);
    from = to;
  }
}

/** How long a group must be to be no accident. */
function leastOf(group: readonly WindowHit[], text: string, places: Uint32Array): number {
  let [least, whole, areApart, spansGaps] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    false,
    false,
  ];
  for (const { start, use } of group) {
    const last = start + WINDOW - 1;
    const [from, to] = [placeOf(places, start), placeOf(places, last) + 1];
    const isApart = to - from > use.length && !isSpacedOut(places, start, last);
    const isExact = use.exact === undefined || text.slice(from, to) === use.exact;
    if (!use.isFiller && isExact && (!isApart || use.spansGaps)) least = Math.min(least, use.least);
    areApart ||= isApart;
    spansGaps ||= use.spansGaps === true;
    whole = Math.min(whole, use.whole);
  }
  return Math.min(least, areApart && !spansGaps ? Math.max(whole, MANY_WORDS) : whole);
}

/** True if something is left out between all characters, such as in `S e c r e t 1 2`. */
function isSpacedOut(places: Uint32Array, first: number, last: number): boolean {
  for (let index = first; index < last; index++)
    if (placeOf(places, index + 1) === placeOf(places, index) + 1) return false;
  return true;
}

/** Where a group stands in the text, without a letter or two of a word beside it that are the same by accident. */
function trimmed(places: Uint32Array, first: number, last: number): Span {
  const areTogether = (index: number): boolean => places[index] === placeOf(places, index - 1) + 1;
  for (const length of [1, 2]) {
    if (areTogether(first) && !areTogether(first + length)) first += length;
    if (areTogether(last + 1) && !areTogether(last + 1 - length)) last -= length;
  }
  return { start: placeOf(places, first), end: placeOf(places, last) + 1 };
}

function placeOf(places: Uint32Array, index: number): number {
  return places[index] as number;
}
