import type { Rubric } from "../templates/rubric.ts";
import type { Template } from "../templates/template.ts";
import type { JsonObject } from "../values/json.ts";

/** A question with its answer shown to the subject beforehand. */
export interface FewShotExample {
  readonly question: string;
  readonly answer: string;
}

/** What a node asks, and how the reply is verified. */
export interface Question<Parsed = unknown> {
  /** The text that the subject sees. */
  readonly question: string;
  /** The reference answer; never shown to the subject. */
  readonly rawAnswer: string;
  /** Without a template the node only speaks, and its `verify_result` is null. */
  readonly template?: Template<Parsed>;
  readonly fewShot?: readonly FewShotExample[];
  readonly keywords?: readonly string[];
  readonly rubric?: Rubric;
  readonly metadata?: JsonObject;
}

/**
 * A question for `addNode`.
 *
 * @example
 * question({ question: "What is the capital of Australia?", rawAnswer: "Canberra" })
 */
export function question<Parsed = unknown>(parts: Question<Parsed>): Question<Parsed> {
  return parts;
}
