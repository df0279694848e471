import type { IssuePath } from "../../core/schema/issue.ts";

/** A place in a text; both numbers count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a value stands in a text, and where its key does. */
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

/** The data of a text, and where in the text each part of it stands. */
export interface ParsedText {
  readonly value: unknown;
  /** Where a part stands: its key or its value, or whatever is nearest around it if it is not there itself. */
  locate(path: IssuePath, prefer: "key" | "value"): TextPosition;
  /** The keys of an object as the text has them: objects of JavaScript put keys like `10` before all others. */
  keysAt(path: IssuePath): readonly string[] | undefined;
}

/** What a text gives besides its data. */
export function placesIn(root: Place, lines: LineIndex): Pick<ParsedText, "locate" | "keysAt"> {
  return {
    locate: (path, prefer) => lines.positionAt(findOffset(root, path, prefer)),
    keysAt: (path) => {
      let place: Place | undefined = root;
      for (const part of path) place = place?.parts?.get(part);
      return place?.parts && [...place.parts.keys()].map(String);
    },
  };
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
