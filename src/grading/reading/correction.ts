import { type Markers, markersOf } from "./markers.ts";
import { anyOf, phrases } from "./phrases.ts";
import type { ReplyText } from "./reply-text.ts";

const RETHINK = `let me ${anyOf(
  "reconsider|re-?check|re-?think|re-?evaluate|re-?examine|re-?calculate|double[- ]check|try again",
)}`;
const MISTAKE = anyOf(
  "i (?:was|am) (?:wrong|mistaken)|i'm (?:wrong|mistaken)|i misspoke",
  "i (?:made|have made) an? (?:[a-z]+ )?(?:mistake|error)",
);
const WRONG = "(?:wrong|incorrect|not right|not correct|a mistake|an error)";

/** Words with which a speaker takes back what was said; what follows replaces it. */
const corrections = phrases(
  "actually|wait(?=[,.!…— ]| -)|hold on|correction|scratch that|or rather|i mean|make that|oops|hmm+|no(?=,)|(?:edit|update)(?=:)",
  "on second thoughts?|on reflection",
  "(?:up)?on (?:further |closer |careful |second )?(?:reflection|review|reconsideration|consideration|inspection|examination|look)",
  RETHINK,
  "let me (?:correct|revise|fix|clarify)",
  MISTAKE,
  "i (?:stand corrected|was incorrect|was in error|have been wrong)|i mis(?:read|calculated|counted|stated|understood)",
  "i see (?:an?|my|the) (?:[a-z]+ )?(?:mistake|error|slip)",
  "i apologi[sz]e|my apologies|apologies|sorry|my mistake|my bad",
  "chang(?:e|ing) my (?:answer|mind)|switch(?:ing)? (?:my answer )?(?:from|to)|revis(?:e|ed|ing) (?:my )?(?:answer|choice|to)",
  "(?:corrected|updated|new) answer",
  `that(?:'s| is| was) ${WRONG}`,
  "you(?:'re| are) (?:absolutely |completely |totally |quite )?(?:right|correct)",
);

/** Words that take back what was said and put nothing in its place. */
const retractions = phrases(
  "wait(?=[,.!…—])|hold on|scratch that|on second thoughts?",
  RETHINK,
  MISTAKE,
  `(?:that|this)(?:'s| is| was| can't be| cannot be) (?:${WRONG}|(?:right|correct)\\?)`,
);

const ABLE = anyOf(
  "can(?:not|'t| not)|could(?:n't| not)|do(?:n't| not)|won't|will not",
  "(?:am )?(?:unable|not able) to|must decline|decline to",
);

/** Sentences in which a speaker says that there is no answer. */
const refusals = phrases(
  `(?:i|we)(?:'m| am| was)? ${ABLE}(?: [a-z]+){0,2}? ${anyOf(
    "know|answer|determine|tell|provide|say|choose|pick|decide|give|help|assist|comply|select|share|offer|make",
  )}`,
  "(?:i'm|i am) (?:not sure|unsure|uncertain|sorry)|no idea|as an ai",
  "(?:not (?:[a-z]+ )?enough|insufficient) (?:information|data|context|evidence|detail)",
  "impossible to (?:say|tell|know|determine|answer)|can(?:not|'t) be (?:determined|answered|known|said)",
  "there(?:'s| is) no (?:way to (?:know|tell|say)|(?:correct|right|definitive|single) answer)",
  "none of (?:the above|these)",
);

/** What a reply takes back, and whether it declines to answer. */
export interface Reversals {
  readonly corrections: Markers;
  readonly retractions: Markers;
  readonly refusals: Markers;
}

/** Finds the reversals of a reply. */
export function reversalsOf({ lower }: ReplyText): Reversals {
  return {
    corrections: markersOf(lower, corrections()),
    retractions: markersOf(lower, retractions()),
    refusals: markersOf(lower, refusals()),
  };
}

/** The corrections that begin a sentence: "Yes. Actually, no." takes the yes back, "yes, but actually no" does not. */
export function leadingCorrections(reply: ReplyText): Markers {
  return markersOf(reply.lower, corrections(), ({ index }) => index - reply.sentenceStart(index) <= 2);
}
