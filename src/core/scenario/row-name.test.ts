import { expect, test } from "vitest";
import { contentRowId } from "./dataset.ts";
import { bindScenario } from "./definition.ts";
import { rowName } from "./row-name.ts";
import { Scenario } from "./scenario.ts";

const HASH = contentRowId("0123456789abcdef", 1);

function named(text: string, row: Record<string, string | number>, id = HASH): string {
  const definition = new Scenario("rows")
    .addNode("ask", { question: { question: text, rawAnswer: "" } })
    .setEntry("ask")
    .validate();
  return rowName(bindScenario(definition, { row }), id, row);
}

test("a row is called by its id, else by a column that names it, and by its question", () => {
  const text = "What is the capital of {{ row.country }}?";
  expect(named(text, { country: "Turkey" }, "turkey")).toBe('turkey "What is the capital of Turkey?"');
  expect(named(text, { country: "Turkey", Name: " tr " })).toBe('tr "What is the capital of Turkey?"');
  expect(named(text, { country: "Turkey" })).toBe('"What is the capital of Turkey?"');
});

test("a long question is cut at a word, and begins where rows differ", () => {
  const text = "Read this abstract and\nthen answer the question. {{ row.abstract }}";
  const abstract = "Venetoclax inhibits BCL-2, which keeps the cells of chronic leukaemia alive.";
  expect(named(text, { abstract })).toBe('"…Venetoclax inhibits BCL-2, which keeps the cells…"');
  expect(named("Is {{ row.x }}?", { x: "😀".repeat(60) })).toBe(`"Is ${"😀".repeat(45)}…"`);
});

test("a question that needs more than the row, or none of it, leaves the first text of the row", () => {
  expect(named("Go on.", { level: 3, topic: "rivers" })).toBe('"rivers"');
});
