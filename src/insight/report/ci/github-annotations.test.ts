import { expect, test } from "vitest";
import { heldRun } from "../../../../test/report/held-run.ts";
import { emptyLine, type RateLine } from "../data/rate-line.ts";
import type { ThresholdResult } from "../data/thresholds.ts";
import { githubAnnotations } from "./github-annotations.ts";

const LINE: RateLine = {
  ...emptyLine({ name: "right", kind: "rate", group: { subject: "subject", judge: "one" } }),
  estimate: 0.5,
  n: 2,
};

const MISSED: ThresholdResult = {
  outcome: "a:b,c%",
  minimum: 0.9,
  by: "rate",
  subject: "subject",
  judge: "one",
  actual: 0.5,
  n: 2,
  passed: false,
  tested: { kind: "line", line: LINE },
};

test("missed thresholds are errors, and the summary is a notice", async () => {
  const store = await heldRun(["B"]);
  const thresholds = [MISSED, { ...MISSED, passed: true }];
  expect([...githubAnnotations(store, "r", { thresholds, summary: "elenchus: fine" })]).toEqual([
    "::error title=Threshold missed%3A a%3Ab%2Cc%25::a:b,c%25 of subject is 50.0 %25 (n 0 × 0), below 90 %25.\n",
    "::notice title=Elenchus::elenchus: fine\n",
  ]);
});

test("conversations in error are warnings", async () => {
  const store = await heldRun(["B", "fail"], { message: "50 % of it\r\n::error::mine" });
  const lines = [...githubAnnotations(store, "r", { thresholds: [], summary: "s" })];
  expect(lines).toEqual([
    "::warning title=Results may be wrong::did not finish: 50.0 %25 of the conversations of subject. What is missing is not a random part, so rates may be wrong and comparisons unfair.\n",
    '::warning title=Conversation cut short%3A error::letters, subject, replicate 1, row "fail": authentication: 50 %25 of it%0A::error::mine\n',
    '::warning title=Conversation cut short%3A error::letters, subject, replicate 2, row "fail": authentication: 50 %25 of it%0A::error::mine\n',
    "::notice title=Elenchus::s\n",
  ]);
});

test("a judge that does not work is an error", async () => {
  const store = await heldRun(["mumble"]);
  const [first = ""] = githubAnnotations(store, "r", { thresholds: [], summary: "s" });
  expect(first).toMatch(
    /^::error title=Judge one::The judge one gave no usable answer to 2 of 2 requests .*%0A {2}2 of 2: its answer/,
  );
});

test.each([
  [4, 8, undefined],
  [5, 8, "2 more conversations ended in errors, of 10 in all."],
  [20, 8, "32 more conversations ended in errors, of 40 in all."],
])("of %i rows that fail twice, %i warnings are shown", async (rows, shown, rest) => {
  const store = await heldRun(Array.from({ length: rows }, () => "fail" as const));
  const lines = [...githubAnnotations(store, "r", { thresholds: [], summary: "s" })];
  const warnings = lines.filter((line) => line.startsWith("::warning"));
  expect(warnings.filter((line) => line.includes("letters, subject")).length).toBe(shown);
  expect(
    warnings
      .find((line) => line.includes("more"))
      ?.split("::")[2]
      ?.trim(),
  ).toBe(rest);
});
