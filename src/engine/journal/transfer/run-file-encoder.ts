import type { LoggedRows } from "../store/row-log.ts";
import { RunEncoder } from "../store/run-encoder.ts";
import type { RunFileHeader } from "./run-file.ts";
import { RunFileReader } from "./run-file-reader.ts";

/** What has come of a piece of a run's file. */
export interface EncodedPiece {
  /** Of the first piece. */
  readonly header?: RunFileHeader;
  readonly log: LoggedRows;
  /** Of the last piece, if an event says when the run ended. */
  readonly endedAt?: number;
}

/** Reads and checks a run's file piece by piece, and turns it into rows. */
export class RunFileEncoder {
  readonly #rows = new RunEncoder();
  readonly #reader: RunFileReader;
  #header: RunFileHeader | undefined;

  constructor() {
    this.#reader = new RunFileReader({
      begin: (header) => {
        this.#header = header;
      },
      event: (event) => this.#rows.event(event),
      call: (call) => this.#rows.call(call),
    });
  }

  /** Whole lines; null after the last ones. Throws `RunFileError`. */
  encode(piece: string | null): EncodedPiece {
    if (piece === null) {
      this.#reader.finish();
      const { endedAt } = this.#rows;
      return { log: this.#rows.take(), ...(endedAt === undefined ? {} : { endedAt }) };
    }
    // Halves of characters are lost in a file.
    for (const line of piece.toWellFormed().split("\n")) this.#reader.take(line);
    const header = this.#header;
    this.#header = undefined;
    return { log: this.#rows.take(), ...(header === undefined ? {} : { header }) };
  }
}
