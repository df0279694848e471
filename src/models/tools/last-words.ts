import { patternOnFirstUse } from "../../core/values/on-first-use.ts";

const KEPT_CHARACTERS = 16_384;
const SHOWN_CHARACTERS = 1_000;
const SHOWN_LINES = 8;
const LONGEST_SECRET = 4_096;

/** Control characters other than the end of a line. */
const control = patternOnFirstUse("[^\\P{Cc}\\n\\r]", "gu");

/** Remembers the end of what a process wrote, to be quoted when it fails. */
export class LastWords {
  #text = "";
  #cut = false;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length <= KEPT_CHARACTERS) return;
    this.#text = this.#text.slice(-KEPT_CHARACTERS);
    this.#cut = true;
  }

  /**
   * The last lines, without secrets. These are hidden before the text is cut to what is shown, and where it has been cut
   * before, its start is left out: no piece of a secret may be left at an edge.
   */
  show(hide: (text: string) => string): string {
    const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
    const whole = this.#cut ? this.#text.slice(LONGEST_SECRET) : this.#text;
    const lines = hide(stripVTControlCharacters(whole).replace(control(), ""))
      .split(/\r?\n|\r/)
      // Where in its code a server failed is of no use here; the sentence before is.
      .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
    return lines.slice(-SHOWN_LINES).join("\n").slice(-SHOWN_CHARACTERS).toWellFormed().trim();
  }
}
