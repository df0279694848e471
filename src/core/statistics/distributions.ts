/**
 * Tails and quantiles of the normal, Student's t, beta and chi-square distributions, to double precision. Tails are computed as such
 * and never as 1 minus something, so that small p-values keep all their digits.
 *
 * Reference: C. Loader, "Fast and accurate computation of binomial probabilities" (2000), for the factors in front; W. Press et al.,
 * "Numerical Recipes", chapter 6, for the continued fractions.
 */

const EPSILON = 2 ** -53;
const HALF_LOG_TWO_PI = 0.9189385332046728;

const LANCZOS: readonly number[] = [
  0.9999999999999971, 57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202,
  0.00003399464998481189, 0.00004652362892704858, -0.00009837447530487956, 0.0001580887032249125,
  -0.00021026444172410488, 0.00021743961811521265, -0.0001643181065367639, 0.00008441822398385275,
  -0.000026190838401581408, 0.0000036899182659531625,
];

/** Logarithm of the gamma function, for x > 0. */
function logGamma(x: number): number {
  const base = x + 5.2421875;
  let sum = LANCZOS[0] as number;
  for (let i = 1; i < LANCZOS.length; i++) sum += (LANCZOS[i] as number) / (x + i);
  return (x + 0.5) * Math.log(base) - base + HALF_LOG_TWO_PI + Math.log(sum / x);
}

/** What Stirling's formula for log x! leaves out. */
function stirlingError(x: number): number {
  if (x < 16) return logGamma(x + 1) - (x + 0.5) * Math.log(x) + x - HALF_LOG_TWO_PI;
  const square = x * x;
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / x;
}

/** x·log(x/m) + m − x, without cancellation where x is near m. */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  let sum = (x - m) * v;
  let term = 2 * x * v;
  for (let i = 3; ; i += 2) {
    term *= v * v;
    const next = sum + term / i;
    if (next === sum) return sum;
    sum = next;
  }
}

/** Γ(n+1)/(Γ(x+1)Γ(n−x+1))·pˣ·qⁿ⁻ˣ, also for x and n that are not whole. Here 0 < x < n and q = 1 − p. */
function binomialWeight(x: number, n: number, p: number, q: number): number {
  const exponent =
    stirlingError(n) - stirlingError(x) - stirlingError(n - x) - deviance(x, n * p) - deviance(n - x, n * q);
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * x * (n - x)));
}

/** P(X ≤ m) and P(X = m) of a binomial X of n fair coins. */
export function fairCoins(m: number, n: number): { readonly atMost: number; readonly exactly: number } {
  // Up to here 2⁻ⁿ is a number, and adding up from 0 is exact to the last digits.
  if (n <= 1000) {
    let exactly = 2 ** -n;
    let atMost = exactly;
    for (let k = 1; k <= m; k++) {
      exactly *= (n - k + 1) / k;
      atMost += exactly;
    }
    return { atMost, exactly };
  }
  const exactly = m === 0 || m === n ? 2 ** -n : binomialWeight(m, n, 0.5, 0.5);
  let atMost = exactly;
  let term = exactly;
  for (let k = m; k > 0; k--) {
    term *= k / (n - k + 1);
    if (atMost + term === atMost) break;
    atMost += term;
  }
  return { atMost, exactly };
}

/** Regularised incomplete beta function I_x(a, b). `y` is 1 − x, given on its own so that it keeps its digits. */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(y, x, b, a);
  const front = binomialWeight(a, a + b, x, y) * (b / (a + b));
  // Continued fraction, by Lentz's method.
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m < 1_000_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d, tiny);
    c = nonZero(1 + even / c, tiny);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d, tiny);
    c = nonZero(1 + odd / c, tiny);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 4 * EPSILON) break;
  }
  return front * fraction;
}

/** Regularised upper incomplete gamma function Q(a, x). */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(-stirlingError(a) - deviance(a, x)) / Math.sqrt(2 * Math.PI * a);
  if (x < a + 1) {
    let term = 1;
    let sum = 1;
    for (let n = 1; term > sum * EPSILON; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  const tiny = 1e-300;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1; i < 1_000_000; i++) {
    const step = -i * (i - a);
    b += 2;
    d = 1 / nonZero(step * d + b, tiny);
    c = nonZero(b + step / c, tiny);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 4 * EPSILON) break;
  }
  return front * a * fraction;
}

const nonZero = (value: number, tiny: number): number => (Math.abs(value) < tiny ? tiny : value);

/** The chance of a value of at least x, chi-square with `df` degrees of freedom. */
export const chiSquareTail = (x: number, df: number): number => upperGamma(df / 2, x / 2);

/** The chance of a value of at least x, Fisher's F with these degrees of freedom. */
export function fisherTail(x: number, above: number, below: number): number {
  const whole = above * x + below;
  return incompleteBeta(below / whole, (above * x) / whole, below / 2, above / 2);
}

/** The chance of a value at least as far from 0 as z, standard normal. */
export const normalTwoSided = (z: number): number => upperGamma(0.5, (z * z) / 2);

/** The chance of a value at least as far from 0 as t, Student's t with `df` degrees of freedom. */
export function studentTwoSided(t: number, df: number): number {
  const square = t * t;
  return incompleteBeta(df / (df + square), square / (df + square), df / 2, 0.5);
}

/** The value that a positive decreasing function takes the wanted amount at, by Newton's method kept inside a shrinking bracket. */
function solve(
  wanted: number,
  value: (x: number) => number,
  slope: (x: number) => number,
  bracket: readonly [number, number],
): number {
  let [low, high] = bracket;
  const falling = value(low) > value(high);
  let x = (low + high) / 2;
  for (let i = 0; i < 400; i++) {
    const excess = value(x) - wanted;
    if (excess === 0) return x;
    if (excess > 0 === falling) low = x;
    else high = x;
    let next = x - excess / slope(x);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (Math.abs(next - x) <= 2 * EPSILON * Math.abs(x)) return next;
    x = next;
  }
  return x;
}

/** The z that a standard normal value exceeds with probability `tail`. */
export function normalQuantileUpper(tail: number): number {
  if (tail === 0.5) return 0;
  if (tail > 0.5) return -normalQuantileUpper(1 - tail);
  const density = (z: number): number => Math.exp(-(z * z) / 2 - HALF_LOG_TWO_PI);
  return solve(2 * tail, normalTwoSided, (z) => -2 * density(z), [0, 39]);
}

/** z of a two-sided confidence: 1.96 for 0.95. */
export const normalQuantile = (confidence: number): number => normalQuantileUpper((1 - confidence) / 2);

/** t of a two-sided confidence with `df` degrees of freedom. */
export function studentQuantile(confidence: number, df: number): number {
  const outside = 1 - confidence;
  let high = 2;
  while (studentTwoSided(high, df) > outside) high *= 2;
  // The density of t from the derivative of the incomplete beta function.
  const slope = (t: number): number => {
    const square = t * t;
    const x = df / (df + square);
    const y = square / (df + square);
    const n = (df + 1) / 2;
    const density = (binomialWeight(df / 2, n, x, y) * (df / 2) * 0.5) / n / (x * y);
    return -density * ((2 * x * y) / t);
  };
  return solve(outside, (t) => studentTwoSided(t, df), slope, [high > 2 ? high / 2 : 0, high]);
}

/** The x below which a beta variable with parameters a and b lies with probability `below`. */
export function betaQuantile(below: number, a: number, b: number): number {
  const slope = (x: number): number => (binomialWeight(a, a + b, x, 1 - x) * a * b) / (a + b) / (x * (1 - x));
  return solve(below, (x) => incompleteBeta(x, 1 - x, a, b), slope, [0, 1]);
}
