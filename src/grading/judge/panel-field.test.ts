import { describe, expect, test } from "vitest";
import type { FieldType } from "../../core/templates/template.ts";
import { combineFieldVotes, fieldValueKey } from "./panel.ts";

const LETTERS: FieldType = { type: "array", items: { type: "string" } };
const GRADE: FieldType = { type: "enum", values: ["a", "A", 1] };

describe("what judges read for a field, combined", () => {
  test.each<[FieldType, readonly unknown[], unknown, number]>([
    [{ type: "boolean" }, [true, false, true], true, 3],
    [{ type: "boolean" }, [true, "true", 1, null, undefined], null, 2],
    [{ type: "string" }, ["Canberra", "canberra ", "Sydney"], "Canberra", 3],
    [{ type: "string" }, ["New\n York", "new york", null], "New\n York", 3],
    [{ type: "string" }, ["caf\u00e9", "cafe\u0301", "tea"], "caf\u00e9", 3],
    [{ type: "string" }, ["", "", "x"], "", 3],
    [{ type: "date" }, ["2024-03-01", "March 1, 2024", "2024-01-03"], "2024-03-01", 3],
    [{ type: "date" }, ["2024-03-01T12:00Z", "2024-03-01T14:00+02:00", "2024-03-01"], "2024-03-01T12:00Z", 3],
    [{ type: "date" }, ["soon", "soon", "2024-01-03"], "soon", 3],
    [GRADE, ["a", "a", "A"], "a", 3],
    [GRADE, ["a", "b", "a", "B", "c"], "a", 2],
    [GRADE, [1, 1, "1"], 1, 2],
    [{ type: "integer" }, [3, 4], 3, 2],
    [{ type: "integer" }, [3, 4.5, "4", Number.NaN], 3, 1],
    [{ type: "number" }, [3, 4], 3.5, 2],
    [{ type: "number" }, [3, Number.POSITIVE_INFINITY, 4, 100], 4, 3],
    [LETTERS, [["a", "b"], ["B", "a", "a"], ["c"]], ["a", "b"], 3],
    [LETTERS, [[], [], ["c"]], [], 3],
    [LETTERS, [["a"], "a", [1], [null], {}], ["a"], 1],
    [
      { type: "array", items: { type: "integer" } },
      [
        [1, 2],
        [2, 1],
        [1, 2.5],
      ],
      [1, 2],
      2,
    ],
    [{ type: "array", items: { type: "date" } }, [["2024-03-01"], ["1 March 2024"], []], ["2024-03-01"], 3],
  ])("%j %j → %j", (field, answers, value, votes) => {
    const combined = combineFieldVotes(field, answers);
    expect(combined.value).toEqual(value);
    expect(combined.agreement.votes).toBe(votes);
  });
});

test("items cannot be taken for others by what they contain", () => {
  expect(fieldValueKey(LETTERS, ["a,b"])).not.toBe(fieldValueKey(LETTERS, ["a", "b"]));
  expect(fieldValueKey(LETTERS, ['a","b'])).not.toBe(fieldValueKey(LETTERS, ["a", "b"]));
});
