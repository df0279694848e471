import { lazyPattern } from "../../core/lazy.ts";
import { anyOf } from "./phrases.ts";

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

const NOUN = anyOf(
  "answer|ans|choice|option|solution|diagnosis|conclusion|verdict|result",
  "respuesta|réponse|antwort|risposta|resposta",
);
const GRADE = anyOf(
  "final|correct|right|best|only|ultimate|overall|proper|actual|true|logical|definitive|exact|numerical|single",
  "most (?:likely|appropriate|accurate|suitable|plausible|probable|logical|reasonable|relevant|fitting)",
  "revised|corrected|updated",
);
/** What the answer is to: "(Yes or No)", "to the question 'Who …?'", "choice that best completes the sentence". */
const OF_NOUN = anyOf(
  "\\([^()\\n]{1,40}\\)",
  "choice|option|letter|key|here|overall|then|now|among a through [a-z]|in this case",
  '(?:to|for) (?:the |this )?(?:[a-z]+ ){0,2}?(?:question|problem|part)(?: \\d{1,3}|,)? ?(?:"[^"\\n]{1,200}"|\'[^\\n]{1,200}?\'(?= is))?',
  "(?:to|that|which)(?: best| most [a-z]+)? (?:complete|completes|answer|answers|fit|fits)[a-z ]{1,80}?",
);
const BE = anyOf("is|are|would be|should be|must be|has to be|will be|remains|is still|would have to be");
const ADVERB =
  "(?: (?:still|now|clearly|therefore|thus|hence|indeed|definitely|likely|most likely|probably|actually|as follows|option|indeed|simply|choice|that it is))";

const announcements = lazyPattern(
  anyOf(
    "(?<box>\\\\?\\bboxed ?\\{)",
    "(?<=(?:^|\\n) ?)(?<hashes>####) ?(?=[^\\n]{1,40}(?:\\n|$))",
    "(?<tag><(?:final_?)?answer>)",
    '(?<json>"(?:final_?)?answer" ?: ?)',
    "(?<=(?:^|\\n) ?)(?<line>a: ?)",
    `(?<words>(?:${GRADE} ){0,3}(?<![a-z])${NOUN}(?:\\(s\\))?(?: ${OF_NOUN}){0,2}(?: ${BE}${ADVERB}{0,2}:?| ?:|'s)(?![a-z]))`,
  ),
  "g",
);

const CLOSERS: Readonly<Record<string, string>> = { box: "}", tag: "</" };
const QUOTED = /"[^"\n]{0,80}"|[^,}\n]{0,60}/y;

/** The announcements in a text in lower case, in order. */
export function announcementsIn(lower: string): Announcement[] {
  const found: Announcement[] = [];
  for (const match of lower.matchAll(announcements())) {
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
    "you(?!(?:'re| are) (?:absolutely |completely )?(?:right|correct))|your|they|their|he|his|she|her|people|some|many|someone|one|others?|another|student|friend|user|expert|author|teacher",
    "not|never|no|neither|nor|[a-z]+n't|cannot|without|rather|instead|except|wrong|incorrect|mistaken(?:ly)?|mistake",
    "initial|initially|original|originally|previous|previously|earlier|first|second|third|next|last|prior|old|former|partial|possible|potential|alternative|intermediate",
    "obvious|intuitive|tempting|naive|common|popular|typical|usual|intended|expected|supposed|said|says|claims?|claimed|thought|was",
    "normally|usually|generally|typically|often|sometimes|in theory",
    "while|although|though|even|despite|which|what|why|how|each|every|any|part|step|sub|check|reject|eliminate|either|both|doubt|least|worst|less|too|almost|nearly",
  )}(?![a-z])|\\?`,
  "",
);
/** Words after an announced answer that may take it back, or answer again. */
const reversal = lazyPattern(
  `\\b${anyOf(
    "but|however|wait|actually|correction|corrected|sorry|apologi[sz]e|apologies|mistake|wrong|incorrect|instead|reconsider|recheck|recalculate|re-?evaluate|rethink|on second|hold on|hmm+|oops|unless|although|though|not sure|unsure|uncertain|rather|alternatively|also be|could be|might be|may be|if",
    "answer|ans|boxed|final|conclude|conclusion|correct|options?|choice|should be|must be|i (?:would|will|choose|pick|select)|you(?:'re| are) right|defer|change|switch|revise|edit|update",
  )}(?![a-z])|\\?|####|\\\\boxed`,
  "",
);

const SENTENCE_START = /[.!?:]["')\]]{0,2} |\n/g;

/** Where the sentence begins in which the position stands. */
function sentenceStart(lower: string, position: number): number {
  const from = Math.max(0, position - 240);
  let start = from === 0 ? 0 : position;
  const before = lower.slice(from, position);
  for (const match of before.matchAll(SENTENCE_START)) start = from + match.index + match[0].length;
  return start;
}

/** Before "would be", these alone are no other setting. */
const CONNECTIVE =
  /^(?:[^a-z]|so|therefore|thus|hence|then|and|i (?:would )?(?:think|believe|say)|that|the|my|in conclusion|overall|again|based on th(?:is|ese|e)(?: [a-z]+){1,3},)*$/;

/** How a rule reads what is announced, and where a text names any of its values. */
export interface PayloadReader<Value> {
  readonly read: ReadPayload<Value>;
  /** True if a part of the text may name a value. */
  readonly names: (start: number, end: number) => boolean;
  /** The same behind a mark for programs, if less counts there: "there are \boxed{2} such numbers between 5 and 9". */
  readonly namesBehindMark?: (start: number, end: number) => boolean;
}

/**
 * The answer that a text announces in so many words, `doubt` if something before it or behind it makes it doubtful,
 * `none` if what is announced is none, and undefined if nothing is announced. Of a text that was cut off, nothing may be missing behind
 * the answer.
 */
export function explicitAnswer<Value>(
  lower: string,
  { read, names, namesBehindMark = names }: PayloadReader<Value>,
  cut: boolean,
): Payload<Value> | "none" | "doubt" | undefined {
  const all = announcementsIn(lower);
  const line = cut ? undefined : lastLine(lower, read);
  const last = all.at(-1);
  const found = line ?? payloadOf(lower, last, read, cut);
  // A mark that holds something else: `"answer": "indeterminate"`.
  if (found === undefined && last?.mark && last.limit > last.end && !names(last.end, last.limit))
    return "none";
  if (found === undefined) return last === undefined ? undefined : "doubt";
  const namesMore = line === undefined && last?.mark === true ? namesBehindMark : names;
  if (namesMore(found.until, lower.length) || reversal().test(lower.slice(found.until))) return "doubt";
  for (const other of line === undefined ? all.slice(0, -1) : all) {
    const before = payloadOf(lower, other, read, false);
    if (before !== undefined && before.value !== found.value) return "doubt";
  }
  return found;
}

/** A last line, or a whole reply, that is nothing but the answer; no other such line may say something else. */
function lastLine<Value>(lower: string, read: ReadPayload<Value>): Payload<Value> | undefined {
  const end = lower.trimEnd().length;
  let line = lower.lastIndexOf("\n", end - 1) + 1;
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
  const before = mark ? "" : lower.slice(sentenceStart(lower, start), start);
  if (unsure().test(before) || (would && !CONNECTIVE.test(before))) return undefined;
  const found = read(end, limit, mark);
  if (found === undefined) return undefined;
  // "The answer is 1" may have been going to be 12.
  if (cut && !/^["')\]}*]*(?:[.!](?=\s)|\n|[)\]}<"])/.test(lower.slice(found.end))) return undefined;
  return found;
}
