import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLenientJson } from "./lenient-json.ts";

function parsed(text: string): unknown {
  const result = parseLenientJson(text);
  return result.ok ? result.value : undefined;
}

test.each<[string, unknown]>([
  ["{}", {}],
  ['{"a": 1,}', { a: 1 }],
  ['{"a": [1, 2, ], }', { a: [1, 2] }],
  ["{'a': 'b', 'c': True, 'd': None, 'e': False}", { a: "b", c: true, d: null, e: false }],
  ['{“a”: “say "hi"”}', { a: 'say "hi"' }],
  ['{"a": 1 // one\n, /* two\n */ "b": 2}', { a: 1, b: 2 }],
  ['{"a": "line\nbreak\tand tab"}', { a: "line\nbreak\tand tab" }],
  ['{"a": "\\u00e9 \\n \\" \\\\ \\/ \\t"}', { a: 'é \n " \\ / \t' }],
  ['{"a": "\\(x\\) \\uzz"}', { a: "\\(x\\) \\uzz" }],
  ['{"a": "it\'s // no comment"}', { a: "it's // no comment" }],
  ['{"a": -1.5e3, "b": 0}', { a: -1500, b: 0 }],
  ['{"a": 1, "a": 2}', { a: 2 }],
  ['{"a": {"b": {"c": []}}} and more }', { a: { b: { c: [] } } }],
])("%j reads %j", (text, value) => expect(parsed(text)).toEqual(value));

test.each([
  ["{"],
  ['{"a"}'],
  ['{"a": }'],
  ['{"a": 1 "b": 2}'],
  ["{,}"],
  ['{"a": undefined}'],
  ['{"a": NaN}'],
  ['{"a": 1.}'],
  ['{"a": 0x10}'],
  ['{"a": "open}'],
  ["{a: 1}"],
  ['{"a": 1 /* open }'],
  ['{"a": [1}'],
  [`${'{"a":'.repeat(30)}1${"}".repeat(30)}`],
])("%j cannot be read", (text) => expect(parsed(text)).toBeUndefined());

test("__proto__ is a key like any other", () => {
  const value = parsed('{"__proto__": {"x": 1}}');
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect((value as { x?: number }).x).toBeUndefined();
});

test("reads what JSON.parse reads, and says where it ended", () => {
  const json = fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify({ value }));
  fc.assert(
    fc.property(json, fc.string(), (text, rest) => {
      const result = parseLenientJson(text + rest);
      expect(result).toEqual({ ok: true, value: JSON.parse(text), end: text.length });
    }),
  );
});

test("hostile text is refused, not choked on", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."{}[]\":,'“”\\/* \n1atnu"), { maxLength: 200 }), (characters) => {
      const text = `{${characters.join("")}`;
      expect(parseLenientJson(text).end).toBeLessThanOrEqual(text.length);
    }),
  );
});
