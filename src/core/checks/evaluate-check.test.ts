import fc from "fast-check";
import { describe, expect, it } from "vitest";
import golden from "../../../test/golden/checks.json" with { type: "json" };
import type { Check, CheckType } from "./check.ts";
import { CHECK_SHAPES } from "./check.ts";
import { type CheckResult, FAILED, PASSED } from "./check-result.ts";
import { compileCheck, evaluateCheck } from "./evaluate-check.ts";

const TYPES = Object.keys(CHECK_SHAPES) as CheckType[];

describe("golden cases", () => {
  it.each(golden.map((example) => [JSON.stringify(example), example] as const))("%s", (_, example) => {
    // The file is data of many types; that its checks are checks is what is tested.
    const result = evaluateCheck(example.check as Check, example.value, example.expected);
    expect(result).toMatchObject({ evaluable: example.evaluable, passes: example.passes });
    expect(result.score).toBeCloseTo(example.score ?? 0, 9);
  });

  it("are there", () => expect(golden.length).toBeGreaterThan(200));
});

/** What every result must be, whatever was compared. */
function expectSound(result: CheckResult): void {
  expect(result.score).toBeGreaterThanOrEqual(0);
  expect(result.score).toBeLessThanOrEqual(1);
  if (result.evaluable) return;
  expect(result).toEqual({
    evaluable: false,
    passes: false,
    score: 0,
    reason: expect.stringMatching(/\S.*[.?]$/s),
  });
}

describe("never throws", () => {
  const scalar = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom("2024-03-01", "3", "a"),
  );
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }), fc.jsonValue());

  it("for any JSON as a check", () => {
    fc.assert(
      fc.property(fc.jsonValue(), value, value, (check, value, expected) => {
        expectSound(evaluateCheck(check as Check, value, expected));
      }),
    );
  });

  it("for any parameters of a known check", () => {
    const names = [...new Set(TYPES.flatMap((type) => Object.keys(CHECK_SHAPES[type].keys)))];
    const words = fc.constantFrom(
      "relative",
      "absolute",
      "linear",
      "max",
      "overlap",
      "subset",
      "days",
      "words",
      "i",
    );
    const parameter = fc.oneof(
      scalar,
      fc.nat(5),
      fc.double({ min: 0, max: 2 }),
      words,
      fc.array(fc.string()),
      fc.jsonValue(),
    );
    const parameters = fc.dictionary(fc.constantFrom(...names), parameter, { maxKeys: 5 });
    fc.assert(
      fc.property(
        fc.constantFrom(...TYPES),
        parameters,
        value,
        value,
        (type, parameters, value, expected) => {
          expectSound(evaluateCheck({ ...parameters, type } as Check, value, expected));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("for parameters of the right shape", () => {
    const usable = golden.filter((example) => example.evaluable).map((example) => example.check as Check);
    fc.assert(
      fc.property(fc.constantFrom(...usable), value, value, (check, value, expected) => {
        expectSound(evaluateCheck(check, value, expected));
      }),
      { numRuns: 1000 },
    );
  });

  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const deep = (): unknown => {
    let nested: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    return nested;
  };
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  const hostile: Readonly<Record<string, unknown>> = {
    "a throwing getter": Object.defineProperty({}, "type", { enumerable: true, get: () => fail() }),
    "a throwing toJSON": { toJSON: fail, toString: fail, valueOf: fail, [Symbol.toPrimitive]: fail },
    "a throwing proxy": new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail }),
    "a throwing proxy of an array": new Proxy([], { get: fail }),
    "a revoked proxy": revoked.proxy,
    "a symbol": Symbol("s"),
    "a list of symbols": [Symbol("s"), 1n, undefined, () => 1],
    "a big integer": 1n,
    "a function": () => 1,
    "a cycle": cyclic,
    "deep nesting": deep(),
    "deep nesting in a list": [deep()],
    "a list with holes": new Array(3),
    NaN: Number.NaN,
    "a long text": "a".repeat(100_000),
    "an object without prototype": Object.create(null),
    "a date": new Date(Number.NaN),
  };

  it.each(Object.keys(hostile))("for %s", (name) => {
    expectSound(evaluateCheck(hostile[name] as Check, 1, 1));
    const checks = [
      ...golden.map((example) => example.check),
      ...TYPES.map((type) => ({ type, pattern: "a", substring: "a" })),
    ];
    for (const check of checks) {
      expectSound(evaluateCheck(check as Check, hostile[name], hostile[name]));
      expectSound(evaluateCheck(check as Check, hostile[name], ["a"]));
      expectSound(evaluateCheck(check as Check, ["a"], hostile[name]));
      expectSound(
        evaluateCheck({ ...check, normalize: hostile[name], substrings: hostile[name] } as Check, "a", "a"),
      );
    }
  });

  it("even if two deep values must be compared", () => {
    expect(evaluateCheck({ type: "literal_match" }, deep(), deep())).toMatchObject({ evaluable: false });
    expect(evaluateCheck({ type: "set_containment" }, [deep()], [deep()])).toMatchObject({
      evaluable: false,
    });
  });
});

function fail(): never {
  throw new Error("hostile");
}

describe("reasons", () => {
  it.each<[unknown, string | RegExp]>([
    [null, 'Expected a check with "type", got null.'],
    [5, 'Expected a check with "type", got the number 5.'],
    [[], 'Expected a check with "type", got a list.'],
    [{}, 'A check needs "type".'],
    [{ type: null }, 'A check needs "type".'],
    [{ type: "regex_match" }, 'The check regex_match needs "pattern".'],
    [
      { type: "regex_match", pattern: "a(?=b)" },
      "The pattern cannot be used: lookahead is not supported, because matching must take linear time.",
    ],
    [
      { type: "regex_match", pattern: "a", flags: "g" },
      'The flags cannot be used: "g" is not a flag; there are i, m and s.',
    ],
    [{ type: "numeric_exact" }, 'The value is "x", but a number is needed.'],
    [{ type: "numeric_graded", cutoff: 0 }, "cutoff: Expected a number above 0, got the number 0."],
    [{ type: "numeric_graded", cutoff: 1, fullCredit: 2 }, "fullCredit must be below cutoff."],
    [{ type: "boolean_match", exclusive: true }, 'exclusive: The check boolean_match has no "exclusive".'],
    [
      { type: "trace_length", unit: "word" },
      'unit: "word" is not one of "chars" or "words". Did you mean "words"?',
    ],
    [
      { type: "date_match", format: "Q" },
      /^The format cannot be used: "Q" is not a date token/ as unknown as string,
    ],
  ])("of %j", (check, reason) => {
    const result = evaluateCheck(check as Check, "x", "x");
    expect(result.evaluable).toBe(false);
    if (typeof reason === "string") expect(result.reason).toBe(reason);
    else expect(result.reason).toMatch(reason);
  });

  it("name the nearest check", () => {
    expect(evaluateCheck({ type: "exact_mach" } as unknown as Check, "x", "x").reason).toMatch(
      /Did you mean "exact_match"\?$/,
    );
  });
});

describe("compileCheck", () => {
  it("shares its results", () => {
    const check = compileCheck({ type: "numeric_minimum" });
    expect(check(2, 1)).toBe(PASSED);
    expect(check(0, 1)).toBe(FAILED);
  });

  it("remembers a check only if it can no longer change", () => {
    const frozen: Check = Object.freeze({ type: "contains_any", substrings: Object.freeze(["a"]) });
    expect(compileCheck(frozen)).toBe(compileCheck(frozen));
    const substrings = ["a"];
    const halfFrozen: Check = Object.freeze({ type: "contains_any", substrings });
    expect(evaluateCheck(halfFrozen, "b", null).passes).toBe(false);
    substrings.push("b");
    expect(evaluateCheck(halfFrozen, "b", null).passes).toBe(true);
  });
});
