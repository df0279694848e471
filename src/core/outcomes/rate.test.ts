import { expect, test } from "vitest";
import { END, question } from "../scenario/definition.ts";
import { parseScenario } from "../scenario/parse-scenario.ts";
import { Scenario } from "../scenario/scenario.ts";
import { scenarioToRead } from "../scenario/scenario-to-json.ts";
import { DefinitionError } from "../schema/format-issue.ts";
import { statusIs } from "./outcome-helpers.ts";
import type { RateDeclaration } from "./rate.ts";

function builder() {
  return new Scenario("capital")
    .addNode("ask", { question: question({ question: "Capital of Australia?", rawAnswer: "Canberra" }) })
    .addEdge("ask", END)
    .setEntry("ask")
    .addOutcome("done", statusIs("completed"))
    .addOutcome("failed", statusIs("error"));
}

function problems(rate: RateDeclaration, name = "share"): string {
  try {
    // Without its types, as a file has none.
    const untyped: Scenario = builder();
    untyped.addRate(name, rate).validate();
    return "";
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.message;
  }
}

test("rates are part of a definition, of its file, and not of its hash", () => {
  const definition = builder()
    .addRate("share", { of: "done", given: { not: "failed" } })
    .validate();
  expect(definition.rates).toEqual({ share: { of: "done", given: { not: "failed" } } });
  const again = parseScenario(scenarioToRead(definition));
  expect(again.rates).toEqual(definition.rates);
  expect(again.hash).toBe(builder().validate().hash);
  expect(builder().validate().rates).toBeUndefined();
});

test("a rate names outcomes that are there, under a name of its own", () => {
  expect(problems({ of: "don" })).toContain('There is no outcome "don". Did you mean "done"?');
  expect(problems({ of: "done", given: { not: "fialed" } })).toContain('There is no outcome "fialed"');
  expect(problems({ ratio: { of: "x", over: { wording: "full" } } })).toContain('There is no outcome "x"');
  expect(problems({ of: "done" }, "failed")).toContain("give the rate another name");
  expect(problems({ of: "done", average: { macro: "row.axis" } })).toBe("");
  expect(problems({ of: "done", average: { macro: "axis" } })).toContain('There are no groups "axis"');
  expect(problems({ of: "done", average: { macro: "variant.by" } })).toContain("There are no groups");
  expect(problems({ of: "done", average: "macro" as never })).toContain("such as { macro: row.axis }");
});

test("a rate is one thing", () => {
  expect(problems({})).toContain("exactly one of `of`, `mean` and `ratio`");
  expect(problems({ of: "done", mean: "done" })).toContain("exactly one of");
  expect(problems({ of: "done", percentile: 90, passAt: 2 })).toContain("only one of `percentile`, `passAt`");
  expect(problems({ mean: "done", passHat: 2 })).toContain("`passHat` needs `of`");
  expect(problems({ of: "done", percentile: 101 })).toContain("from 0 to 100");
  expect(problems({ of: "done", spread: [90] })).toContain("two percentiles");
  expect(problems({ of: "done", passAt: 0 })).not.toBe("");
  expect(problems({ of: "done", spread: [90, 10] })).toBe("");
});
