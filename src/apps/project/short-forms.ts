import { isRecord } from "../../core/values/json.ts";
import type { BudgetLimits } from "../../engine/run/calls/budget.ts";
import { parseThreshold } from "../../insight/report/data/thresholds.ts";

/** The limits of a budget, or a sentence about what is wrong. */
type ReadBudget =
  | { readonly limits: BudgetLimits; readonly problem?: never }
  | { readonly limits?: never; readonly problem: string };

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

const HOW_TO = 'Write it like "5usd", "100k tokens" or "200 calls", several with commas between.';

/**
 * Reads a budget as people write it.
 *
 * @example
 * parseBudget("$2.50, 100k tokens") // { limits: { usd: 2.5, tokens: 100_000 } }
 */
export function parseBudget(text: string): ReadBudget {
  const limits: { -readonly [Unit in keyof BudgetLimits]: number } = {};
  if (text.trim() === "") return { problem: `The budget is empty. ${HOW_TO}` };
  for (const part of text.split(",")) {
    const read = readPart(part.trim());
    if (typeof read === "string") return { problem: read };
    const { unit, amount } = read;
    if (limits[unit] !== undefined)
      return { problem: `The budget ${JSON.stringify(text)} limits ${unit} twice; once is enough.` };
    limits[unit] = amount;
  }
  return { limits };
}

function readPart(part: string): { readonly unit: keyof BudgetLimits; readonly amount: number } | string {
  const { sign = "", number = "", scale = "", unit: word = "" } = PART.exec(part)?.groups ?? {};
  if (number === "") return `${JSON.stringify(part)} is not a budget. ${HOW_TO}`;
  const name = word.trim().toLowerCase();
  const unit = name === "" && sign === "$" ? "usd" : UNITS.get(name);
  if (unit === undefined && name === "")
    return `The budget ${JSON.stringify(part)} does not say of what: usd, tokens or calls. ${HOW_TO}`;
  if (unit === undefined || (sign === "$" && unit !== "usd"))
    return `${JSON.stringify(part)} is not a budget: it is counted in usd, tokens or calls. ${HOW_TO}`;
  // What is written with a few decimals must not end in 0.0000001 of a token.
  const amount = Number((Number(number) * (SCALES[scale.toLowerCase()] ?? 1)).toPrecision(15));
  if (unit !== "usd" && !Number.isSafeInteger(amount))
    return `The budget ${JSON.stringify(part)} is not a whole number of ${unit}.`;
  return { unit, amount };
}

/** A time in milliseconds, or a sentence about what is wrong. */
type ReadDuration =
  | { readonly ms: number; readonly problem?: never }
  | { readonly ms?: never; readonly problem: string };

const TIME_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

/**
 * Reads a time as people write it.
 *
 * @example
 * parseDuration("10m") // { ms: 600_000 }
 */
export function parseDuration(text: string): ReadDuration {
  const { number = "", unit = "" } =
    /^\s*(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|min|h)?\s*$/i.exec(text)?.groups ?? {};
  if (number === "" || (unit === "" && Number(number) !== 0))
    return { problem: `${JSON.stringify(text)} is not a time. Write it like "90s", "10m" or "1h".` };
  return { ms: Number(number) * (TIME_UNITS[unit.toLowerCase()] ?? 0) };
}

/** Thresholds by outcome, or a sentence about what is wrong. */
type ReadFailUnder =
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

/** A share from 0 to 1, or a sentence about what is wrong. */
type ReadShare =
  | { readonly share: number; readonly problem?: never }
  | { readonly share?: never; readonly problem: string };

/**
 * Reads a share as people write it.
 *
 * @example
 * parseShare("80%") // { share: 0.8 }
 */
export function parseShare(value: string | number): ReadShare {
  const { digits = "", percent } =
    /^\s*(?<digits>[\d.]+)\s*(?<percent>%)?\s*$/.exec(String(value))?.groups ?? {};
  const share = digits === "" ? Number.NaN : Number(percent === undefined ? digits : `${digits}e-2`);
  if (share >= 0 && share <= 1) return { share };
  return { problem: `${JSON.stringify(value)} is not a share. Write it like 0.8 or 80%.` };
}

/** Levels by factor, or a sentence about what is wrong. */
type ReadLevels =
  | { readonly levels: Readonly<Record<string, string>>; readonly problem?: never }
  | { readonly levels?: never; readonly problem: string };

/**
 * Reads which levels of which factors are wanted.
 *
 * @example
 * readLevels(["challenger=aus", "order=a"]) // { levels: { challenger: "aus", order: "a" } }
 */
export function readLevels(value: unknown): ReadLevels {
  const pairs = isRecord(value)
    ? Object.entries(value).map(([factor, level]) => [factor, String(level)] as const)
    : [value].flat().map((text) => {
        const [factor = "", ...level] = String(text).split("=");
        return [factor.trim(), level.join("=").trim()] as const;
      });
  const wrong = pairs.find(([factor, level]) => factor === "" || level === "");
  if (wrong !== undefined)
    return {
      problem: `${JSON.stringify(wrong.filter((part) => part !== "").join("="))} is not a level of a factor. Write it like order=a.`,
    };
  return { levels: Object.fromEntries(pairs) };
}
