import { describe, expect, it } from "vitest";
import type { Composed } from "../logic/composition.ts";
import type { Issue } from "../schema/issue.ts";
import { validateShape } from "../schema/validate-shape.ts";
import type { JsonValue } from "../values/json.ts";
import type { Check } from "./check.ts";
import { SHORTHAND_SHAPE, type ShorthandValue, shorthandCheck } from "./shorthand.ts";

type Leaf = readonly [Check, JsonValue];

function written(value: ShorthandValue): Composed<Leaf> {
  return shorthandCheck<Leaf>(value, (verifyWith, expected) => [verifyWith, expected]);
}

describe("shorthandCheck", () => {
  it.each<[ShorthandValue, Composed<Leaf>]>([
    [true, [{ type: "boolean_match" }, true]],
    [false, [{ type: "boolean_match" }, false]],
    ["bcl2", [{ type: "exact_match" }, "bcl2"]],
    ["", [{ type: "exact_match" }, ""]],
    [3, [{ type: "numeric_exact" }, 3]],
    [0, [{ type: "numeric_exact" }, 0]],
    [
      ["a", 1],
      [{ type: "set_containment", mode: "exact" }, ["a", 1]],
    ],
    [[], [{ type: "set_containment", mode: "exact" }, []]],
    [null, [{ type: "is_null" }, null]],
    [{ gte: 2 }, [{ type: "numeric_minimum" }, 2]],
    [{ gt: 2 }, [{ type: "numeric_minimum", exclusive: true }, 2]],
    [{ lte: 2 }, [{ type: "numeric_maximum" }, 2]],
    [{ lt: 2 }, [{ type: "numeric_maximum", exclusive: true }, 2]],
    [{ eq: "a" }, [{ type: "exact_match" }, "a"]],
    [{ eq: null }, [{ type: "is_null" }, null]],
    [{ eq: ["a"] }, [{ type: "set_containment", mode: "exact" }, ["a"]]],
    [{ ne: true }, { type: "not", condition: [{ type: "boolean_match" }, true] }],
    [{ ne: null }, { type: "not", condition: [{ type: "is_null" }, null] }],
    [{ in: ["a", "b"] }, [{ type: "one_of", values: ["a", "b"] }, null]],
    [
      { in: ["a", 1, null] },
      {
        type: "any_of",
        conditions: [
          [{ type: "exact_match" }, "a"],
          [{ type: "numeric_exact" }, 1],
          [{ type: "is_null" }, null],
        ],
      },
    ],
    [{ contains: "a" }, [{ type: "contains_any", substrings: ["a"] }, null]],
    [{ contains: ["a", 1] }, [{ type: "set_containment", mode: "superset" }, ["a", 1]]],
    [{ contains: 1 }, [{ type: "set_containment", mode: "superset" }, [1]]],
    [{ contains: false }, [{ type: "set_containment", mode: "superset" }, [false]]],
    [
      { lt: 5, gte: 2 },
      {
        type: "all_of",
        conditions: [
          [{ type: "numeric_maximum", exclusive: true }, 5],
          [{ type: "numeric_minimum" }, 2],
        ],
      },
    ],
  ])("%j", (value, expected) => expect(written(value)).toEqual(expected));
});

describe("SHORTHAND_SHAPE", () => {
  function problemsOf(value: unknown): string[] {
    const issues: Issue[] = [];
    validateShape(SHORTHAND_SHAPE, value, [], (issue) => issues.push(issue));
    return issues.map((issue) => `${issue.code} at ${issue.path.join(".")}`);
  }

  it.each([
    [true, "a", 3, null, [], ["a", 1, null, { b: [] }]],
    [
      { gte: 1, lt: 2 },
      { eq: null },
      { ne: ["a"] },
      { in: ["a", 1, null] },
      { in: [] },
      { contains: "a" },
      { contains: [1] },
    ],
  ])("accepts shorthands (%#)", (...values) => {
    expect(values.filter((value) => problemsOf(value).length > 0)).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{}, "invalid_parameter at "],
    [{ gtee: 1 }, "unknown_key at gtee"],
    [{ gte: "2" }, "wrong_type at gte"],
    [{ lt: null }, "wrong_type at lt"],
    [{ eq: { a: 1 } }, "wrong_type at eq"],
    [{ in: "ab" }, "wrong_type at in"],
    [{ in: [{ gte: 1 }] }, "wrong_type at in.0"],
    [{ contains: null }, "wrong_type at contains"],
    [Number.NaN, "wrong_type at "],
    [undefined, "wrong_type at "],
    [() => true, "wrong_type at "],
  ])("%j: %s", (value, problem) => expect(problemsOf(value)).toEqual([problem]));
});
