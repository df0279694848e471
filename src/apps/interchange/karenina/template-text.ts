import type { Check } from "../../../core/checks/check.ts";
import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import {
  type CaseTruth,
  defaultFieldCheck,
  type FieldLeaf,
  type FieldType,
  gateOf,
  isCaseTruth,
  isTraceCheck,
  isTruthFrom,
  type Template,
  type TemplateField,
  verifyRuleOf,
} from "../../../core/templates/template.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { type Note, NotTranslatable, writeComparison } from "./primitives.ts";
import { KEYWORDS } from "./python.ts";
import { RESERVED_FIELDS, SCALARS } from "./python-template.ts";

/** What a template says upstream for a question that nothing verifies: it always passes and asks no judge. */
export const SPOKEN = `class Answer(BaseAnswer):
    spoken: bool = VerifiedField(description="whether there is a reply", ground_truth=True, verify_with=TraceLength(min=0), default=True)
`;

/** How a template's fields are called upstream. */
export function pythonNames(template: Template): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of Object.keys(template.fields)) {
    const plain = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^[_0-9]+/, "");
    const isPossible = plain === name && plain !== "" && !RESERVED_FIELDS.has(name) && !KEYWORDS.has(name);
    const base = isPossible ? name : `${plain === "" ? "field" : plain}_`;
    let free = base;
    for (let count = 2; taken.has(free); count++) free = `${base}${count}`;
    taken.add(free);
    names.set(name, free);
  }
  return names;
}

/** A template as the Python text of a class. Throws `NotTranslatable` for what it cannot say. */
export function writeTemplate(
  template: Template,
  pathOf: (path: string) => string,
  { note, lose }: { readonly note: Note; readonly lose: Note },
): string {
  const rule = verifyRuleOf(template);
  if (gateOf(template) !== undefined) throw new NotTranslatable("verify: { when } has no counterpart");
  if (typeof rule === "string" || typeof rule === "function")
    throw new NotTranslatable("verify is a function, and Python cannot run it");
  if (template.undecided !== "wrong")
    note("upstream's verdict on a reply that does not state a field is false, ours is null");
  const names = pythonNames(template);
  const fields = Object.entries(template.fields).map(([name, field]) => {
    if (field.truth === undefined)
      throw new NotTranslatable(`${name} has no truth, which upstream does not know`);
    if (field.extract !== undefined)
      note(`the extract rule of ${name} is left out: upstream asks a judge for every field`);
    if (field.evidence === true) lose(`evidence of ${name} has no counterpart`);
    if (field.optional === true) note(`${name} is optional, which upstream does not know`);
    const given = Object.entries(fieldArguments(field, pathOf));
    const lines = given.map(([key, value]) => `        ${key}=${literal(value)},\n`);
    return `    ${names.get(name)}: ${typeText(field)} = VerifiedField(\n${lines.join("")}    )\n`;
  });
  const strategy =
    rule === undefined
      ? ""
      : `\n    class VerificationStrategy:\n        verify_strategy = ${literal(strategyOf(rule, names))}\n`;
  return `class Answer(BaseAnswer):\n${fields.join("")}${strategy}`;
}

/** An object of a class upstream, written as a call with named arguments. */
class Instance {
  readonly name: string;
  readonly given: Readonly<Record<string, Data>>;

  constructor(name: string, given: Readonly<Record<string, Data>>) {
    this.name = name;
    this.given = given;
  }
}

type Data = JsonValue | Instance | readonly Data[] | { readonly [key: string]: Data };

function fieldArguments(
  field: TemplateField,
  pathOf: (path: string) => string,
): Readonly<Record<string, Data>> {
  const { truth = null, weight = 1, hint } = field;
  const check = field.check ?? defaultFieldCheck(field);
  const compared = comparison(check, isTruthFrom(truth) ? null : truth);
  return {
    description: field.description,
    ground_truth: isTruthFrom(truth) ? pastTruthOf(truth, pathOf) : compared.truth,
    verify_with: compared.check,
    ...(weight === 1 ? {} : { weight }),
    ...(hint === undefined ? {} : { extraction_hint: hint }),
    ...(isTraceCheck(field.check) ? { default: false } : {}),
  };
}

function comparison(check: Check, truth: JsonValue): { readonly check: Instance; readonly truth: JsonValue } {
  if (check.type === "is_null") throw new NotTranslatable("is_null in a template has no counterpart");
  const { verify_with, expected } = writeComparison(check, truth);
  const { type, ...given } = verify_with;
  const { normalize } = given as JsonObject;
  const steps = Array.isArray(normalize)
    ? {
        normalize: normalize.map((step) =>
          isRecord(step) ? new Instance("SynonymMap", step as JsonObject) : step,
        ) as Data,
      }
    : {};
  return { check: new Instance(type, { ...(given as JsonObject), ...steps }), truth: expected };
}

function pastTruthOf(
  { from, cases, otherwise }: Extract<TemplateField["truth"], { from: string }>,
  pathOf: (path: string) => string,
): Instance {
  if (otherwise === undefined) throw new NotTranslatable("a truth that depends on the past needs otherwise");
  const caseOf = (value: JsonValue | CaseTruth): Instance => {
    const own: CaseTruth = isCaseTruth(value) ? value : { truth: value };
    const compared = own.check === undefined ? null : comparison(own.check, own.truth);
    return new Instance("GroundTruthCase", {
      value: compared?.truth ?? own.truth,
      ...(compared === null ? {} : { verify_with: compared.check }),
    });
  };
  const written = Object.entries(cases).map(([key, value]) => [key, caseOf(value)] as const);
  return new Instance("ConditionalGroundTruth", {
    source: pathOf(from),
    cases: Object.fromEntries(written),
    default: caseOf(otherwise),
  });
}

const STRATEGIES = { all_of: "AllOf", any_of: "AnyOf", at_least_n: "AtLeastN" } as const;

function strategyOf(rule: Composed<FieldLeaf>, names: ReadonlyMap<string, string>): Instance {
  if (!isComposition(rule)) return new Instance("FieldCheck", { field: names.get(rule.field) ?? rule.field });
  if (rule.type === "not") throw new NotTranslatable("not in verify has no counterpart");
  const conditions = rule.conditions.map((part) => strategyOf(part, names));
  return new Instance(STRATEGIES[rule.type], {
    ...(rule.type === "at_least_n" ? { n: rule.n } : {}),
    conditions,
  });
}

function typeText(type: FieldType & { readonly nullable?: boolean }): string {
  if (type.nullable === true) return `${typeText({ ...type, nullable: false })} | None`;
  if (type.type === "array") return `list[${typeText(type.items)}]`;
  if (type.type === "enum") return `Literal[${type.values.map(literal).join(", ")}]`;
  return SCALARS.find(([own]) => own === type.type)?.[1] ?? "str";
}

/** A value as a Python literal, in printable ASCII. */
function literal(value: Data): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `"${value.replace(/[^ !#-[\]-~]/gu, escaped)}"`;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value instanceof Instance)
    return `${value.name}(${Object.entries(value.given)
      .map(([key, item]) => `${key}=${literal(item)}`)
      .join(", ")})`;
  return `{${Object.entries(value as JsonObject)
    .map(([key, item]) => `${literal(key)}: ${literal(item)}`)
    .join(", ")}}`;
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === '"' || character === "\\") return `\\${character}`;
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length <= 2
    ? `\\x${code.padStart(2, "0")}`
    : code.length <= 4
      ? `\\u${code.padStart(4, "0")}`
      : `\\U${code.padStart(8, "0")}`;
}
