import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ExtractRule, ExtractTarget } from "../../core/templates/extract-rule.ts";
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

describe.each(TABLES)("%s", (table, rule, target) => {
  test.each(casesOf(table))("%s: %j", (reading, reply) => {
    const { value, span } = extractValue(rule, target, reply);
    const optional = /^\((.+)\)$/.exec(reading)?.[1];
    if (value !== null || optional === undefined)
      expect(value === null ? "-" : String(value)).toBe(optional ?? reading);
    if (span !== undefined) expect(reply.slice(...span).trim()).not.toBe("");
  });
});

test("most of what is stated is read", () => {
  const readings = TABLES.flatMap(([table]) => casesOf(table).map(([reading]) => reading));
  const stated = readings.filter((reading) => reading !== "-");
  expect(stated.filter((reading) => reading.startsWith("(")).length / stated.length).toBeLessThan(0.08);
});
