import type { Place, ReplyText } from "./reply-text.ts";

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

/** A reply, whether it was cut off, and the question, which is empty if it is not known. */
export interface Source {
  readonly reply: string;
  readonly cut: boolean;
  readonly question: string;
}
