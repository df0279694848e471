import { fileProblem, specialKind } from "./read-text-file.ts";

/** A line of a text file, and its number from 1. */
export interface FileLine {
  readonly line: number;
  readonly text: string;
}

/** Longer lines are no data that a person meant. */
const LONGEST_LINE = 100_000_000;

/**
 * The lines of a file that are not empty, one by one: a file of any size needs the memory of one piece. Throws an `Error` whose message
 * says why the file cannot be read; `name` is its name there.
 */
export async function* fileLines(path: string, name: string): AsyncGenerator<FileLine> {
  const { createReadStream } = process.getBuiltinModule("node:fs");
  const { stat } = process.getBuiltinModule("node:fs/promises");
  const stats = await stat(path).catch((cause: unknown) => {
    throw new Error(fileProblem(cause, name), { cause });
  });
  const kind = stats.isFIFO() ? undefined : specialKind(stats);
  if (kind !== undefined) throw new Error(`${name} is ${kind}, not a file.`);
  const stream = createReadStream(path, { highWaterMark: 1 << 18 });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [rest, line] = ["", 0];
  const decoded = (piece?: Uint8Array): string => {
    try {
      // The decoder leaves out a byte order mark.
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new Error(`${name} is not UTF-8 text; save it as UTF-8.`);
    }
  };
  const numbered = function* (texts: readonly string[]): Generator<FileLine> {
    for (const text of texts) {
      line++;
      if (text.trim() !== "") yield { line, text };
    }
  };
  try {
    for await (const piece of stream) {
      // Only the new piece is searched: a long line would be searched again with each of its pieces.
      const [first = "", ...others] = decoded(piece as Uint8Array).split("\n");
      rest += first;
      if (others.length > 0) {
        const next = others.pop() ?? "";
        yield* numbered([rest, ...others]);
        rest = next;
      }
      if (rest.length > LONGEST_LINE) throw new Error(`${name} has a line of more than 100 MB.`);
    }
  } catch (error) {
    throw error instanceof Error && "code" in error
      ? new Error(fileProblem(error, name), { cause: error })
      : error;
  }
  yield* numbered([rest + decoded()]);
}
