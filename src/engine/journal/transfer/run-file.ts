import type { RunStart } from "../run-event.ts";
import type { RunSummary } from "../store/store.ts";

/** What a run's file begins with. */
export const RUN_FORMAT = "elenchus-run";

/** The version of the format; files with other versions are refused. */
export const RUN_VERSION = 1;

/** The first line. */
export interface RunFileHeader extends Pick<RunSummary, "endedAt" | "parent" | "tags"> {
  readonly format: typeof RUN_FORMAT;
  readonly version: typeof RUN_VERSION;
  readonly start: RunStart & { readonly at: number };
}

/** A run's file that cannot be imported: which line, and what is wrong with it. */
export class RunFileError extends Error {
  override readonly name = "RunFileError";
  /** From 1. */
  readonly line: number;

  constructor(line: number, problem: string) {
    const advice = "Is it the right file, and whole? Then export the run again.";
    super(`The run cannot be imported: line ${line}: ${problem}. ${advice}`);
    this.line = line;
  }
}

/** A value as one line with its end, whatever a reader takes for the end of one. */
export function lineOf(value: unknown): string {
  const json = JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}

/** How many characters are compressed at once. */
const CHUNK = 250_000;

/** Text compressed with Zstandard, as files of runs are whose names end in `.zst`. */
export async function* compressed(pieces: Iterable<string>): AsyncGenerator<Uint8Array> {
  const { pipeline, Readable } = process.getBuiltinModule("node:stream");
  const { createZstdCompress } = process.getBuiltinModule("node:zlib");
  // What fails is reported by the stream that is read.
  yield* pipeline(Readable.from(inChunks(pieces)), createZstdCompress(), () => {});
}

/** Small pieces put together: each one is waited for. */
export function* inChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** The content of a file: text or bytes, in pieces of any size. */
export type FilePieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** The lines of a file, plain or compressed. What is longer than `most` characters is cut, so that it cannot fill the memory. */
export async function* linesOf(pieces: FilePieces, most: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of decompressed(pieces)) {
    const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    const lines = text.split("\n");
    for (const line of lines.splice(0, lines.length - 1)) {
      yield rest + line;
      rest = "";
    }
    rest += lines[0];
    if (rest.length <= most) continue;
    yield rest;
    rest = "";
  }
  if (rest !== "") yield rest;
}

/** The first byte of a compressed file; no line of a run begins with it. */
const ZSTANDARD = 0x28;

async function* decompressed(pieces: FilePieces): FileText {
  const iterator = (async function* (): FileText {
    yield* pieces;
  })();
  const first = await iterator.next();
  if (first.done === true) return;
  const all = (async function* (): FileText {
    yield first.value;
    yield* iterator;
  })();
  if (typeof first.value === "string" || first.value[0] !== ZSTANDARD) return yield* all;
  const { pipeline, Readable } = process.getBuiltinModule("node:stream");
  const { createZstdDecompress } = process.getBuiltinModule("node:zlib");
  // What fails is reported by the stream that is read.
  yield* pipeline(Readable.from(all), createZstdDecompress(), () => {});
}

type FileText = AsyncGenerator<string | Uint8Array, void>;
