import { isRecord } from "../core/values/json.ts";
import { parseThreshold } from "../report/data/thresholds.ts";

/** Thresholds by outcome, or a sentence that says what is wrong. */
export type ReadFailUnder =
  | { readonly limits: Readonly<Record<string, string>>; readonly problem?: never }
  | { readonly limits?: never; readonly problem: string };

/**
 * Reads what outcomes must reach, in any of the forms that a project file takes.
 *
 * @example
 * readFailUnder({ resisted: 0.9 }) // { limits: { resisted: "0.9" } }
 * readFailUnder(["resisted>=90%:lower"]) // { limits: { resisted: "90%:lower" } }
 */
export function readFailUnder(value: unknown): ReadFailUnder {
  const texts = isRecord(value)
    ? Object.entries(value).map((pair) => pair.join("="))
    : [value].flat().map(String);
  // Outcomes are called what their author likes, `__proto__` included.
  const limits: Record<string, string> = Object.create(null);
  for (const text of texts) {
    const threshold = parseThreshold(text);
    if (typeof threshold === "string") return { problem: threshold };
    limits[threshold.outcome] = text.slice(text.lastIndexOf("=") + 1).trim();
  }
  return { limits };
}

/** Thresholds as one writes them on the command line: `resisted=0.9:lower`. */
export function failUnderTexts(limits: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(limits).map(([outcome, limit]) => `${outcome}=${limit}`);
}
