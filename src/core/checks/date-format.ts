import { type DateParts, type DateValue, dateOf, MONTHS } from "./date-value.ts";
import { strip } from "./white-space.ts";

/** A way of writing dates: reads a text that is written so, else gives undefined. */
export interface DateFormat {
  read(value: unknown): DateValue | undefined;
}

type Part = Exclude<keyof DateParts, "offsetMinutes">;

interface Token {
  readonly part: Part;
  /** The number at the start of the text and how many characters it took. */
  read(text: string): readonly [number: number, length: number] | undefined;
}

/** One or two digits, as date formats of other languages read `dd`, too. */
const SHORT_NUMBER = /^\d{1,2}/;

const TOKENS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ["yyyy", { part: "year", read: (text) => digits(text, /^\d{4}/) }],
  ["yy", { part: "year", read: (text) => shortYear(digits(text, /^\d{2}/)) }],
  ["MMMM", { part: "month", read: (text) => monthName(text, MONTHS) }],
  [
    "MMM",
    {
      part: "month",
      read: (text) =>
        monthName(
          text,
          MONTHS.map((month) => month.slice(0, 3)),
        ),
    },
  ],
  ...numberTokens("month", "M"),
  ...numberTokens("day", "d"),
  ...numberTokens("hour", "H"),
  ...numberTokens("minute", "m"),
  ...numberTokens("second", "s"),
]);

function numberTokens(part: Part, letter: string): [string, Token][] {
  const token: Token = { part, read: (text) => digits(text, SHORT_NUMBER) };
  return [
    [letter, token],
    [letter + letter, token],
  ];
}

function digits(text: string, pattern: RegExp): readonly [number, number] | undefined {
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : [Number(found), found.length];
}

/** POSIX: 69 to 99 are of the last century. */
function shortYear(read: readonly [number, number] | undefined): readonly [number, number] | undefined {
  return read === undefined ? undefined : [read[0] + (read[0] >= 69 ? 1900 : 2000), read[1]];
}

function monthName(text: string, names: readonly string[]): readonly [number, number] | undefined {
  const start = text.slice(0, 9).toLowerCase();
  const index = names.findIndex((name) => start.startsWith(name));
  return index < 0 ? undefined : [index + 1, (names[index] as string).length];
}

/** Prepares a format of Unicode date tokens (`dd/MM/yyyy HH:mm`, `yyyy-MM-dd'T'HH`), or says what is wrong with it. */
export function compileDateFormat(format: string): DateFormat | { readonly problem: string } {
  const pieces: (Token | string)[] = [];
  const seen = new Set<Part>();
  for (const [piece] of format.matchAll(/([A-Za-z])\1*|'(?:[^']|'')*'?|[^A-Za-z']+/g)) {
    if (!/^[A-Za-z]/.test(piece)) {
      if (piece.startsWith("'") && !isClosedQuote(piece))
        return { problem: "a quotation mark is not closed" };
      pieces.push(piece.startsWith("'") ? quotedText(piece) : piece);
      continue;
    }
    const token = TOKENS.get(piece);
    if (token === undefined) {
      return {
        problem: `${JSON.stringify(piece)} is not a date token; there are ${[...TOKENS.keys()].join(", ")}`,
      };
    }
    if (seen.has(token.part)) return { problem: `it has the ${token.part} twice` };
    seen.add(token.part);
    pieces.push(token);
  }
  if (!seen.has("year") && !seen.has("month") && !seen.has("day"))
    return { problem: "it has no year, month or day" };
  return { read: (value) => (typeof value === "string" ? readPieces(pieces, strip(value)) : undefined) };
}

function isClosedQuote(piece: string): boolean {
  return piece.split("'").length % 2 === 1;
}

/** `'o''clock'` is the text o'clock, and `''` alone is a quotation mark. */
function quotedText(piece: string): string {
  return piece === "''" ? "'" : piece.slice(1, -1).replaceAll("''", "'");
}

/** Parts that the format lacks are those of 1 January 2000 (a leap year, so that 29 February can be read). */
function readPieces(pieces: readonly (Token | string)[], text: string): DateValue | undefined {
  const parts: Partial<Record<Part, number>> = {};
  let rest = text;
  for (const piece of pieces) {
    if (typeof piece === "string") {
      if (!rest.startsWith(piece)) return undefined;
      rest = rest.slice(piece.length);
      continue;
    }
    const read = piece.read(rest);
    if (read === undefined) return undefined;
    parts[piece.part] = read[0];
    rest = rest.slice(read[1]);
  }
  return rest === "" ? dateOf({ year: 2000, month: 1, day: 1, ...parts }) : undefined;
}
