import { finiteOrNull, refuse, requireList, requireSameLength } from "./arguments.ts";
import { meanOf, sum } from "./means.ts";
import { meanRanks } from "./paired-tests.ts";

/** A label or a rating. */
export type Rating = string | number | boolean;

/** The pairs of which both are known. */
function completePairs(
  a: readonly (Rating | null)[],
  b: readonly (Rating | null)[],
): readonly (readonly [Rating, Rating])[] {
  requireSameLength(["a", "b"], a, b);
  for (const [name, list] of Object.entries({ a, b }))
    for (const [i, value] of list.entries()) requireRating(`${name}[${i}]`, value);
  return a.flatMap((first, i) => {
    const second = b[i] as Rating | null;
    return first === null || second === null ? [] : [[first, second] as const];
  });
}

function requireRating(name: string, value: Rating | null): void {
  const usable = value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
  if (!usable) refuse(name, "a text, a finite number, a boolean or null", value);
}

/** The share of equal pairs, from 0 to 1; pairs with a `null` are left out. Null if no pair is complete. */
export function percentAgreement(
  a: readonly (Rating | null)[],
  b: readonly (Rating | null)[],
): number | null {
  const pairs = completePairs(a, b);
  return pairs.length === 0 ? null : pairs.filter(([x, y]) => x === y).length / pairs.length;
}

/**
 * Agreement of two raters beyond chance, with its large-sample standard error. Null if no pair is complete.
 *
 * Reference: J. Cohen (1960), Educ. Psychol. Meas. 20, 37; J. Fleiss, J. Cohen, B. Everitt (1969), Psychol. Bull. 72, 323.
 */
export function cohenKappa(
  a: readonly (Rating | null)[],
  b: readonly (Rating | null)[],
): { readonly kappa: number | null; readonly standardError: number | null; readonly n: number } | null {
  const pairs = completePairs(a, b);
  const n = pairs.length;
  if (n === 0) return null;
  const first = new Map<Rating, number>();
  const second = new Map<Rating, number>();
  const cells = new Map<Rating, Map<Rating, number>>();
  for (const [x, y] of pairs) {
    first.set(x, (first.get(x) ?? 0) + 1);
    second.set(y, (second.get(y) ?? 0) + 1);
    const line = cells.get(x) ?? new Map<Rating, number>();
    cells.set(x, line.set(y, (line.get(y) ?? 0) + 1));
  }
  if (first.size === 1 && second.size === 1 && pairs[0]?.[0] === pairs[0]?.[1])
    return { kappa: null, standardError: null, n };
  const r = (value: Rating): number => (first.get(value) ?? 0) / n;
  const q = (value: Rating): number => (second.get(value) ?? 0) / n;
  const observed = pairs.filter(([x, y]) => x === y).length / n;
  const expected = sum([...first.keys()].map((value) => r(value) * q(value)));
  const kappa = (observed - expected) / (1 - expected);
  const terms = [...cells].flatMap(([x, line]) =>
    [...line].map(([y, count]) =>
      x === y
        ? (count / n) * (1 - (r(x) + q(x)) * (1 - kappa)) ** 2
        : (count / n) * ((1 - kappa) * (q(x) + r(y))) ** 2,
    ),
  );
  const total = sum(terms);
  const variance = total - (kappa - expected * (1 - kappa)) ** 2;
  // A variance of 0, for instance where one rater always says the same, comes out as 0 up to rounding.
  const known = variance > 1e-14 * total ? variance : 0;
  return { kappa, standardError: Math.sqrt(known / n) / (1 - expected), n };
}

/** How far apart two ratings are: equal or not, by rank, or by their numbers. */
export type AlphaMetric = "nominal" | "ordinal" | "interval";

/**
 * Agreement of any number of raters beyond chance; `units` has one list of ratings per unit, `null` where a rater gave none. Null if nothing
 * can be compared, or if there is a single value only.
 *
 * Reference: K. Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".
 */
export function krippendorffAlpha(
  units: readonly (readonly (Rating | null)[])[],
  metric: AlphaMetric = "nominal",
): number | null {
  if (!["nominal", "ordinal", "interval"].includes(metric))
    refuse("metric", "nominal, ordinal or interval", metric);
  requireList("units", units);
  for (const [u, unit] of units.entries()) {
    requireList(`units[${u}]`, unit);
    for (const [i, value] of unit.entries()) {
      requireRating(`units[${u}][${i}]`, value);
      if (metric !== "nominal" && value !== null && typeof value !== "number")
        refuse(`units[${u}][${i}]`, `a number for \`${metric}\``, value);
    }
  }
  const rated = units
    .map((unit) => unit.filter((value) => value !== null))
    .filter((unit) => unit.length >= 2);
  const all = rated.flat();
  if (new Set(all).size < 2) return null;
  const distances = metric === "nominal" ? unequalPairs : squaredDistances;
  const scale = metric === "ordinal" ? rankOf(all as number[]) : (value: Rating) => value;
  const within = rated.map((unit) => distances(unit.map(scale)) / (unit.length - 1));
  return finiteOrNull(1 - (sum(within) * (all.length - 1)) / distances(all.map(scale)));
}

function rankOf(all: readonly number[]): (value: Rating) => number {
  const { ranks } = meanRanks(all);
  const byValue = new Map<Rating, number>(all.map((value, i) => [value, ranks[i] as number]));
  return (value) => byValue.get(value) as number;
}

/** The number of ordered pairs that are not equal. */
function unequalPairs(values: readonly Rating[]): number {
  const counts = new Map<Rating, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return sum([...counts.values()].map((count) => count * (values.length - count)));
}

/** The sum of (x − y)² over ordered pairs, from the distances to the mean. */
function squaredDistances(values: readonly Rating[]): number {
  const numbers = values as readonly number[];
  const centre = meanOf(numbers);
  return 2 * numbers.length * sum(numbers.map((value) => (value - centre) ** 2));
}
