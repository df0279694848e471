import { isRecord } from "../../core/values/json.ts";
import type { BudgetLimits } from "../../engine/run/calls/budget.ts";
import { parseThreshold } from "../../insight/report/data/thresholds.ts";

const PART = /^(?<sign>\$?)\s*(?<number>\d+(?:\.\d+)?|\.\d+)\s*(?<scale>[km]?)(?<unit>[^\d.]*)$/i;

const SCALES: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

const UNITS: ReadonlyMap<string, keyof BudgetLimits> = new Map([
  ["usd", "usd"],
  ["$", "usd"],
  ["dollar", "usd"],
  ["dollars", "usd"],
  ["token", "tokens"],
  ["tokens", "tokens"],
  ["call", "calls"],
  ["calls", "calls"],
]);

/**
 * Reads a budget as people write it; a sentence if it cannot be read.
 *
 * @example
 * parseBudget("$2.50, 100k tokens") // { usd: 2.5, tokens: 100_000 }
 */
export function parseBudget(text: string): BudgetLimits | string {
  const limits: { -readonly [Unit in keyof BudgetLimits]: number } = {};
  for (const part of text.split(",")) {
    const { sign, number, scale = "", unit: word = "" } = PART.exec(part.trim())?.groups ?? {};
    const name = word.trim().toLowerCase();
    const unit = name === "" && sign === "$" ? "usd" : UNITS.get(name);
    if (number === undefined || unit === undefined || (sign === "$" && unit !== "usd"))
      return `${JSON.stringify(part.trim())} is not a budget. Write it like "5usd", "100k tokens" or "200 calls", several with commas between.`;
    // What is written with a few decimals must not end in 0.0000001 of a token.
    const amount = Number((Number(number) * (SCALES[scale.toLowerCase()] ?? 1)).toPrecision(15));
    if (unit !== "usd" && !Number.isSafeInteger(amount))
      return `The budget ${JSON.stringify(part.trim())} is not a whole number of ${unit}.`;
    if (limits[unit] !== undefined)
      return `The budget ${JSON.stringify(text)} limits ${unit} twice; once is enough.`;
    limits[unit] = amount;
  }
  return limits;
}

const TIME_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

/**
 * Reads a time as people write it, as milliseconds; a sentence if it cannot be read.
 *
 * @example
 * parseDuration("10m") // 600_000
 */
export function parseDuration(text: string): number | string {
  const { number = "", unit = "" } =
    /^\s*(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|min|h)?\s*$/i.exec(text)?.groups ?? {};
  if (number === "" || (unit === "" && Number(number) !== 0))
    return `${JSON.stringify(text)} is not a time. Write it like "90s", "10m" or "1h".`;
  return Number(number) * (TIME_UNITS[unit.toLowerCase()] ?? 0);
}

/**
 * Reads what outcomes must reach, in any of the forms that a project file takes: thresholds by outcome, or a sentence.
 *
 * @example
 * readFailUnder({ resisted: 0.9 }) // { resisted: "0.9" }
 * readFailUnder(["resisted>=90%:lower"]) // { resisted: "90%:lower" }
 */
export function readFailUnder(value: unknown): Readonly<Record<string, string>> | string {
  const texts = isRecord(value)
    ? Object.entries(value).map((pair) => pair.join("="))
    : [value].flat().map(String);
  // Outcomes are called what their author likes, `__proto__` included.
  const limits: Record<string, string> = Object.create(null);
  for (const text of texts) {
    const threshold = parseThreshold(text);
    if (typeof threshold === "string") return threshold;
    limits[threshold.outcome] = text.slice(text.lastIndexOf("=") + 1).trim();
  }
  return limits;
}

/**
 * Reads a share from 0 to 1 as people write it; a sentence if it cannot be read.
 *
 * @example
 * parseShare("80%") // 0.8
 */
export function parseShare(value: string | number): number | string {
  const { digits = "", percent } =
    /^\s*(?<digits>[\d.]+)\s*(?<percent>%)?\s*$/.exec(String(value))?.groups ?? {};
  const share = digits === "" ? Number.NaN : Number(percent === undefined ? digits : `${digits}e-2`);
  return share >= 0 && share <= 1
    ? share
    : `${JSON.stringify(value)} is not a share. Write it like 0.8 or 80%.`;
}

/**
 * Reads which levels of which factors are wanted; a sentence if they cannot be read.
 *
 * @example
 * readLevels(["challenger=aus", "order=a"]) // { challenger: "aus", order: "a" }
 */
export function readLevels(value: unknown): Readonly<Record<string, string>> | string {
  const pairs = isRecord(value)
    ? Object.entries(value).map(([factor, level]) => [factor, String(level)] as const)
    : [value].flat().map((text) => {
        const [factor = "", ...level] = String(text).split("=");
        return [factor.trim(), level.join("=").trim()] as const;
      });
  const wrong = pairs.find(([factor, level]) => factor === "" || level === "");
  if (wrong === undefined) return Object.fromEntries(pairs);
  const written = wrong.filter((part) => part !== "").join("=");
  return `${JSON.stringify(written)} is not a level of a factor. Write it like order=a.`;
}
