const MAX_LENGTH = 500;
const MAX_DEPTH = 50;
const MAX_REPEATS = 20;

/** What a sample is made with. */
interface SampleOptions {
  /** Which of several alternatives are taken; another number may give another sample. */
  readonly variant?: number;
  /** A text to put in the place of a group, by name or number. */
  readonly fill?: { readonly group: string | number; readonly text: string };
}

/**
 * A text that a pattern probably matches: `answer: (\w+)` gives "answer: a". It knows the common parts of the syntax
 * only, so what it gives must be tried on the pattern. Never throws.
 */
export function patternSample(pattern: string, { variant = 0, fill }: SampleOptions = {}): string {
  let [at, depth, groups] = [0, 0, 0];

  const take = (text: string): boolean => {
    const isThere = pattern.startsWith(text, at);
    if (isThere) at += text.length;
    return isThere;
  };
  /** Takes what stands here, of which only so many characters are looked at. */
  const takeMatch = (syntax: RegExp, longest: number): RegExpExecArray | null => {
    const match = syntax.exec(pattern.slice(at, at + longest));
    at += match?.[0].length ?? 0;
    return match;
  };

  const alternatives = (): string => {
    const samples = [sequence()];
    while (take("|")) samples.push(sequence());
    return samples[variant % samples.length] as string;
  };

  const sequence = (): string => {
    let text = "";
    while (at < pattern.length && !"|)".includes(pattern[at] as string)) {
      const isSpace = pattern.startsWith("\\s", at);
      const sample = atom();
      const times = repeats(isSpace);
      // Repeats inside repeats could grow without end.
      if (text.length <= MAX_LENGTH) text += sample.slice(0, MAX_LENGTH).repeat(times);
    }
    return text;
  };

  /** Optional parts are left out, apart from white space, which reads better. */
  const repeats = (isSpace: boolean): number => {
    const isOptional = take("*") || take("?");
    const counted = isOptional || take("+") ? null : takeMatch(/^\{(\d+)(?:,\d*)?\}/, 20);
    take("?");
    if (isOptional) return isSpace ? 1 : 0;
    return counted === null ? 1 : Math.min(Number(counted[1]), MAX_REPEATS);
  };

  const atom = (): string => {
    const char = pattern[at++] as string;
    if (char === "(") return group();
    if (char === "[") return characterClass();
    if (char === "\\") return escaped();
    if (char === "^" || char === "$") return "";
    return char === "." ? "x" : char;
  };

  const group = (): string => {
    const head = takeMatch(/^\?(?:P?<(?<name>\w+)>|[a-zA-Z-]*(?<end>[:)]))/, 100)?.groups;
    if (head?.end === ")") return "";
    const captures = head === undefined || head.name !== undefined;
    const number = captures ? ++groups : -1;
    if (++depth > MAX_DEPTH) {
      at = pattern.length;
      return "";
    }
    const inside = alternatives();
    depth--;
    take(")");
    return captures && fill !== undefined && [number, head?.name].includes(fill.group) ? fill.text : inside;
  };

  /** A character of the class, or a usual one that is not in it. */
  const characterClass = (): string => {
    const isNegated = take("^");
    const members: string[] = [];
    while (at < pattern.length && (members.length === 0 || pattern[at] !== "]")) {
      const first = pattern[at++] as string;
      members.push(first === "\\" ? escaped() : first);
      if (pattern[at] !== "-" || pattern[at + 1] === "]") continue;
      const last = pattern[at + 1] ?? first;
      at += 2;
      for (let code = first.charCodeAt(0) + 1; code <= last.charCodeAt(0) && members.length < 64; code++)
        members.push(String.fromCharCode(code));
    }
    take("]");
    if (isNegated) return [..."ax7- ."].find((char) => !members.includes(char)) ?? "x";
    return members[variant % members.length] ?? "";
  };

  const escaped = (): string => {
    const char = pattern[at++] ?? "";
    if ("bBAz".includes(char)) return "";
    if (/^p$/i.test(char)) {
      takeMatch(/^(?:\{\^?\w*\}|\w)/, 40);
      return "a";
    }
    return ESCAPES[char] ?? char;
  };

  const whole = alternatives();
  return (fill?.group === 0 ? fill.text : whole).slice(0, MAX_LENGTH);
}

/** A character of each class, and control characters. */
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ d: "7", w: "a", s: " ", D: "a", W: " ", S: "a" },
  ...{ n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" },
};
