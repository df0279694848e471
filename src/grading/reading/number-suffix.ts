/** A number so far: its value (null if it cannot be read) and where it ends. */
export interface NumberSoFar {
  readonly value: number | null;
  readonly end: number;
  /** True if a fraction is part of it. */
  readonly fraction: boolean;
}

const EXPONENT = /e([+-]?\d{1,3})(?![a-z0-9])/y;
const POWER_OF_TEN = / ?[×x*·] ?10 ?(?:\^ ?\(?|\*\*)([+-]?\d{1,3})\)?/y;
const OWN_POWER = /\^\(?([+-]?\d{1,3})\)?(?![\d.])/y;
const FRACTION = / ?[/⁄] ?(\d{1,15})(?![\d/]|[.,]\d| ?[/=+*×])/y;
const MIXED = / (\d{1,6})[/⁄](\d{1,6})(?![\d/]|[.,]\d)/y;
const PERCENT = / ?(?:%|(?:percent|per cent|prozent)(?![a-z]))/y;
const SCALE =
  /[ -](hundred|thousand|million|billion|trillion|dozen|lakh|crore|mio|mrd|bn|mn|mln)s?(?![a-z])\.?|(k)(?![a-z0-9])/y;
const MONEY_SCALE = /(mm|m|bn|b)(?![a-z0-9])/y;

const SCALES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 1e2,
  k: 1e3,
  thousand: 1e3,
  lakh: 1e5,
  m: 1e6,
  mm: 1e6,
  mn: 1e6,
  mln: 1e6,
  mio: 1e6,
  million: 1e6,
  crore: 1e7,
  b: 1e9,
  bn: 1e9,
  mrd: 1e9,
  billion: 1e9,
  trillion: 1e12,
};

/** Reads on after the digits: exponents, powers of ten, fractions, percent signs (`50%` is 50) and multiples (`3k`). */
export function readSuffix(lower: string, so: NumberSoFar, money: boolean): NumberSoFar {
  if (so.value === null) return so;
  const { value } = so;
  const exponent = at(EXPONENT, lower, so.end) ?? at(POWER_OF_TEN, lower, so.end);
  if (exponent !== undefined) return { ...so, value: scaled(value, Number(exponent[1])), end: exponent.end };
  const power = value === 10 ? at(OWN_POWER, lower, so.end) : undefined;
  if (power !== undefined) return { ...so, value: scaled(1, Number(power[1])), end: power.end };
  const fraction = readFraction(lower, so);
  const percent = at(PERCENT, lower, fraction.end);
  return percent === undefined ? readScales(lower, fraction, money) : { ...fraction, end: percent.end };
}

function readFraction(lower: string, so: NumberSoFar): NumberSoFar {
  if (so.value === null || so.fraction || !Number.isInteger(so.value)) return so;
  const mixed = at(MIXED, lower, so.end);
  if (mixed !== undefined && Number(mixed[2]) > 0) {
    return { value: so.value + Number(mixed[1]) / Number(mixed[2]), end: mixed.end, fraction: true };
  }
  const fraction = at(FRACTION, lower, so.end);
  if (fraction === undefined) return so;
  const under = Number(fraction[1]);
  return { value: under === 0 ? null : so.value / under, end: fraction.end, fraction: true };
}

function readScales(lower: string, so: NumberSoFar, money: boolean): NumberSoFar {
  let { value, end } = so;
  for (let count = 0; count < 3; count++) {
    const found = at(SCALE, lower, end) ?? (money ? at(MONEY_SCALE, lower, end) : undefined);
    if (found === undefined || value === null) break;
    // Twelve digits are enough to undo what binary fractions add: 1.1 × 1000 is 1100.
    value = Number((value * (SCALES[found[1] ?? found[2] ?? ""] ?? 1)).toPrecision(12));
    end = found.end;
  }
  return { ...so, value, end };
}

/** As if the exponent had been written into the number, which is exact where multiplying is not. */
function scaled(value: number, exponent: number): number | null {
  const result = Number(/e/.test(String(value)) ? value * 10 ** exponent : `${value}e${exponent}`);
  return Number.isFinite(result) ? result : null;
}

function at(
  pattern: RegExp,
  text: string,
  position: number,
): (RegExpExecArray & { end: number }) | undefined {
  pattern.lastIndex = position;
  const match = pattern.exec(text);
  return match === null ? undefined : Object.assign(match, { end: position + match[0].length });
}
