import type { RunBrowser } from "../../journal/store/run-browser.ts";
import type { Store } from "../../journal/store/store.ts";

/** How many answers are remembered. */
const MOST = 200;

/**
 * A store whose counts are read once as long as the file does not change: several parts of a page need them, and going back asks
 * again.
 */
export function rememberedStore(store: Store, browser: Pick<RunBrowser, "version">): Store {
  let version = -1;
  const known = new Map<string, unknown>();
  const once = <Answer>(key: string, read: () => Answer): Answer => {
    const now = browser.version();
    if (now !== version || known.size > MOST) known.clear();
    version = now;
    if (!known.has(key)) known.set(key, read());
    // Each key has one type of answer.
    return known.get(key) as Answer;
  };
  const remembered: Partial<Store> = {
    runs: () => once("runs", () => store.runs()),
    run: (name) => once(`run ${name}`, () => store.run(name)),
    results: (run) => once(`results ${run}`, () => store.results(run)),
    tallies: (run) => once(`tallies ${run}`, () => store.tallies(run)),
  };
  return new Proxy(store, {
    get(target, name) {
      const own = Reflect.get(remembered, name) as unknown;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
