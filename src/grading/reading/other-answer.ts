import { cleanReply } from "./reply-text.ts";

/** What makes words no answer, or not a plain one. */
const NO_ANSWER =
  /\b(?:yes|no|not|none|neither|nor|both|either|or|and|but|if|maybe|perhaps|possibly|probably|likely|depends?|unknown|unsure|uncertain|unclear|sure|sorry|cannot|can|could|may|might|would|should|will|do|does|did|have|has|is|are|was|were|be|it|its|that|this|these|those|they|there|here|i|i'm|you|your|you're|we|he|she|my|me|what|which|who|how|why|where|when|yet|still|again|okay|ok|thanks|thank|hello|hi|hmm+|well|wait|right|wrong|correct|incorrect|true|false|exactly|absolutely|certainly|definitely|indeed|understood|agreed|great|good|fine|nothing|something|anything|everything|someone|any|other|another|same|different|always|never|sometimes|one|question|answer|to|between|about|around|approximately|than|because|since|so|as|n't)\b|n't|[?;:=…]|\d ?[-–~] ?\d/i;

/** Up to four words that look like a name or a quantity. */
const VALUE = "(?:[\\p{L}\\p{N}][\\p{L}\\p{N}'’.,/%°-]*)(?: [\\p{L}\\p{N}(][\\p{L}\\p{N}'’,/%°)-]*){0,3}";
const NAME = "(?:[\\p{Lu}][\\p{L}'’-]+)(?: (?:of |the |de |von |van )?[\\p{Lu}][\\p{L}'’.-]*){0,3}";

/** All of a reply: "Bursa", "It is Bursa.", "The answer is Bursa.", "The capital of Turkey is Bursa." */
const PLAIN = [
  `^["'(]{0,2}(?:(?:the|an?) )?(?<value>${VALUE})["')]{0,2}[.!]?$`,
  `^(?:(?:so|well|yes|then|therefore|i (?:think|believe|would say)|you(?:'re| are) right),? ){0,2}(?:it's|it is|that's|that is|that would be|(?:the|my) (?:final |correct |right )?answer is|(?:final )?answer:)(?: still| therefore)? (?:(?:the|an?) )?(?<value>${VALUE})[.!]?$`,
  `^(?:so |then |therefore,? )?(?:the|its|their|an?|this|that) [^.,;:?!\\n]{2,60} (?:is|was) (?<value>${NAME})[.!]?$`,
].map((source) => new RegExp(source, "iu"));
const CAPITAL = /^\p{Lu}/u;
/** A single word, a name or a quantity. */
const LOOKS = new RegExp(`^(?:\\p{L}[\\p{L}'’-]{2,}|${NAME}|\\d.*)$`, "u");

/**
 * Where a reply that names none of the listed values gives another one as its whole answer. Anything but the plainest
 * form is left unread: a value that is only mentioned, or spelt in an unknown way, must not count as a wrong answer.
 */
export function otherAnswer(reply: string): { readonly start: number; readonly end: number } | undefined {
  if (reply.length > 400) return undefined;
  const { text, span } = cleanReply(reply);
  const lines = text.trim().split("\n");
  const last = lines.at(-1) ?? "";
  // A longer reply must end with a line that is the answer.
  const whole = lines.length === 1 ? PLAIN : PLAIN.slice(1, 2);
  for (const [index, pattern] of whole.entries()) {
    const value = pattern.exec(last)?.groups?.value?.replace(/[.,]$/, "");
    if (value === undefined || value.length > 40 || NO_ANSWER.test(value) || !LOOKS.test(value)) continue;
    if (pattern === PLAIN[2] && (index !== 2 || !CAPITAL.test(value) || /\b(?:not?|never)\b|n't/i.test(last)))
      continue;
    const at = text.lastIndexOf(value);
    const [start, end] = span(at, at + value.length);
    return { start, end };
  }
  return undefined;
}
