/** What an outcome must come to at least: its rate, or the lower bound of the rate's interval; the mean of a number. */
export interface Threshold {
  readonly outcome: string;
  readonly minimum: number;
  readonly by: "rate" | "lower";
}

const FORM = /^(?<outcome>.*?)\s*(?:>=|=)\s*(?<value>[^=]*)$/s;
const VALUE = /^(?<digits>[+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?<percent>%)?\s*(?::\s*(?<by>\w*))?$/;

/**
 * Reads a threshold as a person writes it, or says in a sentence what is wrong with it.
 *
 * @example
 * parseThreshold("resisted=90%:lower") // { outcome: "resisted", minimum: 0.9, by: "lower" }
 */
export function parseThreshold(text: string): Threshold | string {
  const quoted = JSON.stringify(text);
  const { outcome = "", value } = FORM.exec(text.trim())?.groups ?? {};
  if (value === undefined)
    return `The threshold ${quoted} has no value. Write an outcome and what it must reach: resisted=0.9 or resisted=90%.`;
  if (outcome === "") return `The threshold ${quoted} names no outcome. Write resisted=0.9, for example.`;
  const { digits, percent, by = "rate" } = VALUE.exec(value.trim())?.groups ?? {};
  if (digits === undefined)
    return `The threshold ${quoted} must end in a number, such as 0.9, 90% or 0.9:lower.`;
  if (by !== "rate" && by !== "lower")
    return `The threshold ${quoted} can be compared with "rate" or with "lower", the lower bound of the 95 % interval, but not with ${JSON.stringify(by)}.`;
  // As an exponent, not as a division: 99.9 / 100 is more than 0.999.
  const minimum = Number(percent === undefined ? digits : `${digits}e-2`);
  if (percent !== undefined && (minimum < 0 || minimum > 1))
    return `The threshold ${quoted} must lie between 0 % and 100 %.`;
  if (by === "lower" && (minimum < 0 || minimum > 1))
    return `The threshold ${quoted} must lie between 0 and 1, because that is where the bounds of a rate lie.`;
  return { outcome, minimum, by };
}
