import { isReservedKey } from "../value/reserved-key.ts";

/** What every provider takes as a key of a schema; Anthropic refuses all others. */
const PORTABLE_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The keys under which a judge answers, one per name: the name itself if it can be a key everywhere, else a number
 * with the prefix (`field_2`). The same names in the same order give the same keys.
 */
export function answerKeys(names: readonly string[], prefix: string): readonly string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name, index) => {
    let key = name;
    if (!PORTABLE_KEY.test(name) || isReservedKey(name) || used.has(name)) {
      key = `${prefix}_${index + 1}`;
      while (taken.has(key) || used.has(key)) key += "_";
    }
    used.add(key);
    return key;
  });
}
