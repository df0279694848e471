import { lazyPattern } from "../../core/lazy.ts";
import { ANSWER, announces, CLAIM, type CueStrength } from "./answer-cue.ts";
import { approvalAfter } from "./approval.ts";
import { type Decision, decide, leadingAnswer, withSharedStanding } from "./decide.ts";
import { groupMentions, type Mention, type MentionGroup } from "./mention.ts";
import { matchesAt } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Context, groupValues, isOpen, type Statement } from "./statement.ts";

/** Reads the option that a reply chooses, in upper case; a choice that is none of the options is absent. */
export function readLetter(context: Context, options: ReadonlySet<string>): Decision<string> {
  const lines = optionLines(context.reply);
  const single: Statement<string>[] = [];
  /** Options that are mentioned without being chosen or denied. */
  const open = new Set<string>();
  for (const group of groupMentions<string, LetterMention>(context.reply, letterMentions(context))) {
    const statement = letterStatement(context, group, {
      line: lines.get(group.start),
      previous: single.at(-1),
      options,
    });
    single.push(statement);
    if (statement.standing !== "asserted" && !isOpen(statement)) continue;
    const weighed = group.mentions.length > 1 || lines.has(group.start);
    for (const { value, marked } of group.mentions) if (weighed || marked) open.add(value);
  }
  const statements = withSharedStanding(context.reply, single);
  const decision = leadingAnswer(context.reply, statements) ?? decide(statements, context.reversals);
  if (decision.status === "found") return options.has(decision.value) ? decision : { status: "absent" };
  const several = [...open].filter((letter) => options.has(letter)).length > 1;
  return decision.status === "absent" && several ? { status: "ambiguous" } : decision;
}

type Group = MentionGroup<string, LetterMention>;
type Strength = CueStrength | 0;

/** What stands around a group of letters. */
export interface LetterSurroundings {
  /** The line that the group begins, if it looks like an option. */
  readonly line: OptionLine | undefined;
  /** The statement before it. */
  readonly previous: Statement<string> | undefined;
  /** The letters that there are; any other counts only where it is called the answer. */
  readonly options: ReadonlySet<string>;
}

/** What a reply says with a letter, or with several together. */
export function letterStatement(
  context: Context,
  group: Group,
  { line, previous, options }: LetterSurroundings,
): Statement<string> {
  const cue = context.cueBefore(group.start);
  const listed = line?.role === "listed";
  const announced =
    !listed &&
    cue !== undefined &&
    (announces(context.reply, cue, group.start) || isGloss(context.reply, cue, group));
  const standing =
    line?.mark === "wrong"
      ? "denied"
      : context.standing(group, previous?.end ?? 0, announced ? cue : undefined);
  const closed = group.mentions.at(-1)?.closed ?? false;
  const strength = Math.max(
    announced && closed && cue.strength >= CLAIM ? cue.strength : 0,
    context.approval(group) ?? 0,
    line?.mark === "right" ? CLAIM : 0,
    listed ? 0 : standsAlone(context.reply, group, line),
    closed && isContrast(context.reply, group, previous) ? CLAIM : 0,
  ) as Strength;
  const known = strength >= ANSWER || group.mentions.every(({ value }) => options.has(value));
  const values = groupValues(group);
  // "A:" may mean an answer, and "we are left with C and D" chooses nothing.
  const weak = strength < ANSWER && (line?.role === "open" || (values.length > 1 && strength > 0));
  const open = weak && standing === "asserted";
  return {
    values,
    standing: open ? "doubtful" : standing,
    strength: open ? CLAIM : known ? strength : 0,
    start: group.start,
    end: group.end,
  };
}

/** "The answer is Paris (B)": the letter glosses the answer that a cue announces. */
function isGloss(
  reply: ReplyText,
  cue: { end: number; strength: number },
  { start, end, mentions }: Group,
): boolean {
  if (cue.strength < ANSWER || !mentions[0]?.marked || start - cue.end > 80) return false;
  if (reply.sentenceStart(start) > cue.end) return false;
  return /^[)\]"']*(?:[.!]|\s*$)/.test(reply.text.slice(end, reply.sentenceEnd(end)));
}

const head = lazyPattern("^(?:[^\\p{L}\\p{N}]|option |choice )*$", "iu");
const word = lazyPattern("[\\p{L}\\p{N}]", "u");
const LEADING =
  /^["')\]}$]{0,3}(?:,|:| ?[-–—(]| (?:because|since|as|due|rather|instead|over|not|i)(?![a-z]))/i;

/** How plainly a letter is an answer by standing alone: as a line, as a sentence, or at the head of the reply. */
function standsAlone(reply: ReplyText, group: Group, line: OptionLine | undefined): Strength {
  const { start, end } = group;
  const from = reply.sentenceStart(start);
  const before = reply.text.slice(Math.max(from, start - 30), start);
  if (
    start - from > 30 ||
    !/^(?:[\s"'([{$>•+#-]|\d{1,2}[.)] |(?:options?|choices?|answers?|letters?|both|either) )*$/i.test(before)
  ) {
    if (isStrongEnd(reply, group)) return ANSWER;
    return isLast(reply, end) && AFTER_COLON.test(reply.text.slice(from, start)) ? CLAIM : 0;
  }
  const outer = isFirst(reply, start) || isLast(reply, end);
  if (line?.role === "chosen") return outer || isLast(reply, reply.lineEnd(end)) ? ANSWER : CLAIM;
  // "1. B 2. C" answers several questions.
  if (/\S \d{1,2}[.)] ?$/.test(reply.text.slice(Math.max(0, from - 6), from))) return 0;
  const after = reply.text.slice(end, Math.min(end + 40, reply.sentenceEnd(end)));
  if (/^["')\]}$]{0,4}[.!]?["')\]}$]{0,4}\s*$/.test(after) && !isInitial(reply, end)) {
    if (outer || reply.lineEnd(end) - end <= 4) return ANSWER;
    // In the middle of a line, "A. Rome" is an option; only as the answer to a question is it a sentence.
    return from > 0 && reply.asks(from - 1) ? CLAIM : 0;
  }
  return isFirst(reply, start) && LEADING.test(reply.text.slice(end, end + 20)) ? ANSWER : 0;
}

/** "Yes, I am sure: B." */
const AFTER_COLON =
  /^[^:]{1,80}: ?["'([]{0,2}$|^(?:all right|okay?|fine|respectfully|again|honestly|sure|alright), ["'([]{0,2}$/i;

/** "J. K. Rowling": a letter with a full stop before another one is an initial. */
function isInitial(reply: ReplyText, end: number): boolean {
  return /^\. ?[A-Z]\./.test(reply.text.slice(end, end + 5));
}

/** A letter in bold at the very end. */
function isStrongEnd(reply: ReplyText, { start, end, mentions }: Group): boolean {
  if (mentions.length > 1 || !isLast(reply, end)) return false;
  return (
    [start, start - 1].some((at) => reply.strong.has(at)) && [end, end + 1].some((at) => reply.strong.has(at))
  );
}

function isFirst(reply: ReplyText, start: number): boolean {
  return start <= 40 && head().test(reply.text.slice(0, start));
}

function isLast(reply: ReplyText, end: number): boolean {
  return reply.text.length - end <= 40 && !word().test(reply.text.slice(end));
}

const CONTRAST =
  /^["')\]}.*]{0,3}[\s,;:–—-]{0,3}(?:(?:but|rather|instead|so|it's|it is|it must be|only)[\s,:]{0,2}){0,3}(?:option |choice |the answer is )?["'([]{0,2}$/;

/** "Not B, but C": what follows a denial in the same sentence is the answer. */
function isContrast(reply: ReplyText, { start }: Group, previous: Statement<string> | undefined): boolean {
  if (previous?.standing !== "denied" || start - previous.end > 40) return false;
  if (reply.sentenceStart(start) > previous.end) return false;
  return CONTRAST.test(reply.lower.slice(previous.end, start));
}

/** A letter that may name an option, always in upper case. */
export interface LetterMention extends Mention<string> {
  /** True if brackets or a word such as "option" say that it names an option. */
  readonly marked: boolean;
  /** True if what follows lets the letter be an answer: "B.", "B because", and not "B cells" or "A good way". */
  readonly closed: boolean;
}

// Not inside a word, a name ("X-ray", "R&D", "C++"), an abbreviation ("e.g."), a formula or a possessive.
const LETTER =
  /(?<![A-Za-z0-9]')(?<![A-Za-z0-9_^&@°\\.+\u00c0-\u024f\u0370-\u052f-])[A-Za-z](?![A-Za-z0-9_^@°+#(\u00c0-\u024f\u0370-\u052f]|['&.-][A-Za-z0-9]|-(?! )| ?=(?!>))/g;

/** Letters in quantities, functions and vitamins name no option: "25 C", "P(A)", "N/A". */
const FOREIGN_BEFORE =
  /(?:\d ?|[A-Za-z0-9]\(|n\/|[a-z]{2}\/|vitamin |hepatitis |plan |type |group |class |grade |schedule |influenza )$/;
const FOREIGN_AFTER = /\/(?![a-z](?![a-z]|\)? [a-z]))/y;
const PAIR_END = /\)? [a-z]/y;

/** Names of species after an abbreviated genus: "C. difficile" is no option. */
const SPECIES =
  /\. (?:difficile|diff|coli|albicans|burgdorferi|fumigatus|perfringens|botulinum|tetani|jejuni|trachomatis|pneumoniae|neoformans|diphtheriae|cereus|anthracis|pertussis|fragilis|histolytica|faecalis|faecium|cloacae|elegans|melanogaster|sapiens|vulgaris|aureus|influenzae|auris|glabrata|henselae|quintana|bovis|canis|suis|immitis|dermatitidis|capsulatum|lamblia|pylori|henselae|melitensis|abortus|psittaci|israelii|baumannii|aeruginosa|typhi|flexneri|sonnei|vaginalis|gondii|cruzi|vivax|falciparum|rickettsii|pallidum|catarrhalis|meningitidis|gonorrhoeae|monocytogenes|pyogenes|agalactiae|epidermidis)(?![a-z])/y;

const CLOSED =
  /["')\]}>$]{0,4}(?:$|[.,;:!?…)\]/|\n\u3000-\u9fff\uac00-\ud7af]|<\/|\s?[-–—→([|&✓✔✅]| (?:because|since|as|due|for|which|that|and|or|nor|but|not|rather|over|instead|given|so|here|again|based|where|in|on|from|by|although|though|then|if|when|unless|with|would|too|also|after|to|at|than|my|i|it|it's)(?![a-z]))/y;

const BRACKETED = /(?:[([{]|<(?:final_?)?(?:answer|choice|option)>)["'$]?$/;
const BRACKET_AFTER = /["'$]?(?:[)\]}]|<\/)/y;
/** "Both D and A are …": a capital behind a letter and "and" is no article. */
const JOINED = /(?:^|[^A-Za-z0-9])[A-Z]["')\]]{0,2},? (?:and|or|nor|&) (?:[Oo]ption )?["'([]{0,2}$/;
const NAMED = /(?:options?|choices?|alternatives?|letters?|answers?) ["'([]{0,2}$/;

/** Every letter in a reply that may name an option. */
export function letterMentions(context: Context): LetterMention[] {
  const { text, lower } = context.reply;
  const mentions: LetterMention[] = [];
  for (const { 0: letter, index: start } of text.matchAll(LETTER)) {
    const end = start + 1;
    const before = lower.slice(Math.max(0, start - 16), start);
    if (isForeign(lower, before, end)) continue;
    const bracketed = BRACKETED.test(before) && matchesAt(BRACKET_AFTER, lower, end);
    const named = NAMED.test(before);
    const closed = bracketed || matchesAt(CLOSED, lower, end);
    const small = letter !== letter.toUpperCase();
    if (bracketed && /[ai]/.test(letter) && isPart(context, start)) continue;
    if (
      small &&
      !bracketed &&
      !(named && isJudged(context, end)) &&
      !(closed && (named || isAnnounced(context, start)))
    )
      continue;
    // An article or a pronoun, unless something closes it off.
    const joined = letter === "A" && JOINED.test(text.slice(Math.max(0, start - 16), start));
    if (!closed && !named && !joined && /[AI]/i.test(letter) && !isJudged(context, end)) continue;
    mentions.push({ value: letter.toUpperCase(), start, end, marked: bracketed || named, closed });
  }
  return mentions;
}

/** "(a) First we …", "(i) Let x be …": at the head of a sentence, small letters number the parts of a text. */
function isPart({ reply }: Context, start: number): boolean {
  if (start - reply.sentenceStart(start) > 2) return false;
  return /^\) ?(?:[a-z0-9',]+ ){3}/.test(reply.lower.slice(start + 1, start + 60));
}

function isForeign(lower: string, before: string, end: number): boolean {
  if (FOREIGN_BEFORE.test(before) || matchesAt(FOREIGN_AFTER, lower, end)) return true;
  return isSpecies(lower, end) || (before.endsWith("/") && matchesAt(PAIR_END, lower, end));
}

/** True if a letter that ends here abbreviates a genus: "C. difficile". */
export function isSpecies(lower: string, end: number): boolean {
  return matchesAt(SPECIES, lower, end);
}

/** True if words after a letter approve or disapprove of it: "A is correct". */
function isJudged({ reply, negation }: Context, end: number): boolean {
  return approvalAfter(reply.lower, end) !== undefined || negation.calledWrong(end);
}

/** A small letter counts if a cue announces it, or if it stands alone on its line ("b", "b) Paris"). */
function isAnnounced(context: Context, start: number): boolean {
  const cue = context.cueBefore(start);
  if (cue !== undefined && cue.strength > 1 && announces(context.reply, cue, start)) return true;
  const line = context.reply.lineStart(start);
  return start - line <= 8 && /^[-•>#\s"'([]*$/.test(context.reply.text.slice(line, start));
}

/** How a letter stands on a line that it begins. */
export interface OptionLine {
  /** `chosen` if the line is the answer, `listed` if it is one of a list of options, `open` if it may be either. */
  readonly role: "chosen" | "listed" | "open";
  /** What a mark at the end of the line says of the option: "B) Paris ✅". */
  readonly mark?: "right" | "wrong";
}

const LINE =
  /^((?:[-•+>#]{1,6} |\d{1,2}[.)] ){0,2}(?:(?:option|choice|answer) )?["'([{$]{0,3})([A-Za-z])["'$]{0,2}(?:([)\]}.:]{1,3})|(?= ?[-–—] ))(.*)$/gim;

const OTHER_OPTION = /(?:^|\s)[([]?([A-Z])(?:[)\]]|[.:](?=\s+\S))\s/g;
const RIGHT_MARK =
  /(?:[✅✓✔☑]\ufe0f?|\((?:correct|right)(?: answer)?\)|[-–—←] ?correct(?: answer)?)[.!)*\s]*$/i;
const WRONG_MARK = /(?:[❌✗✘✖]\ufe0f?|\((?:incorrect|wrong)\)|[-–—←] ?(?:incorrect|wrong))[.!)*\s]*$/i;

interface Line extends OptionLine {
  readonly letter: string;
  readonly start: number;
}

/**
 * Lines that begin with an option, by the position of its letter. Lines whose letters ascend restate the question's
 * options; a line that belongs to no such list is an answer.
 */
export function optionLines(reply: ReplyText): ReadonlyMap<number, OptionLine> {
  const runs: Line[][] = [];
  for (const match of reply.text.matchAll(LINE)) {
    const line = lineOf(match);
    if (reply.sentenceStart(line.start) < reply.lineStart(line.start)) continue;
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run !== undefined && previous !== undefined && previous.letter < line.letter) run.push(line);
    else runs.push([line]);
  }
  const lines = new Map<number, OptionLine>();
  for (const run of runs) {
    for (const line of run) lines.set(line.start, run.length > 1 ? { ...line, role: "listed" } : line);
  }
  return lines;
}

function lineOf(match: RegExpExecArray): Line {
  const [, prefix = "", letter = "", delimiter = "", rest = ""] = match;
  const start = match.index + prefix.length;
  const upper = letter.toUpperCase();
  const others = [...` ${rest.slice(0, 2_000)} `.matchAll(OTHER_OPTION)].some(([, other]) => other !== upper);
  // "A:" may stand for "answer", and "I.", "V.", "X." for Roman numerals.
  const open = (upper === "A" && delimiter === ":") || (/[IVX]/.test(upper) && delimiter === ".");
  const tail = rest.slice(-30);
  const mark = RIGHT_MARK.test(tail) ? "right" : WRONG_MARK.test(tail) ? "wrong" : undefined;
  const role = others ? "listed" : open ? "open" : "chosen";
  return { letter: upper, start, role, ...(mark === undefined ? {} : { mark }) };
}
