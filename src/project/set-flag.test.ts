import { describe, expect, test } from "vitest";
import { parseSetFlag } from "./set-flag.ts";

test.each<[string, readonly (string | number)[], unknown]>([
  ["replicates=3", ["replicates"], 3],
  ["timeouts.callMs=60000", ["timeouts", "callMs"], 60_000],
  ["timeouts.runMs=null", ["timeouts", "runMs"], null],
  ["subjects[0].parameters.temperature=0", ["subjects", 0, "parameters", "temperature"], 0],
  ["subjects=[sim/steadfast, { model: a/b }]", ["subjects"], ["sim/steadfast", { model: "a/b" }]],
  ['caps["openai https://a.b/v1"].maxConcurrency=4', ["caps", "openai https://a.b/v1", "maxConcurrency"], 4],
  ['failUnder["a=\\"b"]=0.5', ["failUnder", 'a="b'], 0.5],
  ["budget=$5", ["budget"], "$5"],
  ["subjects[0].systemPrompt=a=b", ["subjects", 0, "systemPrompt"], "a=b"],
  ["fresh=true", ["fresh"], true],
  ["junit=", ["junit"], null],
])("%s", (text, path, value) => {
  expect(parseSetFlag(text)).toMatchObject({ path, value });
});

test("sentences call it by its path", () => {
  expect(parseSetFlag("subjects[0].name=x")).toMatchObject({ flag: "--set subjects[0].name" });
});

describe("what cannot be read gets a sentence", () => {
  test.each([
    ["replicates", 'got "replicates".'],
    ["=3", 'got "=3".'],
    ["[0]=3", 'got "[0]=3".'],
    [".seed=3", 'got ".seed=3".'],
    ["a[b]=3", 'got "a[b]=3".'],
    ["a b=3", 'got "a b=3".'],
    ["subjects=[a", "--set subjects: the value"],
    ["only=*", 'the value "*" cannot be read'],
    ["__proto__.x=1", '"__proto__" is a reserved name'],
    ["tools.constructor=1", '"constructor" is a reserved name'],
  ])("%s", (text, part) => {
    expect(parseSetFlag(text)).toContain(part);
  });
});
