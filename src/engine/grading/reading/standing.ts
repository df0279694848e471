import { lazyPattern } from "../../../core/lazy.ts";
import { anyOf } from "./kind.ts";
import type { Place, ReplyText } from "./reply-text.ts";

/** Whole words anywhere in a text. */
const words = (...alternatives: readonly string[]): (() => RegExp) =>
  lazyPattern(`(?<![a-z])${anyOf(...alternatives)}(?![a-z])`, "");

const denial = words(
  "not|no|never|nor|neither|none|nobody|cannot|without|hardly|[a-z]+n't|unlike|contrary|except|excluding|than|least|against|far from",
  "wrong|incorrect|false|untrue|inaccurate|mistak[a-z]+|mistook|errors?|confus[a-z]+|mix(?:ed|ing|es)?|apologi[sz]e|sorry|misconceptions?|myth",
  "instead|rather|rul(?:e|ed|ing) out|ruled|eliminat[a-z]+|reject[a-z]*|dismiss[a-z]*|avoid[a-z]*|doubt[a-z]*|disagree|refus[a-z]+|declin[a-z]+",
  "take back|took back|retract[a-z]*|withdr[a-z]+|stop|quit|fail[a-z]*|used to|no longer|formerly|trap|decoy|distractor|unlikely|impossible|anything|everything",
);
const supposed = words(
  "if|unless|whether|suppos[a-z]+|assum[a-z]+|imagin[a-z]+|hypothe[a-z]+|pretend|argument|(?<!(?<![a-z])(?:i|that) )would(?! (?:need|have to|take|cost))|could|might|(?<!you )may|maybe|perhaps|possibl[a-z]+",
  "(?!i')[a-z]+'d(?! (?:need|have to))|either|between|tempt[a-z]*|depend[a-z]*|explain|versus|vs|necessarily",
);
const vague = words("or|were|had|almost|nearly|sometimes|usually|often|why|how|when|exactly|quite");
/** Words that report what others say, or what was said before. */
const reported = words(
  "(?<!(?<![a-z])i (?:would |still )?)sa(?:y|ys|id|ying)|(?<!(?<![a-z])i )(?:think(?:s|ing)?|believ[a-z]+)|thought|claim[a-z]*|insist[a-z]*|argu[a-z]+|suggest[a-z]*|according(?! to what i)|told|heard|read|wrote|(?<!(?:\\d|the|of|united|all|each|these) )states?|stated|mention[a-z]*|rumou?r[a-z]*|legend|supposedly|allegedly",
  "ch[oi]ose|chose|pick(?:ed)?|guess[a-z]*|call(?:s|ed)?|consider[a-z]*|expect[a-z]*|what (?:you|he|she|they|people)|everyone|everybody|people|some|many|critics|common|popular|obvious|typical|[a-z]*books? (?:gives?|lists?)|as you|you (?:gave|give|want|wanted|mean)|ask(?:ed|ing)?|want(?:s|ed)?",
  "initially|originally|previous[a-z]*|earlier|first|former[a-z]*|once|until|till|past|(?:your|my|his|her|their|[a-z]+'s) (?:[a-z]+ )?(?:answer|guess|choice|sum|result) (?:was|is)|was my|others?",
);
const contrast = words(
  "true|granted|that much|i (?:agree|understand|see|know)|but|though|although|however|yet|while|whereas|only|too|also|until|till|before|unlike",
);

/** Words with which a reply turns to its own statement: what stands before them does not qualify what follows. */
const TURN = /^.*(?:[;—]|\s[–-]\s|(?<![a-z]|thing |all )(?:but|however|so|therefore|thus|hence)(?![a-z]),?)/s;
const ASSENT =
  /^[\s"'*]*(?:(?:yes|no|nope|yep|yeah|okay|ok|sure|sorry|on (?:second thoughts?|reflection)|well|ah|oh|hmm|fine|right|all right|indeed|actually|again|correct|understood|respectfully|of course|you(?:'re| are)(?: absolutely| completely| totally| quite)? (?:right|correct)|i (?:stand corrected|agree(?: with you)?|apologi[sz]e|concede|was wrong)|i(?:'m| am) (?:sure|certain|sorry)|my (?:apologies|bad|mistake)|good (?:point|catch))(?:[,.!:;—]| –)\s*)+/;

/** A text without the yes, the apology or the agreement that it begins with. */
export function withoutAssent(lower: string): string {
  return lower.replace(ASSENT, "");
}

/** What stands before a value in its sentence, without assent and without what the sentence turns away from. */
function ownWords(reply: ReplyText, start: number, text: string): string {
  return text.slice(reply.sentenceAt(start).start, start).replace(ASSENT, "").replace(TURN, "");
}

/** Words with which a sentence limits all of what it goes on to say. */
export const LIMIT: RegExp =
  /^[\s"'(]*(?:if(?! i(?:'m not mistaken| recall| remember))|unless|according(?! to what i)|suppos|assum|imagin|hypothe|when|as (?!far|i said|you said)|had|were|in an? (?:[a-z]+ )?(?:world|universe|scenario|case)|in the (?:[a-z]+ )?(?:film|movie|book|novel|story|game|series|joke|dream|song|past)|in (?:theory|your|his|her|their)|for (?:some|the sake)|some|many|often|usually|perhaps|maybe|rumou?r|legend)/;

/** The last clause before a value: "The book is wrong, (the capital is) X". */
function lastClause(before: string): string {
  if (LIMIT.test(before)) return before;
  const colon = /^.*: (?=\S+ \S)/s.exec(before)?.[0].length ?? 0;
  return before.slice(Math.max(colon, before.lastIndexOf(", ") + 1));
}

/** True if words before a place in its sentence suppose what follows, or report what others say. */
export function isReported(reply: ReplyText, start: number): boolean {
  const before = ownWords(reply, start, reply.lower);
  return LIMIT.test(before) || supposed().test(lastClause(before)) || reported().test(before);
}

/** True if words before a place in its sentence suppose what follows: "without a holiday it would be X". */
export function isSupposed(reply: ReplyText, start: number): boolean {
  const before = ownWords(reply, start, reply.lower);
  return LIMIT.test(before) || supposed().test(lastClause(before));
}

const attribution = lazyPattern(
  `(?<![a-z])(?:you|(?:your|the|his|her|their) [a-z-]+|he|she|they|(?:many |some |most )?people|many|some|others|everyone)(?:'ve| have| has)? (?:[a-z]+ )?${anyOf(
    "says?|said|claim(?:s|ed)?|thinks?|thought|believed?|insist(?:s|ed)?|mention(?:s|ed)?|suggest(?:s|ed)?|told|taught|assumed?|named?",
  )}(?![a-z])[^,;:]*$`,
  "",
);

const TEMPTED =
  /(?<![a-z])(?:tempting|easy|natural|understandable) to (?:say|think|answer|believe|assume)(?![a-z])[^,;:]*$/;

/** True if words before a place in its sentence say that somebody else named what follows: "your guide says X". */
export function isAttributed(reply: ReplyText, { start }: Place): boolean {
  const before = ownWords(reply, start, reply.lower);
  return (
    TEMPTED.test(before) || (!LIMIT.test(before) && !supposed().test(before) && attribution().test(before))
  );
}

/** True if a value stands in a quotation with other words. */
export function isQuoted(reply: ReplyText, { start, end }: Place): boolean {
  const sentence = reply.sentenceAt(start);
  const before = reply.lower.slice(sentence.start, start).split('"');
  if (before.length % 2 === 1) return false;
  const [after = ""] = reply.lower.slice(end, sentence.end).split('"');
  return /[a-z0-9]/.test(`${before.at(-1)}${after}`);
}

const REASON = /,? (?:because|since) | \(/;
/** "9 posts: 40 ÷ 5 = 8 gaps" gives a calculation as the reason. */
const CALCULATION = /:(?=[^.]*\d[^.]*=).*$/;

/** True if a sentence states a value as its own: it does not deny, quote, attribute, ask or suppose it. */
export function isPlain(reply: ReplyText, mention: Place, masked: string): boolean {
  const { start, end } = mention;
  const sentence = reply.sentenceAt(start);
  const before = ownWords(reply, start, masked);
  const [said = ""] = masked.slice(end, Math.max(end, sentence.end)).split(REASON);
  const after = /\d/.test(masked.slice(start, end)) ? said.replace(CALCULATION, "") : said;
  const clause = lastClause(before);
  if (LIMIT.test(before) || reported().test(before)) return false;
  if ([supposed, vague, denial].some((pattern) => pattern().test(clause))) return false;
  if (isQuoted(reply, mention) || /[?=×]/.test(after)) return false;
  if (deniedNext().test(masked.slice(sentence.end, sentence.end + 60))) return false;
  return ![denial, supposed, vague, contrast, reported].some((pattern) => pattern().test(after));
}

/** "not X", "rather than X": words right before a value that deny it. */
const DENIED =
  /(?:^|[,;:(—.!?]|\b(?:but|and|it|that|so|no))\s*(?:'s |is |was )?(?:not|isn't|wasn't|rather than|instead of|as opposed to)(?: the| an?| in| by| on| at| of| option)? ["'([]{0,3}$/;

/** Where the words begin that deny a value, if they stand right before it. */
export function denialStart(lower: string, { start }: Place): number | undefined {
  const from = Math.max(0, start - 40);
  const match = DENIED.exec(lower.slice(from, start));
  return match === null ? undefined : from + match.index;
}

const deniedAfter = lazyPattern(
  `^["')\\]}*.:,]{0,3} (?:${anyOf(
    "(?:is|are|was|were|does|do|did|can|could|would|has|have|had)(?: not|n't)|cannot|never|is no",
    "(?:is|are|was|were|seems|looks|would be) (?:[a-z]+ )?(?:wrong|incorrect|false|mistaken|ruled|eliminated|out|off|a (?:myth|mistake))",
    "can be (?:ruled|eliminated|excluded|rejected)",
  )})(?![a-z])`,
  "",
);

/** True if words right after a value deny it. */
export function isDeniedAfter(lower: string, { end }: Place): boolean {
  return deniedAfter().test(lower.slice(end, end + 50));
}

const foreign = words(
  "ist|sind|und|der|das|nicht|nein|el|los|est|les|sont|pas|het|een|niet|são|não|è|é|non|sono|er|ikke|inte|jest|nie",
);

const english = words("the|are|and|it|this|with|have");

/** True if a text has words of another language, and no more of English, as titles and names do: rules read English. */
export function isForeign(lower: string): boolean {
  return (foreign().test(lower) && !english().test(lower)) || /(?![\0-\u024f])\p{L}/u.test(lower);
}

/** Words with which a speaker takes back what was said. */
export const retraction: () => RegExp = words(
  "wait|actually(?=,)|no(?=,)|hold on|scratch that|on second thoughts?|correction(?=:)|oops|hmm+|not sure|unsure|uncertain",
  "or rather|makes me (?:doubt|wonder)|i (?:may|might|could) (?:well )?(?:be|have been) (?:wrong|mistaken)|and (?:i'm|i am) the",
  "let me (?:re[- ]?[a-z]+|think again|double[- ]check|try again|correct|revise|fix)",
  "i (?:was|am) (?:wrong|mistaken)(?! (?:about|to [a-z]+(?: up)?|when i said) (?!(?:that|this|it|so)\\b))|i misspoke|i (?:made|have made|see) (?:an?|my|the) (?:[a-z]+ )?(?:mistake|error)",
  "(?:that|this)(?:'s| is| was) (?:wrong|incorrect|a mistake|an error)",
);
const deniedNext = lazyPattern(
  "^[\\s\"'(]*(?:(?:but|however|though|still|yet|of course|unfortunately),? )*(?:it|that|this|he|she|they)(?:'s|(?: [a-z]+)?) ?(?:not|n't|no|no longer|never|wrong|incorrect|false)(?![a-z])",
  "",
);
const disclaimer = words(
  "(?:i|we)(?:'m| am)? (?:can(?:not|'t| not)|could(?:n't| not)|do(?:n't| not)|won't|will not|unable to|not able to|must decline)(?: [a-z]+){0,2}? (?:know|answer|determine|tell|provide|say|choose|pick|decide|give|help|settle|confirm|verify|open|see|remember)",
  "not sure|unsure|uncertain|no idea|as an ai|none of (?:the above|these)|depends|up to you|either way|in a position|i'd rather|would rather",
  "impossible to|hard to say|no (?:way (?:to|of)|(?:single|right|correct) answer)|can(?:not|'t) be (?:determined|answered|known|said)|(?:not enough|insufficient) (?:information|data|context|evidence)",
);

/** True if a reply says that it gives no answer. */
export function isDeclined({ lower }: ReplyText): boolean {
  return disclaimer().test(lower);
}
