import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { END } from "../scenario/definition.ts";
import { Scenario } from "../scenario/scenario.ts";
import { type Template, type TemplateField, template, truthFrom } from "./template.ts";
import { verified } from "./verified.ts";

const asked = template({
  city: verified(z.string(), { description: "the capital", truth: "Canberra" }),
  letter: verified(z.enum(["A", "B"]), { description: "the option", truth: "B" }),
  count: verified(z.int().nullable(), { description: "how many", truth: 3 }),
  since: verified(z.iso.date(), { description: "since when", truth: "1913-03-12" }),
  tags: verified(z.array(z.string()), { description: "labels", truth: ["a"] }),
  sure: { type: "boolean", description: "certain or not", truth: true },
});

test("zod types and plain data give the same parsed fields", () => {
  expectTypeOf(asked).toEqualTypeOf<
    Template<{
      readonly city: string | null;
      readonly letter: "A" | "B" | null;
      readonly count: number | null;
      readonly since: string | null;
      readonly tags: readonly string[] | null;
      readonly sure: boolean | null;
    }>
  >();
});

test("a field whose type is not known may hold anything that fields hold", () => {
  const fields: Record<string, TemplateField> = {};
  expectTypeOf(template(fields)).toExtend<
    Template<{
      readonly [name: string]: string | number | boolean | null | readonly (string | number | boolean)[];
    }>
  >();
});

test("a truth must be of its type", () => {
  verified(z.boolean(), { description: "d", truth: truthFrom("turn", { cases: { 1: true } }) });
  // @ts-expect-error a boolean is not "yes".
  verified(z.boolean(), { description: "d", truth: "yes" });
  // @ts-expect-error "C" is no option.
  verified(z.enum(["A", "B"]), { description: "d", truth: "C" });
  // @ts-expect-error a description is needed.
  verified(z.string(), { truth: "x" });
});

test("conditions and state updates know the fields", () => {
  const s = new Scenario("s").addNode("ask", {
    question: { question: "Q", rawAnswer: "A", template: asked },
    stateUpdate: (accumulated, parsed) => {
      expectTypeOf(parsed.letter).toEqualTypeOf<"A" | "B" | null>();
      return { ...accumulated, letter: parsed.letter };
    },
  });
  s.addEdge("ask", END, { when: { "parsed.letter": "A" } }).addEdge("ask", END, { when: { refused: true } });
  // @ts-expect-error "C" is no option.
  s.addEdge("ask", END, { when: { "parsed.letter": "C" } });
  // @ts-expect-error there is no field "town".
  s.addEdge("ask", END, { when: { "parsed.town": "Canberra" } });
});

test("a verify function knows the fields", () => {
  template(
    { n: verified(z.number(), { description: "d", truth: 1 }) },
    { verify: ({ n }) => n !== null && n > 0 },
  );
  // @ts-expect-error there is no field "m".
  template({ n: verified(z.number(), { description: "d", truth: 1 }) }, { verify: ({ m }) => m > 0 });
});
