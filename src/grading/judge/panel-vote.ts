/** How far the judges of a panel agree on one answer. */
export interface PanelAgreement {
  /** The share of votes that equal the combined answer; null without votes. */
  readonly share: number | null;
  readonly votes: number;
  /** In words, why the combined answer is null. */
  readonly reason?: string;
}

/** What the votes of a panel come to. */
export interface PanelAnswer<Value = unknown> {
  readonly value: Value | null;
  readonly agreement: PanelAgreement;
}

/**
 * The answer that more than half of the judges gave; null, with the reason, if there is none. A vote for null says
 * "not stated" and counts as any other. Answers with the same key are the same answer; of their writings the most
 * frequent is taken, then the earliest.
 */
export function majority<Value>(
  votes: readonly (Value | null)[],
  keyOf: (value: Value) => unknown = (value) => value,
): PanelAnswer<Value> {
  const groups = Map.groupBy(votes, (vote) => (vote === null ? null : keyOf(vote)));
  for (const [key, group] of groups) {
    if (group.length * 2 <= votes.length) continue;
    const share = group.length / votes.length;
    if (key === null) return { value: null, agreement: notStated(votes, share) };
    return { value: mostFrequent(group), agreement: { share, votes: votes.length } };
  }
  return { value: null, agreement: undecided(votes) };
}

/**
 * The median of the numbers, if more than half of the judges gave one; of an even count the mean of the middle two.
 * With `whole` it is the lower of these two instead: a count that some judge has read, not one between two.
 */
export function median(
  votes: readonly (number | null)[],
  { whole = false }: { readonly whole?: boolean } = {},
): PanelAnswer<number> {
  const numbers = votes.filter((vote) => vote !== null).sort((left, right) => left - right);
  const missing = votes.length - numbers.length;
  if (missing * 2 > votes.length) {
    return { value: null, agreement: notStated(votes, missing / votes.length) };
  }
  const middle = (numbers.length - 1) / 2;
  const lower = numbers[Math.floor(middle)];
  const upper = numbers[Math.ceil(middle)];
  if (lower === undefined || upper === undefined || missing * 2 === votes.length) {
    return { value: null, agreement: undecided(votes) };
  }
  // Halved before they are added: the sum of two very large numbers would be infinite.
  const value = whole || lower === upper ? lower : lower / 2 + upper / 2;
  const agreeing = numbers.filter((number) => number === value).length;
  return { value, agreement: { share: agreeing / votes.length, votes: votes.length } };
}

function notStated(votes: readonly unknown[], share: number): PanelAgreement {
  return {
    share,
    votes: votes.length,
    reason: `${Math.round(share * votes.length)} of ${votes.length} judges found no answer`,
  };
}

function undecided(votes: readonly unknown[]): PanelAgreement {
  if (votes.length === 0)
    return { share: null, votes: 0, reason: "no judge gave an answer that can be read" };
  const share = votes.filter((vote) => vote === null).length / votes.length;
  return { share, votes: votes.length, reason: `no answer has more than half of ${votes.length} votes` };
}

function mostFrequent<Value>(writings: readonly (Value | null)[]): Value | null {
  const groups = Map.groupBy(writings, (writing) => JSON.stringify(writing));
  let best: readonly (Value | null)[] = [];
  for (const group of groups.values()) if (group.length > best.length) best = group;
  return best[0] ?? null;
}
