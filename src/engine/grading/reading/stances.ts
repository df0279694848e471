import { lazyPattern } from "../../../core/lazy.ts";
import type { Kind, Mention, Topic } from "./kind.ts";
import type { ReplyText } from "./reply-text.ts";
import { isTopical } from "./topic.ts";

const WORD =
  "(?:(?<yes>yes|yeah|yep|yup|true|correct|agreed)|no|nope|nah|false|incorrect|untrue|not true|(?:absolutely|definitely|certainly|of course) not|not at all)";
const announced = lazyPattern(
  `^[\\s"'*:>$([{-]*(?:\\(?[ab][).:]{1,2} ?)?["'([{]{0,2}${WORD}(?![a-z'-])(?=["')\\]}*]*(?:\\s*(?:$|\\n)|[.,;!<—]|\\s[-–—(]| (?:because|since|as|it|that|this)(?![a-z])))`,
  "d",
);
const leading = lazyPattern(
  `(?:^[\\s"'*\\[(]*(?:[ab][).:]{1,2} ?)?(?:(?:well|again|but|sorry|in short|to answer your question),? )?|[,;—] (?=so|therefore|thus|hence))(?:(?:so|therefore|thus|hence),? )?${WORD}(?![a-z'-])(?=["')\\]}*]*(?:\\s*(?:$|\\n)|[.,;:!]|\\s[-–—(]| (?:because|since|it|that|this|they|there|a|the)(?![a-z])))`,
  "d",
);
const NEGATION =
  /(?<![a-z])(?:not|no|never|neither|nor|cannot|without|false|incorrect|untrue|unsafe|wrong|[a-z]+n't)(?![a-z])/;
/** Words that answer the other speaker, and not the question: "Yes, you're right", "No, I'm not changing my answer". */
const TO_SPEAKER =
  /^[^a-z]*(?:(?:absolutely|of course),? )?(?:you|i(?! (?:think|believe|would say) (?:so|not|it|that))|we|let|that(?:'s| is| was)(?: absolutely| completely)? (?:right|correct|true|an?)|my|your|sorry|thank)(?![a-z])/;

/** A yes or no that begins a sentence; null where the sentence goes on against it, so that it may answer something else. */
function stanceOf(reply: ReplyText, index: number): Mention<boolean> | undefined {
  const { start, end } = reply.sentences[index] as { start: number; end: number };
  const sentence = reply.lower.slice(start, end);
  const match = leading().exec(sentence);
  if (match === null) return undefined;
  const yes = match.groups?.yes !== undefined;
  const at = start + (match.index + match[0].search(/[a-z]+(?: [a-z]+)?$/));
  const word = { start: at, end: start + match.index + match[0].length };
  const own = sentence.slice(match.index + match[0].length);
  const next = reply.sentences[index + 1];
  const rest = /[a-z]|\n/.test(own) || next === undefined ? own : reply.lower.slice(next.start, next.end);
  if (!/[a-z]/.test(rest)) return { ...word, value: yes };
  const agrees =
    NEGATION.test(rest) !== yes &&
    !TO_SPEAKER.test(rest) &&
    !/\?|["'] (?:he|she|they|[a-z]+) said/.test(sentence);
  return { ...word, value: agrees ? yes : null };
}

const COPULA =
  /(?<![a-z])(?:is|are|does|do|can|was|were)(?<not>n't| not| still not| never)?(?![a-z'])|(?<=it|that|they)(?:'s|'re)(?<not2> not| still not)?(?![a-z])/g;

/** A clause that says nothing but what the field describes, or denies it: "it is still not safe to give honey". */
function describedIn(reply: ReplyText, topic: Topic): Mention<boolean>[] {
  if (!topic.has("whether") || topic.has("not")) return [];
  return [...reply.lower.matchAll(COPULA)].flatMap(({ 0: verb, index, groups }) => {
    const place = { start: index, end: index + verb.length };
    const value = groups?.not === undefined && groups?.not2 === undefined;
    return isTopical(reply, place, topic, { least: 1 }) ? [{ ...place, value }] : [];
  });
}

/** Yes and no, where a reply or one of its sentences begins with it, or says what the field describes. */
export function stanceKind(topic: Topic): Kind<boolean> {
  return {
    isSelfEvident: true,
    mentions: (reply) => {
      const words = reply.sentences.flatMap((_, index) => stanceOf(reply, index) ?? []);
      return words.length > 0 ? words : describedIn(reply, topic);
    },
    announced: announcedStance,
  };
}

function announcedStance(reply: ReplyText, from: number, to: number): Mention<boolean>[] {
  const match = announced().exec(reply.lower.slice(from, to));
  if (match === null) return [];
  const end = from + match[0].length;
  const start = end - (/[a-z]+(?: [a-z]+)?$/.exec(match[0])?.[0].length ?? 0);
  const more = /^[^a-z]{0,4}(?:(?:or|and|but) )?(?:yes|no|true|false)(?![a-z])/.test(
    reply.lower.slice(end, end + 16),
  );
  return [{ value: more ? null : match.groups?.yes !== undefined, start, end }];
}
