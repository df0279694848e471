/** A part of a text, its end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text as somebody would read it who decodes it. */
export interface TextView {
  readonly text: string;
  /** Where parts of the view stand in the text itself. */
  placesOf(spans: readonly Span[]): readonly Span[];
}

/** Characters as numbers: `&#65;`, `&#x41;`, `\\u0041`, `\\u{41}`, `\\x41`, `%41`. */
const ESCAPE =
  /&#(?:(?<decimal>\d{1,7})|x(?<entity>[0-9a-f]{1,6}));?|\\{1,8}(?:u(?:(?<four>[0-9a-f]{4})|\{(?<braces>[0-9a-f]{1,6})\})|x(?<two>[0-9a-f]{2}))|%(?<percent>[0-9a-f]{2})/gi;

/** What takes no room. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]+/g;

const GAP = /\s+/g;

/** Fewer are no part of a secret that is looked for. */
const FEWEST = 8;

/**
 * The views of a text that differ from it: with its escapes as characters, without what takes no room, and those of its parts that are
 * spaced out.
 */
export function* textViews(text: string): Generator<TextView> {
  const mayEscape = text.includes("\\") || text.includes("%") || text.includes("&#");
  if (mayEscape && text.search(ESCAPE) >= 0) yield viewOf(text, ESCAPE, decoded);
  if (text.search(INVISIBLE) >= 0) yield viewOf(text, INVISIBLE, () => "");
  for (const part of spacedParts(text)) {
    const { text: view, placesOf } = viewOf(text.slice(part.start, part.end), GAP, () => "");
    const placed = ({ start, end }: Span): Span => ({ start: start + part.start, end: end + part.start });
    yield { text: view, placesOf: (spans) => placesOf(spans).map(placed) };
  }
}

/** Characters with a gap after each, such as `S e c r e t 1 2`. A loop takes a tenth of the time of a pattern. */
function* spacedParts(text: string): Generator<Span> {
  let [start, end, count, length] = [0, 0, 0, 0];
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && !isGap(text.charCodeAt(index))) {
      length++;
      continue;
    }
    if (length === 1) {
      if (count === 0) start = index - 1;
      count++;
      end = index;
    }
    if (length > 1 || index === text.length) {
      if (count >= FEWEST) yield { start, end };
      count = 0;
    }
    length = 0;
  }
}

function isGap(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x3000;
}

function decoded(...match: readonly unknown[]): string {
  // The last argument of a replacement has the groups.
  const { decimal, ...hex } = match.at(-1) as Readonly<Record<string, string | undefined>>;
  const digits = Object.values(hex).find((group) => group !== undefined);
  const code = decimal === undefined ? Number.parseInt(digits ?? "", 16) : Number.parseInt(decimal, 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function viewOf(text: string, pattern: RegExp, replace: (...match: readonly unknown[]) => string): TextView {
  return {
    text: text.replace(pattern, replace),
    placesOf(spans) {
      // Of each character of the view, where it begins and ends. Few texts have secrets, so this is done only for them.
      const starts: number[] = [];
      const ends: number[] = [];
      const note = (length: number, start: number, end: number): void => {
        for (let index = 0; index < length; index++) {
          starts.push(start);
          ends.push(end);
        }
      };
      let position = 0;
      const copyTo = (end: number): void => {
        for (; position < end; position++) note(1, position, position + 1);
      };
      for (const match of text.matchAll(pattern)) {
        copyTo(match.index);
        position += match[0].length;
        note(replace(match.groups ?? {}).length, match.index, position);
      }
      copyTo(text.length);
      return spans.map(({ start, end }) => ({
        start: starts[start] ?? 0,
        end: ends[end - 1] ?? text.length,
      }));
    },
  };
}
