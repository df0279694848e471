import { frozenCopy } from "../../../core/values/frozen-copy.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { frozenMessages } from "../message-list.ts";
import { ModelError } from "../model-error.ts";
import { CallReader, CallWriter, LineError, parseLine } from "./call-lines.ts";
import { sharedMessages } from "./explain-miss.ts";
import type { CallRequest, RecordedCall } from "./recorded-call.ts";

const FORMAT = "elenchus-cassette";
const VERSION = 1;

/** Recorded calls by their identity, which can stand in for models. A call that is recorded again replaces the first. */
export class Cassette {
  readonly #calls = new Map<string, RecordedCall>();

  /**
   * A cassette from the text of its file. Of calls that are there twice the later one counts, so that files can be put together one
   * after the other. Throws a `ModelError` that names the line that is wrong.
   */
  static parse(text: string): Cassette {
    const cassette = new Cassette();
    let reader: CallReader | undefined;
    const read = (line: string): void => {
      const value = parseLine(line);
      if (reader === undefined || "format" in value) {
        if (value.format !== FORMAT || value.version !== VERSION)
          throw new LineError(`it is not the header of a cassette of version ${VERSION}`);
        reader = new CallReader();
        return;
      }
      const call = reader.read(value);
      if (call !== undefined) cassette.#calls.set(call.identity, call);
    };
    const lines = text.split("\n");
    for (const [index, line] of lines.entries()) {
      try {
        // A byte order mark is trimmed, too.
        if (line.trim() !== "") read(line.trim());
        else if (index === lines.length - 1 && reader === undefined) throw new LineError("the file is empty");
      } catch (error) {
        if (!(error instanceof LineError)) throw error;
        const advice =
          "Is it the right file, and whole? Correct or remove the line, or record the calls again.";
        const place = `line ${index + 1}: ${error.message}`;
        throw new ModelError("bad_request", `The cassette cannot be read: ${place}. ${advice}`);
      }
    }
    return cassette;
  }

  /** How many calls there are. */
  get size(): number {
    return this.#calls.size;
  }

  get(identity: string): RecordedCall | undefined {
    return this.#calls.get(identity);
  }

  /**
   * Records a call. Rate limits are left out: they describe one moment. False, and nothing is
   * recorded, if the reply is not data that a file can hold.
   */
  set({ identity, purpose, request: { messages, ...parts }, reply }: RecordedCall): boolean {
    const { rateLimit: _, cached: __, ...lasting } = reply;
    let isData = true;
    const copied = frozenCopy({ request: parts, reply: lasting }, () => {
      isData = false;
    });
    if (!isData) return false;
    // Copied as they are.
    const kept = copied as { readonly request: Omit<CallRequest, "messages">; readonly reply: typeof reply };
    const request = { ...kept.request, messages: frozenMessages(messages) };
    this.#calls.set(identity, { identity, purpose, request, reply: kept.reply });
    return true;
  }

  /** The recorded calls. */
  [Symbol.iterator](): IterableIterator<RecordedCall> {
    return this.#calls.values();
  }

  /** Calls whose messages begin as those of a call do, those with most in common first: where to look for what differs. */
  near({ messages }: Pick<CallRequest, "messages">, limit = 500): readonly RecordedCall[] {
    return Array.from(this, (call) => ({ call, shared: sharedMessages(messages, call.request.messages) }))
      .sort((one, other) => other.shared - one.shared)
      .slice(0, limit)
      .map(({ call }) => call);
  }

  /** The lines of its file, each with its end, in an order that does not depend on the order of recording. */
  *lines(): Generator<string> {
    yield `${JSON.stringify({ format: FORMAT, version: VERSION })}\n`;
    for (const line of new CallWriter().lines(this)) yield `${JSON.stringify(line)}\n`;
  }

  /** The text of its file. */
  toJsonLines(): string {
    return [...this.lines()].join("");
  }
}

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

/** Writes a cassette to its file: whole or not at all, so that a crash leaves the old one. Throws `FileError`. */
export async function writeCassette(path: string, cassette: Cassette): Promise<void> {
  const { writeWholeFile } = await import("../../../system/files/write-whole-file.ts");
  await writeWholeFile(path, cassette.lines());
}
