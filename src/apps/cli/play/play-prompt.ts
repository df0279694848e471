import {
  readTypedAnswer,
  type TypedAnswer,
  type TypedAnswerOptions,
  TypedLines,
} from "../../../engine/models/person/typed-answer.ts";
import { paintedLines } from "../../../insight/report/text/text-blocks.ts";
import { printableLines } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";

/** Reads what the person types: answers of one or more lines, each behind a prompt. */
export class PlayPrompt {
  readonly #terminal: Terminal;
  readonly #signal: AbortSignal;
  #lines: TypedLines | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(terminal: Terminal, signal: AbortSignal) {
    this.#terminal = terminal;
    this.#signal = signal;
  }

  /** True if the input ended while the person was asked. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Reads an answer, one at a time. The hint is printed before the first one. */
  read(hint: string, options: Omit<TypedAnswerOptions, "signal"> = {}): Promise<TypedAnswer> {
    const reading = this.#read(hint, { ...options, signal: this.#signal });
    this.#reading = reading.catch(() => {});
    return reading;
  }

  /** Resolves when no input is being read, so that what is printed next stands behind the prompt's line. */
  async idle(): Promise<void> {
    await this.#reading;
  }

  close(): void {
    this.#lines?.close();
  }

  async #read(hint: string, options: TypedAnswerOptions): Promise<TypedAnswer> {
    const { input, output } = this.#terminal;
    if (options.signal.aborted) return "aborted";
    if (this.#lines === undefined)
      output.write(linesText(paintedLines(hint, output.width, output.style.dim)));
    const lines = this.#lines ?? (await TypedLines.open(input));
    this.#lines = lines;
    const next: TypedLines["next"] = async (signal) => {
      output.write(output.style.bold("> "));
      const line = await lines.next(signal);
      if (typeof line === "string") output.write("\n");
      // A terminal shows what is typed; input from a pipe is printed here.
      else if (input.isTTY !== true) output.write(`${printableLines(line.text)}\n`);
      return line;
    };
    const answer = await readTypedAnswer({ next }, options);
    if (answer === "ended") this.#hasEnded = true;
    return answer;
  }
}
