import { compileLinearRegex } from "../../../core/checks/linear-regex.ts";

/** The line with which upstream's trace of a reply begins. Its replies are looked at with it, ours are not. */
export const TRACE_HEADER = "--- AI Message ---\n";

/** A class that no character is in. */
export const NOTHING: string = "[^\\x00-\\x{10FFFF}]";

/** A pattern as a tree: enough to take the characters of the header off its front. */
type Node =
  /** One character, in the syntax of RE2, with the flags it is under. */
  | { readonly type: "character"; readonly text: string; readonly flags: string }
  /** What holds between two characters. */
  | { readonly type: "place"; readonly text: string; readonly flags: string }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly type: "repeat"; readonly part: Node; readonly min: number; readonly max: number };

const EMPTY: Node = { type: "sequence", parts: [] };
const NEVER: Node = { type: "choice", parts: [] };

/**
 * What an RE2 pattern that upstream applies to a whole trace finds in the reply alone: `inside` is a match that begins in the
 * reply, `across` are those that begin in the header and reach into the reply, each as a pattern at the beginning of the reply.
 * "always" if there is a match in the header itself, "too large" if this cannot be worked out.
 */
export function withoutHeader(
  pattern: string,
  flags: string,
): "always" | "too large" | { readonly inside: string; readonly across: readonly string[] } {
  const whole = new PatternReader(pattern, flags).read();
  const inside = textOf(whole, flags);
  const across = new Set<string>();
  for (let start = 0; start < TRACE_HEADER.length; start++) {
    let rest = whole;
    for (let at = start; at < TRACE_HEADER.length && rest !== NEVER; at++) {
      if (isEmptyAt(rest, at)) return "always";
      rest = after(rest, at);
      if (sizeOf(rest) > MAX_SIZE) return "too large";
    }
    if (rest !== NEVER) across.add(textOf(rest, flags));
  }
  // A match of the whole pattern at the beginning of the reply is one inside of it.
  across.delete(inside);
  return { inside, across: [...across] };
}

/** Why upstream would find a pattern of ours in places where it does not occur in the reply. */
export function headerProblem(pattern: string, flags: string): string | null {
  const isMultiline = flags.includes("m") || /\(\?[a-z]*m/.test(pattern);
  // The beginning of the reply is no place in the header; in classes, ^ is another sign.
  const starts = isMultiline ? /\[(?:\\.|[^\]\\])*\]|\\A|\\./gs : /\[(?:\\.|[^\]\\])*\]|\\A|\^|\\./gs;
  const left = withoutHeader(
    pattern.replace(starts, (part) => (part === "\\A" || part === "^" ? NOTHING : part)),
    flags,
  );
  if (typeof left !== "string" && left.across.length === 0) return null;
  return `upstream may find it in the header "${TRACE_HEADER.trim()}" of its traces`;
}

/** Repeats inside of repeats can make what is left grow with every character. */
const MAX_SIZE = 500;

function sizeOf(node: Node): number {
  if (node.type === "repeat") return 1 + sizeOf(node.part);
  return "parts" in node ? node.parts.reduce((sum, part) => sum + sizeOf(part), 1) : 1;
}

/** What is left of a pattern after the character of the header at this position. */
function after(node: Node, at: number): Node {
  switch (node.type) {
    case "character":
      return isMatch(node, TRACE_HEADER[at] as string) ? EMPTY : NEVER;
    case "place":
      return NEVER;
    case "choice":
      return choice(node.parts.map((part) => after(part, at)));
    case "repeat": {
      const { part, min, max } = node;
      // Parts that are empty here count as well.
      const least = isEmptyAt(part, at) ? 0 : Math.max(0, min - 1);
      const more: Node = max === 1 ? EMPTY : { type: "repeat", part, min: least, max: max - 1 };
      return sequence([after(part, at), more]);
    }
    case "sequence": {
      const [first, ...others] = node.parts;
      if (first === undefined) return NEVER;
      const here = sequence([after(first, at), ...others]);
      return isEmptyAt(first, at) ? choice([here, after(sequence(others), at)]) : here;
    }
  }
}

/** Whether a pattern holds without a character, before the character of the header at this position. */
function isEmptyAt(node: Node, at: number): boolean {
  switch (node.type) {
    case "character":
      return false;
    case "place":
      return holdsAt(node.text, node.flags.includes("m"), at);
    case "sequence":
      return node.parts.every((part) => isEmptyAt(part, at));
    case "choice":
      return node.parts.some((part) => isEmptyAt(part, at));
    case "repeat":
      return node.min === 0 || isEmptyAt(node.part, at);
  }
}

function holdsAt(place: string, isMultiline: boolean, at: number): boolean {
  const isWord = (character: string | undefined): boolean => /\w/.test(character ?? "");
  switch (place) {
    case "^":
    case "\\A":
      return at === 0;
    case "$":
      return isMultiline && TRACE_HEADER[at] === "\n";
    case "\\b":
      return isWord(TRACE_HEADER[at - 1]) !== isWord(TRACE_HEADER[at]);
    case "\\B":
      return isWord(TRACE_HEADER[at - 1]) === isWord(TRACE_HEADER[at]);
    default:
      return false;
  }
}

function isMatch({ text, flags }: Node & { readonly type: "character" }, character: string): boolean {
  const compiled = compileLinearRegex(`^(?:${text})$`, flags.replace("m", ""));
  return !("problem" in compiled) && compiled.find(character);
}

function sequence(parts: readonly Node[]): Node {
  if (parts.includes(NEVER)) return NEVER;
  const kept = parts.flatMap((part) => (part.type === "sequence" ? part.parts : [part]));
  return kept.length === 1 ? (kept[0] as Node) : { type: "sequence", parts: kept };
}

function choice(parts: readonly Node[]): Node {
  const kept = parts.filter((part) => part !== NEVER);
  if (kept.length === 0) return NEVER;
  return kept.length === 1 ? (kept[0] as Node) : { type: "choice", parts: kept };
}

/** The RE2 text of a pattern that is applied to the reply: the beginning of the trace is never in it. */
function textOf(node: Node, flags: string): string {
  switch (node.type) {
    case "character":
      return flagged(node, flags);
    case "place":
      if (node.text === "\\A" || (node.text === "^" && !node.flags.includes("m"))) return NOTHING;
      return flagged(node, flags);
    case "sequence":
      return node.parts
        .map((part) => (part.type === "choice" ? `(?:${textOf(part, flags)})` : textOf(part, flags)))
        .join("");
    case "choice":
      return [...new Set(node.parts.map((part) => textOf(part, flags)))].join("|");
    case "repeat": {
      const { part, min, max } = node;
      const text = textOf(part, flags);
      const isOne = part.type === "character" || part.type === "place";
      return `${isOne ? text : `(?:${text})`}${countText(min, max)}`;
    }
  }
}

function countText(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : `{${min},${max}}`;
}

function flagged({ text, flags }: { readonly text: string; readonly flags: string }, outer: string): string {
  const on = [...flags].filter((flag) => !outer.includes(flag)).join("");
  const off = [...outer].filter((flag) => !flags.includes(flag)).join("");
  return on === "" && off === "" ? text : `(?${on}${off === "" ? "" : `-${off}`}:${text})`;
}

const CHARACTER = /\\x\{[0-9a-fA-F]+\}|\\[pP]\{[^}]*\}|\\.|\[\^?(?:\\[pPx]\{[^}]*\}|\\.|[^\]\\])*\]|./suy;
const COUNT = /([*+?])|\{(\d+)(,?)(\d*)\}/y;

/** Reads what the translation of Python's patterns writes. */
class PatternReader {
  readonly #pattern: string;
  #flags: string;
  #at = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#flags = flags;
  }

  read(): Node {
    const head = /^\(\?([ims]*)(?:-([ims]+))?\)/.exec(this.#pattern);
    if (head !== null) this.#enter(head[0], head[1], head[2]);
    return this.#choice();
  }

  #enter(text: string, on = "", off = ""): void {
    this.#at += text.length;
    this.#flags = [..."ims"]
      .filter((flag) => (this.#flags.includes(flag) || on.includes(flag)) && !off.includes(flag))
      .join("");
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#pattern[this.#at] === "|") {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? (parts[0] as Node) : { type: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] as string))
      parts.push(this.#repeated(this.#part()));
    return sequence(parts);
  }

  #part(): Node {
    const flags = this.#flags;
    const group = /^\((?:\?(?:P<\w+>|([ims]*)(?:-([ims]+))?:))?/u.exec(this.#pattern.slice(this.#at));
    if (group !== null) {
      this.#enter(group[0], group[1], group[2]);
      const inside = this.#choice();
      this.#at++;
      this.#flags = flags;
      return inside;
    }
    CHARACTER.lastIndex = this.#at;
    const text = (CHARACTER.exec(this.#pattern) as RegExpExecArray)[0];
    this.#at += text.length;
    const type = /^(?:[$^]|\\[AbBz])$/.test(text) ? "place" : "character";
    return { type, text, flags };
  }

  #repeated(part: Node): Node {
    COUNT.lastIndex = this.#at;
    const count = COUNT.exec(this.#pattern);
    if (count === null) return part;
    const [text, sign, least, comma, most] = count as unknown as (string | undefined)[];
    this.#at += (text as string).length;
    // Whether few or many are preferred does not change whether there is a match.
    if (this.#pattern[this.#at] === "?") this.#at++;
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const isOpen = sign === undefined ? comma === "," && most === "" : sign !== "?";
    const max = isOpen ? Number.POSITIVE_INFINITY : sign === "?" ? 1 : comma === "" ? min : Number(most);
    return max === 0 ? EMPTY : { type: "repeat", part, min, max };
  }
}
