import { isWordy, publicPrefix } from "./credential-look.ts";

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** A part of a text, its end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A shorter value is a placeholder such as `none` or `ollama`, and masking it would only harm texts. */
const SHORTEST = 8;

/** Of a longer value only the beginning is looked for: it is a document, not a key. */
const LONGEST = 20_000;

/**
 * Finds secrets in texts by their value: as they are, as in JSON, as in an address, in base64 and in hex.
 *
 * Not looked for, because ordinary text would be masked: fewer than eight characters, a single word (`placeholder`), and a value that is
 * nothing but a prefix that all keys of a provider have (`sk-proj-`).
 */
export class SecretMatcher {
  readonly #seen = new Set<string>();
  readonly #plain = new Set<string>();
  readonly #base64 = new Set<string>();
  /** All forms as one expression: a text is read once, however many secrets there are. Null until a text is searched. */
  #pattern: RegExp | null = null;

  constructor(values: Iterable<string> = []) {
    for (const value of values) this.add(value);
  }

  /** Makes a value known. */
  add(value: string): void {
    const secret = value.slice(0, LONGEST);
    if (this.#seen.has(secret)) return;
    this.#seen.add(secret);
    if (secret.length - publicPrefix(secret) < SHORTEST || isOneWord(secret)) return;
    for (const form of plainForms(secret)) this.#plain.add(form);
    for (const core of base64Cores(secret)) this.#base64.add(core);
    this.#pattern = null;
  }

  /** True if nothing is looked for. */
  get isEmpty(): boolean {
    return this.#plain.size === 0;
  }

  /** Where known secrets stand in a text, in order and apart from each other. */
  spans(text: string): readonly Span[] {
    if (this.isEmpty || text.length < SHORTEST) return NONE;
    this.#pattern ??= anyOf([...this.#plain, ...this.#base64]);
    if (text.search(this.#pattern) < 0) return NONE;
    const spans = Array.from(text.matchAll(this.#pattern), ({ index, 0: form }) => {
      const span = { start: index, end: index + form.length };
      return this.#base64.has(form) ? widened(text, span) : span;
    });
    return merged(spans);
  }

  /** The text with every known secret masked; the same text if there is none. */
  mask(text: string): string {
    const spans = this.spans(text);
    return spans.length === 0 ? text : maskedSpans(text, spans);
  }
}

const NONE: readonly Span[] = Object.freeze([]);

/** The text with spans masked, which are in order and apart from each other. */
export function maskedSpans(text: string, spans: readonly Span[]): string {
  let result = "";
  let position = 0;
  for (const { start, end } of spans) {
    result += text.slice(position, start) + REDACTED;
    position = end;
  }
  return result + text.slice(position);
}

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

/** The longest first: a form may contain another one. */
function anyOf(forms: readonly string[]): RegExp {
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|"), "g");
}

/** A secret as it is, as in JSON, as in an address, and in hex. */
function plainForms(secret: string): readonly string[] {
  const hex = Array.from(new TextEncoder().encode(secret), (byte) => byte.toString(16).padStart(2, "0"));
  const forms = [secret, JSON.stringify(secret).slice(1, -1), hex.join(""), hex.join("").toUpperCase()];
  try {
    const encoded = encodeURIComponent(secret);
    const lower = encoded.replace(/%../g, (code) => code.toLowerCase());
    for (const form of [encoded, lower]) forms.push(form, form.replaceAll("%20", "+"));
    forms.push(encodeURI(secret));
  } catch {
    // Half of a surrogate pair: such a text has no form in an address.
  }
  return forms;
}

/**
 * What is the same in every base64 text that contains the secret. Each three bytes make four characters, so there are
 * three ways in which the secret can lie; characters at its ends, which depend on the neighbours, are left out.
 */
function base64Cores(secret: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
  return [0, 1, 2].flatMap((shift) => {
    const padded = "\0".repeat(shift) + bytes;
    const core = btoa(padded).slice(Math.ceil((shift * 4) / 3), Math.floor((padded.length * 4) / 3));
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** With the characters at the ends that contain the rest of the secret's first and last bytes. */
function widened(text: string, { start, end }: Span): Span {
  const isBase64 = (index: number): boolean => /[A-Za-z0-9+/=_-]/.test(text.charAt(index));
  for (let step = 0; step < 2 && isBase64(start - 1); step++) start--;
  for (let step = 0; step < 4 && isBase64(end); step++) end++;
  return { start, end };
}
