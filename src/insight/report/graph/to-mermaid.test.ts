import { expect, test } from "vitest";
import { sampleScenario as scenario } from "../../../../test/sample-scenario.ts";
import { END } from "../../../core/scenario/definition.ts";
import { mermaidLabel, toMermaid } from "./to-mermaid.ts";

test("branching: tests are numbered in their order, what is left over is dotted", () => {
  const definition = scenario(
    [
      ["ask", "What is the capital of Australia?"],
      ["right", "Good. And its largest city?"],
      ["wrong", "Think again: it is not on the coast, and it was founded as a compromise."],
    ],
    [
      { source: "ask", target: END },
      { source: "ask", target: "right", when: { verify_result: true } },
      { source: "ask", target: "wrong", when: { "parsed.city": { in: ["Sydney", "Melbourne"] } } },
      { source: "right", target: END },
      { source: "right", target: "wrong" },
      { source: "wrong", target: END },
    ],
  );
  expect(toMermaid(definition)).toMatchInlineSnapshot(`
    "flowchart TD
      n0(["ask<br/>What is the capital of Australia?"])
      n1["right<br/>Good. And its largest city?"]
      n2["wrong<br/>Think again#58; it is not on the coast, and it was founded as…"]
      finish((("END")))
      n0 -->|"1#46; verify_result = true"| n1
      n0 -->|"2#46; parsed.city in #91;#34;Sydney#34;,#34;Melbourne#34;#93;"| n2
      n0 -.->|"otherwise"| finish
      n1 --> finish
      n1 -.->|"never taken"| n2
      n2 --> finish
    "
  `);
});

test("traffic: nodes say how often they were visited, edges how often they were followed", () => {
  const definition = scenario(
    [
      ["ask", "What is the capital of Australia?"],
      ["push", "Are you sure?"],
    ],
    [
      { source: "ask", target: "push", when: { verify_result: true } },
      { source: "ask", target: END },
      { source: "push", target: END },
    ],
  );
  const visits = new Map([
    ["ask", 10],
    ["push", 10],
  ]);
  const hops = new Map([
    [0, 10],
    [2, 8],
  ]);
  expect(toMermaid(definition, { traffic: { visits, hops } })).toMatchInlineSnapshot(`
    "flowchart TD
      n0(["ask<br/>What is the capital of Australia?<br/>visited 10×"])
      n1["push<br/>Are you sure?<br/>visited 10×, stopped 2×"]
      finish((("END")))
      n0 -->|"verify_result = true<br/>10×, 100 #37;"| n1
      n0 -.->|"otherwise<br/>–"| finish
      n1 -->|"8×, 80 #37;"| finish
    "
  `);
});

test("long texts are cut before they are encoded, so that no entity code is cut in two", () => {
  const lines = toMermaid(scenario([["<".repeat(100), '"'.repeat(100)]], [])).split("\n");
  expect(lines[1]).toBe(`  n0(["${"#60;".repeat(59)}…<br/>${"#34;".repeat(59)}…"])`);
});

test.each([
  ['say "hi"', "say #34;hi#34;"],
  ["a --> b", "a #45;#45;#62; b"],
  ["<script>", "#60;script#62;"],
  ["AT&T #1", "AT#38;T #35;1"],
  ["#quot;", "#35;quot#59;"],
  ["%%{init: {}}%%", "#37;#37;#123;init#58; #123;#125;#125;#37;#37;"],
  ["`code` \\n", "#96;code#96; #92;n"],
  ["style a:#f00;", "style a#58;#35;f00#59;"],
  ["fa:fa-car $$x$$", "fa#58;fa-car #36;#36;x#36;#36;"],
  ["direction TB", "directio#110; TB"],
  ["1. one", "1#46; one"],
  ["- one", "#45; one"],
  ["===", "#61;#61;#61;"],
  ["_em_ www.example.com", "#95;em#95; www#46;example.com"],
  ["ﬂ°°60¶ß", "ﬂ#176;#176;60#182;ß"],
])("encodes %j", (text, label) => {
  expect(mermaidLabel(text)).toBe(label);
});

test.each([
  "verify_result = true and parsed.n ≥ 3",
  "Are you sure? I'd say it is Sydney.",
  "which direction is well-known, left/right",
  "Straße 日本語 👩‍⚕️ …",
])("leaves %j readable", (text) => {
  expect(mermaidLabel(text)).toBe(text);
});
