import * as fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { heldRun } from "../../../../test/report/held-run.ts";
import { memoryStore } from "../../../engine/journal/store/memory-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import type { ThresholdResult } from "../data/thresholds.ts";
import { junitXml, xmlAttributes, xmlText } from "./junit-xml.ts";

interface Case {
  readonly name: string;
  readonly classname: string;
  readonly properties?: { readonly property: readonly { readonly name: string; readonly value: string }[] };
  readonly error?: { readonly type: string; readonly message: string; readonly "#text": string };
  readonly failure?: { readonly message: string };
  readonly skipped?: { readonly message: string };
  readonly "system-out"?: string;
}

interface Suite {
  readonly name: string;
  readonly tests: string;
  readonly failures: string;
  readonly errors: string;
  readonly skipped: string;
  readonly testcase: readonly Case[];
}

/** The file as any reader of it sees it. */
function read(
  store: Store,
  thresholds?: readonly ThresholdResult[],
): { suites: readonly Suite[]; root: Omit<Suite, "testcase"> } {
  const xml = [...junitXml(store, "r", thresholds)].join("");
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseAttributeValue: false,
    parseTagValue: false,
    isArray: (name) => ["testsuite", "testcase", "property"].includes(name),
  });
  const { testsuite = [], ...root } = parser.parse(xml).testsuites;
  return { suites: testsuite, root };
}

function propertiesOf({ properties }: Case): Readonly<Record<string, string>> {
  return Object.fromEntries((properties?.property ?? []).map(({ name, value }) => [name, value]));
}

test("conversations are test cases: a false outcome is a property, an error is an error", async () => {
  const { suites, root } = read(await heldRun(["B", "A", "mumble", "fail"]));
  // The judge, too, is a test case: it was asked what the rule could not read, and gave nothing.
  expect(root).toEqual({ name: "elenchus r", tests: "9", failures: "0", errors: "3", skipped: "0" });
  expect(suites.map(({ name }) => name)).toEqual(["letters, subject", "judges"]);
  const [judge] = suites[1]?.testcase ?? [];
  expect(propertiesOf(judge as Case)).toEqual({
    asked: "2",
    judged: "0",
    repaired: "0",
    unreadable: "2",
    failed: "0",
  });
  expect(judge?.error).toBeDefined();
  const cases = suites[0]?.testcase ?? [];
  expect(cases.map(({ classname, name }) => `${classname}: ${name}`)).toEqual(
    ["B", "A", "mumble", "fail"].flatMap((row) =>
      [1, 2].map((replicate) => `letters: subject, replicate ${replicate}, row "${row}"`),
    ),
  );
  const [right, , wrong, , mumbled, , failed] = cases as [Case, Case, Case, Case, Case, Case, Case];
  expect(propertiesOf(right)).toEqual({
    conversation: expect.any(String),
    status: "completed",
    turns: "1",
    "outcome.right": "true",
    "outcome.passes": "1",
  });
  expect(propertiesOf(wrong)).toMatchObject({ "outcome.right": "false", "outcome.passes": "0" });
  expect([right, wrong].map(({ error, failure, "system-out": out }) => [error, failure, out])).toEqual([
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]);
  expect(propertiesOf(mumbled)).toMatchObject({ "outcome.right": "inconclusive" });
  expect(mumbled["system-out"]).toBe(
    "right is inconclusive: a turn could not be read\npasses is inconclusive, though 0 can be proved: a turn could not be read",
  );
  expect(mumbled.error).toBeUndefined();
  expect(failed.error).toMatchObject({ type: "authentication", message: "The key is wrong." });
  expect(failed.error?.["#text"]).toBe("status error, stage subject, node ask, turn 1");
});

test("suites are told apart by their judge where there are several", async () => {
  const { suites } = read(await heldRun(["B", "A"], { judges: ["one", "two"] }));
  expect(suites.map(({ name, tests, testcase }) => [name, tests, testcase.length])).toEqual([
    ["letters, subject, judge one", "4", 4],
    ["letters, subject, judge two", "4", 4],
  ]);
});

const MISSED: ThresholdResult = {
  outcome: "<right>",
  minimum: 0.9,
  by: "lower",
  subject: "subject",
  judge: "one",
  actual: 0.5,
  n: 2,
  passed: false,
  tested: { kind: "unknown", outcomes: ["wrong"] },
};

test("missed thresholds are the only failures", async () => {
  const thresholds: readonly ThresholdResult[] = [
    MISSED,
    { ...MISSED, by: "rate", passed: true },
    { ...MISSED, outcome: "wright", by: "rate", subject: null, judge: null },
  ];
  const { suites, root } = read(await heldRun(["A"]), thresholds);
  expect(root).toMatchObject({ tests: "5", failures: "2", errors: "0" });
  const suite = suites[1];
  expect(suite).toMatchObject({ name: "thresholds", tests: "3", failures: "2" });
  expect(suite?.testcase.map(({ name, failure }) => [name, failure?.message])).toEqual([
    ["<right> >= 0.9 (lower bound), subject", 'The run has no outcome "<right>".'],
    ["<right> >= 0.9, subject", undefined],
    ["wright >= 0.9", 'The run has no outcome "wright".'],
  ]);
});

test("whatever a server said, the file is XML", async () => {
  const message = 'no </error> & ]]> "quotes"\n\u0000\u001b[31m\ud800';
  const { suites } = read(await heldRun(["fail"], { message, scenario: "<a> & 'b'" }));
  const [failed] = suites[0]?.testcase ?? [];
  expect(failed?.classname).toBe("<a> & 'b'");
  expect(failed?.error?.message).toContain('no </error> & ]]> "quotes"');
});

test("a conversation that has not ended was skipped", () => {
  const store = memoryStore();
  const cell = { index: 0, scenario: "s", subject: "m", judge: "j", replicate: 1 };
  const journal = store.begin({
    type: "run-start",
    run: "r",
    at: 0,
    seed: 0,
    conversations: 1,
    scenarios: { s: "hash" },
    subjects: ["m"],
    judges: ["j"],
    replicates: 1,
    configuration: {},
  });
  const settings = { turnLimit: 20, judged: false, judging: "together", detectRefusal: false } as const;
  journal.append({
    type: "conversation-start",
    at: 1,
    conversation: "c",
    cell,
    scenarioHash: "hash",
    settings,
  });
  const { suites, root } = read(store);
  expect(root).toMatchObject({ tests: "1", errors: "0", skipped: "1" });
  expect(suites[0]?.testcase[0]).toMatchObject({
    name: "m, replicate 1",
    skipped: { message: "The conversation has not ended." },
  });
});

test("any text comes back from a parser, without what XML forbids", () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseAttributeValue: false,
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    alwaysCreateTextNode: true,
    processEntities: { enabled: true, maxTotalExpansions: 1e6 },
  });
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom("<", ">", "&", '"', "'", "\n", "\t", "]", "\u0000", "\ud800", "&amp;", "é"),
    }),
  );
  fc.assert(
    fc.property(text, (original) => {
      const xml = `<x${xmlAttributes({ a: original })}>${xmlText(original)}</x>`;
      expect(XMLValidator.validate(xml)).toBe(true);
      const allowed = [...original].filter((character) => isAllowed(character.codePointAt(0) ?? 0)).join("");
      expect(parser.parse(xml).x["#text"]).toBe(allowed);
      expect(parser.parse(xml).x.a).toBe(allowed);
    }),
  );
});

/** The production `Char` of XML 1.0. */
function isAllowed(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    code >= 0x10000
  );
}
