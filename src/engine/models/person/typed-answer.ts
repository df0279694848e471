import type { Interface } from "node:readline";

/** What a person typed, or why there is nothing. */
export type TypedAnswer = { readonly text: string } | "ended" | "aborted";

/**
 * Lines up to an empty one, or one with a single dot; what was typed when the input ends is an answer, too. Empty lines before the first
 * word do not count.
 */
export async function readTypedAnswer(
  lines: Pick<TypedLines, "next">,
  { signal }: { readonly signal: AbortSignal },
): Promise<TypedAnswer> {
  const typed: string[] = [];
  const answer = (): TypedAnswer => ({ text: typed.join("\n") });
  for (;;) {
    const line = await lines.next(signal);
    if (line === "aborted") return line;
    if (line === "ended") return typed.length === 0 ? line : answer();
    if (line.text === ".") return answer();
    if (line.text.trim() !== "") typed.push(line.text);
    else if (typed.length > 0) return answer();
  }
}

/** A line that was typed, or why there is none. */
type TypedLine = { readonly text: string } | "ended" | "aborted";

/** The lines of an input stream, one at a time; what is typed before it is asked for waits. */
export class TypedLines {
  readonly #lines: string[] = [];
  #ended = false;
  #wake: () => void = () => {};
  readonly #reader: Interface;

  private constructor(reader: Interface) {
    this.#reader = reader;
    reader.on("line", (line: string) => {
      this.#lines.push(line);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    reader.on("close", end);
    // An input that breaks has ended.
    reader.on("error", end);
  }

  static async open(input: NodeJS.ReadableStream): Promise<TypedLines> {
    const { createInterface } = await import("node:readline");
    // The terminal itself edits the line: Ctrl-C then stays a signal to the process.
    const reader = createInterface({ input, terminal: false });
    return new TypedLines(reader);
  }

  /** The next line; one at a time. */
  async next(signal: AbortSignal): Promise<TypedLine> {
    for (;;) {
      if (signal.aborted) return "aborted";
      const text = this.#lines.shift();
      if (text !== undefined) return { text };
      if (this.#ended) return "ended";
      await new Promise<void>((resolve) => {
        this.#wake = () => {
          signal.removeEventListener("abort", this.#wake);
          resolve();
        };
        signal.addEventListener("abort", this.#wake, { once: true });
      });
    }
  }

  close(): void {
    this.#reader.close();
  }
}
