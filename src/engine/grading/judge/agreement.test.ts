import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { llmTrait } from "../../../core/templates/rubric.ts";
import { template } from "../../../core/templates/template.ts";
import { krippendorffAlpha, type MeasurementLevel, panelAlpha } from "./agreement.ts";
import type { PanelVote } from "./panel.ts";

/** Rows are judges, as such data are printed; `.` is a missing rating. */
function unitsOf(...rows: readonly string[]): (string | null)[][] {
  const ratings = rows.map((row) => row.split(" ").map((cell) => (cell === "." ? null : cell)));
  return (ratings[0] ?? []).map((_, unit) => ratings.map((row) => row[unit] ?? null));
}

function numbersOf(units: readonly (readonly (string | null)[])[]): (number | null)[][] {
  return units.map((unit) => unit.map((cell) => (cell === null ? null : Number(cell))));
}

describe("published examples (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability)", () => {
  // B: two observers, binary; C: two observers, nominal; D and E: four observers, with missing data.
  const binary = unitsOf("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0");
  const nominal = unitsOf("a a b b d c c c e d d a", "b a b b b c c c e d d d");
  const missing = unitsOf(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
  );
  test.each<[string, number | null, number]>([
    ["two observers, binary", krippendorffAlpha(binary, "nominal"), 0.095],
    ["two observers, nominal", krippendorffAlpha(nominal, "nominal"), 0.692],
    ["four observers, nominal", krippendorffAlpha(missing, "nominal"), 0.743],
    ["four observers, ordinal", krippendorffAlpha(numbersOf(missing), "ordinal"), 0.815],
    ["four observers, interval", krippendorffAlpha(numbersOf(missing), "interval"), 0.849],
  ])("%s", (_name, alpha, published) => {
    expect(alpha?.toFixed(3)).toBe(published.toFixed(3));
  });

  test("three coders, 15 units (Wikipedia)", () => {
    const units = unitsOf(
      ". . . . . 3 4 1 2 1 1 3 3 . 3",
      "1 . 2 1 3 3 4 3 . . . . . . .",
      ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
    );
    expect(krippendorffAlpha(units, "nominal")).toBeCloseTo(0.691, 3);
    expect(krippendorffAlpha(numbersOf(units), "interval")).toBeCloseTo(0.811, 3);
  });
});

describe("undefined is null, never 1 or NaN", () => {
  test.each<[string, (number | null)[][]]>([
    ["nothing", []],
    ["empty units", [[], []]],
    ["nothing to pair", [[1], [2, null], [null, 3]]],
    ["no variation", [[2, 2], [2, 2, 2], [null]]],
    [
      "no variation among what can be paired",
      [
        [2, 2],
        [7, null],
      ],
    ],
    [
      "no numbers",
      [
        [Number.NaN, Number.NaN],
        [Number.POSITIVE_INFINITY, 1],
      ],
    ],
  ])("%s", (_name, units) => {
    for (const level of ["nominal", "ordinal", "interval"] as const) {
      expect(krippendorffAlpha(units, level)).toBeNull();
    }
  });
});

test.each([1e-300, 1, 1e200, 1.7e308])("ratings of the size of %d", (size) => {
  const units = [
    [0, 0],
    [size, size],
    [0, size],
  ];
  expect(krippendorffAlpha(units, "interval")).toBeCloseTo(
    krippendorffAlpha(
      [
        [0, 0],
        [1, 1],
        [0, 1],
      ],
      "interval",
    ) ?? Number.NaN,
  );
});

test("many units with many different values take no longer than their number asks for", () => {
  const units = Array.from({ length: 100_000 }, (_, unit) => [unit, unit + 1, unit]);
  for (const level of ["nominal", "ordinal", "interval"] as const) {
    expect(krippendorffAlpha(units, level)).toBeLessThan(1);
  }
});

/** By the definition: a matrix of coincidences, and the difference of every pair of values. */
function alphaByDefinition(
  units: readonly (readonly (number | null)[])[],
  level: MeasurementLevel,
): number | null {
  const pairable = units.map((unit) => unit.filter((r) => r !== null)).filter((unit) => unit.length > 1);
  const values = [...new Set(pairable.flat())].sort((left, right) => left - right);
  const coincidence = (c: number, k: number): number =>
    pairable
      .map((unit) => {
        let pairs = 0;
        for (const [i, left] of unit.entries())
          for (const [j, right] of unit.entries()) if (i !== j && left === c && right === k) pairs++;
        return pairs / (unit.length - 1);
      })
      .reduce((sum, part) => sum + part, 0);
  const total = (c: number): number => values.reduce((sum, k) => sum + coincidence(c, k), 0);
  const difference = (c: number, k: number): number => {
    if (level === "nominal") return c === k ? 0 : 1;
    if (level === "interval") return (c - k) ** 2;
    const between = values.filter((g) => g >= Math.min(c, k) && g <= Math.max(c, k));
    return (between.reduce((sum, g) => sum + total(g), 0) - (total(c) + total(k)) / 2) ** 2;
  };
  let observed = 0;
  let expected = 0;
  for (const c of values) {
    for (const k of values) {
      observed += coincidence(c, k) * difference(c, k);
      expected += total(c) * total(k) * difference(c, k);
    }
  }
  const n = pairable.flat().length;
  return values.length < 2 ? null : 1 - ((n - 1) * observed) / expected;
}

const ratings = fc.array(fc.array(fc.option(fc.integer({ min: -3, max: 3 })), { maxLength: 5 }), {
  maxLength: 7,
});
const levels = fc.constantFrom<MeasurementLevel>("nominal", "ordinal", "interval");

test("agrees with the definition", () => {
  fc.assert(
    fc.property(ratings, levels, (units, level) => {
      const alpha = krippendorffAlpha(units, level);
      const expected = alphaByDefinition(units, level);
      if (expected === null) expect(alpha).toBeNull();
      else expect(alpha).toBeCloseTo(expected, 9);
    }),
  );
});

test("1 if and only if every unit is of one mind; the order of units and judges does not matter", () => {
  fc.assert(
    fc.property(ratings, levels, (units, level) => {
      const alpha = krippendorffAlpha(units, level);
      const turned = units.map((unit) => [...unit].reverse()).reverse();
      const other = krippendorffAlpha(turned, level);
      if (alpha === null) {
        expect(other).toBeNull();
        return;
      }
      expect(other).toBeCloseTo(alpha, 9);
      expect(alpha).toBeLessThanOrEqual(1);
      const unanimous = units.every((unit) => new Set(unit.filter((r) => r !== null)).size <= 1);
      expect(alpha === 1).toBe(unanimous);
    }),
  );
});

test("ordinal sees only the order, interval not the unit of measurement", () => {
  fc.assert(
    fc.property(ratings, (units) => {
      const change = (by: (r: number) => number): (number | null)[][] =>
        units.map((unit) => unit.map((r) => (r === null ? null : by(r))));
      const same = (left: number | null, right: number | null): void =>
        left === null ? expect(right).toBeNull() : expect(right).toBeCloseTo(left, 9);
      same(
        krippendorffAlpha(units, "ordinal"),
        krippendorffAlpha(
          change((r) => r ** 3 + r),
          "ordinal",
        ),
      );
      same(
        krippendorffAlpha(units, "interval"),
        krippendorffAlpha(
          change((r) => 100 - 4 * r),
          "interval",
        ),
      );
    }),
  );
});

const question = {
  template: template({
    city: { type: "string", description: "d", truth: "Canberra" },
    year: { type: "integer", description: "d", truth: 1913 },
    read: { type: "boolean", description: "d", truth: true, extract: { type: "stance" } },
  }),
  traits: [llmTrait("polite", { kind: "boolean" })],
};

function vote(city: string | null, year: number | null, polite: boolean | null): PanelVote {
  return { parsed: { city, year }, rubric: { polite }, refused: null, status: "read" };
}

test("alpha over a run, for every field and trait that judges answer", () => {
  const turns = [
    [vote("Canberra", 1913, true), vote("canberra", 1913, true)],
    [vote("Sydney", 1901, true), vote("Sydney", 1901, false)],
    [vote(null, 1950, false), vote(null, 1950, true)],
  ];
  const { parsed, rubric } = panelAlpha(turns, question);
  expect(parsed).toEqual({ city: 1, year: 1 });
  expect(rubric.polite).toBeLessThan(0.5);
});

test("where nothing varies, or nobody rated, it is undefined", () => {
  const unreadable: PanelVote = { ...vote("x", 1, true), status: "unreadable" };
  expect(panelAlpha([[vote("a", 1, true), vote("a", 1, true)]], question).parsed).toEqual({
    city: null,
    year: null,
  });
  expect(
    panelAlpha(
      [
        [vote("a", 1, true), unreadable],
        [vote("b", 2, true), unreadable],
      ],
      question,
    ).parsed.city,
  ).toBe(null);
});
