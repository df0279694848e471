import { lazyPattern } from "../../core/lazy.ts";
import { type AliasTree, aliasMentions } from "./alias-matches.ts";
import { ANSWER, APPROVAL, approvalAfter, CLAIM, cueBefore, type Strength } from "./answer-cue.ts";
import {
  type Decision,
  decide,
  isConceded,
  isRefusal,
  isRetracted,
  isRetraction,
  type Statement,
} from "./decide.ts";
import { groupMentions, groupValues, type Mention, type MentionGroup } from "./mention.ts";
import { NUMBER_WORD } from "./number-words.ts";
import { anyOf, MONTH } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";
import { type Place, type Standing, standingOf } from "./standing.ts";

/**
 * Reads which of several values a reply names. A reply that begins with a value has given its answer; else what words
 * announce or state decides, and without them the value must be the only one that the reply names and does not deny.
 */
export function readAlias(reply: ReplyText, tree: AliasTree): Decision<string> {
  const groups = groupMentions<string, Mention<string>>(reply, aliasMentions(reply.text, tree));
  const statements: AliasStatement[] = [];
  for (const [index, group] of groups.entries())
    statements.push(aliasStatement(reply, group, { previous: statements.at(-1), next: groups[index + 1] }));
  const leading = leadingAnswer(reply, statements);
  if (leading !== undefined) return leading;
  // "X is the capital" may tell of another capital.
  const plain = statements.some(({ standing, strength }) => standing === "asserted" && strength > APPROVAL);
  const decision = plain ? decide(reply, statements) : onlyValue(reply, statements);
  return isDoubtfulClaim(reply, statements, decision) ? { status: "ambiguous" } : decision;
}

/**
 * "Ankara has the parliament. The festival is in Istanbul.", "Many offices are in Geneva. The Court, however, sits in
 * The Hague.": without a word that announces it, a claim about an unknown subject is no answer where another value is
 * named before it, or set against it.
 */
function isDoubtfulClaim(
  reply: ReplyText,
  statements: readonly AliasStatement[],
  decision: Decision<string>,
): boolean {
  if (decision.status !== "found") return false;
  const { value, start } = decision;
  const claim = statements.find((statement) => statement.start === start);
  if (claim === undefined || claim.cued || claim.strength !== CLAIM) return false;
  const sentence = reply.sentenceStart(start);
  const named = statements.filter(({ standing }) => standing === "asserted" || standing === "aside");
  const others = named.filter(({ values }) => !values.includes(value));
  const against = others.some((other) => {
    const from = reply.sentenceStart(other.start);
    return from > start && SET_AGAINST.test(reply.lower.slice(from, reply.sentenceEnd(other.end)));
  });
  if (against) return true;
  if (CONCLUDES.test(reply.lower.slice(sentence, start))) return false;
  const before = others.filter(({ end }) => end <= sentence);
  // "48 was in the textbooks for decades. However, the number is 46."
  if (
    SET_AGAINST.test(reply.lower.slice(sentence, sentence + 10)) &&
    before.every(({ strength }) => strength === 0)
  )
    return false;
  return (
    before.some((other) => !isConceded(reply, other, start)) &&
    !named.some(({ values, end }) => end <= sentence && values.includes(value))
  );
}

const SET_AGAINST = /\b(?:but|however|yet|instead)\b/;
const CONCLUDES = /^["'*\s]{0,3}(?:so|therefore|thus|hence|in fact|actually|in short|in summary)\b/;

interface AliasStatement extends Statement<string> {
  /** True if words announce the value, or claim it: "it's X". */
  readonly cued: boolean;
}

/** Words after a leading answer that may take it back. */
const REVERSAL =
  /\b(?:wait\b|actually|correction:|i apologi[sz]e|sorry(?!,? but)|(?:correct|right|final|my) answer|(?:it|that)(?:'s| is| must be| should be)(?! (?:not?|an?|the)\b)|no,)/;

/** "…, but that's incorrect", said of what stands before it. */
const CALLED_WRONG =
  /^["')\]]{0,2},? (?:but|and|which|though) (?:(?:that|this|it)(?:'s| is| was)|is|was) (?:simply |just )?(?:wrong|incorrect|not (?:right|correct)|a mistake|an error)\b/;

/** True if words after a position take back what stands before it; what they call wrong of others is something else. */
function isReversed({ lower }: ReplyText, position: number, others: readonly Place[]): boolean {
  let rest = "";
  let from = position;
  for (const { end } of others) {
    rest += lower.slice(from, end);
    from = end + (CALLED_WRONG.exec(lower.slice(end, end + 60))?.[0].length ?? 0);
  }
  rest += lower.slice(from);
  return REVERSAL.test(rest) || isRetraction(rest);
}

/** A reply that begins with a value has given its answer, unless it takes it back or says something else as plainly. */
function leadingAnswer(
  reply: ReplyText,
  [first, ...later]: readonly AliasStatement[],
): Decision<string> | undefined {
  const [value, ...more] = first?.values ?? [];
  if (first === undefined || value === undefined || more.length > 0 || first.standing !== "asserted")
    return undefined;
  const head = reply.lower.slice(0, first.start);
  const labelled = /^[a-z]{3,12} $/.test(head) && /\d/.test(reply.text.charAt(first.start));
  if (!first.cued && !labelled && !LEAD.test(head)) return undefined;
  const led = LED.exec(reply.lower.slice(first.end, first.end + 120));
  if (led === null) return undefined;
  const sentence = led[0].includes(",") ? reply.sentenceEnd(first.end) : first.end + led[0].length;
  if (/\b(?:but|or|if|unless|maybe|perhaps)\b/.test(reply.lower.slice(first.end, sentence))) return undefined;
  const told = later.filter(
    ({ values, standing, start }) => start >= sentence && standing === "others" && !values.includes(value),
  );
  if (isReversed(reply, sentence, told)) return undefined;
  const isContradicted = later.some(({ values, standing, strength, start, end }) => {
    if (values.length === 1 && values[0] === value) return standing === "denied";
    if (standing === "denied" || standing === "others") return false;
    return strength > CLAIM || (start < sentence && !isRemark(reply, first.end, { start, end }));
  });
  return isContradicted ? undefined : { status: "found", value, start: first.start, end: first.end };
}

/** "Chloroplast (mitochondria do something else)": in brackets, with words about it. */
function isRemark({ text }: ReplyText, from: number, { start, end }: Place): boolean {
  const bracket = text.lastIndexOf("(", start);
  return bracket >= from && (start - bracket > 2 || !/^["']?\)/.test(text.slice(end)));
}

/** What may stand before a leading answer. */
const LEAD =
  /^(?:[\s"'([{$>•#*–—-]|(?:the|an?|yes|no|okay|ok|sure|still|again|well|so|fine|that's|that is|it's|it is|that would be|answer:?|all right|of course|about|in)[,.:]?(?= )|(?:with|given|despite|based on|on reflection|in that case|you're right|yes|no|sorry|my)\b[^,.:;]{0,80}[,:] |(?:i|i'm|i've) [^,.:;]{1,80}: ){0,6}$/;
/** What follows it: the end of the sentence, a gloss, or what is said about it; no verb. */
const LED =
  /^["')\]}$*]{0,3}(?: degrees| chromosomes|°)?(?: ?\([^()\n]{1,80}\)["')\]]{0,2}| (?:of|in|at|by|from|on) (?:(?! (?:is|are|was|were|has|have|would|may|might|and|or) )[^.;,\n]){1,60})?(?:$|[.!;:]["')\]]{0,2}(?:\s|$)|\s*\n| [–—-] |—|, (?:not|in|at|on|who|which|with|as|since|because|given|where|located|about|for|by|from|specifically|meaning)\b)/;

/** The value that is named, if it is the only one. */
function onlyValue(reply: ReplyText, statements: readonly Statement<string>[]): Decision<string> {
  const stated = statements.filter(({ standing }) => standing === "asserted");
  const asserted = stated.length > 0 ? stated : statements.filter(({ standing }) => standing === "aside");
  const last = asserted.at(-1);
  const [value] = last?.values ?? [];
  if (last === undefined || value === undefined) {
    return { status: statements.some(({ standing }) => standing === "open") ? "ambiguous" : "absent" };
  }
  const alone = statements.every((statement) => {
    const { values, standing, start } = statement;
    const same = values.length === 1 && values[0] === value;
    const before = start < last.start;
    if (standing === "asserted" || standing === "aside")
      return same || (before && last.strength > 0 && isConceded(reply, statement, last.start));
    // "X is the capital, while Y is larger"; but "X is the namesake of the country. Y is taller."
    if (standing === "open")
      return same
        ? before
        : !before &&
            last.strength > 0 &&
            last.standing === "asserted" &&
            CONTRAST.test(reply.lower.slice(reply.clauseStart(start), start));
    return !same || before;
  });
  // "I can't say whether that is in Canberra": named, but not as an answer.
  if (!alone || isRetracted(reply, last.end) || isRefusal(reply)) return { status: "ambiguous" };
  return { status: "found", value, start: last.start, end: last.end };
}

const CONTRAST = /^(?:while|whilst|whereas|although|though)\b/;

type Group = MentionGroup<string>;

interface Neighbours {
  readonly previous: AliasStatement | undefined;
  readonly next: Group | undefined;
}

/** What a reply says with a value that it names. */
function aliasStatement(reply: ReplyText, group: Group, { previous, next }: Neighbours): AliasStatement {
  const { start, end } = group;
  const { lower } = reply;
  const before = lower.slice(reply.sentenceStart(start), start);
  const after = lower.slice(end, Math.min(reply.sentenceEnd(end), end + 120)).replace(UNIT, "");
  const cue = cueBefore(lower, reply.sentenceStart(start), start);
  const approval = approvalAfter(after);
  const from = Math.max(previous?.end ?? 0, reply.clauseStart(cue?.start ?? start));
  // "Therefore, X is the highest", "so X is hotter"
  const concluded =
    cue !== undefined &&
    /^(?:so|therefore|thus|hence)\b/.test(lower.slice(cue.start)) &&
    (SUBJECT.test(after) || COMPARED.test(after));
  const cued =
    concluded || (cue !== undefined && (cue.strength === ANSWER ? ANSWER_ENDS : CLAUSE_ENDS).test(after));
  const ends = ENDS.test(after);
  // "1080 - 360 = 720": the result replaces what it was made of.
  const result = ends && EQUALS.test(before);
  const strength = Math.max(
    concluded ? ANSWER : cued ? (cue?.strength ?? 0) : 0,
    approval > 0 ? ANSWER : 0,
    isAlone(reply, group) ? ANSWER : 0,
    predicate().test(before) && CLAUSE_ENDS.test(after) && !SUPERLATIVE_BEFORE.test(before) ? CLAIM : 0,
    SUBJECT.test(after) ? APPROVAL : 0,
    result || (ends && AFTER_COLON.test(before)) ? CLAIM : 0,
  ) as Strength;
  const standing = standingOf(reply, group, from, approval > 0);
  const shared = previous?.standing === "others" && NEXT_SPEAKER.test(lower.slice(previous.end, start));
  return {
    values: groupValues(group),
    standing: shared ? "others" : aliasStanding(reply, group, standing, { strength, next }),
    strength,
    start,
    end,
    concludes:
      result || cue?.concludes === true || CONCLUDES.test(lower.slice(reply.clauseStart(start), start)),
    cued,
  };
}

const ANSWER_ENDS =
  /^["')\]}°]*(?: ?\([^()\n]{1,80}\))?(?:[.,;:!\n<]| ?[–—]|\s*$| (?:because|since|as|which|with|based|given|due|for|and|but|rather|not|over|instead|in|on|at|despite|here)(?![a-z]))/;
const CLAUSE_ENDS =
  /^["')\]}°]*(?: ?\([^()\n]{1,80}\))?(?:[.,;:!\n]| ?[–—]|\s*$| (?:and|but|so|because|since|which|while|whereas|in|at|on|with|by|as|during)(?![a-z]))/;
/** "Reading it properly: 13." */
const AFTER_COLON =
  /^(?!.*\b(?:not|misconceptions?|myth|wrong|incorrect|mistake|error|confused|say|says|said)\b).*[a-z]: ["'(]{0,2}(?:the |an? )?$/s;
const EQUALS = /\d°? ?= ?["'(]{0,2}$/;
const ENDS = /^["')\]}°]*[.!]?["')\]}]*\s*$/;
/** What a value belongs to: "is 46 chromosomes", "is a Uralic language". */
const UNIT =
  /^ (?!(?:to|for|of|in|on|at|by|from|with|as|is|are|was|were|has|have|had|did|does|can|will|and|or|but|not)\b)[a-z]{2,}(?: [a-z]{2,})?(?=[.,;:!\n]| \(|$)/;
/** "The capital is X": what a sentence says of its subject. */
const predicate = lazyPattern(
  `(?<!\\b(?:which|who|that) )\\b(?:is|are|was|were|be|been|remains|became|becomes|means|stands for|equals|(?:takes place|happens|occurs|sits|lies|flows) (?:in|on|at|into|through)|belongs to|points? to|consistent with|has|have|had|uses|fell (?:on|in)|ends at|takes?|needs?|(?:is|are|was|were) (?!the |an? |one )[a-z]+ (?:[a-z]+ ){0,3}(?:by|of|to|in|with|at))(?: (?:still|indeed|actually|in fact|called|clearly|the|an?|most likely|likely|about|exactly|in|at|on|of|seated|\\d{1,2}|${MONTH}))* ["'(]{0,2}$`,
  "",
);
/** "X is the capital". */
const SUBJECT =
  /^["')\]}]{0,3}(?:, [a-z ]{1,20},)? (?:is|are|was|were|became|remains|has been|serves as|takes)(?: (?:still|indeed|actually|in fact|clearly))? (?:the|its|their|my|credited)\b/;
/** What is said about a value that cannot be the answer, or that may be beside the question. */
const LESSER =
  /^["')\]}°]{0,3} (?:only|just|merely|comes second|follows)\b|^["')\]}°]{0,3} (?:is|are|was|were|has been)(?: (?:also|only|just|still|indeed|much|far|about))* (?:(?:the|an?|its|their) )?(?:[a-z']+ )?(?:second|third|next|former|common|famous|known|popular|different|often|another|state|alternative|found|(?:also|sometimes|commonly|usually|typically|mainly|mostly) used)\b/;
/** "X is hotter": it may be the answer, or what the answer is compared with. */
const COMPARED =
  /^["')\]}°]{0,3} (?:is|are|was|were)(?: (?:also|only|just|still|indeed|much|far|even|actually))* (?:(?:the|an?) )?(?:[a-z']+ )?(?:more|less|[a-z]+er)\b/;
/** "48 was the accepted figure before 1956" */
const PAST =
  /^["')\]}°]{0,3} (?:was|were|had been)\b[^.;]*\b(?:before|until|till|older|in the past|back then|at the time|formerly|historically)\b/;
/** "1991 was the year the Soviet Union ended, so perhaps you are thinking of that" */
const MIXED_UP =
  /\byou[^.;]{1,20} (?:thinking|think) of\b|\b(?:mix-up|confusion|mistake|error)s? (?:comes?|came|may|might|arises?)\b/;
/** "Whales, on the other hand, are mammals", "unlike Russian, which is Indo-European" */
const OTHER_SUBJECT =
  /^\s*["'(]*(?:many|some|several|most (?!of|likely|abundant|probably)|other)\b(?!.*\bbut\b)|\b(?:on the other hand|by contrast|in contrast|meanwhile|for comparison)\b|\bunlike [^,;]*, (?:which|who|that) [^,;]*$/;
const SUPERLATIVE =
  /^["')\]}°]{0,3} (?:is|are|was|has been)(?: (?:also|still|indeed|by far))* (?:the|an?|its|[a-z]+'s) (?:[a-z-]+est|most|financial|economic|cultural|commercial|historical?|main|major|biggest)\b/;
const SUPERLATIVE_BEFORE =
  /\b(?:[a-z]{3,}est|most [a-z]+|former|old|financial|economic|cultural) [^,.;]{1,40} (?:is|was) (?:the )?$/;
/** "The second highest is X", "two years before X" */
const RANKED_BEFORE =
  /\b(?:(?:second|third|next)[- ](?:[a-z]+est|most|place)|runner-up)\b[^,.;]{0,40} (?:is|was) (?:the )?["'(]{0,2}$|\b(?:years?|months?|long|shortly|just) (?:before|after) ["'(]{0,2}$/;
const NEGATED_AFTER =
  /^["')\]}]{0,3} (?:(?:is|are|was|were|do|does|did|can|could|would|should|has|have|had|will)(?: not|n't)|cannot|never)(?![a-z])/;
/** "X is a wonderful city": what kind of thing a value is says nothing of the question. */
const KIND = /^["')\]}°]{0,3} (?:is|was) an? /;
/** "I'd visit X", "I would have said X": what a speaker would do with a value is no answer, unless it is a choice. */
const WISH = /\bi(?:'d| would)(?: [a-z]+){0,2} (?!as |with |for |to |on )[a-z]+ ["'(]*$/;
/** "Some say X, others Y": the verb of the first holds for the second. */
const NEXT_SPEAKER =
  /^["')\]},;]{0,3}(?: and| while| but)? (?:others?|another|some|a few|many|mine|half|(?:the|your|his|her|their|an?) (?!.*\b(?:is|was|are)\b)[a-z]+(?: [a-z]+)?)[,:]? ["'(]*$/;

/** A reason tells of other things. */
const REASON = /\b(?:because|since)\b/;

/** "It's 280 km from X", "the city that replaced X": what is said to be beside a value, or after it, is something else. */
const RELATED_BEFORE =
  /\b(?:near|close to|outside|next to|opposite|(?:north|south|east|west)[a-z-]* of|(?:km|kilomet(?:er|re)s|miles|hours?|minutes?|years?|days?) (?:from|of|before|after)|(?:replac|succeed|preced|supersed)(?:es|ed|ing))(?: the)? ["'(]{0,2}$/;
/** "The capital was X until 1927" */
const ENDED_AFTER = /^["')\]}°]{0,3},? (?:until|till|up to)(?![a-z])/;
const WAS_BEFORE = /\b(?:was|were|had been)(?: the)? ["'(]{0,2}$/;

/** The words around a value may leave open whether it is the answer. */
function aliasStanding(
  reply: ReplyText,
  { start, end }: Group,
  standing: Standing,
  { strength, next }: { readonly strength: Strength; readonly next: Group | undefined },
): Standing {
  const after = reply.lower.slice(end, end + 80);
  const words = reply.lower.slice(reply.sentenceStart(start), end);
  const before = reply.lower.slice(reply.sentenceStart(start), start);
  const told = reply.lower.slice(end, reply.sentenceEnd(end));
  const beside =
    LESSER.test(after) ||
    PAST.test(after) ||
    MIXED_UP.test(told) ||
    OTHER_SUBJECT.test(words) ||
    RANKED_BEFORE.test(before) ||
    RELATED_BEFORE.test(before) ||
    (ENDED_AFTER.test(after) && WAS_BEFORE.test(before));
  // "Although X is closer" concedes it.
  if (strength < ANSWER && standing !== "denied" && COMPARED.test(after))
    return standing === "asserted" ? "open" : "others";
  if (strength < ANSWER && beside && standing !== "denied") return "others";
  if (standing !== "asserted") return standing;
  const sentence = reply.lower.slice(Math.max(0, reply.sentenceStart(start) - 20), reply.sentenceEnd(end));
  if (FOREIGN_DENIAL.test(sentence) || isOneOfTwo(reply.lower, start, end)) return "open";
  const rest = reply.lower.slice(
    end,
    Math.min(reply.sentenceEnd(end), next === undefined ? end + 200 : reply.clauseStart(next.start)),
  );
  const nextSentence = reply.lower.slice(reply.sentenceEnd(end), reply.sentenceEnd(end) + 60).trimStart();
  if (deniedLater().test(rest.slice(0, REASON.exec(rest)?.index)) || deniedNext().test(nextSentence))
    return "open";
  if (strength < ANSWER && NEGATED_AFTER.test(after)) return "open";
  if (strength === 0 && KIND.test(after)) return "open";
  if (strength === 0 && WISH.test(reply.lower.slice(reply.clauseStart(start), start))) return "open";
  if (strength <= CLAIM && (SUPERLATIVE.test(after) || SUPERLATIVE_BEFORE.test(before))) return "aside";
  // "(48 is the number for gorillas.)"
  return strength < ANSWER && /^\s*\([^)]*$/.test(before) ? "aside" : standing;
}

/** Denials in other languages: what they deny is not read at all. */
const FOREIGN_DENIAL =
  /(?:^|[\s,"'¡])(?:nein|nicht|kein[a-z]{0,2}|falsch|pas|non|não|nao|niet|geen|ikke|inte|nie|nej|ne|není|nem|ei|nu|bukan|không|değil|hayır|no (?:es|está|fue|son|puede|era)|(?:in)?correc?t[oa]|equivocad[oa]|errad[oa]|falso|faux|forkert|fel|feil|не|нет|ні|δεν|όχι|לא|ليس|नहीं)(?=[\s,.!"']|$)|n'est|[不没ない]|ません|아니|않/;

const PRONOUN = "(?:it|that|this|he|she|they)";
const NEGATED_VERB = anyOf(
  "(?:is|was|are|were|has|have|does|do|did|would|can|could)(?:n't| not| never| no longer)",
  "(?:'s|'re) (?:not|never|no longer)|not|never|no longer|cannot|rather than|instead of",
);
/** What is denied is a thing, and so may be the one that was asked for: "not the capital", and not "not by 400". */
const THING = `(?: (?:been|be|make|mean|it|that|really|actually|officially|yet|in fact|is)){0,4} ${anyOf(
  "the|an?|its|my|our|your|their|here|correct|right|true|official",
)}(?![a-z])`;

/** What was so, or would be so, or is less than so: "used to be", "would be a better", "until 1923". */
const UNREAL = anyOf(
  "^[\"')\\]}*]{0,3}(?:,[^,]{1,60},)? (?:used to|would|could|might|may|ceased|lost|stopped|almost|nearly)(?![a-z])",
  "^[\"')\\]}*]{0,3} (?:is|was|has been) (?:almost|nearly|formerly|once|only|at best)(?![a-z])",
  "\\bonly (?:in|for|to|if|when)(?![a-z])",
  "\\b(?:was|were|served|remained)\\b.*\\b(?:until|till|up to) (?:1\\d|20)\\d\\d",
  "(?<!there )\\b(?:is|was|has|have|had|but|and) no(?! (?:longer|doubt|less|more))(?: [a-z]+)",
);
const deniedLater = lazyPattern(
  `(?:[,;—–)]|\\b(?:but|though|although|yet|and|however|albeit|which|who)),?(?: (?:but|though|although|yet|and|which|who))?(?: ${PRONOUN})?(?: (?:still|also|alone|of course))? ?${NEGATED_VERB}${THING}|\\b(?:rather than|instead of)${THING}|${UNREAL}`,
  "",
);
const deniedNext = lazyPattern(
  `^["'(]{0,2}(?:(?:however|but|though|still|yet|of course|unfortunately),? ){0,2}${PRONOUN}(?: alone| still| also)? ?(?:${NEGATED_VERB}${THING}|(?:is|was) no )`,
  "",
);
const NUMBER = `(?:\\d[\\d.,]*|${NUMBER_WORD}(?:[- ]${NUMBER_WORD})?)`;
const begins = lazyPattern(`^${NUMBER}(?![a-z])`, "");
const numberBefore = lazyPattern(
  `(?:^|[^a-z\\d.,])(?:${NUMBER}["')]{0,2}(?:,? (?:or|to|and|through|bis|versus|vs\\.?)(?: [a-z]+){0,2} ["'(]{0,2}|,? \\(?(?:maybe|perhaps|possibly) | ?[–—/~-] ?)|(?:more|less|fewer|greater) than )$`,
  "",
);
const numberAfter = lazyPattern(`^["')]{0,2} \\(?(?:or|to)(?: [a-z]+){0,2} ${NUMBER}(?![a-z])`, "");

/** True if a quantity is only one of two, or a bound: "7 or 14 atoms" does not say "14 atoms". */
export function isOneOfTwo(lower: string, start: number, end: number): boolean {
  if (!begins().test(lower.slice(start, Math.min(end, start + 20)))) return false;
  if (numberBefore().test(lower.slice(Math.max(0, start - 40), start))) return true;
  return numberAfter().test(lower.slice(end, end + 40));
}

/** True if a value is all of the first or the last sentence. */
function isAlone(reply: ReplyText, { start, end }: Group): boolean {
  const from = reply.sentenceStart(start);
  const to = reply.sentenceEnd(end);
  if (start - from > 12 || to - end > 12) return false;
  // The last item of a list is no answer.
  const marks = from === 0 ? /^(?:[\s"'([{$>•#-]|the |an? )*$/ : /^(?:[\s"'([{$>#]|the |an? )*$/;
  if (!marks.test(reply.lower.slice(from, start))) return false;
  if (!/^["')\]}$]*[.!]?["')\]}$]*\s*$/.test(reply.text.slice(end, to))) return false;
  return from === 0 || /^\s*$/.test(reply.text.slice(to));
}
