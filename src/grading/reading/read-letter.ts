import { lazyPattern } from "../../core/lazy.ts";
import { ANSWER, approvalAfter, CLAIM, cueBefore, type Strength } from "./answer-cue.ts";
import { type Decision, decide, type Statement } from "./decide.ts";
import { groupMentions, groupValues, type Mention, type MentionGroup } from "./mention.ts";
import { allMatches, matchesAt } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { standingOf } from "./standing.ts";

/** Reads the option that a reply chooses, in upper case; a choice that is none of the options is absent. */
export function readLetter(reply: ReplyText, options: ReadonlySet<string>): Decision<string> {
  const lines = optionLines(reply);
  const statements: Statement<string>[] = [];
  for (const group of groupMentions<string, LetterMention>(reply, letterMentions(reply))) {
    statements.push(
      letterStatement(reply, group, { line: lines.get(group.start), previous: statements.at(-1), options }),
    );
  }
  const [only, ...more] = statements.filter(({ standing }) => standing !== "denied");
  const agrees = more.length === 0 && reply.text.length <= SHORT && AGREES.test(reply.lower);
  const decision = decide(reply, agrees && only !== undefined ? [{ ...only, strength: CLAIM }] : statements);
  return decision.status !== "found" || options.has(decision.value) ? decision : { status: "absent" };
}

/** How long a reply may be that says its answer without a cue. */
const SHORT = 200;
/** "You're right, B is the prime number", "B is the prime number, not D" */
const AGREES =
  /^(?:you(?:'re| are) (?:absolutely |completely )?(?:right|correct)|yes|okay|indeed|agreed)[,.!:;] |^["'(]?[a-z]["')]? is the [^,]*, not /;

type Group = MentionGroup<string, LetterMention>;

/** What stands around a group of letters. */
interface LetterSurroundings {
  /** The line that the group begins, if it looks like an option. */
  readonly line: LineRole | undefined;
  /** The statement before it. */
  readonly previous: Statement<string> | undefined;
  /** The letters that there are; any other counts only where it is called the answer. */
  readonly options: ReadonlySet<string>;
}

/** What a reply says with a letter, or with several together. */
function letterStatement(
  reply: ReplyText,
  group: Group,
  { line, previous, options }: LetterSurroundings,
): Statement<string> {
  const { start, end } = group;
  const listed = line === "listed";
  const cue = listed ? undefined : cueBefore(reply.lower, reply.sentenceStart(start), start);
  const approval = approvalAfter(reply.lower.slice(end, end + 100));
  const clause = reply.clauseStart(cue?.start ?? start);
  // A cue may reach over the group before: "I won't change my answer from B to D".
  const over = cue !== undefined && cue.start < (previous?.end ?? 0);
  const from = over ? clause : Math.max(previous?.end ?? 0, clause);
  const standing = standingOf(reply, group, from, approval > 0);
  const closed = group.mentions.at(-1)?.closed ?? false;
  const strength = Math.max(
    cue !== undefined && closed && (cue.strength === ANSWER || !isJudged(reply, end)) ? cue.strength : 0,
    approval,
    listed ? 0 : standsAlone(reply, group, line),
  ) as Strength;
  const known = strength >= ANSWER || group.mentions.every(({ value }) => options.has(value));
  const values = groupValues(group);
  // "A:" may mean an answer, and "we are left with C and D" chooses nothing.
  const weak = strength < ANSWER && (line === "open" || (values.length > 1 && strength > 0));
  const open = weak && standing === "asserted";
  return {
    values,
    // "a = F/m": a letter that is no option is no rival.
    standing: open ? "open" : known ? standing : "others",
    strength: open ? CLAIM : known ? strength : 0,
    start,
    end,
    concludes: cue?.concludes ?? false,
  };
}

const head = lazyPattern("^(?:[^\\p{L}\\p{N}]|option |choice |still |yes[,.] |again[,:] )*$", "iu");
const word = lazyPattern("[\\p{L}\\p{N}]", "u");
const LEADING =
  /^["')\]}$]{0,3}(?:,|:| ?[-–—(]| (?:because|since|as|due|rather|instead|over|not|i)(?![a-z]))/i;

const ALONE =
  /^(?:[\s"'([{$>•+#-]|\d{1,2}[.)] |(?:options?|choices?|answers?|letters?|both|either|still|yes,) )*$/i;

/** How plainly a letter is an answer by standing alone: as a line, as a sentence, or at the head of the reply. */
function standsAlone(reply: ReplyText, group: Group, line: LineRole | undefined): Strength {
  const { start, end } = group;
  const from = reply.sentenceStart(start);
  const before = reply.text.slice(from, start);
  const after = reply.text.slice(end, Math.min(end + 40, reply.sentenceEnd(end)));
  const calculated = CALCULATED.test(after);
  // "After weighing everything, **C**", "The vessel is **D) the pulmonary vein**."
  if (!calculated && group.mentions.length === 1 && isOnlyStrong(reply, group)) return ANSWER;
  if (before.length > 30 || !ALONE.test(before)) {
    if (!isLast(reply, end)) return 0;
    return AFTER_COLON.test(before) || (reply.text.length <= SHORT && PREDICATE.test(before)) ? CLAIM : 0;
  }
  // "B) 91 = 7 × 13": a calculation with an option.
  if (calculated) return 0;
  if (line === "chosen") return ANSWER;
  // "1. B 2. C" answers several questions.
  if (/(?:^|\s)[A-Za-z][).,;]? \d{1,2}[.)] ?$/.test(reply.text.slice(Math.max(0, from - 10), from))) return 0;
  // "… about 2 %. D) 2%", where no other option is named
  if (OPTION_TEXT.test(reply.text.slice(start)) && letterMentions(reply).length === 1) return ANSWER;
  // In the middle of a line, "A. Rome" is an option.
  if (/^["')\]}$]{0,4}[.!]?["')\]}$]{0,4}\s*$/.test(after))
    return isFirst(reply, start) || reply.lineEnd(end) - end <= 4 ? ANSWER : 0;
  return isFirst(reply, start) && LEADING.test(after) ? ANSWER : 0;
}

const OPTION_TEXT = /^[A-Z]["']?\)[^.!?\n]{1,60}[.!]?["')\]]{0,2}\s*$/;
const CALCULATED = /^["')\]}.:]{0,3} (?:[-–—] )?\d[\d.,]* ?(?:=|is|was) ?\d/;
const STRONG_OPTION = /["'([]{0,2}([A-Z])["']?(?:[)\].:]|$)/y;

/** "**D) the vein**." is an answer, "**D) the vein** carries" is none. */
const AFTER_STRONG = /^["')\]]{0,2}(?:[.!,;:]|\s*$|\n| [–—-] | (?:because|since|as)\b)/;

/** True if a letter begins what is in bold, nothing is said about it, and no other letter does. */
function isOnlyStrong({ text, strong }: ReplyText, { start, end, mentions }: Group): boolean {
  if (!strong.has(start) && !strong.has(start - 1)) return false;
  const close = [...strong].find((at) => at >= end) ?? end;
  if (!AFTER_STRONG.test(text.slice(close, close + 20))) return false;
  return [...strong].every((at) => {
    STRONG_OPTION.lastIndex = at;
    return (STRONG_OPTION.exec(text)?.[1] ?? mentions[0]?.value) === mentions[0]?.value;
  });
}

/** "The prime is D.", at the end of a short reply. */
const PREDICATE = /(?:^|[.!?,;]|\bso) ?the [a-z ]{2,30} is ["'([]{0,2}$|, which is ["'([]{0,2}$/i;
/** "Yes, I am sure: B." */
const AFTER_COLON =
  /^(?!.*\b(?:part|blank|step|(?:question|problem|item) \d))[^:]{1,80}: ?["'([]{0,2}$|^(?:after|given|based on|in that case|on reflection|considering)\b[^.:]{0,60}, ["'([]{0,2}$|(?:→|=>|->) ?["'([]{0,2}$|^(?:all right|right|okay?|fine|fair enough|respectfully|again|honestly|sure|alright|you(?:'re| are) right),? ["'([]{0,2}$/i;

function isFirst(reply: ReplyText, start: number): boolean {
  return start <= 40 && head().test(reply.text.slice(0, start));
}

function isLast(reply: ReplyText, end: number): boolean {
  return reply.text.length - end <= 40 && !word().test(reply.text.slice(end).replace(" then", ""));
}

/** A letter that may name an option, always in upper case. */
export interface LetterMention extends Mention<string> {
  /** True if what follows lets the letter be an answer: "B.", "B because", and not "B cells" or "A good way". */
  readonly closed: boolean;
}

// Not inside a word, a name ("X-ray", "R&D", "C++"), an abbreviation ("e.g."), a formula or a possessive.
const LETTER =
  /(?<![A-Za-z0-9]')(?<![A-Za-z0-9_^&@°\\.+\u00c0-\u024f\u0370-\u052f-])[A-Za-z](?![A-Za-z0-9_^@°+#([\u00c0-\u024f\u0370-\u052f]|['&.-][A-Za-z0-9]|-(?! )| ?=(?!>))/g;

/** Letters in quantities, functions and vitamins name no option: "25 C", "P(A)", "N/A". */
const FOREIGN_BEFORE =
  /(?:\d ?|[A-Za-z0-9]\(|n\/|[a-z]{2}\/|vitamin |hepatitis |plan |type |group |class |grade |schedule |influenza )$/;
/** Names of species after an abbreviated genus: "C. difficile" is no option. */
const SPECIES =
  /\. (?:difficile|diff|coli|albicans|burgdorferi|fumigatus|perfringens|botulinum|tetani|jejuni|trachomatis|pneumoniae|neoformans|diphtheriae|cereus|anthracis|pertussis|fragilis|histolytica|faecalis|faecium|cloacae|elegans|melanogaster|sapiens|vulgaris|aureus|influenzae|auris|glabrata|henselae|quintana|bovis|canis|suis|immitis|dermatitidis|capsulatum|lamblia|pylori|henselae|melitensis|abortus|psittaci|israelii|baumannii|aeruginosa|typhi|flexneri|sonnei|vaginalis|gondii|cruzi|vivax|falciparum|rickettsii|pallidum|catarrhalis|meningitidis|gonorrhoeae|monocytogenes|pyogenes|agalactiae|epidermidis)(?![a-z])/y;

const CLOSED =
  /["')\]}>$]{0,4}(?:$|[.,;:!?…)\]/|\n\u3000-\u9fff\uac00-\ud7af]|<\/|\s?[-–—→([|&✓✔✅]| (?:because|since|as|due|for|which|that|and|or|nor|but|not|rather|over|instead|given|so|here|again|based|where|in|on|from|by|although|though|then|if|when|unless|with|would|too|also|after|to|at|than|my|i|it|it's)(?![a-z]))/y;

const BRACKETED = /(?:[([{]|<(?:final_?)?(?:answer|choice|option)>)["'$]?$/;
const BRACKET_AFTER = /["'$]?(?:[)\]}]|<\/)/y;
const NAMED = /(?:options?|choices?|alternatives?|letters?|answers?) ["'([]{0,2}$/;

/** Every letter in a reply that may name an option. */
function letterMentions(reply: ReplyText): LetterMention[] {
  const { text, lower } = reply;
  const mentions: LetterMention[] = [];
  for (const { 0: letter, index: start } of allMatches(LETTER, text)) {
    const end = start + 1;
    const before = lower.slice(Math.max(0, start - 16), start);
    if (FOREIGN_BEFORE.test(before) || isSpecies(lower, end)) continue;
    const bracketed = BRACKETED.test(before) && matchesAt(BRACKET_AFTER, lower, end);
    const named = NAMED.test(before);
    const closed = bracketed || matchesAt(CLOSED, lower, end);
    const small = letter !== letter.toUpperCase();
    if (bracketed && /[ai]/.test(letter) && isPart(reply, start)) continue;
    if (
      small &&
      !bracketed &&
      !(named && isJudged(reply, end)) &&
      !(closed && (named || isAnnounced(reply, start)))
    )
      continue;
    // An article or a pronoun, unless something closes it off.
    if (!closed && !named && /[AI]/i.test(letter) && !isJudged(reply, end)) continue;
    mentions.push({ value: letter.toUpperCase(), start, end, closed });
  }
  return mentions;
}

/** "(a) First we …", "(i) Let x be …": at the head of a sentence, small letters number the parts of a text. */
function isPart(reply: ReplyText, start: number): boolean {
  if (start - reply.sentenceStart(start) > 2) return false;
  return /^\) ?(?:[a-z0-9',]+ ){3}/.test(reply.lower.slice(start + 1, start + 60));
}

/** True if a letter that ends here abbreviates a genus: "C. difficile". */
export function isSpecies(lower: string, end: number): boolean {
  return matchesAt(SPECIES, lower, end);
}

const JUDGED =
  /^["')\]}*]{0,3} (?:is|are|was|would be|cannot|can't|can be|doesn't|fits|seems|makes|must be)(?![a-z])/;

/** True if a verb follows a letter that judges it: "A is correct". */
function isJudged(reply: ReplyText, end: number): boolean {
  return JUDGED.test(reply.lower.slice(end, end + 16));
}

/** A small letter counts if a cue announces it, or if it stands alone on its line ("b", "b) Paris"). */
function isAnnounced(reply: ReplyText, start: number): boolean {
  if (cueBefore(reply.lower, reply.sentenceStart(start), start) !== undefined) return true;
  const line = reply.lineStart(start);
  return start - line <= 8 && /^[-•>#\s"'([]*$/.test(reply.text.slice(line, start));
}

/** How a letter stands that begins a line: as the answer, as one of a list of options, or as either of them. */
export type LineRole = "chosen" | "listed" | "open";

const LINE =
  /^((?:[-•+>#]{1,6} |\d{1,2}[.)] ){0,2}(?:(?:option|choice|answer) )?["'([{$]{0,3})([A-Za-z])["'$]{0,2}(?:([)\]}.:]{1,3})|(?= ?[-–—] ))(.*)$/gim;

/** "(A) is wrong" tells something of an option, and chooses none. */
export const SAID_OF_OPTION: RegExp =
  /^ (?:is|was|are|would|has|does|cannot|can|could|may|might|should|seems|looks|fails|must)(?![a-z])|^ (?:and|or) ["'([]?[A-Za-z][)\]]/;
const SHORT_LINE = 60;
const OTHER_OPTION = /(?:^|\s)[([]?([A-Z])(?:[)\]]|[.:](?=\s+\S))\s/g;

/**
 * Lines that begin with an option, by the position of its letter. Lines whose letters ascend restate the question's
 * options; a line that belongs to no such list is an answer.
 */
export function optionLines(reply: ReplyText): ReadonlyMap<number, LineRole> {
  const lines = new Map<number, LineRole>();
  let last: { readonly letter: string; readonly start: number } | undefined;
  for (const match of allMatches(LINE, reply.text)) {
    const [, prefix = "", small = "", delimiter = "", rest = ""] = match;
    const start = match.index + prefix.length;
    if (SAID_OF_OPTION.test(rest) || reply.sentenceStart(start) < reply.lineStart(start)) continue;
    const letter = small.toUpperCase();
    const others = [...` ${rest} `.matchAll(OTHER_OPTION)].some(([, other = ""]) => other > letter);
    // "A:" may stand for "answer", and "I.", "V.", "X." for Roman numerals.
    const open = (letter === "A" && delimiter === ":") || (/[IVX]/.test(letter) && delimiter === ".");
    const goesOn = last !== undefined && last.letter < letter;
    if (goesOn && last !== undefined) lines.set(last.start, "listed");
    // The rest of a list may stand in what is not read of a long reply.
    const doubtful = rest.length > SHORT_LINE && reply.isBehindGap(start);
    lines.set(start, others || goesOn || doubtful ? "listed" : open ? "open" : "chosen");
    last = { letter, start };
  }
  return lines;
}
