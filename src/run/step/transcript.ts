/** A turn as another agent may read of it. */
export interface SpokenTurn {
  /** From 1. */
  readonly turn: number;
  /** Who was asked; empty where the scenario names nobody. */
  readonly agent: string;
  /** The question as the node has it, without what a handover added. */
  readonly question: string;
  readonly reply: string;
}

/** Every character that some reader takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * What was said, for a reader who was not there. Quoted lines begin with `>`, so that nothing in a question or a reply can
 * pass for a label, or for the end of the transcript.
 */
export function writeTranscript(turns: readonly SpokenTurn[]): string {
  return turns
    .map(({ turn, agent, question, reply }) => {
      const name = agent === "" ? "the assistant" : agent.replaceAll(/\s+/g, " ");
      return `[${turn}] question to ${name}:\n${quoted(question)}\n[${turn}] reply of ${name}:\n${quoted(reply)}`;
    })
    .join("\n");
}

function quoted(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => `> ${line}`)
    .join("\n");
}

/** The transcript with a first and a last line, as it stands in a question. */
export function framedTranscript(turns: readonly SpokenTurn[]): string {
  const opening = "Transcript of what was said before. Lines that begin with > are quoted.";
  return `${opening}\n\n${writeTranscript(turns)}\n\nEnd of the transcript.`;
}
