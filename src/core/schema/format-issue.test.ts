import { describe, expect, test } from "vitest";
import { DefinitionError, formatIssue, formatPath } from "./format-issue.ts";
import type { Issue } from "./issue.ts";
import { NearestName, nearestOf } from "./nearest-name.ts";

test.each([
  [[], ""],
  [["edges", 3, "when", "parsed.drug"], 'edges[3].when["parsed.drug"]'],
  [["nodes", "my node", "question"], 'nodes["my node"].question'],
  [["scenarios", 0], "scenarios[0]"],
  [["__proto__"], "__proto__"],
])("%j reads %s", (path, text) => {
  expect(formatPath(path)).toBe(text);
});

test("a sentence says where, with and without a file", () => {
  const issue: Issue = { code: "missing_fallback", path: ["edges", 0], node: "a" };
  const sentence = 'Node "a" has conditional edges but no fallback; add an edge without "when".';
  expect(formatIssue(issue)).toBe(`edges[0]: ${sentence}`);
  const position = { filename: "s.yaml", line: 7, column: 11 };
  expect(formatIssue({ ...issue, position })).toBe(`s.yaml:7:11 (edges[0]): ${sentence}`);
  expect(formatIssue({ ...issue, path: [], position })).toBe(`s.yaml:7:11: ${sentence}`);
});

test("hostile names are quoted, and long lists are cut", () => {
  const nasty = 'a"\n\u001b[31m';
  expect(formatIssue({ code: "duplicate_node", path: [], node: nasty })).toBe(
    `Node ${JSON.stringify(nasty)} already exists.`,
  );
  const behind = Array.from({ length: 100 }, (_, index) => `n${index}`);
  expect(formatIssue({ code: "unreachable_node", path: [], node: "x", entry: "a", behind })).toContain(
    '"n9" and 90 more behind it',
  );
  expect(formatIssue({ code: "invalid_source", path: [], source: "x".repeat(500) }).length).toBeLessThan(200);
});

test("a DefinitionError lists its issues and carries them", () => {
  const issue: Issue = { code: "no_entry", path: [] };
  const error = new DefinitionError("Scenario", [issue]);
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe("DefinitionError");
  expect(error.message).toBe(`Scenario has an issue:\n  - ${formatIssue(issue)}`);
  expect(error.issues).toEqual([issue]);
  expect(Object.isFrozen(error.issues)).toBe(true);
});

describe("nearest name", () => {
  const names = ["ask", "push", "verify_result", "node_visits", "numeric_range"];
  test.each([
    ["aks", "ask"],
    ["pusch", "push"],
    ["PUSH", "push"],
    ["verify_resul", "verify_result"],
    ["verifyResult", "verify_result"],
    ["node_vists", "node_visits"],
    ["completely different", undefined],
    ["x", undefined],
    ["", undefined],
  ])("%s → %s", (wrong, nearest) => {
    expect(nearestOf(wrong, names).nearest).toBe(nearest);
  });

  test("the work is bounded: after very many names there are no more suggestions", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `name-${index}`);
    const finder = new NearestName(() => many);
    expect(finder.find("nane-99999")).toBe("name-99999");
    for (let i = 0; i < 20; i++) finder.find("zzzz");
    expect(finder.find("nane-99999")).toBeUndefined();
  });
});
