import type { Worker } from "node:worker_threads";
import { errorMessage } from "../../../core/error-message.ts";
import { RunFileError } from "./checked-line.ts";
import { type EncodedPiece, RunFileEncoder } from "./run-file-encoder.ts";
import type { PieceReply } from "./run-file-worker.ts";

// Beside the sources there is the compiled package, where the program of the thread is a file of its own as well.
const PROGRAM = import.meta.url.endsWith(".ts") ? "./run-file-worker.ts" : "./run-file-worker.js";

/** How many characters are encoded at once. */
const PIECE = 250_000;

/** A longer file has a thread of its own, which works while the store is written; it reads on by so much. */
const AHEAD = 2_000_000;

/** The pieces of a run's file, encoded one after the other; a null stands for the end. */
export async function* encodedPieces(
  lines: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<EncodedPiece> {
  const pieces: string[] = [];
  let waiting = 0;
  let thread: EncodingThread | undefined;
  try {
    for await (const piece of largePieces(lines)) {
      waiting += piece.length;
      if (thread === undefined) pieces.push(piece);
      else thread.send(piece);
      if (waiting <= AHEAD) continue;
      if (thread === undefined) {
        thread = new EncodingThread();
        for (const first of pieces.splice(0)) thread.send(first);
      }
      for (; waiting > AHEAD; waiting -= thread.answered) yield await thread.next();
    }
    if (thread === undefined) {
      const encoder = new RunFileEncoder();
      for (const piece of pieces) yield encoder.encode(piece);
      yield encoder.encode(null);
      return;
    }
    thread.send(null);
    while (thread.isBusy) yield await thread.next();
  } finally {
    thread?.stop();
  }
}

/** Encodes pieces beside this thread. */
class EncodingThread {
  readonly #worker: Worker;
  /** Of the pieces that were sent, in order. */
  readonly #sent: { readonly length: number; readonly reply: PromiseWithResolvers<PieceReply> }[] = [];
  readonly #open: PromiseWithResolvers<PieceReply>[] = [];
  /** Why it answers nothing any more. */
  #ended: { readonly failure: string } | undefined;
  /** The length of the last piece that was answered. */
  answered = 0;

  constructor() {
    // Not imported, so that loading the library does not load threads.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    this.#worker = new Worker(new URL(PROGRAM, import.meta.url), {
      name: "elenchus import",
      // Nothing of the program around it is needed there.
      env: {},
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.on("message", (reply: PieceReply) => this.#open.shift()?.resolve(reply));
    const end = (failure: string): void => {
      this.#ended ??= { failure };
      for (const open of this.#open.splice(0)) open.resolve(this.#ended);
    };
    this.#worker.once("error", (error) => end(errorMessage(error)));
    this.#worker.once("exit", () => end("its thread ended"));
  }

  get isBusy(): boolean {
    return this.#sent.length > 0;
  }

  send(piece: string | null): void {
    const reply = Promise.withResolvers<PieceReply>();
    this.#sent.push({ length: piece?.length ?? 0, reply });
    if (this.#ended !== undefined) return reply.resolve(this.#ended);
    this.#open.push(reply);
    this.#worker.postMessage(piece);
  }

  /** What has come of the next piece; throws if it is broken. */
  async next(): Promise<EncodedPiece> {
    const next = this.#sent.shift();
    if (next === undefined) throw new Error("There is nothing to wait for.");
    const reply = await next.reply.promise;
    this.answered = next.length;
    if ("broken" in reply) throw new RunFileError(...reply.broken);
    if ("failure" in reply) throw new Error(`The run cannot be imported: ${reply.failure}.`);
    return reply;
  }

  /** Ends the thread, whatever it is doing. */
  stop(): void {
    this.#worker.terminate().catch(() => {});
  }
}

/** To pass on line by line takes longer than to read them. */
async function* largePieces(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let piece: string | undefined;
  for await (const item of lines) {
    piece = piece === undefined ? item : `${piece}\n${item}`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = undefined;
  }
  if (piece !== undefined) yield piece;
}
