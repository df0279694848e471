import { readTypedAnswer, type TypedAnswer, type TypedAnswerOptions } from "../model/typed-answer.ts";
import { type TypedLine, TypedLines } from "../model/typed-lines.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { visibleText } from "../value/visible-text.ts";

/** What the person types: answers of one or more lines, each behind a prompt. */
export class PlayInput {
  readonly #terminal: Pick<Terminal, "input" | "output">;
  #lines: TypedLines | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(terminal: Pick<Terminal, "input" | "output">) {
    this.#terminal = terminal;
  }

  /** True if the person was asked for something, and the input had come to its end. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Reads an answer; one at a time. */
  read(options: TypedAnswerOptions): Promise<TypedAnswer> {
    const reading = this.#read(options);
    this.#reading = reading.catch(() => {});
    return reading;
  }

  /** Resolves when nobody reads any more, so that what is printed next stands behind the prompt's line. */
  async atRest(): Promise<void> {
    await this.#reading;
  }

  close(): void {
    this.#lines?.close();
  }

  async #read(options: TypedAnswerOptions): Promise<TypedAnswer> {
    const lines = this.#lines ?? (await TypedLines.open(this.#terminal.input));
    this.#lines = lines;
    const answer = await readTypedAnswer({ next: (signal) => this.#next(lines, signal) }, options);
    if (answer === "ended") this.#hasEnded = true;
    return answer;
  }

  async #next(lines: TypedLines, signal: AbortSignal): Promise<TypedLine> {
    const { input, output } = this.#terminal;
    output.write(output.style.bold("> "));
    const line = await lines.next(signal);
    if (typeof line === "string") output.write("\n");
    // A terminal shows by itself what is typed; from a pipe, a session reads the same if we do.
    else if (input.isTTY !== true) output.write(`${visibleText(line.text)}\n`);
    return line;
  }
}
