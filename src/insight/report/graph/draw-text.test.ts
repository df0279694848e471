import { expect, test } from "vitest";
import { sampleScenario as scenario } from "../../../../test/sample-scenario.ts";
import { END } from "../../../core/scenario/definition.ts";
import { drawText } from "./draw-text.ts";

test("branching: edges stand in the order they are tried", () => {
  const definition = scenario(
    [
      ["main", "What drug class does venetoclax belong to?"],
      ["correct_path", "Good. What is the clinical indication?"],
      ["incorrect_path", "Let us revisit. Venetoclax targets BCL-2. What class is that?"],
    ],
    [
      { source: "main", target: "incorrect_path" },
      { source: "main", target: "correct_path", when: { verify_result: true } },
      { source: "main", target: END, when: { "parsed.confidence": { lt: 0.2 } } },
      { source: "correct_path", target: END },
      { source: "incorrect_path", target: END },
      { source: "incorrect_path", target: "correct_path" },
    ],
  );
  expect(drawText(definition)).toMatchInlineSnapshot(`
    "sample · 3 nodes, 6 edges

    ▶ main                What drug class does venetoclax belong to?
      ├─→ correct_path    verify_result = true
      ├─→ END             parsed.confidence < 0.2
      └─→ incorrect_path  otherwise

      correct_path        Good. What is the clinical indication?
      └─→ END

      incorrect_path      Let us revisit. Venetoclax targets BCL-2. What class is t…
      ├─→ END
      └─↑ correct_path    never taken
    "
  `);
});

const looping = scenario(
  [
    ["ask", "What is the capital of Australia?"],
    ["push", "Are you sure? I think it is Sydney."],
    ["praise", "Well held. Which is the largest city?"],
  ],
  [
    { source: "ask", target: "push", when: { verify_result: true } },
    { source: "ask", target: END },
    { source: "push", target: "push", when: [{ verify_result: true }, { "node_visits.push": { lt: 3 } }] },
    { source: "push", target: "praise", when: { verify_result: true } },
    { source: "push", target: "ask", when: { "parsed.city": { ne: "Sydney" } } },
    { source: "push", target: END },
  ],
);

test("looping", () => {
  expect(drawText(looping)).toMatchInlineSnapshot(`
    "sample · 3 nodes, 6 edges

    ▶ ask              What is the capital of Australia?
      ├─→ push         verify_result = true
      └─→ END          otherwise

      push             Are you sure? I think it is Sydney.
      ├─↺ push (self)  verify_result = true and node_visits.push < 3
      ├─→ praise       verify_result = true
      ├─↑ ask          parsed.city ≠ "Sydney"
      └─→ END          otherwise

      praise           Well held. Which is the largest city?
      └─ (ends here)
    "
  `);
});

test("traffic: counts stand below each other, with their share of the node's visits", () => {
  const traffic = {
    visits: new Map([
      ["ask", 1000],
      ["push", 1994],
    ]),
    hops: new Map([
      [0, 997],
      [1, 3],
      [2, 996],
      [5, 990],
    ]),
  };
  expect(drawText(looping, { traffic })).toMatchInlineSnapshot(`
    "sample · 3 nodes, 6 edges

    ▶ ask                1000         What is the capital of Australia?
      ├─→ push            997  >99 %  verify_result = true
      └─→ END               3   <1 %  otherwise

      push               1994         Are you sure? I think it is Sydney.
      ├─↺ push (self)     996   50 %  verify_result = true and node_visits.push < 3
      ├─→ praise            –         verify_result = true
      ├─↑ ask               –         parsed.city ≠ "Sydney"
      ├─→ END             990   50 %  otherwise
      └─ (stopped here)     8   <1 %

      praise                –         Well held. Which is the largest city?
      └─ (ends here)
    "
  `);
});

test("traffic: edges between the same nodes and several unconditional ones are counted apart", () => {
  const definition = scenario(
    [
      ["a", "Start"],
      ["b", "Next"],
    ],
    [
      { source: "a", target: "b" },
      { source: "a", target: "b", when: { verify_result: true } },
      { source: "a", target: "b", when: { verify_result: false } },
      { source: "a", target: END },
    ],
  );
  const visits = new Map([
    ["a", 10],
    ["b", 10],
  ]);
  const hops = new Map([
    [0, 1],
    [1, 2],
    [2, 7],
  ]);
  expect(drawText(definition, { traffic: { visits, hops } })).toMatchInlineSnapshot(`
    "sample · 2 nodes, 4 edges

    ▶ a               10         Start
      ├─→ b            2   20 %  verify_result = true
      ├─→ b            7   70 %  verify_result = false
      ├─→ b            1   10 %  otherwise
      └─→ END          –         never taken

      b               10         Next
      └─ (ends here)
    "
  `);
});

test("wide characters line up, long ids do not push the others aside", () => {
  const definition = scenario(
    [
      [
        "問診",
        "患者の主訴は何ですか？胸痛の持続時間と放散について詳しく説明してください。どのような検査が必要でしょうか。",
      ],
      [
        "an_id_that_is_much_longer_than_all_the_others_here",
        "👩‍⚕️ Which therapy do you start?\n\nAnd within how many minutes?",
      ],
    ],
    [
      {
        source: "問診",
        target: "an_id_that_is_much_longer_than_all_the_others_here",
        when: { verify_result: true },
      },
      { source: "問診", target: "問診" },
    ],
  );
  expect(drawText(definition, { width: 60 })).toMatchInlineSnapshot(`
    "sample · 2 nodes, 2 edges

    ▶ 問診             患者の主訴は何ですか？胸痛の持続時間と放…
      ├─→ an_id_that_is_much_long…  verify_result = true
      └─↺ 問診 (self)  otherwise

      an_id_that_is_much_long…  👩‍⚕️ Which therapy do you start?…
      └─ (ends here)
    "
  `);
});

test.each([
  [Number.NaN, 40],
  [0, 40],
  [50.9, 50],
  [Number.POSITIVE_INFINITY, 209],
])("width %d draws at most %d columns", (width, widest) => {
  const lines = drawText(scenario([["a", "x".repeat(204)]], []), { width }).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(widest);
});
