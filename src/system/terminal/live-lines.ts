import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../core/environment.ts";
import type { Output } from "./terminal.ts";
import { textWidth } from "./text-layout.ts";

/** What is drawn, and the clock that paces it. */
interface LiveLinesOptions {
  /** The lines as of now, each narrower than the terminal; without line breaks. */
  readonly draw: () => readonly string[];
  readonly clock: Clock;
}

const FRAME_MS = 100;
const IDLE_MS = 1000;
/** The cursor is hidden only while it moves, so that a process that ends at any moment leaves it visible. */
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[J";

/**
 * Lines at the bottom of a terminal that are redrawn in place. The cursor rests at the start of the row below them, where the
 * terminal shows a `^C`; the next frame erases it.
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

  /** Something has changed: draws at once, or with the next frame. */
  refresh(): void {
    this.#frames.request();
  }

  /** Writes text that stays, above the lines. */
  above(text: string): void {
    const ended = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    this.#replace(ended, this.#drawn);
  }

  /** Erases the lines and stops drawing. */
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

/** The first lines that fit a number of rows. */
function firstRows(lines: readonly string[], rows: number, columns: number): readonly string[] {
  let room = rows;
  const end = lines.findIndex((line) => {
    room -= rowsOf(line, columns);
    return room < 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

/** How often an action may happen. */
export interface PaceOptions {
  readonly clock: Clock;
  /** The least time between two of them, in milliseconds. */
  readonly everyMs: number;
  /** After this long it happens without a request. */
  readonly idleMs?: number;
}

/** Runs an action soon after a request, but never more often than its pace allows. */
export class PacedAction {
  readonly #action: () => void;
  readonly #pace: PaceOptions;
  #last: number | undefined;
  #cancel: (() => void) | undefined;
  #due = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(action: () => void, pace: PaceOptions) {
    this.#action = action;
    this.#pace = pace;
  }

  /** At once if the last time was long enough ago: timers do not fire while a run keeps the process busy. */
  request(): void {
    if (this.#stopped) return;
    const now = this.#pace.clock.now();
    const due = this.#last === undefined ? now : this.#last + this.#pace.everyMs;
    if (now >= due) this.#act(now);
    else this.#schedule(due, now);
  }

  /** Cancels what was requested, and ignores later requests. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #act(now: number): void {
    this.#last = now;
    this.#cancel?.();
    this.#due = Number.POSITIVE_INFINITY;
    const { idleMs } = this.#pace;
    if (idleMs !== undefined) this.#schedule(now + idleMs, now);
    this.#action();
  }

  #schedule(due: number, now: number): void {
    if (due >= this.#due) return;
    this.#cancel?.();
    this.#due = due;
    this.#cancel = this.#pace.clock.after(due - now, () => this.#act(this.#pace.clock.now()));
  }
}
