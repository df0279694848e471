import { expect, test } from "vitest";
import { loadLiquid } from "../../engine/run/liquid-library.ts";
import { fillTexts, textsIn } from "./fill-texts.ts";
import { provideLiquid } from "./liquid-engine.ts";
import { compileText, isExpression, renderText } from "./text-template.ts";

provideLiquid(loadLiquid);

const scope = {
  row: { q: "Why?", n: 3, list: ["a", "b"], deep: { x: [1, { y: "z" }] }, flag: false, none: null },
  variant: { style: "short" },
  visit: 1,
  turns: [
    { reply: "one", parsed: { letter: "A" } },
    { reply: "two {{ row.q }}", parsed: { letter: "B" } },
  ],
  nodes: { ask: { reply: "one", parsed: { letter: "A" } } },
  accumulated: {},
};

test.each([
  ["plain", "plain"],
  ["{{ row.q }} {{row.n}}", "Why? 3"],
  ["{{ row.n }}", 3],
  ["{{ row.flag }}", false],
  ["{{ row.none }}", null],
  ["{{ row.list }}", ["a", "b"]],
  ["list {{ row.list }}, none {{ row.none }}.", 'list ["a","b"], none .'],
  ["{{ row.list.size }}", 2],
  ["{{ row.list[visit] }}", "b"],
  ["{{ row.list[-1] }}", "b"],
  ["{{ row.deep.x[1].y }}", "z"],
  ["{{ row.list.first }}{{ row.list.last }}", "ab"],
  ["{{ turns[-1].reply }}", "two {{ row.q }}"],
  ["You said: {{ turns[-1].reply }}", "You said: two {{ row.q }}"],
  ["{{ nodes.ask.parsed.letter | downcase }}", "a"],
  ["{{ row.n | plus: 1 }}", 4],
  ["{{ accumulated.x | default: 7 }}", 7],
  ["{% if row.flag %}yes{% else %}no{% endif %}", "no"],
  ["{% for o in row.list %}{{ forloop.index }}:{{ o }};{% endfor %}", "1:a;2:b;"],
  ["{{ row.list | letters }}", "A) a\nB) b"],
  ["{% raw %}{{ row.q }}{% endraw %}", "{{ row.q }}"],
  ["{{ '2024-01-02' | date: '%Y' }}", "2024"],
])("%j comes to %j", (source, expected) => {
  expect(renderText(source, scope)).toEqual(expected);
});

test.each([
  ["{{ row.missing }}", 'there is no "row.missing"'],
  ["{{ row.missing | upcase }}", 'there is no "row.missing"'],
  ["{{ row.constructor }}", 'there is no "row.constructor"'],
  ["{{ row.__proto__.x }}", 'there is no "row.__proto__"'],
  ["{{ 'now' | date: '%Y' }}", "a text cannot depend on the time"],
  ["{{ row.q", "not closed"],
  ["{% include 'x' %}", 'tag "include" not found'],
  ["{% render 'x' %}", 'tag "render" not found'],
  ["{{ row.list | sample }}", "undefined filter: sample"],
  ["{{ row.list | where_exp: 'i', 'i == turns' }}", "undefined filter: where_exp"],
  ["{% for i in (1..1000000) %}{% for j in (1..1000000) %}{% endfor %}{% endfor %}", "limit exceeded"],
  ["{% for i in (1..500) %}{% for j in (1..500) %}x{% endfor %}{% endfor %}", "the text grows too large"],
  // Neither may take until the limit of time, which is long.
  [
    `{% assign a = "${"x".repeat(99)}" | split: "" %}${"{% for i in a %}".repeat(5)}${"{% endfor %}".repeat(5)}`,
    "memory alloc limit exceeded",
  ],
  [
    `{% assign a = "${"x".repeat(99)}" | split: "" %}{% assign b = a | concat: a %}${"{% for i in a %}".repeat(2)}{% if b contains "y" %}{% endif %}${"{% endfor %}".repeat(2)}`,
    "memory alloc limit exceeded",
  ],
  [
    `{% assign a = "${"x".repeat(100)}" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}`,
    "limit",
  ],
])("%j is refused", (source, message) => {
  expect(() => renderText(source, scope)).toThrow(message);
});

test("variables are found with their places, their defaults, and through loops", () => {
  const found = (source: string): unknown =>
    compileText(source).variables.map(({ path, isOptional, isList, line, column }) =>
      [
        path.map((key) => key ?? "*").join("."),
        isOptional ? "optional" : "",
        isList ? "list" : "",
        `${line}:${column}`,
      ]
        .filter((part) => part !== "")
        .join(" "),
    );
  expect(found("{{ row.a }}\n b {{ turns[-1].reply }}")).toEqual(["row.a 1:4", "turns.-1.reply 2:7"]);
  expect(found("{{ row.a | upcase }}\n b {{ turns[-1].reply }}")).toEqual([
    "row.a 1:4",
    "turns.-1.reply 2:7",
  ]);
  expect(found("{{ nodes.x.reply | default: row.b }}")).toEqual(["nodes.x.reply optional 1:4", "row.b 1:29"]);
  expect(found("{% if nodes.x %}{{ nodes.x.reply }}{% else %}{{ nodes.x.reply }}{% endif %}")).toEqual([
    "nodes.x optional 1:7",
    "nodes.x.reply optional 1:20",
    "nodes.x.reply 1:49",
  ]);
  expect(found("{% for t in turns %}{{ t.reply }}{{ forloop.index }}{% endfor %}{{ t.x }}")).toEqual([
    "turns list 1:13",
    "turns.*.reply 1:24",
    "t.x 1:68",
  ]);
  expect(found("{{ row.list[visit] }}{% assign a = row.b %}{{ a }}{{ row.x[row.y] }}")).toEqual([
    "visit 1:13",
    "row.list.* 1:4",
    "row.b 1:36",
    "row.y 1:60",
    "row.x.* 1:54",
  ]);
  expect(
    found(
      "{% case row.k %}{% when row.v %}{{ row.k }}{% endcase %}{% capture c %}{{ row.z }}{% endcapture %}{{ c }}",
    ),
  ).toEqual(["row.k optional 1:9", "row.v optional 1:25", "row.k optional 1:36", "row.z 1:75"]);
});

test("only a text that is one expression is an expression", () => {
  expect(
    ["{{ a }}", "{{ a | b: '}' }}", " {{ a }}", "{{ a }}{{ b }}", "{% if a %}{% endif %}", "a"].map(
      isExpression,
    ),
  ).toEqual([true, true, false, false, false, false]);
});

test("options have letters", () => {
  const row = { options: ["Oslo", "Rome ", "A"], rome: " rome", c: "c", a: "A", x: "Bern" };
  const rendered = (text: string): unknown => renderText(text, { row });
  expect(rendered("{{ row.options | letters }}")).toBe("A) Oslo\nB) Rome\nC) A");
  expect(rendered("{{ row.options | option_letters }}")).toEqual(["A", "B", "C"]);
  expect(rendered("{{ row.options | letter_of: row.rome }}")).toBe("B");
  expect(rendered("{{ row.options | letter_of: row.c }}")).toBe("C");
  expect(() => rendered("{{ row.options | letter_of: row.a }}")).toThrow(
    /"A" is the text of option C and the letter/,
  );
  expect(() => rendered("{{ row.options | letter_of: row.x }}")).toThrow(/"Bern" is none of the options/);
});

test("a list in a cell stands for as many values", () => {
  const row = { right: "Canberra; ACT", wrong: [["Sydney", "Sidney"], "Perth"], cells: "Sydney; Perth; " };
  const field = {
    values: ["{{ row.right | split: ';' | first }}", "{{ row.wrong }}"],
    extract: {
      type: "aliases",
      values: {
        "{{ row.right | split: ';' | first }}": ["{{ row.right | split: ';' }}"],
        "{{ row.wrong }}": [],
      },
    },
    hint: ["{{ row.wrong }}"],
  };
  expect(fillTexts(field, { row })).toEqual({
    values: ["Canberra", "Sydney", "Perth"],
    extract: {
      type: "aliases",
      values: { Canberra: ["Canberra", "ACT"], Sydney: ["Sidney"], Perth: [] },
    },
    hint: ['[["Sydney","Sidney"],"Perth"]'],
  });
  expect(fillTexts({ values: { "{{ row.cells | split: ';' }}": [] } }, { row })).toEqual({
    values: { Sydney: [], Perth: [] },
  });
});

test("names of fields and nodes say nothing of what is in them", () => {
  const row = { total: 46 };
  const field = { type: "number", truth: "{{ row.total }}" };
  const filled = { ...field, truth: 46 };
  expect(fillTexts({ fields: { answer: field, check: field } }, { row })).toEqual({
    fields: { answer: filled, check: filled },
  });
  const places = [...textsIn({ nodes: { metadata: { fields: { answer: field, check: field } } } })];
  expect(places.map(({ path }) => path.at(-2))).toEqual(["answer", "check"]);
  // The question of a node is no text, but has one.
  const asked = { question: "{{ row.total }}", template: { fields: { total: field } } };
  expect(fillTexts({ question: asked }, { row })).toEqual({
    question: { question: "46", template: { fields: { total: filled } } },
  });
  // Elsewhere, an answer is text: that of an example.
  expect(fillTexts({ fewShot: [{ answer: "{{ row.total }}" }] }, { row })).toEqual({
    fewShot: [{ answer: "46" }],
  });
});
