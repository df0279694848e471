import { type Output, PLAIN_STYLE, type Style } from "../src/system/terminal/terminal.ts";

interface Row {
  text: string;
  /** True if the row goes on with the line of the row before. */
  readonly isContinued: boolean;
}

/** A terminal in memory that understands what live lines are drawn with. Like most, it wraps lines anew when its width changes. */
export class Screen implements Output {
  readonly style: Style = PLAIN_STYLE;
  readonly isTerminal = true;
  isCursorShown = true;
  /** What was written, piece by piece. */
  readonly written: string[] = [];
  #width: number;
  #height: number;
  #rows: Row[] = [{ text: "", isContinued: false }];
  #row = 0;
  #column = 0;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  /** All rows, those that have left at the top included; without empty ones at the end. */
  get text(): string {
    return this.#rows
      .map(({ text }) => text.trimEnd())
      .join("\n")
      .trimEnd();
  }

  async drained(): Promise<void> {}

  data(text: string): void {
    this.write(text);
  }

  write(text: string): void {
    this.written.push(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it reads.
    for (const [piece, code, letter] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[\s\S]/g)) {
      if (letter !== undefined) this.#control(code ?? "", letter);
      else if (piece === "\n") this.#newLine();
      else if (piece === "\r") this.#column = 0;
      else this.#put(piece);
    }
  }

  resize(width: number, height: number): void {
    const lines: string[] = [];
    let cursorLine = 0;
    let offset = 0;
    this.#rows.forEach(({ text, isContinued }, index) => {
      const before = isContinued ? (lines.pop() ?? "") : "";
      if (index === this.#row) [cursorLine, offset] = [lines.length, before.length + this.#column];
      lines.push(before + text);
    });
    this.#width = width;
    this.#height = height;
    this.#rows = [];
    lines.forEach((line, index) => {
      if (index === cursorLine) {
        this.#row = this.#rows.length + Math.floor(offset / width);
        this.#column = offset % width;
      }
      for (let start = 0; start === 0 || start < line.length; start += width)
        this.#rows.push({ text: line.slice(start, start + width), isContinued: start > 0 });
    });
  }

  #control(code: string, letter: string): void {
    const top = Math.max(0, this.#rows.length - this.#height);
    if (letter === "A") this.#row = Math.max(top, this.#row - Number(code || 1));
    else if (letter === "J") {
      this.#rows.length = this.#row + 1;
      const row = this.#rows[this.#row];
      if (row !== undefined) row.text = row.text.slice(0, this.#column);
    } else if (code === "?25") this.isCursorShown = letter === "h";
    else if (letter !== "m") throw new Error(`The screen does not know ${JSON.stringify(code + letter)}.`);
  }

  #newLine(isContinued = false): void {
    this.#row++;
    this.#column = 0;
    if (this.#row === this.#rows.length) this.#rows.push({ text: "", isContinued });
  }

  #put(character: string): void {
    if (this.#column === this.#width) this.#newLine(true);
    const row = this.#rows[this.#row] as Row;
    row.text =
      row.text.slice(0, this.#column).padEnd(this.#column) + character + row.text.slice(this.#column + 1);
    this.#column++;
  }
}
