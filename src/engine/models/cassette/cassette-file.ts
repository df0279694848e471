import { errorMessage } from "../../../core/error-message.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { ModelError } from "../model-error.ts";
import { Cassette } from "./cassette.ts";

/** As much as fits into one text. */
const LARGEST_MB = 500;

/** Reads a cassette from its file. */
export async function readCassette(path: string): Promise<Cassette> {
  const { text, problem } = readTextFile(path, path, { largestMb: LARGEST_MB });
  if (problem !== undefined) {
    const isMissing = problem.startsWith("There is no file");
    throw new ModelError(
      "not_found",
      isMissing ? `There is no cassette at ${path}. Record one first.` : `The cassette ${problem}`,
    );
  }
  try {
    return Cassette.parse(text);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new ModelError(error.category, `${path}: ${error.message}`, { cause: error });
  }
}

/** Writes a cassette to its file: whole or not at all, so that a crash leaves the old one. */
export async function writeCassette(path: string, cassette: Cassette): Promise<void> {
  const { writeWholeFile } = await import("../../../system/files/write-whole-file.ts");
  try {
    await writeWholeFile(path, cassettePieces(cassette));
  } catch (error) {
    if (error instanceof Error && error.name === "FileError")
      throw new ModelError("internal", `The cassette ${error.message}`, { cause: error });
    throw new ModelError("internal", `The cassette ${path} cannot be written: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** The text of a cassette's file in pieces. */
export function* cassettePieces(cassette: Cassette): Generator<string> {
  for (const line of cassette.lines()) yield `${line}\n`;
}
