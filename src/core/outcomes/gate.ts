/** The conversations behind a rate that must reach something. */
export interface GateCounts {
  readonly decided: number;
  /** Inconclusive, or ended in an error. */
  readonly undecided: number;
  /** Conversations of the run that a budget, a time limit or a person ended early, or that never began. */
  readonly cutShort: number;
}

/** Why a rate cannot pass, however good it is; undefined if enough conversations are decided. */
export function gateProblem(
  { decided, undecided, cutShort }: GateCounts,
  minDecided: number,
): string | undefined {
  if (cutShort > 0)
    return `${cutShort} ${cutShort === 1 ? "conversation was" : "conversations were"} cut short or never began`;
  const all = decided + undecided;
  if (decided >= minDecided * all) return undefined;
  const percent = Number((100 * minDecided).toPrecision(12));
  return `it was decided in ${decided} of ${all} conversations, and ${percent} % are needed (min-decided)`;
}
