const MAX_LENGTH = 500;
const MAX_DEPTH = 50;
const MAX_REPEATS = 20;

/** What a sample is made with. */
export interface SampleOptions {
  /** Which of several alternatives are taken; another number may give another sample. */
  readonly variant?: number;
  /** A text to put in the place of a group, by name or number. */
  readonly fill?: { readonly group: string | number; readonly text: string };
}

/**
 * A text that a pattern probably matches: `answer: (\w+)` gives "answer: a". It knows the common parts of the syntax
 * only, so what it gives must be tried on the pattern. Never throws.
 */
export function patternSample(pattern: string, options: SampleOptions = {}): string {
  return new Sampler(pattern, options).sample().slice(0, MAX_LENGTH);
}

const CLASSES: Readonly<Record<string, string>> = { d: "7", w: "a", s: " ", D: "a", W: " ", S: "a" };
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" };
const ANCHORS = "bBAz";

class Sampler {
  #at = 0;
  #depth = 0;
  #groups = 0;
  readonly #pattern: string;
  readonly #variant: number;
  readonly #fill: SampleOptions["fill"];

  constructor(pattern: string, { variant = 0, fill }: SampleOptions) {
    this.#pattern = pattern;
    this.#variant = variant;
    this.#fill = fill;
  }

  sample(): string {
    const whole = this.#alternatives();
    return this.#fill?.group === 0 ? this.#fill.text : whole;
  }

  #alternatives(): string {
    const samples = [this.#sequence()];
    while (this.#take("|")) samples.push(this.#sequence());
    return samples[this.#variant % samples.length] as string;
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] as string)) {
      const isSpace = this.#pattern.startsWith("\\s", this.#at);
      const atom = this.#atom();
      const times = this.#times(isSpace);
      // Repeats inside repeats could grow without end.
      if (text.length <= MAX_LENGTH) text += atom.slice(0, MAX_LENGTH).repeat(times);
    }
    return text;
  }

  /** Optional parts are left out, apart from white space, which reads better. */
  #times(isSpace: boolean): number {
    let times = 1;
    if (this.#take("*") || this.#take("?")) times = isSpace ? 1 : 0;
    else if (!this.#take("+")) {
      const counted = /^\{(\d+)(?:,\d*)?\}/.exec(this.#pattern.slice(this.#at, this.#at + 20));
      if (counted !== null) {
        this.#at += counted[0].length;
        times = Math.min(Number(counted[1]), MAX_REPEATS);
      }
    }
    this.#take("?");
    return times;
  }

  #atom(): string {
    const char = this.#pattern[this.#at++] as string;
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case "^":
      case "$":
        return "";
      case ".":
        return "x";
      default:
        return char;
    }
  }

  #group(): string {
    const head = /^\?(?:P?<(?<name>\w+)>|[a-zA-Z-]*(?<end>[:)]))/.exec(
      this.#pattern.slice(this.#at, this.#at + 100),
    );
    this.#at += head?.[0].length ?? 0;
    if (head?.groups?.end === ")") return "";
    const captures = head === null || head.groups?.name !== undefined;
    const number = captures ? ++this.#groups : -1;
    if (++this.#depth > MAX_DEPTH) {
      this.#at = this.#pattern.length;
      return "";
    }
    const inside = this.#alternatives();
    this.#depth--;
    this.#take(")");
    const wanted = this.#fill?.group;
    const isWanted =
      captures && (wanted === number || (wanted !== undefined && wanted === head?.groups?.name));
    return isWanted && this.#fill !== undefined ? this.#fill.text : inside;
  }

  /** A character of the class, or a usual one that is not in it. */
  #class(): string {
    const negated = this.#take("^");
    const members: string[] = [];
    while (this.#at < this.#pattern.length && (members.length === 0 || this.#pattern[this.#at] !== "]")) {
      const char = this.#pattern[this.#at++] as string;
      members.push(char === "\\" ? this.#escape() : char);
      if (this.#pattern[this.#at] === "-" && this.#pattern[this.#at + 1] !== "]") {
        this.#at++;
        const last = this.#pattern[this.#at++] ?? char;
        for (let code = char.charCodeAt(0) + 1; code <= last.charCodeAt(0) && members.length < 64; code++) {
          members.push(String.fromCharCode(code));
        }
      }
    }
    this.#take("]");
    if (negated) return [..."ax7- ."].find((char) => !members.includes(char)) ?? "x";
    return members[this.#variant % members.length] ?? "";
  }

  #escape(): string {
    const char = this.#pattern[this.#at++] ?? "";
    if (ANCHORS.includes(char)) return "";
    if (char === "p" || char === "P") {
      this.#at += /^(?:\{\^?\w*\}|\w)/.exec(this.#pattern.slice(this.#at, this.#at + 40))?.[0].length ?? 0;
      return "a";
    }
    return CLASSES[char] ?? CONTROLS[char] ?? char;
  }

  #take(char: string): boolean {
    if (this.#pattern[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}
