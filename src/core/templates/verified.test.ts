import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseScenario } from "../scenario/parse-scenario.ts";
import { Scenario } from "../scenario/scenario.ts";
import { type TemplateField, template, templateToZod } from "./template.ts";
import { verified } from "./verified.ts";

const options = { description: "d", truth: null } as const;

describe("a zod type becomes data", () => {
  test.each<[string, z.ZodType, object]>([
    ["boolean", z.boolean(), { type: "boolean" }],
    ["string", z.string(), { type: "string" }],
    ["string with rules", z.string().min(2).describe("x"), { type: "string" }],
    ["number", z.number(), { type: "number" }],
    ["number with rules", z.number().min(0).max(10), { type: "number" }],
    ["integer", z.int(), { type: "integer" }],
    ["number that is an integer", z.number().int().positive(), { type: "integer" }],
    ["32-bit integer", z.int32(), { type: "integer" }],
    ["enum", z.enum(["A", "B"]), { type: "enum", values: ["A", "B"] }],
    ["literal", z.literal("A"), { type: "enum", values: ["A"] }],
    ["literals", z.literal([1, 2]), { type: "enum", values: [1, 2] }],
    ["union of literals", z.union([z.literal("A"), z.literal("B")]), { type: "enum", values: ["A", "B"] }],
    ["date", z.date(), { type: "date" }],
    ["ISO date", z.iso.date(), { type: "date" }],
    ["ISO date and time", z.iso.datetime(), { type: "date" }],
    ["array", z.array(z.string()), { type: "array", items: { type: "string" } }],
    ["array of enum", z.array(z.enum(["A"])), { type: "array", items: { type: "enum", values: ["A"] } }],
    ["nullable", z.string().nullable(), { type: "string", nullable: true }],
    ["optional", z.boolean().optional(), { type: "boolean", optional: true }],
    ["both", z.number().nullable().optional(), { type: "number", nullable: true, optional: true }],
  ])("%s", (_name, type, data) => {
    expect(verified(type, options)).toEqual({ ...data, ...options });
  });
});

test("a type that templates do not have is an issue with a place", () => {
  const build = (type: z.ZodType): Scenario => {
    const s: Scenario = new Scenario("s");
    s.addNode("a", {
      question: { question: "Q", rawAnswer: "A", template: template({ x: verified(type, options) }) },
    });
    s.setEntry("a");
    return s;
  };
  expect(() => build(z.object({})).validate()).toThrow(
    /nodes\.a\.question\.template\.fields\.x\.type: "object" is not one of/,
  );
  expect(() => build(z.union([z.string(), z.number()])).validate()).toThrow(/fields\.x\.values\[0\]/);
  expect(() => build(z.array(z.array(z.string()))).validate()).toThrow(
    /fields\.x\.items\.type: "array" is not one of/,
  );
  expect(() => build(5 as never).validate()).toThrow(/fields\.x\.type: "unknown" is not one of/);
});

describe("data becomes zod and data again", () => {
  const fields: Record<string, TemplateField> = {
    b: { type: "boolean", description: "d", truth: true },
    s: { type: "string", description: "d", truth: "x", nullable: true },
    i: { type: "integer", description: "d", truth: 3, optional: true },
    n: { type: "number", description: "d", truth: 3.5 },
    e: { type: "enum", values: ["A", "B"], description: "d", truth: "B" },
    m: { type: "enum", values: [1, 2], description: "d", truth: 2, nullable: true, optional: true },
    d: { type: "date", description: "d", truth: "2024-03-01" },
    a: { type: "array", items: { type: "enum", values: ["x"] }, description: "d", truth: ["x"] },
  };
  const schema = templateToZod({ fields }, z);

  test.each(Object.entries(fields))("%s", (name, field) => {
    const { description, truth } = field;
    expect(verified(schema.shape[name] as z.ZodType, { description, truth: truth as never })).toEqual(field);
  });

  test("and the zod object accepts what the template means", () => {
    expect(schema.safeParse({ b: true, s: null, n: 1, e: "A", d: "2024-01-01", a: [] }).success).toBe(true);
    expect(
      schema
        .safeParse({ b: 1, s: null, n: 1, e: "C", d: "2024", a: [] })
        .error?.issues.map(({ path }) => path[0]),
    ).toEqual(["b", "e", "d"]);
  });

  test("and a file form", () => {
    const data = {
      name: "s",
      entry: "a",
      nodes: { a: { question: { question: "Q", rawAnswer: "A", template: { fields } } } },
    };
    expect(parseScenario(JSON.parse(JSON.stringify(data))).nodes.a?.question.template?.fields).toEqual(
      fields,
    );
  });
});
