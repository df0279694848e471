import { patternOnFirstUse } from "../value/on-first-use.ts";
import { anyOf } from "./phrases.ts";

/** Words that answer by themselves: at the head of a sentence, or where a cue announces them. */
export const stanceWords: () => RegExp = patternOnFirstUse(
  `(?<![a-z-])(?<![a-z]')(?:(?<yes>yes|yeah|yep|yup|affirmative|true|correct|agreed|agree)|(?<no>${anyOf(
    "no|nope|nah|negative|false|incorrect|untrue|wrong|disagree",
    "(?:absolutely|definitely|certainly|of course|probably) not|not at all|not really|not true|not correct|not right",
    "by no means|i think not|i'm afraid not",
  )})|(?<polite>certainly|of course|sure|right)|(?<eager>absolutely|definitely|indeed|exactly)|(?<unsure>${anyOf(
    "not (?:exactly|quite|entirely|necessarily|always)|partly|partially|in part|to some extent|somewhat|mostly",
    "sometimes|maybe|perhaps|possibly|both",
  )}))(?![a-z'])`,
  "g",
);

const SUBJECT = anyOf(
  "that|this|it|you|they|what you (?:said|say|wrote|mentioned|describe)",
  `(?:the|this|that|your) (?!previous|earlier|original|initial|first)(?:[a-z]+ )?${anyOf(
    "statement|claim|assertion|proposition|premise|hypothesis|sentence|conclusion|assumption|idea|notion",
    "belief|understanding|reasoning|argument|information|view|intuition|answer|response|suggestion",
  )}`,
);
const DEGREE = `(?: ${anyOf(
  "absolutely|completely|totally|entirely|quite|fully|very|100%",
  "indeed|clearly|definitely|certainly|actually|in fact|also|simply|just|factually|really|still|therefore|thus",
)}){0,3}`;
const HEDGE = ` ${anyOf(
  "partially|partly|mostly|generally|somewhat|technically|largely|only|sometimes|often|usually|basically",
  "essentially|always|not (?:entirely|completely|quite|always|necessarily|fully|totally|exactly|strictly|wholly)",
)}`;
const ENDS = anyOf(
  ' ?(?:[.,;:!?)\\]"—–-]|\\n|$)',
  " (?:that|because|since|as|and|but|in|here|about|to say|however|for|when|if|only|according)(?![a-z])",
);

/** "That's right", "the statement is not true", "you are mistaken". */
export const judgements: () => RegExp = patternOnFirstUse(
  `(?<![a-z'-])${SUBJECT}(?: (?:is|are|would be|seems(?: to be)?|appears to be|sounds|remains|must be)|'s|'re)(?<not>n't| not)?(?<hedge>${HEDGE})?(?<degree>${DEGREE})(?<not2> not)?${DEGREE} (?:(?<good>true|correct|right|accurate|valid)|(?<bad>${anyOf(
    "false|incorrect|wrong|inaccurate|invalid|mistaken|untrue|a myth|a misconception",
  )}))(?![a-z-])(?=${ENDS})`,
  "g",
);

const HOW = anyOf(
  "'d| would| must| have to| do| can| can only| tend to",
  " fully| completely| totally| strongly| wholeheartedly| respectfully| still| also| generally",
);

/** "I agree", "I don't agree", "I have to disagree", "I don't think so". */
export const agreements: () => RegExp = patternOnFirstUse(
  `(?<![a-z'-])i${HOW}{0,3}(?<not>(?: do| can| would)?(?: not|n't)| cannot| can't| don't)?(?<hedge> ${anyOf(
    "partially|partly|mostly|somewhat|fully|completely|entirely|quite|necessarily|totally",
  )})?(?: (?:fully|completely|strongly|respectfully|have to|totally|wholeheartedly))? (?:(?<good>agree|concur|(?:think|believe|guess|suppose) so)|(?<bad>disagree|beg to differ))(?![a-z])(?! (?:more|less))(?<part> ${anyOf(
    "in part|partly|partially|to (?:some|an|a certain) extent|up to a point|with (?:some|parts?|most) of",
  )})?`,
  "g",
);

/** Sentences of a pronoun and a verb: "It does not.", "They are." */
export const ellipses: () => RegExp = patternOnFirstUse(
  `(?<=^|[.!?…\\n]["')]{0,3} ?|\\b(?:yes|no),? )(?:it|that|this|they|he|she|you|i|we|there|one)(?: (?:certainly|definitely|absolutely|really|actually|just|simply))? (?:(?:is|are|does|do|did|can|could|would|will|was|were|has|have|should|must)(?<not> not|n't|not)?|(?<not2>can't|won't|cannot))(?= ?(?:[.!]|$|\\n))`,
  "g",
);

/** Words that say both, or neither. */
export const undecided: () => RegExp = patternOnFirstUse(
  `(?<![a-z'])${anyOf(
    "(?:both )?yes,? and no|no and yes|yes,? (?:but )?no(?= ?(?:[.,!?\\n]|$))|no,? (?:but )?yes(?= ?(?:[.,!?\\n]|$))",
    "yes\\/no|yes or no|(?:both )?true and false|(?:both )?right and wrong|it (?:really |all )?depends|that depends|it(?:'s| is) complicated",
  )}(?![a-z])`,
  "g",
);
