import type { Template } from "../templates/template.ts";

/** The right answer in short form. A list has words that mean the same as its first; `none` leaves a node unverified. */
export type ShortAnswer =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | { readonly number: number | string; readonly within?: number }
  | { readonly date: string }
  | Template<unknown>;

type Word = string | number;

/** What may stand beside the text of a question. */
export interface AnswerOptions {
  readonly answer?: ShortAnswer;
  /** Wrong answers, the most tempting first; each a text, or a list of words that mean the same. */
  readonly wrong?: Word | boolean | readonly (Word | boolean | readonly Word[])[];
  /** The value of an answer that is none of the listed ones. */
  readonly otherwise?: string;
  /** The options of a multiple-choice question; the field then has the letter. */
  readonly options?: readonly Word[] | string;
  /** Further help for a judge that reads the reply. */
  readonly judge?: string;
  /** What to read in the reply: the description of the field, which is otherwise made from the question. */
  readonly about?: string;
}

/** A question as text, with its answer beside it. */
export interface ShortQuestion extends AnswerOptions {
  readonly question: string;
}

/** Refuses keys that are not known, which a type parameter would let through. */
export type NoOther<Short, Known> = { readonly [Key in Exclude<keyof Short, Known>]: never };

type First<Value> = Value extends readonly [infer Head, ...unknown[]] ? Head : Value;
type Listed<Value> = Value extends readonly (infer Item)[] ? First<Item> : Value;
type Texts<Value> = Value extends string | number
  ? `${Value}` extends `${string}{{${string}`
    ? string
    : `${Value}`
  : never;

/** What reading a reply gives where a question is in short form. */
export type ParsedOfShort<Short> = Short extends { readonly options: unknown }
  ? { readonly answer: string | null }
  : Short extends { readonly answer: infer Answer }
    ? Answer extends "none"
      ? unknown
      : Answer extends Template<infer Parsed>
        ? Parsed
        : { readonly answer: ValueOf<Answer, Short> | null }
    : unknown;

type ValueOf<Answer, Short> = Answer extends number | { readonly number: unknown }
  ? number
  : Answer extends boolean | "yes" | "no" | "Yes" | "No"
    ? boolean
    : Answer extends { readonly date: unknown }
      ? string
      : Short extends { readonly wrong: infer Wrong }
        ?
            | Texts<First<Answer>>
            | Texts<Listed<Wrong>>
            | (Short extends { readonly otherwise: infer Other extends string } ? Other : never)
        : string;

/** A message of a dynamic: its text, or how often it is said at the most. */
export type ShortMessage = string | { readonly text: string; readonly times?: number };

/** Messages one after another; the keys of an object are the ids of their nodes. */
export type ShortMessages = readonly ShortMessage[] | Readonly<Record<string, ShortMessage>>;
