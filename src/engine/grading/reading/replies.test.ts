import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../../core/templates/extract-rule.ts";
import { extractValue } from "./extract-value.ts";

/** The tables in `replies/` hold one case a line; a phrasing that was read wrongly belongs there. */
const TABLES: readonly (readonly [table: string, rule: ExtractRule, target: ExtractTarget])[] = [
  ["letters", { type: "letter" }, { type: "enum", values: ["A", "B", "C", "D"] }],
  ["numbers", { type: "number" }, { type: "number" }],
  ["stances", { type: "stance" }, { type: "boolean" }],
  [
    "cities",
    { type: "aliases", values: { Canberra: ["Canberra ACT"], Sydney: ["Syd"], Melbourne: [] } },
    { type: "enum", values: ["Canberra", "Sydney", "Melbourne"] },
  ],
  [
    "quantities",
    {
      type: "aliases",
      values: {
        seven: ["7 oxygen atoms", "seven oxygen atoms"],
        fourteen: ["14 oxygen atoms", "fourteen oxygen atoms"],
      },
    },
    { type: "enum", values: ["seven", "fourteen"] },
  ],
];

function casesOf(table: string): [reading: string, reply: string][] {
  const text = readFileSync(new URL(`replies/${table}.txt`, import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("# "));
  return lines.map((line) => {
    const [reading = "", ...reply] = line.split(" | ");
    return [reading, reply.join(" | ").replaceAll("⏎", "\n")];
  });
}

test.each(TABLES)("%s: what is read is what is meant", (table, rule, target) => {
  const misread = casesOf(table).filter(([reading, reply]) => {
    const { value, span } = extractValue(rule, target, reply);
    if (span !== undefined) expect(reply.slice(...span).trim()).not.toBe("");
    return value !== null && String(value) !== reading;
  });
  expect(misread).toEqual([]);
});

test("about half of what is stated is read", () => {
  for (const [table, rule, target] of TABLES) {
    const stated = casesOf(table).filter(([reading]) => reading !== "-");
    const read = stated.filter(([, reply]) => extractValue(rule, target, reply).value !== null);
    expect(read.length / stated.length, table).toBeGreaterThan(0.45);
  }
});
