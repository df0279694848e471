import { expect, test } from "vitest";
import { rememberSecrets } from "../../system/secrets/mask-secrets.ts";
import { rowValues } from "./open-rows.ts";

test("short values of a row are kept, and nothing that could be long or nested", () => {
  const row = {
    topic: "rivers",
    level: 2,
    hard: false,
    empty: "",
    none: null,
    choices: ["a", "b"],
    meta: { source: "x" },
    question: "x".repeat(101),
    edge: "x".repeat(100),
    ["x".repeat(101)]: 1,
  };
  expect(rowValues(row)).toEqual({ topic: "rivers", level: 2, hard: false, edge: "x".repeat(100) });
});

test("a row of a thousand columns keeps the first", () => {
  const row = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`column ${i}`, i]));
  expect(Object.keys(rowValues(row))).toHaveLength(40);
});

test("secrets are masked, by value and by look", () => {
  rememberSecrets(["rather-secret-value"]);
  const values = rowValues({ own: "has rather-secret-value", key: `sk-proj-${"a1B2".repeat(10)}` });
  expect(JSON.stringify(values)).not.toMatch(/rather-secret|a1B2a1B2/);
});
