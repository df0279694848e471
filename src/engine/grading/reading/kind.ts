import type { Place, ReplyText } from "./reply-text.ts";

/** The words of a field's description, in lower case and without endings: what its value is about. */
export type Topic = ReadonlySet<string>;

/** A value where a reply names it; null if something stands there that cannot be read as one value. */
export interface Mention<Value> extends Place {
  readonly value: Value | null;
}

/** A kind of value that rules read: letters, numbers, yes and no, listed words. */
export interface Kind<Value> {
  /** Every place of a reply that names a value. */
  readonly mentions: (reply: ReplyText) => readonly Mention<Value>[];
  /** The same with places that name a value only where the sentence is about it: "D is the prime number". */
  readonly named?: (reply: ReplyText) => readonly Mention<Value>[];
  /** Every place that names a value between two positions, right behind words that announce one. */
  readonly announced: (reply: ReplyText, from: number, to: number) => readonly Mention<Value>[];
  /** The value that a reply comes to where it announces none: the result of its last calculation. */
  readonly concluded?: (reply: ReplyText) => Mention<Value> | undefined;
  /** True for letters, which a reply may list: where it begins with one, no other may be named. */
  readonly isListed?: boolean;
  /** True for yes and no, which are found only where a sentence states them. */
  readonly isSelfEvident?: boolean;
  /** True for numbers, which occur beside the answer too: where one is announced, no other counts. */
  readonly isCommon?: boolean;
}

/** A place that names one value. */
export type Named<Value> = Mention<Value> & { readonly value: Value };

export function isNamed<Value>(mention: Mention<Value>): mention is Named<Value> {
  return mention.value !== null;
}

/** A reply, and what is known of the value that is looked for in it. */
export interface Source<Value> {
  readonly reply: ReplyText;
  readonly kind: Kind<Value>;
  readonly topic: Topic;
  /** The topic and the words of the question, neither of which narrows what a reply says. */
  readonly asked: Topic;
  /** True if the reply was cut off. */
  readonly cut: boolean;
  /** Every place that names a value. */
  readonly mentions: readonly Mention<Value>[];
}

/** What a pattern finds; the value is null if the reply says something there that is not one value. */
export interface Finding<Value> extends Mention<Value> {
  /** True if something else in the reply may be the answer: it decides nothing, and may contradict. */
  readonly isDoubtful?: boolean;
  /** True if the reply says there that it has no answer. */
  readonly isNothing?: boolean;
}

/** What a rule takes from a reply. */
export type Decision<Value> =
  | { readonly status: "found"; readonly value: Value; readonly start: number; readonly end: number }
  | { readonly status: "absent" | "ambiguous" };

/** Alternatives, each a piece of a regular expression over text in lower case. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** True if a sticky pattern matches at the position. */
export function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}
