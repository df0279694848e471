const RESERVED_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** True for keys that mean something else on JavaScript objects; as names of nodes or fields they are refused. */
export function isReservedKey(key: string): boolean {
  return RESERVED_KEYS.has(key);
}
