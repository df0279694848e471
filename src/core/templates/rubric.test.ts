import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  functionTrait,
  llmTrait,
  mergeRubrics,
  type Rubric,
  regexTrait,
  rubric,
  type Trait,
} from "./rubric.ts";

describe("factories of traits", () => {
  test.each<[Trait, Trait]>([
    [llmTrait("t", { kind: "boolean" }), { type: "llm", name: "t", kind: "boolean" }],
    [
      functionTrait("t", "(reply) => 1", { description: "d" }),
      { type: "function", name: "t", evaluate: "(reply) => 1", description: "d" },
    ],
  ])("a factory returns the plain data %j", (made, data) => {
    expect(made).toEqual(data);
    expect(JSON.parse(JSON.stringify(made))).toEqual(data);
  });

  test("a rubric is a list of traits", () => {
    const evaluate = (reply: string): number => reply.length;
    const trait = functionTrait("length", evaluate);
    expect(rubric(trait)).toEqual({ traits: [{ type: "function", name: "length", evaluate }] });
    expect(rubric()).toEqual({ traits: [] });
  });
});

describe("merging rubrics", () => {
  const polite = llmTrait("polite", { kind: "boolean" });
  const cites = regexTrait("cites", { pattern: "\\[\\d+\\]" });

  test("the traits of all rubrics, in their order", () => {
    expect(
      mergeRubrics([
        { rubric: rubric(cites), place: "the node" },
        { rubric: undefined, place: "the question" },
        { rubric: rubric(polite), place: "the run" },
      ]),
    ).toEqual({ traits: [cites, polite], clashes: [] });
    expect(mergeRubrics([])).toEqual({ traits: [], clashes: [] });
  });

  test("different traits with one name clash, and the first counts", () => {
    const other = llmTrait("polite", { kind: "score" });
    expect(
      mergeRubrics([
        { rubric: rubric(polite), place: "the node" },
        { rubric: rubric(cites, other), place: "the question" },
        { rubric: rubric(other), place: "the run" },
      ]),
    ).toEqual({
      traits: [polite, cites],
      clashes: [
        { trait: "polite", places: ["the node", "the question"] },
        { trait: "polite", places: ["the node", "the run"] },
      ],
    });
  });

  test("the same trait twice is one trait, whatever the order of its keys", () => {
    const again: Trait = { kind: "boolean", name: "polite", type: "llm" };
    const evaluate = (reply: string): number => reply.length;
    const parts = [
      rubric(polite, functionTrait("length", evaluate)),
      rubric(again, functionTrait("length", evaluate)),
    ];
    expect(mergeRubrics(parts.map((part) => ({ rubric: part, place: "x" })))).toEqual({
      traits: [polite, functionTrait("length", evaluate)],
      clashes: [],
    });
  });

  test("no name is lost or there twice; there is a clash exactly where traits differ", () => {
    const traits = fc
      .record({
        name: fc.constantFrom("a", "b", "__proto__", "constructor"),
        pattern: fc.constantFrom("x", "y"),
      })
      .map(({ name, pattern }) => regexTrait(name, { pattern }));
    const rubrics = fc.array(
      fc.option(
        fc.array(traits).map((list): Rubric => rubric(...list)),
        { nil: undefined },
      ),
    );
    fc.assert(
      fc.property(rubrics, (given) => {
        const merged = mergeRubrics(given.map((part, index) => ({ rubric: part, place: String(index) })));
        const all = given.flatMap((part) => part?.traits ?? []);
        const names = merged.traits.map(({ name }) => name);
        expect(names).toEqual([...new Set(all.map(({ name }) => name))]);
        const patterns = new Set(all.map((trait) => `${trait.name} ${JSON.stringify(trait)}`));
        expect(merged.clashes.length > 0).toBe(patterns.size > names.length);
      }),
    );
  });
});
