import { isWordy, publicPrefix } from "./credential-look.ts";
import { type Span, textViews } from "./text-views.ts";

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** A part of this many characters is as good as masked whole: less is found by trying, and would match ordinary text. */
const WINDOW = 8;
/** Of a longer value only the beginning is looked for: it is a document, not a key. */
const LONGEST = 20_000;

/** How much must stand in a text until it counts: that is what eight characters of a secret become. */
const PLAIN = WINDOW;
const BASE64 = 10;
const HEX = 2 * WINDOW;

/**
 * Finds secrets in texts by their value: as they are, in capitals or small letters, reversed, in JSON, in URLs, in base64, in hex, as
 * escapes (`\\u0041`, `&#65;`), with spaces between their characters, and every part of them from eight characters up.
 *
 * All windows of eight characters of all forms are kept in one table. A text is read once, against a table of hashes, so the cost grows
 * with the text and not with the number of secrets.
 *
 * Not every value can be searched for without making rubble of ordinary text:
 * - fewer than eight characters are not looked for, and neither is a single word (`placeholder`);
 * - several words (`correct-horse-battery-staple`) are found whole, but not by their parts;
 * - a prefix that all keys of a provider have (`sk-proj-`) is not found alone.
 */
export class SecretMatcher {
  readonly #seen = new Set<string>();
  /** Each window, with the length that a text must have in common with the secret. */
  readonly #windows = new Map<string, number>();
  /** Forms that are looked for whole, because their parts are words. */
  readonly #whole = new Set<string>();
  /** One byte for each hash: most places of a text are decided here. */
  #marks = new Uint8Array(0);
  #shift = 31;

  /** Makes a value known; returns whether it is new. */
  add(value: string): boolean {
    const secret = value.slice(0, LONGEST);
    if (this.#seen.has(secret)) return false;
    this.#seen.add(secret);
    if (secret.length < WINDOW || isOneWord(secret)) return true;
    // Windows that lie within the prefix are public; those that reach beyond it are not.
    const own = secret.slice(Math.max(0, publicPrefix(secret) - WINDOW + 1));
    const isWords = isWordy(own);
    if (!isWords) this.#addParts(own);
    const plain = plainForms(secret);
    const encoded = [...plain.map(reversed), ...hexForms(secret), ...base64Cores(secret)];
    // What has words among its parts is not covered by windows, so it is also looked for whole.
    for (const form of isWords ? [...plain, ...encoded] : plain.filter(hasWords)) this.#whole.add(form);
    return true;
  }

  #addParts(own: string): void {
    for (const form of plainForms(own)) {
      this.#addWindows(form, PLAIN);
      this.#addWindows(reversed(form), PLAIN);
    }
    for (const form of base64Cores(own)) this.#addWindows(form, BASE64);
    for (const form of hexForms(own)) this.#addWindows(form, HEX);
  }

  #addWindows(form: string, least: number): void {
    for (let start = 0; start + WINDOW <= form.length; start++) {
      const window = form.slice(start, start + WINDOW);
      // Encoded forms must be longer, and a gap would make them too short.
      if (least === PLAIN && (new Set(window).size < 3 || isWordy(window))) continue;
      this.#windows.set(window, Math.min(least, this.#windows.get(window) ?? least));
      this.#mark(window);
    }
    // With room to spare, few places of a text have a mark by accident.
    if (this.#marks.length >= 16 * this.#windows.size) return;
    const bits = Math.max(12, Math.ceil(Math.log2(this.#windows.size + 1)) + 5);
    this.#shift = 32 - bits;
    this.#marks = new Uint8Array(2 ** bits);
    for (const window of this.#windows.keys()) this.#mark(window);
  }

  #mark(window: string): void {
    for (let start = 0; start + GRAM <= WINDOW; start++)
      this.#marks[gramHash(window, start) >>> this.#shift] = 1;
  }

  /** True if nothing is looked for. */
  get isEmpty(): boolean {
    return this.#windows.size === 0 && this.#whole.size === 0;
  }

  /** Where known secrets stand in a text, in order and apart from each other. */
  spans(text: string): readonly Span[] {
    if (this.isEmpty) return NONE;
    const spans = this.#spansIn(text);
    for (const view of textViews(text)) {
      const found = this.#spansIn(view.text);
      if (found.length > 0) spans.push(...view.placesOf(found));
    }
    return spans.length < 2 ? spans : merged(spans);
  }

  #spansIn(text: string): Span[] {
    const spans: Span[] = [];
    for (const form of this.#whole) {
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
        spans.push({ start: at, end: at + form.length });
    }
    this.#windowSpans(text, spans);
    return spans;
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

  /**
   * Every window of eight characters has exactly one gram of four that begins at a multiple of five. So only these are looked at, and
   * where one of them has a mark, the five windows around it.
   */
  #windowSpans(text: string, spans: Span[]): void {
    if (this.#windows.size === 0) return;
    const marks = this.#marks;
    const shift = this.#shift;
    const run: FoundRun = { start: -1, last: -2, least: 0 };
    for (let gram = 0; gram + GRAM <= text.length; gram += STRIDE) {
      if (marks[gramHash(text, gram) >>> shift] !== 1) continue;
      for (let start = Math.max(0, gram - STRIDE + 1); start <= gram; start++) {
        const least = this.#windows.get(text.slice(start, start + WINDOW));
        if (least === undefined) continue;
        if (start === run.last + 1) run.least = Math.min(run.least, least);
        else {
          closeRun(run, text, spans);
          run.start = start;
          run.least = least;
        }
        run.last = start;
      }
    }
    closeRun(run, text, spans);
  }
}

/** Windows that follow each other in a text. */
interface FoundRun {
  start: number;
  /** Where the last window starts. */
  last: number;
  /** The length from which it counts. */
  least: number;
}

function closeRun({ start, last, least }: FoundRun, text: string, spans: Span[]): void {
  const end = last + WINDOW;
  if (start < 0 || end - start < least) return;
  spans.push(least === BASE64 ? widened(text, start, end) : { start, end });
}

const GRAM = 4;
const STRIDE = WINDOW - GRAM + 1;

/** Of four characters; the upper bits are the best ones. */
function gramHash(text: string, start: number): number {
  const first = text.charCodeAt(start) | (text.charCodeAt(start + 1) << 16);
  const second = text.charCodeAt(start + 2) | (text.charCodeAt(start + 3) << 16);
  return Math.imul(Math.imul(first, 0x85ebca6b) ^ (second + (first >>> 13)), 0x9e3779b1);
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

/** True if at least one window of it is not looked for, because it is a word. */
function hasWords(text: string): boolean {
  for (let start = 0; start + WINDOW <= text.length; start++)
    if (isWordy(text.slice(start, start + WINDOW))) return true;
  return false;
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** A text as it is, in capitals and in small letters, as in JSON, as in an address. */
export function plainForms(secret: string): readonly string[] {
  const forms = [secret, secret.toUpperCase(), secret.toLowerCase(), JSON.stringify(secret).slice(1, -1)];
  try {
    const encoded = encodeURIComponent(secret);
    const lower = encoded.replace(/%../g, (code) => code.toLowerCase());
    for (const form of [encoded, lower]) forms.push(form, form.replaceAll("%20", "+"));
    forms.push(encodeURI(secret));
  } catch {
    // Half of a surrogate pair: such a text has no form in an address.
  }
  return [...new Set(forms)];
}

function hexForms(secret: string): readonly string[] {
  const hex = Array.from(new TextEncoder().encode(secret), (byte) => byte.toString(16).padStart(2, "0"));
  return [hex.join(""), hex.join("").toUpperCase()];
}

/**
 * What is the same in every base64 text that has the secret inside. Each three bytes make four characters, so there are
 * three ways in which the secret can lie; characters at its ends, which depend on the neighbours, are left out.
 */
export function base64Cores(secret: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
  const cores = [0, 1, 2].flatMap((shift) => {
    const padded = "\0".repeat(shift) + bytes;
    const from = Math.ceil((shift * 4) / 3);
    const to = Math.floor((padded.length * 4) / 3);
    const core = btoa(padded).slice(from, to);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [...new Set(cores)];
}

/** With the characters at the ends that hold the rest of the secret's first and last bytes. */
export function widened(text: string, start: number, end: number): Span {
  for (let step = 0; step < 2 && isBase64(text.charCodeAt(start - 1)); step++) start--;
  for (let step = 0; step < 4 && isBase64(text.charCodeAt(end)); step++) end++;
  return { start, end };
}

function isBase64(code: number): boolean {
  return /[A-Za-z0-9+/=_-]/.test(String.fromCharCode(code));
}
