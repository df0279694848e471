import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseScenarioFile } from "../../apps/project/scenario-files/parse-scenario-file.ts";
import { scenarioToJson, scenarioToYaml } from "../../apps/project/scenario-files/write-scenario.ts";
import { numericTolerance } from "../checks/check-factories.ts";
import { allOf, anyOf, not } from "../logic/composition.ts";
import {
  allTurns,
  countTurns,
  crossTurn,
  firstTurn,
  lastTurn,
  measureIs,
  turnOfFlip,
} from "../outcomes/outcome-helpers.ts";
import { type DefinitionError, formatIssue } from "../schema/format-issue.ts";
import { stateCheck } from "../state/condition.ts";
import { template } from "../templates/template.ts";
import { END } from "./definition.ts";
import { parseScenario } from "./parse-scenario.ts";
import { Scenario } from "./scenario.ts";

const rich = new Scenario("rich", {
  description: "everything",
  metadata: { tags: ["x"], nested: { a: null } },
})
  .addNode("ask", {
    question: {
      question: "Which: A or B?\nThink.",
      rawAnswer: "B",
      template: template(
        {
          letter: {
            type: "enum",
            values: ["A", "B"],
            description: "the option",
            truth: "B",
            weight: 2,
            hint: "one letter",
          },
          n: {
            type: "number",
            description: "a number",
            truth: 3,
            check: numericTolerance({ tolerance: 0.1 }),
            nullable: true,
          },
          tags: {
            type: "array",
            items: { type: "string" },
            description: "labels",
            truth: ["a"],
            evidence: true,
          },
        },
        {
          verify: anyOf(
            { type: "field", field: "letter" } as const,
            not({ type: "field", field: "n" } as const),
          ),
        },
      ),
      fewShot: [{ question: "q", answer: "a" }],
      keywords: ["k"],
      rubric: { traits: [{ type: "llm", name: "tone", kind: "score", min: 0, max: 5 }] },
      metadata: { source: "hand" },
    },
    modelOverride: { subject: "a/b" },
    toolFilter: { remove: [{ server: "s", tool: "t" }] },
    stateUpdate: (accumulated, parsed) => ({ ...accumulated, letter: parsed.letter }),
    agentIdentity: "student",
    metadata: { difficulty: 1 },
  })
  .addNode("push", { question: { question: "Sure?", rawAnswer: "Yes" } })
  .addEdge("ask", "push", { when: { "parsed.letter": { in: ["A"] } }, handover: "transcript_append" })
  .addEdge("ask", "push", { when: [{ turn: { gte: 2 } }, { "parsed.n": null }] })
  .addEdge("ask", "push", {
    when: allOf(
      stateCheck({ field: "turn", expected: 2, verifyWith: { type: "numeric_exact" } }),
      not({ verify_result: true }),
    ),
  })
  .addEdge("ask", "push", { when: (accumulated) => accumulated.letter === "A" })
  .addEdge("ask", END)
  .addOutcome("held", allTurns({ verify_result: true }, { node: "ask" }), { description: "d" })
  .addOutcome("flip", turnOfFlip())
  .addOutcome("many", measureIs(countTurns({ verifyResult: true }), "gte", 2))
  .addOutcome(
    "same",
    crossTurn({
      source: firstTurn(),
      sourceField: "parsed.letter",
      target: lastTurn(),
      targetField: "parsed.letter",
      comparison: "eq",
      normalize: ["lowercase"],
    }),
  )
  .addOutcome("code", (result) => result.turns.length > 2)
  .setEntry("ask")
  .validate();

test("a definition comes back as it was, through JSON and through YAML", () => {
  const json = scenarioToJson(rich);
  const back = parseScenario(JSON.parse(JSON.stringify(json)));
  expect(back.hash).toBe(rich.hash);
  expect(back.nodeIds).toEqual(rich.nodeIds);
  expect(scenarioToJson(back)).toEqual(json);
  const [fromYaml] = parseScenarioFile(scenarioToYaml(rich));
  expect(fromYaml?.hash).toBe(rich.hash);
});

test("what is not there is not written, and END is written as a word", () => {
  const small = new Scenario("small")
    .addNode("a", { question: { question: "Q", rawAnswer: "A" } })
    .addEdge("a", END)
    .setEntry("a")
    .validate();
  expect(scenarioToJson(small)).toEqual({
    version: 1,
    name: "small",
    entry: "a",
    nodes: { a: { question: { question: "Q", rawAnswer: "A" } } },
    edges: [{ source: "a", target: "END" }],
  });
});

test("a function that cannot be written is named, with the reason", () => {
  const threshold = 3;
  const s = new Scenario("closed over")
    .addNode("a", {
      question: { question: "Q", rawAnswer: "A" },
      stateUpdate: (accumulated) => ({ ...accumulated, threshold }),
    })
    .addEdge("a", "a", { when: (_accumulated, _parsed, state) => state.turn < threshold })
    .addEdge("a", END)
    .addOutcome("bound", Math.max.bind(null, 1) as never)
    .setEntry("a")
    .validate();
  try {
    scenarioToJson(s);
    expect.unreachable();
  } catch (error) {
    expect((error as DefinitionError).issues.map(formatIssue)).toEqual([
      'nodes.a.stateUpdate: This function cannot be written to a file: it uses "threshold", which is defined outside of it.',
      'edges[0].when: This function cannot be written to a file: it uses "threshold", which is defined outside of it.',
      "outcomes[0].check: This function cannot be written to a file: it is a native or bound function.",
    ]);
  }
});

describe("any scenario comes back as it was", () => {
  // Texts with braces are templates, which must be right.
  const plain = fc.string().filter((value) => !value.includes("{"));
  const text = plain.filter((value) => value.trim() !== "");
  const scalar = fc.oneof(fc.boolean(), fc.integer(), plain);
  const shorthand = fc.oneof(
    fc.record({ verify_result: fc.constantFrom(true, false, null) }),
    fc.record({ turn: fc.record({ gte: fc.nat(9), lt: fc.nat(9) }, { requiredKeys: ["gte"] }) }),
    fc.record({ "accumulated.x": scalar }),
    fc.record({ "accumulated.y": fc.record({ in: fc.array(plain, { minLength: 1 }) }) }),
  );
  const when = fc.oneof(
    fc.constant(undefined),
    shorthand,
    fc.array(shorthand, { minLength: 1, maxLength: 3 }),
    shorthand.map((part) => not(part)),
  );
  const scenario = fc.record({
    name: text,
    description: fc.string(),
    count: fc.integer({ min: 1, max: 5 }),
    texts: fc.array(fc.tuple(text, plain), { minLength: 5, maxLength: 5 }),
    conditions: fc.array(when, { minLength: 5, maxLength: 5 }),
    metadata: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<never>,
    ),
  });

  test("through JSON and YAML", () => {
    fc.assert(
      fc.property(scenario, ({ name, description, count, texts, conditions, metadata }) => {
        const s: Scenario = new Scenario(name, { description, metadata });
        for (let i = 0; i < count; i++) {
          const [question = "", rawAnswer = ""] = texts[i] ?? [];
          s.addNode(`n${i}`, { question: { question, rawAnswer } });
          const condition = conditions[i];
          if (condition !== undefined) s.addEdge(`n${i}`, "n0", { when: condition as never });
          s.addEdge(`n${i}`, i + 1 < count ? `n${i + 1}` : END);
        }
        s.setEntry("n0");
        const definition = s.validate();
        const json = scenarioToJson(definition);
        expect(parseScenario(JSON.parse(JSON.stringify(json))).hash).toBe(definition.hash);
        const [fromYaml] = parseScenarioFile(scenarioToYaml(definition));
        expect(fromYaml?.hash).toBe(definition.hash);
      }),
      { numRuns: 200 },
    );
  });
});
