import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../core/values/environment.ts";
import { PacedAction } from "./paced-action.ts";
import type { Output } from "./terminal.ts";
import { textWidth } from "./text-width.ts";

/** What is drawn, and when. */
export interface LiveLinesOptions {
  /** The lines as of now, each narrower than the terminal; without line breaks. */
  readonly draw: () => readonly string[];
  readonly clock: Clock;
}

const FRAME_MS = 100;
const IDLE_MS = 1000;
/** The cursor is hidden only while it moves, so that it is there again however the process ends. */
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[J";

/**
 * Lines at the bottom of a terminal that are drawn again and again in their place. The cursor rests at the start of the row
 * below them, which is where the terminal shows a `^C`; the next frame takes it away.
 */
export class LiveLines {
  readonly #output: Output;
  readonly #draw: () => readonly string[];
  readonly #frames: PacedAction;
  #drawn: readonly string[] = [];
  #columns = 0;

  constructor(output: Output, { draw, clock }: LiveLinesOptions) {
    this.#output = output;
    this.#draw = draw;
    this.#frames = new PacedAction(() => this.#frame(), { clock, everyMs: FRAME_MS, idleMs: IDLE_MS });
  }

  /** Something has changed: draws at once, or as soon as the next frame may come. */
  refresh(): void {
    this.#frames.request();
  }

  /** Writes text that stays, above the lines. */
  above(text: string): void {
    const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    this.#replace(ended, this.#drawn);
  }

  /** Takes the lines away for good. */
  clear(): void {
    this.#frames.stop();
    this.#replace("", []);
  }

  #frame(): void {
    this.#replace("", this.#draw());
  }

  #replace(above: string, lines: readonly string[]): void {
    const columns = this.#output.width;
    const fitting = firstRows(lines, this.#output.height - 1, columns);
    const isSame = columns === this.#columns && fitting.join("\n") === this.#drawn.join("\n");
    if (above === "" && isSame) return;
    // A terminal that has become narrower has wrapped what was drawn.
    const rows = this.#drawn.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    const up = rows === 0 ? "" : `\r\u001b[${rows}A`;
    const erased = this.#drawn.length === 0 ? "" : `${up}${CLEAR_BELOW}`;
    const drawn = fitting.map((line) => `${line}\n`).join("");
    this.#output.write(`${HIDE_CURSOR}${erased}${above}${drawn}${SHOW_CURSOR}`);
    this.#drawn = fitting;
    this.#columns = columns;
  }
}

function rowsOf(line: string, columns: number): number {
  const width = textWidth(stripVTControlCharacters(line));
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}

/** As many lines from the first on as fit into so many rows. */
function firstRows(lines: readonly string[], rows: number, columns: number): readonly string[] {
  let room = rows;
  const end = lines.findIndex((line) => {
    room -= rowsOf(line, columns);
    return room < 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}
