import { parentPort } from "node:worker_threads";
import { errorMessage } from "../../../core/error-message.ts";
import { RunFileError } from "./checked-line.ts";
import { type EncodedPiece, RunFileEncoder } from "./run-file-encoder.ts";

/** What the thread answers to a piece: what has come of it, or why nothing does any more. */
export type PieceReply =
  | EncodedPiece
  | { readonly broken: readonly [line: number, problem: string, advice: string] }
  | { readonly failure: string };

const encoder = new RunFileEncoder();

function replyTo(piece: string | null): PieceReply {
  try {
    return encoder.encode(piece);
  } catch (error) {
    if (!(error instanceof RunFileError)) return { failure: errorMessage(error) };
    const { line, problem, advice } = error;
    return { broken: [line, problem, advice] };
  }
}

parentPort?.on("message", (piece: string | null) => parentPort?.postMessage(replyTo(piece)));
