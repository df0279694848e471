import { type Markers, markersOf } from "./markers.ts";
import type { ReplyText } from "./reply-text.ts";

/** Words with which a speaker takes back what was said before; what follows replaces it. */
const CORRECTION =
  /\b(?:actually|wait(?=[,.!…— ]| -)|hold on|correction|scratch that|on second thoughts?|on reflection|(?:up)?on (?:further |closer |careful |second )?(?:reflection|review|reconsideration|consideration|inspection|examination|look)|let me (?:reconsider|correct|re-?check|rethink|re-?think|re-?evaluate|re-?examine|revise|fix|double[- ]check|try again|recalculate|re-?calculate|clarify)|i (?:was|am|stand|have been) (?:wrong|mistaken|corrected|incorrect|in error)|i'm (?:mistaken|wrong)|i (?:made|have made|see) (?:a|an|my|the) (?:[a-z]+ )?(?:mistake|error|slip)|i misspoke|i mis(?:read|calculated|counted|stated|understood)|i apologi[sz]e|my apologies|apologies|sorry|my mistake|my bad|oops|or rather|i mean|make that|chang(?:e|ing) my (?:answer|mind)|switch(?:ing)? (?:my answer )?(?:from|to)|revis(?:e|ed|ing) (?:my )?(?:answer|choice|to)|corrected answer|updated answer|new answer|that(?:'s| is| was) (?:wrong|incorrect|not right|not correct|a mistake|an error)|you(?:'re| are) (?:absolutely |completely |totally |quite )?(?:right|correct))(?![a-z])|\bno,|\bhmm/g;

/** Words that leave nothing in place of what they take back. */
const RETRACTION =
  /\b(?:wait(?=[,.!…—])|hold on|scratch that|on second thoughts?|let me (?:reconsider|re-?check|rethink|re-?evaluate|re-?examine|recalculate|double[- ]check|try again)|i (?:was|am) (?:wrong|mistaken)|i'm (?:mistaken|wrong)|i (?:made|have made) (?:a|an) (?:[a-z]+ )?(?:mistake|error)|i misspoke|(?:that|this)(?:'s| is| was| can't be| cannot be) (?:wrong|incorrect|not right|not correct|a mistake|right\?|correct\?))(?![a-z])/g;

/** Sentences in which a speaker says that there is no answer. */
const REFUSAL =
  /\b(?:(?:i|we)(?:'m| am| was)? (?:can(?:not|'t| not)|could(?:n't| not)|do(?:n't| not)|unable to|not able to|won't|will not|am unable to|must decline|decline to)(?: [a-z]+){0,2}? (?:know|answer|determine|tell|provide|say|choose|pick|decide|give|help|assist|comply|select|share|offer|make)|(?:not|in)(?: [a-z]+)?(?: |)(?:enough|sufficient) (?:information|data|context|evidence|detail)|impossible to (?:say|tell|know|determine|answer)|can(?:not|'t) be (?:determined|answered|known|said)|(?:i'm|i am) (?:not sure|unsure|uncertain|sorry)|there(?:'s| is) no (?:way to (?:know|tell|say)|correct answer|right answer|definitive answer|single answer)|none of the above|none of these|no idea|as an ai)(?![a-z])/g;

/** What a reply takes back, and whether it declines to answer. */
export interface Reversals {
  readonly corrections: Markers;
  readonly retractions: Markers;
  readonly refusals: Markers;
}

/** Finds the reversals of a reply. */
export function reversalsOf(reply: ReplyText): Reversals {
  return {
    corrections: markersOf(reply.lower, CORRECTION),
    retractions: markersOf(reply.lower, RETRACTION),
    refusals: markersOf(reply.lower, REFUSAL),
  };
}

/** The corrections that begin a sentence: "Yes. Actually, no." takes the yes back, "yes, but actually no" does not. */
export function leadingCorrections(reply: ReplyText): Markers {
  return markersOf(reply.lower, CORRECTION, ({ index }) => index - reply.sentenceStart(index) <= 2);
}
