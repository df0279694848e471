/** How often conversations came through a scenario, and which ways they took. */
export interface Traffic {
  /** How often each node was visited, by its id. */
  readonly visits: ReadonlyMap<string, number>;
  /** How often each edge was followed, by its index in the edges of the definition. */
  readonly hops: ReadonlyMap<number, number>;
}

/**
 * A share in whole percent, `85 %`. What is not quite nothing or not quite all never looks as if it were: `<1 %`, `>99 %`.
 * Empty if there is nothing to have a share of, or if counts do not fit together.
 */
export function shareText(part: number, whole: number): string {
  if (!(whole > 0) || part > whole) return "";
  const percent = Math.round((part / whole) * 100);
  if (percent === 0 && part > 0) return "<1 %";
  if (percent === 100 && part < whole) return ">99 %";
  return `${percent} %`;
}
