import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { isJudgedTrait, llmTrait, metricTrait } from "../../../core/templates/rubric.ts";
import type { TemplateFields } from "../../../core/templates/template.ts";
import { isRecord, type JsonObject } from "../../../core/values/json.ts";
import { judgeSchema } from "./judge-schema.ts";
import { judgeTask } from "./judge-task.ts";

const FIELDS = {
  city: { type: "string", description: "the city", truth: "Canberra" },
  sure: { type: "boolean", description: "whether it is sure", truth: true, nullable: true, optional: true },
  people: { type: "integer", description: "how many", truth: 1, evidence: true },
  share: { type: "number", description: "which share", truth: 0.5 },
  founded: { type: "date", description: "when", truth: "1913-03-12" },
  letter: { type: "enum", values: ["A", "B"], description: "which", truth: "A" },
  level: { type: "enum", values: [1, "high"], description: "which", truth: 1 },
  lakes: { type: "array", items: { type: "string" }, description: "which", truth: [] },
  levels: { type: "array", items: { type: "enum", values: [1, "high"] }, description: "which", truth: [] },
} as const satisfies TemplateFields;

const TRAITS = [
  llmTrait("polite", { kind: "boolean" }),
  llmTrait("depth", { kind: "score", min: 0, max: 3 }),
  llmTrait("tone", { kind: "literal", classes: { rude: "insults", polite: "does not" } }),
  metricTrait("coverage", { expected: ["names it"], unexpected: ["asks back", "swears"] }),
];

const ALL = judgeSchema(judgeTask({ fields: FIELDS, traits: TRAITS.filter(isJudgedTrait), refusal: true }));

test("types are told without truths, checks or descriptions", () => {
  expect(ALL).toMatchSnapshot();
});

/** All schemas inside a schema, itself included. */
function schemasIn(schema: unknown): readonly JsonObject[] {
  if (Array.isArray(schema)) return schema.flatMap(schemasIn);
  if (!isRecord(schema)) return [];
  return [...("type" in schema ? [schema as JsonObject] : []), ...Object.values(schema).flatMap(schemasIn)];
}

test("the schema keeps to what strict modes take", () => {
  const allowed = ["type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"];
  for (const schema of schemasIn(ALL)) {
    expect(Object.keys(schema).filter((key) => !allowed.includes(key))).toEqual([]);
    if (schema.type !== "object") continue;
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(Object.keys(schema.properties as object));
  }
});

test("a validator takes null for everything, and nothing that is missing or too much", () => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(ALL);
  const nulls = {
    fields: {
      ...Object.fromEntries(Object.keys(FIELDS).map((name) => [name, null])),
      people: { quote: null, value: null },
    },
    traits: {
      polite: null,
      depth: null,
      tone: null,
      coverage: { expected_1: null, unexpected_1: null, unexpected_2: null },
    },
    refused: null,
  };
  expect(validate(nulls)).toBe(true);
  expect(validate({ ...nulls, more: 1 })).toBe(false);
  expect(validate({ fields: nulls.fields, traits: nulls.traits })).toBe(false);
  expect(validate({ ...nulls, fields: { ...nulls.fields, letter: "C" } })).toBe(false);
  expect(validate({ ...nulls, fields: { ...nulls.fields, levels: [1, "high"], lakes: ["a"] } })).toBe(true);
});

test("what is not asked for has no section", () => {
  const schema = judgeSchema(judgeTask({ refusal: true }));
  expect(schema).toEqual({
    type: "object",
    properties: { refused: { type: ["boolean", "null"] } },
    required: ["refused"],
    additionalProperties: false,
  });
});
