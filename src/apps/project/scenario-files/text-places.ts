import type { IssuePath, PlaceInText } from "../../../core/schema/issue.ts";
import { ownValue } from "../../../core/values/json.ts";
import { LARGEST_FILE_VARIABLE, largestFileMb } from "../../../system/files/read-text-file.ts";

/** A place in a text; both numbers count from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The offsets of a value and of its key in a text. */
export interface Place {
  readonly keyOffset: number | null;
  readonly valueOffset: number;
  /** The parts of an object or a list. */
  readonly parts?: ReadonlyMap<string | number, Place>;
}

/** A text that cannot be read: a clause in words, and the place if it is known. */
export class TextSyntaxError extends Error {
  override readonly name = "TextSyntaxError";
  readonly position: TextPosition | undefined;

  constructor(message: string, position?: TextPosition) {
    super(message);
    this.position = position;
  }
}

/** The deepest nesting that is read. */
export const DEEPEST = 500;

/** The message for a text that is nested deeper. */
export const TOO_DEEP: string = `it is nested too deeply; no more than ${DEEPEST} levels are read`;

/** More brackets in a row than are read. */
const MANY_BRACKETS = new RegExp(String.raw`(?:[[{]\s*){${DEEPEST + 1}}`);

/** Refuses a text of which the data would take too much memory. The limit grows with that of files, which people can raise. */
export function refuseLarge(text: string, charactersPerMb: number): void {
  if (MANY_BRACKETS.test(text)) throw new TextSyntaxError(TOO_DEEP);
  const limit = largestFileMb() * charactersPerMb;
  if (text.length <= limit) return;
  throw new TextSyntaxError(
    `it has more than ${limit} characters. Split it into several files, put rows into a dataset, or raise the limit: ${LARGEST_FILE_VARIABLE}=${2 * largestFileMb()}`,
  );
}

/** The data of a text, and the place of each part in the text. */
export interface ParsedText {
  readonly value: unknown;
  /** The position of a part: its key or its value, or the nearest parent that exists. */
  locate(path: IssuePath, prefer: "key" | "value"): TextPosition;
  /** The position of a snippet within a text value, if the file has it literally. */
  locateWithin(path: IssuePath, within: PlaceInText): TextPosition | undefined;
  /** The keys of an object as the text has them: objects of JavaScript put keys like `10` before all others. */
  keysAt(path: IssuePath): readonly string[] | undefined;
}

/** Functions that find places in a text. */
export function placesIn(
  root: Place,
  { text, value, lines }: { readonly text: string; readonly value: unknown; readonly lines: LineIndex },
): Pick<ParsedText, "locate" | "locateWithin" | "keysAt"> {
  return {
    locate: (path, prefer) => lines.positionAt(findOffset(root, path, prefer)),
    locateWithin(path, within) {
      const data = valueAt(value, path);
      if (typeof data !== "string" || within.snippet === "") return undefined;
      const offset = nthOffset(text, within.snippet, {
        start: findOffset(root, path, "value"),
        count: occurrencesBefore(data, within),
      });
      return offset === -1 ? undefined : lines.positionAt(offset);
    },
    keysAt: (path) => {
      let place: Place | undefined = root;
      for (const part of path) place = place?.parts?.get(part);
      return place?.parts && [...place.parts.keys()].map(String);
    },
  };
}

function valueAt(value: unknown, path: IssuePath): unknown {
  let found = value;
  for (const key of path)
    found = typeof found === "object" && found !== null ? ownValue(found, String(key)) : undefined;
  return found;
}

/** How often a snippet occurs in a text before its place. A file may break lines elsewhere than the text, but keeps words. */
function occurrencesBefore(text: string, { line, column, snippet }: PlaceInText): number {
  const lines = text.split("\n");
  const before = [...lines.slice(0, line - 1), (lines[line - 1] ?? "").slice(0, column - 1)].join("\n");
  return before.split(snippet).length - 1;
}

function nthOffset(
  text: string,
  snippet: string,
  { start, count }: { readonly start: number; readonly count: number },
): number {
  let offset = text.indexOf(snippet, start);
  for (let index = 0; index < count && offset !== -1; index++) offset = text.indexOf(snippet, offset + 1);
  return offset;
}

/** Finds the place of a part; a collection is best pointed at by its key. */
function findOffset(root: Place, path: IssuePath, prefer: "key" | "value"): number {
  let place = root;
  let complete = true;
  for (const part of path) {
    const inner = place.parts?.get(part);
    if (inner === undefined) {
      complete = false;
      break;
    }
    place = inner;
  }
  const useKey = place.keyOffset !== null && (prefer === "key" || !complete || place.parts !== undefined);
  return useKey ? (place.keyOffset ?? place.valueOffset) : place.valueOffset;
}

/** Turns offsets into lines and columns, without reading the text again for each. */
export class LineIndex {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  positionAt(offset: number): TextPosition {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#starts[low] as number) + 1 };
  }
}
