import { type ExtractTarget, enumValues } from "./extract-target.ts";

const ALPHABET = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The letters that a reply may choose, in upper case: those given, else those of the enum, else A to Z. */
export function optionLetters(
  options: readonly string[] | undefined,
  target: ExtractTarget,
): ReadonlySet<string> {
  if (options !== undefined) return new Set(options.flatMap(letterOf));
  if (target.type === "enum") return new Set(enumValues(target).flatMap(letterOf));
  return new Set(ALPHABET);
}

/** The letter of an option such as "a", "B" or "(c)"; none if it is anything else. */
export function letterOf(option: unknown): string[] {
  const letter = typeof option === "string" ? /^[\s([]*([A-Za-z])[\s)\].]*$/.exec(option)?.[1] : undefined;
  return letter === undefined ? [] : [letter.toUpperCase()];
}
