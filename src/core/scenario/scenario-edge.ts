import type { When } from "../state/condition.ts";
import type { TurnRecord } from "../state/state.ts";

/** The target of an edge that ends the conversation. */
export const END = "__end__";

/** Another way to write `END` in files. */
export const END_IN_FILES = "END";

/** The handovers that write a transcript: into the question, before or after its text, or into a file. */
export const TRANSCRIPTS = ["transcript_prepend", "transcript_append", "transcript_materialize"] as const;

/** What the next agent sees of the conversation so far. */
export type Handover =
  | (typeof TRANSCRIPTS)[number]
  | HandoverFunction
  // The source text of a handover function; written this way, editors still offer the names above.
  | (string & {});

/** True for a handover that writes a transcript, false for one that is code. */
export function isTranscript(handover: Handover): handover is (typeof TRANSCRIPTS)[number] {
  return (TRANSCRIPTS as readonly unknown[]).includes(handover);
}

/** Writes the question text for the next agent. */
export type HandoverFunction = (turns: readonly TurnRecord[], questionText: string) => string;

/** An edge of a definition; without `when` it is the fallback of its source. */
export interface ScenarioEdge {
  readonly source: string;
  readonly target: string;
  readonly when?: NonNullable<When>;
  readonly handover?: Handover;
}
