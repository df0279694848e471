import { expect, it } from "vitest";
import type { Check } from "./check.ts";
import { CHECK_SHAPES } from "./check.ts";
import * as factories from "./check-factories.ts";
import { evaluateCheck } from "./evaluate-check.ts";

it("there is one factory for each check, named after its type", () => {
  const names = Object.keys(CHECK_SHAPES).map((type) =>
    type.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  expect(Object.keys(factories).sort()).toEqual(names.sort());
});

it.each<[Check, Check]>([
  [factories.booleanMatch(), { type: "boolean_match" }],
  [factories.exactMatch(), { type: "exact_match" }],
  [factories.exactMatch({ normalize: ["strip"] }), { type: "exact_match", normalize: ["strip"] }],
  [factories.numericTolerance({ tolerance: 1 }), { type: "numeric_tolerance", tolerance: 1 }],
])("a factory returns the plain data %j", (made, data) => expect(made).toEqual(data));

it("what a factory returns can be evaluated", () => {
  expect(evaluateCheck(factories.numericRange({ min: 3 }), 4, null).passes).toBe(true);
});
