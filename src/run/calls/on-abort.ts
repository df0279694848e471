const actions = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Does something when a signal is aborted, unless the function that is returned is called before. Thousands of calls
 * may wait for one signal, whose own list of listeners is searched from end to end at each change: it gets just one.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  let waiting = actions.get(signal);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    waiting = all;
    actions.set(signal, all);
    signal.addEventListener("abort", () => runAll(all), { once: true });
  }
  waiting.add(action);
  return () => waiting.delete(action);
}

function runAll(all: Set<() => void>): void {
  for (const action of all) action();
  all.clear();
}
