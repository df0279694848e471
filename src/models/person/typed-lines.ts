import type { Interface } from "node:readline";

/** A line that was typed, or why there is none. */
export type TypedLine = { readonly text: string } | "ended" | "aborted";

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
