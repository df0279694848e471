/** The median time in milliseconds of several runs, after a few to warm up. */
export function medianTime(
  action: () => unknown,
  options: { readonly runs?: number; readonly warmUp?: number } = {},
): number {
  const { runs = 7, warmUp = 2 } = options;
  for (let run = 0; run < warmUp; run++) action();
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return times.sort((left, right) => left - right)[Math.floor(runs / 2)] as number;
}

/** CPU time of this process so far, in milliseconds: other programs on the machine do not count. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** One line of a report: what was measured, the figure, and whether the goal was met. */
export function report(
  what: string,
  figure: string,
  goal?: { readonly text: string; readonly met: boolean },
): void {
  const verdict = goal === undefined ? "" : `${goal.met ? "ok  " : "MISS"} goal ${goal.text}`;
  console.log(`  ${what.padEnd(46)} ${figure.padStart(18)}   ${verdict}`.trimEnd());
}

/** A number with its unit, short enough for a column. */
export function shown(value: number, unit: string): string {
  return `${value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3)} ${unit}`;
}
