import { deepEqual, isRecord, type JsonObject, type JsonValue } from "../../core/values/json.ts";

/**
 * What depends on a change: the questions that subjects are sent, what judges are asked, which replies are right, where conversations
 * go, what outcomes say, and which conversations there are.
 */
export type Affected = "questions" | "readings" | "verdicts" | "edges" | "outcomes" | "conversations";

/** One difference between two definitions. */
export interface Change {
  readonly part: "scenario" | "node" | "edge" | "outcome" | "rate";
  /** The node, the edge (`ask → doubt`), the outcome or the rate; empty for the scenario as a whole. */
  readonly name: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** What of it changed, in words: `question`, `truth of city`. */
  readonly what?: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Empty for what shapes no call and no result, such as descriptions for people. */
  readonly affects: readonly Affected[];
}

/** A part of something that may have been added, removed or changed; none if it is the same. */
export function partChange(
  about: Pick<Change, "part" | "name" | "affects"> & { readonly what: string },
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  if (deepEqual(before, after)) return [];
  return [
    {
      ...about,
      change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}

/** A part of a written scenario that is an object; nothing where there is none. */
export function recordOf(value: JsonValue | undefined): JsonObject {
  // What was written is JSON.
  return isRecord(value) ? (value as JsonObject) : {};
}

/**
 * The effect of a change on a stored conversation: it stays the same; all its answers can be used, but verdicts or outcomes differ; it takes
 * another edge; a question must be asked again; or a judge must.
 */
export type Fate = "same" | "regraded" | "rerouted" | "asked_again" | "judged_again";
