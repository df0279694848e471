import { lazyPattern } from "../../core/lazy.ts";
import { allMatches, anyOf, RETRACTION, upTo } from "./phrases.ts";
import { ATTRIBUTED, isNotOwn } from "./standing.ts";

/** Where words announce an answer, and where the answer begins. */
export interface Announcement {
  readonly start: number;
  readonly end: number;
  /** Where what is announced ends: at a closing bracket or tag, or with its sentence. */
  readonly limit: number;
  /** True for a mark that is meant for programs: `\boxed{}`, `####`, `<answer>`, a JSON field. */
  readonly mark: boolean;
  /** True for "would be", which may tell of another setting: "on Earth it would be A". */
  readonly would: boolean;
}

/** What is announced. */
export interface Payload<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
  /** Where the words end that belong to it. */
  readonly until: number;
  /** True if those words are an option's text: "C. both A and B". */
  readonly option?: boolean;
}

/** Reads what is announced between two places; undefined if it is nothing that can be read without doubt. */
export type ReadPayload<Value> = (start: number, limit: number, mark: boolean) => Payload<Value> | undefined;

export const NOUN: string = anyOf(
  "answer|ans|choice|option|(?<!each |every )letter|solution|diagnosis|conclusion|verdict|result|judge?ment|decision|prediction|selection|pick|guess|(?:right|correct|best|only) one",
  "respuesta|réponse|antwort|risposta|resposta",
);
export const GRADE: string = anyOf(
  "final|correct|right|best|only|ultimate|overall|proper|actual|true|logical|definitive|exact|numerical|single",
  "most (?:likely|appropriate|accurate|suitable|plausible|probable|logical|reasonable|relevant|fitting)",
);
/** What the answer is to: "(Yes or No)", "to the question 'Who …?'", "choice that best completes the sentence". */
export const OF_NOUN: string = anyOf(
  "\\([^()\\n]{1,40}\\)",
  "choice|option|letter|key|here|overall|then|now|among a through [a-z]|in this case|correcta|correcte|corretta",
  '(?:to|for) (?:the |this )?(?:[a-z]+ ){0,2}?(?:question|problem|part)(?: \\d{1,3}|,)? ?(?:"[^"\\n]{1,200}"|\'[^\\n]{1,200}?\'(?= is))?',
  "(?:to|that|which)(?: best| most [a-z]+)? (?:completes?|answers?|fits?|satisf(?:y|ies)|meets?|match(?:es)?|describes?|explains?|supports?|represents?|works|makes)(?: [a-z]+){0,12}?",
);
export const BE: string = anyOf(
  "is|are|would be|should be|must be|has to be|will be|remains|stays|is still|would have to be|es|est|ist|è|é",
);
const ADVERB =
  " (?:still|now|clearly|therefore|thus|hence|indeed|definitely|likely|most likely|probably|actually|as follows|option|indeed|simply|choice|that it is)";

const announcements = lazyPattern(
  anyOf(
    "(?<box>\\\\?\\bboxed ?\\{)",
    "(?<=(?:^|\\n) ?)(?<hashes>####) ?(?=[^\\n]{1,40}(?:\\n|$))",
    "(?<tag><(?:final_?)?answer>)",
    '(?<json>"(?:final_?)?answer" ?: ?)',
    "(?<=(?:^|\\n) ?)(?<line>a: ?)",
    `(?<words>(?<![a-z])${NOUN}(?:\\(s\\))?${upTo(2, ` ${OF_NOUN}`)}(?: ${BE}${upTo(2, ADVERB)}:?| ?:|'s)(?![a-z])(?! (?:correct|right|wrong|incorrect|unchanged|the same|unclear)(?![a-z])))`,
  ),
  "g",
);

const CLOSERS: Readonly<Record<string, string>> = { box: "}", tag: "</" };
const QUOTED = /"[^"\n]{0,80}"|[^,}\n]{0,60}/y;

/** The announcements in a text in lower case, in order. */
function announcementsIn(lower: string): Announcement[] {
  const found: Announcement[] = [];
  for (const match of allMatches(announcements(), lower)) {
    const groups = match.groups ?? {};
    const start = match.index;
    const end = start + match[0].length;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "words";
    const mark = kind !== "words" && kind !== "line";
    const would = kind === "words" && match[0].includes(" would ");
    found.push({ start, end, limit: limitOf(lower, kind, end), mark, would });
  }
  return found;
}

function limitOf(lower: string, kind: string, end: number): number {
  const closer = CLOSERS[kind];
  if (closer !== undefined) {
    const at = lower.indexOf(closer, end);
    return at < 0 ? end : at;
  }
  if (kind === "json") {
    QUOTED.lastIndex = end;
    return end + (QUOTED.exec(lower)?.[0].length ?? 0);
  }
  const line = kind === "hashes" ? lower.indexOf("\n", end) : -1;
  return line < 0 ? lower.length : line;
}

/** Words before an announcement that make it less than the reply's own answer, here and now. */
const unsure = lazyPattern(
  `\\b${anyOf(
    "if|unless|whether|suppose|assum(?:e|ing)|hypothetical|were|had|would have|might|may|could|perhaps|maybe|possibly",
    "you(?!(?:'re| are) (?:absolutely |completely )?(?:right|correct))|your|they|their|he|his|she|her|people|some|many|someone|one|others?|another|student|friend|user|expert|author|teacher|(?:model|assistant|ai|bot)'s",
    "initial|initially|original|originally|previous|previously|earlier|first|second|third|next|last|prior|old|former|partial|possible|potential|alternative|intermediate",
    "trap|decoy|distractor|obvious|intuitive|tempting|naive|common|popular|typical|usual|intended|expected|supposed|said|says|claims?|claimed|thought|was",
    "normally|usually|generally|typically|often|sometimes|in theory",
    "while|although|though|even|despite|which|what|why|how|each|every|any|part|step|sub|check|reject|eliminate|either|both|doubt|least|worst|less|too|almost|nearly",
  )}(?![a-z])|\\?`,
  "",
);
/** Words that deny what follows in their clause: "A is not right, so the answer is B" denies no B. */
const denied = lazyPattern(
  `\\b${anyOf(
    "not|never|no|neither|nor|[a-z]+n't|cannot|without|rather|instead|except|wrong|incorrect|mistaken(?:ly)?|mistake",
  )}(?![a-z])[^,;]*$`,
  "",
);
/** Words after an announced answer that may take it back, or answer again. */
const reversal = lazyPattern(
  `\\b${anyOf(
    "but|however|wait|actually|correction|corrected|sorry|apologi[sz]e|apologies|mistake|wrong|incorrect|instead|reconsider|recheck|recalculate|re-?evaluate|rethink|on second|hold on|hmm+|oops|not sure|unsure|uncertain|alternatively|also be|could be|might be|may be",
    "boxed|should be|must be|i (?:would|will|choose|pick|select)|you(?:'re| are) right|defer|change|switch|revise|edit|update",
  )}(?![a-z])|\\?|####|\\\\boxed`,
  "",
);

/** Words that take an earlier answer back. */
const correction = lazyPattern(
  `\\b(?:${RETRACTION}|wait|correction|my mistake|actually(?=,)|sorry|i apologi[sz]e)(?![a-z])`,
  "",
);

/** What explains an answer, or sets it against another: "(5 red and 2 green)", ", not 6". */
const GLOSS =
  /^(?: ?\((?!or |maybe|perhaps|possibly)[^()\n]{1,200}\)|,? (?:and )?(?:not|rather than|instead of) [^,.;\n]{1,40})/;
/** Words behind an answer that begin its check or its explanation; what they name is no other answer. */
export const explains: () => RegExp = lazyPattern(
  `^(?:[\\s"'#*.,;:)}\\]$—-]|</[a-z_]+>){0,6}${anyOf(
    `(?:(?:let's|let us|let me|we can|you can|just to|to|quick|sanity) (?:quickly |also )?)?${anyOf(
      "(?:double-)?check(?:ing)?|verify(?:ing)?|verification|proof|confirm(?:ing)?|test(?:ing)?",
    )}(?:[,:\\n]| (?:this|that|it|the|by|with|our|your|again)(?![a-z]))`,
    "(?:here(?:'s| is) (?:why|how|the)|why\\?|explanation|reason(?:ing|s)?|indeed|that way|this (?:works|checks|adds|fits)|confidence)(?![a-z])",
    "(?:they|these|those) (?:are|come|form|occur|make|consist|include)(?![a-z])",
    "each (?:of (?:them|these) |[a-z]+ )?(?:has|have|contains|consists|is)(?![a-z])",
    "i(?:'m| am) (?:about |around )?\\d{1,3} ?(?:%|percent) (?:sure|certain|confident)(?![a-z])",
    "(?:this is )?(?:because|since)(?![a-z])|i hope this|let me know if|arranged|consisting|made up of",
  )}`,
  "",
);
const SENTENCE_START = /[.!?:]["')\]]{0,2} |\n/g;

/** Where the sentence begins in which the position stands. */
function sentenceStart(lower: string, position: number): number {
  const from = Math.max(0, position - 240);
  let start = from === 0 ? 0 : position;
  const before = lower.slice(from, position);
  for (const match of allMatches(SENTENCE_START, before)) start = from + match.index + match[0].length;
  return start;
}

/** A conclusion or a contrast starts a new clause: "We don't know, so the answer is C". */
const NEW_CLAUSE = /^.*(?:[,;] (?:so|therefore|thus|hence|but|however),? |[;—] )/;
/** Before "would be", these alone are no other setting. */
const connective = lazyPattern(
  `^${anyOf(
    "[^a-z]|so|therefore|thus|hence|then|and|i (?:would )?(?:think|believe|say|conclude)|that|the|my|in conclusion|overall|again",
    "(?:based on|given|after|upon) [a-z ]{1,60},",
    GRADE,
  )}*$`,
  "",
);

/** Where a text begins and ends: true if something is missing at its end, and if it is all of the reply. */
export interface TextEnds {
  readonly cut: boolean;
  readonly whole: boolean;
}

/** How a rule reads what is announced, and where a text names any of its values. */
export interface PayloadReader<Value> {
  readonly read: ReadPayload<Value>;
  /** True if a part of the text may name a value. */
  readonly names: (start: number, end: number) => boolean;
  /** The same behind a mark for programs, if less counts there: "there are \boxed{2} such numbers between 5 and 9". */
  readonly namesBehindMark?: (start: number, end: number) => boolean;
}

/**
 * The answer that a text announces explicitly, `doubt` if something before it or behind it makes it doubtful,
 * `none` if what is announced is none, and undefined if nothing is announced. Of a text that was cut off, nothing may be missing behind
 * the answer.
 */
export function explicitAnswer<Value>(
  lower: string,
  { read, names, namesBehindMark = names }: PayloadReader<Value>,
  { cut, whole }: TextEnds,
): Payload<Value> | "none" | "doubt" | undefined {
  const all = announcementsIn(lower);
  const line = cut ? undefined : lastLine(lower, read, whole);
  const last = all.at(-1);
  const found = line ?? payloadOf(lower, last, read, cut);
  // A mark that holds something else: `"answer": "indeterminate"`.
  if (found === undefined && last?.mark && last.limit > last.end && !names(last.end, last.limit))
    return "none";
  if (found === undefined) return last === undefined ? undefined : "doubt";
  const namesMore = line === undefined && last?.mark === true ? namesBehindMark : names;
  const rest = found.until + (GLOSS.exec(lower.slice(found.until))?.[0].length ?? 0);
  const behind = lower.slice(rest);
  if (explains().test(behind)) return correction().test(behind) ? "doubt" : found;
  if (namesMore(rest, lower.length) || reversal().test(behind)) return "doubt";
  for (const other of line === undefined ? all.slice(0, -1) : all) {
    const before = payloadOf(lower, other, read, false);
    if (before === undefined || before.value === found.value) continue;
    // "The answer is A. Wait, no. The answer is C."
    if (!correction().test(lower.slice(before.until, last?.start ?? found.start))) return "doubt";
  }
  return found;
}

/** A last line, or a whole reply, that is nothing but the answer; no other such line may say something else. */
function lastLine<Value>(
  lower: string,
  read: ReadPayload<Value>,
  whole: boolean,
): Payload<Value> | undefined {
  const end = lower.trimEnd().length;
  let line = lower.lastIndexOf("\n", end - 1) + 1;
  if (line === 0 && !whole) return undefined;
  if (line > 0 && !/[^:\n]\n\n$/.test(lower.slice(Math.max(0, line - 3), line))) return undefined;
  const found = loneLine(lower, line, end, read);
  while (found !== undefined && line > 1) {
    const lineEnd = line - 1;
    line = lower.lastIndexOf("\n", lineEnd - 1) + 1;
    const other = loneLine(lower, line, lineEnd, read);
    if (other !== undefined && other.value !== found.value) return undefined;
  }
  return found;
}

function loneLine<Value>(
  lower: string,
  line: number,
  end: number,
  read: ReadPayload<Value>,
): Payload<Value> | undefined {
  if (end - line > (line === 0 ? 200 : 40) || end <= line) return undefined;
  const found = read(line, end, false);
  if (found === undefined) return undefined;
  const whole = line === 0 && found.option && found.until >= end - 2;
  return whole || !/[a-z0-9]/.test(lower.slice(found.end, end)) ? found : undefined;
}

function payloadOf<Value>(
  lower: string,
  announcement: Announcement | undefined,
  read: ReadPayload<Value>,
  cut: boolean,
): Payload<Value> | undefined {
  if (announcement === undefined) return undefined;
  const { start, end, limit, mark, would } = announcement;
  const sentence = lower.slice(sentenceStart(lower, start), start);
  const before = mark ? "" : sentence.slice(NEW_CLAUSE.exec(sentence)?.[0].length ?? 0);
  if (unsure().test(before) || denied().test(before) || isNotOwn(before)) return undefined;
  if (would && !connective().test(before)) return undefined;
  const found = read(end, limit, mark);
  if (found === undefined || (!mark && ATTRIBUTED.test(lower.slice(found.end, found.end + 60))))
    return undefined;
  // "The answer is 1" may have been going to be 12.
  if (cut && !/^["')\]}*]*(?:[.!](?=\s)|\n|[)\]}<"]| (?:because|since) )/.test(lower.slice(found.end)))
    return undefined;
  return found;
}
