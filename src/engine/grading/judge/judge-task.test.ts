import fc from "fast-check";
import { expect, test } from "vitest";
import { answerKeys } from "./judge-task.ts";

test.each<[readonly string[], readonly string[]]>([
  [
    ["city", "is_sure", "top-3"],
    ["city", "is_sure", "top-3"],
  ],
  [
    ["is it polite?", "größe", ""],
    ["field_1", "field_2", "field_3"],
  ],
  [
    ["__proto__", "constructor"],
    ["field_1", "field_2"],
  ],
  [
    ["a b", "field_1", "field_1_"],
    ["field_1__", "field_1", "field_1_"],
  ],
  [
    ["twice", "twice"],
    ["twice", "field_2"],
  ],
  [["x".repeat(65)], ["field_1"]],
])("%j are answered as %j", (names, keys) => expect(answerKeys(names, "field")).toEqual(keys));

test("keys are portable and different", () => {
  const name = fc.oneof(fc.string(), fc.constantFrom("field_1", "field_2", "field_2_", "__proto__", "a b"));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), (names) => {
      const keys = answerKeys(names, "field");
      expect(new Set(keys).size).toBe(names.length);
      expect(keys.filter((key) => !/^[A-Za-z0-9_-]{1,64}$/.test(key))).toEqual([]);
    }),
  );
});
