import fc from "fast-check";
import { expect, test } from "vitest";
import { toolNames } from "./offered-tools.ts";

test("a tool keeps its name, unless another has it too", () => {
  expect(
    toolNames([
      { server: "files", tool: "read" },
      { server: "files", tool: "search" },
      { server: "web", tool: "search" },
    ]),
  ).toEqual(["read", "files__search", "web__search"]);
});

test("a name that was made is not taken from a tool that has it by itself", () => {
  const names = toolNames([
    { server: "a", tool: "x" },
    { server: "b", tool: "x" },
    { server: "c", tool: "a__x" },
  ]);
  expect(names).toEqual([expect.stringMatching(/^a__x_[0-9a-f]{8}$/), "b__x", "a__x"]);
});

test("whatever tools are called, names are fit for providers, different, and always the same", () => {
  const text = fc.oneof(
    fc.constantFrom("a", "b", "a_b", "a.b", "a b", "a__a", "é"),
    fc.string({ maxLength: 80 }),
  );
  const tools = fc.uniqueArray(fc.record({ server: text, tool: text }), {
    selector: ({ server, tool }) => JSON.stringify([server, tool]),
  });
  fc.assert(
    fc.property(tools, (given) => {
      const names = toolNames(given);
      for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      expect(new Set(names).size).toBe(given.length);
      expect(toolNames(given)).toEqual(names);
    }),
  );
});
