import { describe, expect, test } from "vitest";
import { translateLambda } from "./python-lambda.ts";

describe("lambdas", () => {
  /** The translation is plain JavaScript of ours; here it runs without the sandbox. */
  const run = (python: string, role: "condition" | "update" | "outcome", ...values: unknown[]): unknown =>
    new Function(`return (${translateLambda(python, role)})`)()(...values);
  const state = (parts: object): unknown[] => [
    {},
    {},
    { verifyResult: true, turn: 1, nodeVisits: {}, nodeResults: {}, ...parts },
  ];

  test.each<[string, unknown, unknown]>([
    ["lambda a, p: {**a, 'n': a.get('n', 0) + 1}", { n: 1 }, { n: 2 }],
    ["lambda a, p: dict(a, n=len(p.get('x', [])))", {}, { n: 2 }],
    [
      "lambda a, p: {'t': 'ab' * 2, 'l': 2 * [1, [2]], 'e': [1] * -1}",
      {},
      { t: "abab", l: [1, [2], 1, [2]], e: [] },
    ],
    ["lambda a, p: a | {'m': max(1, 3, 2), 'r': -7 % 3}", {}, { m: 3, r: 2 }],
    ["lambda a, p: {'t': True + 1, 'i': 'x' in p['x'], 'c': 1 if [] else 2}", {}, { t: 2, i: true, c: 2 }],
  ])("%s", (python, accumulated, expected) => {
    expect(run(python, "update", accumulated, { x: ["x", "y"], y: null })).toEqual(expected);
  });

  test.each([
    "lambda a, p: a['missing']",
    "lambda a, p: {'y': p['y']}",
    "lambda a, p: {'s': 'a' + 1}",
    "lambda a, p: {'o': 1 < 'a'}",
    "lambda a, p: {'z': 1 / 0}",
    "lambda a, p: {'m': min([])}",
    "lambda a, p: {'t': 'ab' * 1.5}",
  ])("%s raises", (python) => {
    expect(() => run(python, "update", {}, { y: null })).toThrow();
  });

  test("truthiness, equality and chains are Python's", () => {
    expect(
      run("lambda s: s.verify_result == 1 and not [] and 1 < s.turn + 1 <= 2", "condition", ...state({})),
    ).toBe(true);
    expect(run("lambda s: s.node_visits.get('x', 0) or []", "condition", ...state({}))).toBe(false);
    expect(
      run("lambda r: any(t.node_id == 'b' for t in r.history)", "outcome", { turns: [{ node: "b" }] }),
    ).toBe(true);
    expect(run("lambda r: r.history[5].verify_result", "outcome", { turns: [] })).toBe(false);
    const result = { turns: [{ node: "a", reply: "Sorry.", parsed: { n: 3 } }, { node: "b" }] };
    expect(run("lambda r: len([t for t in r.history if t.node_id == 'a'])", "outcome", result)).toBe(1);
    expect(run("lambda r: r.history[0].parsed_fields.get('n')", "outcome", result)).toBe(3);
    expect(run("lambda r: r.history[0].raw_response", "outcome", result)).toBe("--- AI Message ---\nSorry.");
  });

  test.each([
    ["[1, 'a'] < [2, 3]", true],
    ["[1] < [1, 2] and max([1, 2], [1, 3]) == [1, 3]", true],
    ["1.0 % 0.1 > 0.05 and 7 % -3 == -2 and 7 / 2 == 3.5", true],
    ["not s.turn == 2 and s.turn == 1", true],
    ["s.turn == 1 and not s.turn == 1 or s.turn == 1", true],
    ["1 - 2 - 3 == -4 and -2 * -3 + 1 == 7", true],
    ["1 if s.turn == 2 else 2 if s.turn == 3 else s.turn", true],
    ["any(x > 1 for x in [2, 'a'])", true],
    ["all(x > 1 for x in [0, 'a'])", false],
    ["2 in (x for x in [1, 2]) and sum(x for x in (1, 2)) == 3", true],
    ["' \\x1cHi\\x85'.strip() == 'Hi' and '\\ufeffHi'.strip() != 'Hi'", true],
    ["'ab'.startswith(('x', 'a')) and s.turn in (1, 2)", true],
    ["['a', 'b'][True] == 'b'", true],
    ["{'__proto__': 1}['__proto__'] == 1", true],
    ["[[é + ü for ü in [10]] for é in [1]] == [[11]]", true],
    ["(s.node_results.get('a') or {}).get('parsed', {}).get('n') == 3", true],
  ])("%s is %s, as in Python", (test, expected) => {
    const nodeResults = { a: { verifyResult: true, parsed: { n: 3 } } };
    expect(run(`lambda s: ${test}`, "condition", ...state({ nodeResults }))).toBe(expected);
  });

  test.each([
    "lambda s: s.accumulated['xs'] == (1, 2)",
    "lambda s: (x for x in [])",
    "lambda s: len(x for x in [1])",
    "lambda s: [1, 2][1.0]",
    "lambda s: '%s' % s.turn == '1'",
    "lambda s: dict([['a', 1]])",
    "lambda s: (s.node_results.get('a') or {}).get('rubric')",
    "lambda s: s.turn in {1, 2}",
  ])("%s is refused: it would mean something else", (python) => {
    expect(() => translateLambda(python, "condition")).toThrow();
  });

  test("a text that is the id of a node with another id here is refused", () => {
    const renamed = new Map([["a.b", "a-b"]]);
    expect(() => translateLambda("lambda s: s.node_visits.get('a.b', 0)", "condition", renamed)).toThrow(
      'the node "a.b" is called "a-b" here',
    );
  });

  test.each([
    "lambda a, p: __import__('os')",
    "lambda a, p: a.__class__",
    "lambda a, p: open('x')",
    "lambda a, p: (lambda: 1)()",
    "lambda a, p: p['correct']",
    "lambda a, p: a ** 2",
    "lambda a, p: {'n': 7 // 2}",
    "lambda a, p: {x for x in a}",
    "lambda a",
    "lambda *a: 1",
    "print",
    "lambda a, p: f'{a}'",
  ])("%s is refused", (python) => {
    expect(() => translateLambda(python, "update")).toThrow();
  });
});
