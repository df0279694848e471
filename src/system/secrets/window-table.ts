import { type FoldedText, stringOf } from "./folded-text.ts";

/** A part of this many characters is as good as masked whole: less is found by trying, and would match ordinary text. */
export const WINDOW = 8;

/** What is known of eight characters of a folded secret. */
export interface WindowUse {
  /** How many characters a text must have in common with the secret until it counts. */
  readonly least: number;
  /** How many characters it must have if no window of them counts: the whole secret. */
  readonly whole: number;
  /** How many characters they were before they were folded. */
  readonly length: number;
  /** True for what reads like words: it counts only together with other windows. */
  readonly isFiller?: boolean;
  /** True if it counts also where a text has white space in it: the secret is not made of words and numbers. */
  readonly spansGaps?: boolean;
  /** What a text must have there, if it reads like a word in small letters. */
  readonly exact?: string;
}

/** A window that a folded text has. */
export interface WindowHit {
  readonly start: number;
  readonly use: WindowUse;
}

/** The window that is being marked. */
const marked = new Uint16Array(WINDOW);

const GRAM = 4;
const STRIDE = WINDOW - GRAM + 1;

/**
 * All windows of eight characters of all forms of all secrets. A text is read once, against tables of hashes, so the cost grows with
 * the text and not with the number of secrets.
 */
export class WindowTable {
  readonly #uses = new Map<string, WindowUse>();
  /** For each hash of four characters, whether a window has them: most places of a text are decided here. */
  #grams = new Uint8Array(0);
  /** For each hash of eight characters, whether it may be a window. */
  #windows = new Uint8Array(0);
  #shift = 31;

  get size(): number {
    return this.#uses.size;
  }

  /** Adds windows; of one that is there already, what finds more counts. */
  add(windows: Iterable<readonly [string, WindowUse]>): void {
    for (const [window, use] of windows) {
      const known = this.#uses.get(window);
      this.#uses.set(window, known === undefined || known === use ? use : both(use, known));
      if (known === undefined) this.#mark(window);
    }
    // With room to spare, few places of a text have a mark by accident.
    if (this.#grams.length >= 16 * this.#uses.size) return;
    const bits = Math.max(12, Math.ceil(Math.log2(this.#uses.size + 1)) + 5);
    this.#shift = 32 - bits;
    this.#grams = new Uint8Array(2 ** bits);
    this.#windows = new Uint8Array(2 ** bits);
    for (const window of this.#uses.keys()) this.#mark(window);
  }

  #mark(window: string): void {
    for (let index = 0; index < WINDOW; index++) marked[index] = window.charCodeAt(index);
    for (let start = 0; start < STRIDE; start++) this.#grams[gramHash(marked, start) >>> this.#shift] = 1;
    this.#windows[windowHash(marked, 0) >>> this.#shift] = 1;
  }

  /**
   * The windows that a folded text has, in order. Every window of eight characters has exactly one gram of four that begins at a
   * multiple of five. So only these are looked at, and where one of them has a mark, the five windows around it.
   */
  hits(text: FoldedText): readonly WindowHit[] {
    const { codes, length } = text;
    const grams = this.#grams;
    const shift = this.#shift;
    const hits: WindowHit[] = [];
    if (this.size === 0) return hits;
    for (let gram = 0; gram + GRAM <= length; gram += STRIDE)
      if (grams[gramHash(codes, gram) >>> shift] === 1) this.#collect(text, gram, hits);
    return hits;
  }

  #collect(text: FoldedText, gram: number, hits: WindowHit[]): void {
    const last = Math.min(gram, text.length - WINDOW);
    for (let start = Math.max(0, gram - STRIDE + 1); start <= last; start++) {
      if (this.#windows[windowHash(text.codes, start) >>> this.#shift] !== 1) continue;
      const use = this.#uses.get(stringOf(text, start, start + WINDOW));
      if (use !== undefined) hits.push({ start, use });
    }
  }
}

/** What finds as much as two uses of a window. */
function both(use: WindowUse, known: WindowUse): WindowUse {
  const best = reach(use) > reach(known) ? use : known;
  return { ...best, least: Math.min(use.least, known.least), whole: Math.min(use.whole, known.whole) };
}

/** Which of two uses finds more. */
function reach({ isFiller, exact, spansGaps }: WindowUse): number {
  if (isFiller) return 0;
  return exact === undefined ? (spansGaps ? 3 : 2) : 1;
}

/** Of four characters; the upper bits are the best ones. */
function gramHash(codes: Uint16Array, start: number): number {
  const first = (codes[start] as number) | ((codes[start + 1] as number) << 16);
  const second = (codes[start + 2] as number) | ((codes[start + 3] as number) << 16);
  return Math.imul(Math.imul(first, 0x85ebca6b) ^ (second + (first >>> 13)), 0x9e3779b1);
}

function windowHash(codes: Uint16Array, start: number): number {
  return Math.imul(gramHash(codes, start) ^ (gramHash(codes, start + GRAM) >>> 7), 0x27d4eb2f);
}
