import type { Span } from "./folded-text.ts";

/** A text as somebody would read it who decodes it. */
export interface TextView {
  readonly text: string;
  /** Where parts of the view stand in the text itself. */
  placesOf(spans: readonly Span[]): readonly Span[];
}

/** How often a text is decoded: `&amp;#65;`, `%2541`. */
const MOST_TIMES = 3;

/** What a text becomes with its escapes as characters, and what that becomes. */
export function* textViews(text: string): Generator<TextView> {
  let view: TextView = { text, placesOf: (spans) => spans };
  for (let time = 0; time < MOST_TIMES && mayHaveEscapes(view.text); time++) {
    const { text: before, placesOf } = view;
    const { text: decoded, isOver } = decode(before);
    if (decoded === before) return;
    view = { text: decoded, placesOf: (spans) => placesOf(placesBefore(before, spans)) };
    yield view;
    if (isOver) return;
  }
}

/** Most texts have none; to look for single characters takes hardly any time. */
function mayHaveEscapes(text: string): boolean {
  return text.includes("\\") || text.includes("%") || text.includes("&") || text.includes("0x");
}

/** A text with its escapes as characters; it is over if none of them can begin another escape. */
function decode(text: string): { readonly text: string; readonly isOver: boolean } {
  let result = "";
  let isOver = true;
  let copied = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code !== BACKSLASH && code !== PERCENT && code !== AMPERSAND && code !== ZERO) continue;
    const found = escapeAt(text, index);
    if (found === undefined) continue;
    result += text.slice(copied, index) + found.text;
    isOver &&= !"\\%&0".includes(found.text);
    copied = index + found.length;
    index = copied - 1;
  }
  return { text: copied === 0 ? text : result + text.slice(copied), isOver };
}

/** Where parts of the decoded text stand in the text. Few texts have secrets, so this is done only for them. */
function placesBefore(text: string, spans: readonly Span[]): readonly Span[] {
  // Of each character of the decoded text, where it begins and ends.
  const starts: number[] = [];
  const ends: number[] = [];
  for (let index = 0; index < text.length; ) {
    const { length, text: decoded } = escapeAt(text, index) ?? { length: 1, text: text.charAt(index) };
    for (let unit = 0; unit < decoded.length; unit++) {
      starts.push(index);
      ends.push(index + length);
    }
    index += length;
  }
  return spans.map(({ start, end }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? text.length }));
}

interface Escape {
  /** How many characters it has. */
  readonly length: number;
  /** What it stands for. */
  readonly text: string;
}

const [BACKSLASH, PERCENT, AMPERSAND, ZERO] = [0x5c, 0x25, 0x26, 0x30] as const;

/** The patterns look only at the few characters behind a place, from which `lastIndex` says where. */
const BACKSLASHED =
  /\\{1,8}(?:[uU]([0-9a-fA-F]{4})|[uU]\{([0-9a-fA-F]{1,6})\}|[xX]([0-9a-fA-F]{2})|([nrt])|0?([0-3]?[0-7]{2}))/y;
const PERCENTED = /%(?:[uU]([0-9a-fA-F]{4})|([0-9a-fA-F]{2}))/y;
const BYTE = /(?<![0-9A-Za-z])0[xX]([0-9a-fA-F]{2})(?![0-9a-fA-F])(?:,(?= ?0[xX]))?/y;
const ENTITY = /&(?:#[xX]([0-9a-fA-F]{1,6});?|#(\d{1,7});?|(amp|lt|gt|quot|apos|nbsp);)/iy;

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * The escape that begins at a place: `&#65;`, `&#x41;`, `&amp;`, `\\u0041`, `\\u{41}`, `\\x41`, `\\101`, `0x41`, `%41`, `%u0041`,
 * `\\n`. Backslashes may be doubled, as in JSON that stands in JSON.
 */
function escapeAt(text: string, index: number): Escape | undefined {
  switch (text.charCodeAt(index)) {
    case BACKSLASH: {
      const match = matchAt(BACKSLASHED, text, index);
      if (match?.[4] !== undefined) return { length: match[0].length, text: " " };
      const hex = match?.[1] ?? match?.[2] ?? match?.[3];
      return match && coded(match[0], Number.parseInt(hex ?? match[5] ?? "", hex === undefined ? 8 : 16));
    }
    case PERCENT: {
      const match = matchAt(PERCENTED, text, index);
      return match && coded(match[0], Number.parseInt(match[1] ?? match[2] ?? "", 16));
    }
    case AMPERSAND: {
      const match = matchAt(ENTITY, text, index);
      if (match?.[3] !== undefined)
        return { length: match[0].length, text: NAMED[match[3].toLowerCase()] ?? "" };
      return match && coded(match[0], Number.parseInt(match[1] ?? match[2] ?? "", match[1] ? 16 : 10));
    }
    case ZERO: {
      const next = text.charCodeAt(index + 1) | 0x20;
      const match = next === 0x78 ? matchAt(BYTE, text, index) : undefined;
      return match && coded(match[0], Number.parseInt(match[1] ?? "", 16));
    }
    default:
      return undefined;
  }
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}

function coded({ length }: string, code: number): Escape {
  return { length, text: code <= 0x10ffff ? String.fromCodePoint(code) : "" };
}
