import { expect, test } from "vitest";
import { plainJson, toolOutput } from "./tool-output.ts";

const text = (value: string) => ({ type: "text", text: value });

test("texts are joined", () => {
  expect(toolOutput({ content: [text("one"), text("two")] })).toEqual({ output: "one\ntwo", isError: false });
  expect(toolOutput({ content: [text("no")], isError: true })).toEqual({ output: "no", isError: true });
});

test("JSON is kept; text that only repeats it is not", () => {
  const data = { rows: [1, 2] };
  expect(toolOutput({ content: [], structuredContent: data }).output).toEqual(data);
  expect(toolOutput({ content: [text('{"rows": [1,2]}')], structuredContent: data }).output).toEqual(data);
  expect(toolOutput({ content: [text("two rows")], structuredContent: data }).output).toEqual({
    text: "two rows",
    data,
  });
  expect(toolOutput({ toolResult: [1] }).output).toEqual([1]);
  expect(toolOutput({ content: [text('{"a":1}')] }).output).toBe('{"a":1}');
});

test("what is not text becomes a note, except the text of a resource", () => {
  const content = [
    { type: "image", data: "A".repeat(4_000), mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "file:///a.txt", text: "hello" } },
    { type: "resource", resource: { uri: "file:///b.bin", blob: "AAAA" } },
    { type: "resource_link", uri: "file:///c.txt", name: "c" },
    { type: "hologram" },
    "nonsense",
  ];
  expect(toolOutput({ content }).output).toBe(
    [
      "[image, image/png, 3 kB: not shown]",
      "[audio, audio/wav, 1 kB: not shown]",
      "[resource file:///a.txt]",
      "hello",
      "[resource file:///b.bin, 1 kB: not shown]",
      "[link to the resource file:///c.txt]",
      "[hologram: not shown]",
      "",
    ].join("\n"),
  );
});

test("what is too large is cut, and says so", () => {
  const long = toolOutput({ content: [text("😀".repeat(150_000))] }).output as string;
  expect(long).toBe(`${"😀".repeat(100_000)}\n[cut: 100000 more characters]`);
  const odd = toolOutput({ content: [text(`x${"😀".repeat(150_000)}`)] }).output as string;
  expect(odd.isWellFormed()).toBe(true);
  const data = toolOutput({ content: [], structuredContent: ["x".repeat(300_000)] }).output;
  expect(data).toMatch(/^\["x+\n\[cut: 100004 more characters\]$/);
});

test("whatever comes, there is an output", () => {
  for (const result of [null, 5, "x", [], {}, { content: 5 }, { structuredContent: undefined }])
    expect(toolOutput(result)).toMatchObject({ isError: false });
});

import fc from "fast-check";

test("what JSON holds is copied as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      expect(plainJson(value)).toEqual(value);
    }),
  );
});

test("what JSON cannot hold, or what is too deep, is nothing", () => {
  for (const value of [undefined, Number.NaN, 1n, () => 1, [undefined], { a: Symbol("a") }])
    expect(plainJson(value)).toBeUndefined();
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(plainJson(deep)).toBeUndefined();
  expect(plainJson([[1]], 2)).toEqual([[1]]);
  expect(plainJson([[1]], 1)).toBeUndefined();
});

test("keys and half characters that make trouble later do not pass", () => {
  expect(plainJson(JSON.parse('{"__proto__": {"x": 1}, "a\\ud800": "\\udc00"}'))).toEqual({
    "a\ufffd": "\ufffd",
  });
});
