import { errorMessage } from "../../core/error-message.ts";
import { isRecord } from "../../core/values/json.ts";
import { ModelError } from "../model-error.ts";
import { Cassette } from "./cassette.ts";

/** Reads a cassette from its file. */
export async function readCassette(path: string): Promise<Cassette> {
  const { readFile } = await import("node:fs/promises");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const isMissing = isRecord(error) && error.code === "ENOENT";
    throw new ModelError(
      "not_found",
      isMissing
        ? `There is no cassette at ${path}. Record one first.`
        : `The cassette ${path} cannot be read: ${errorMessage(error)}`,
      { cause: error },
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
  try {
    await writeWholeFile(path, linesOf(cassette));
  } catch (error) {
    throw new ModelError("internal", `The cassette ${path} cannot be written: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function* linesOf(cassette: Cassette): Generator<string> {
  for (const line of cassette.lines()) yield `${line}\n`;
}

const CHUNK = 1_000_000;

/** Writes a file from pieces, whole or not at all: a crash leaves what was there before. */
export async function writeWholeFile(path: string, pieces: Iterable<string>): Promise<void> {
  const { mkdir, open, rename, rm } = await import("node:fs/promises");
  const { dirname } = await import("node:path");
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(unfinished, "w");
    try {
      let chunk = "";
      for (const piece of pieces) {
        chunk += piece;
        if (chunk.length < CHUNK) continue;
        await file.appendFile(chunk);
        chunk = "";
      }
      await file.appendFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
