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
  isVerified,
  type Template,
  type TemplateField,
  verifyRuleOf,
} from "../../../core/templates/template.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import { type Note, NotTranslatable, type Primitive } from "./primitives.ts";
import { type FieldNames, pythonNames, writeComparison } from "./write-checks.ts";

/** Who hears of what differs, and of what is left out. */
export interface Reports {
  readonly note: Note;
  readonly lose: Note;
}

/** What a template says upstream for a question that nothing verifies: it always passes and asks no judge. */
export const SPOKEN = `class Answer(BaseAnswer):
    spoken: bool = VerifiedField(description="whether there is a reply", ground_truth=True, verify_with=TraceLength(min=0), default=True)
`;

/** A template as the Python text of a class. Throws `NotTranslatable` for what it cannot say. */
export function writeTemplate(
  template: Template,
  pathOf: (path: string) => string,
  { note, lose }: Reports,
): string {
  const rule = verifyRuleOf(template);
  if (gateOf(template) !== undefined) throw new NotTranslatable("verify: { when } has no counterpart");
  if (typeof rule === "string" || typeof rule === "function")
    throw new NotTranslatable("verify is a function, and Python cannot run it");
  if (template.undecided !== "wrong")
    note("upstream's verdict on a reply that does not state a field is false, ours is null");
  const names = pythonNames(template);
  const fields = Object.entries(template.fields).map(([name, field]) => {
    const own = names.get(name) as string;
    return `    ${own}: ${typeText(field)} = VerifiedField(\n${fieldArguments(name, field, pathOf, {
      note,
      lose,
    })
      .map((line) => `        ${line},\n`)
      .join("")}    )\n`;
  });
  const strategy =
    rule === undefined
      ? ""
      : `\n    class VerificationStrategy:\n        verify_strategy = ${strategyText(rule, names)}\n`;
  return `class Answer(BaseAnswer):\n${fields.join("")}${strategy}`;
}

function fieldArguments(
  name: string,
  field: TemplateField,
  pathOf: (path: string) => string,
  { note, lose }: Reports,
): readonly string[] {
  const check = field.check ?? defaultFieldCheck(field);
  if (!isVerified(field)) throw new NotTranslatable(`${name} has no truth, which upstream does not know`);
  if (field.extract !== undefined)
    note(`the extract rule of ${name} is left out: upstream asks a judge for every field`);
  if (field.evidence === true) lose(`evidence of ${name} has no counterpart`);
  if (field.optional === true) note(`${name} is optional, which upstream does not know`);
  const isTrace = isTraceCheck(field.check);
  return [
    `description=${text(field.description)}`,
    `ground_truth=${truthText(field, pathOf)}`,
    `verify_with=${comparison(check, isTruthFrom(field.truth) ? null : (field.truth ?? null)).text}`,
    ...(field.weight === undefined || field.weight === 1 ? [] : [`weight=${literal(field.weight)}`]),
    ...(field.hint === undefined ? [] : [`extraction_hint=${text(field.hint)}`]),
    ...(isTrace ? ["default=False"] : []),
  ];
}

function comparison(
  check: NonNullable<TemplateField["check"]>,
  truth: JsonValue,
): { readonly text: string; readonly truth: JsonValue } {
  if (check.type === "is_null") throw new NotTranslatable("is_null in a template has no counterpart");
  const { verify_with, expected } = writeComparison(check, truth);
  return { text: primitiveText(verify_with), truth: expected };
}

function truthText(field: TemplateField, pathOf: (path: string) => string): string {
  const { truth } = field;
  const check = field.check ?? defaultFieldCheck(field);
  if (!isTruthFrom(truth)) return literal(comparison(check, truth ?? null).truth);
  if (truth.otherwise === undefined)
    throw new NotTranslatable("a truth that depends on the past needs otherwise");
  const caseText = (value: JsonValue | CaseTruth): string => {
    const own: CaseTruth = isCaseTruth(value) ? value : { truth: value };
    const compared = own.check === undefined ? null : comparison(own.check, own.truth);
    return `GroundTruthCase(value=${literal(compared?.truth ?? own.truth)}${compared === null ? "" : `, verify_with=${compared.text}`})`;
  };
  const cases = Object.entries(truth.cases).map(([key, value]) => `${text(key)}: ${caseText(value)}`);
  return `ConditionalGroundTruth(source=${text(pathOf(truth.from))}, cases={${cases.join(", ")}}, default=${caseText(truth.otherwise)})`;
}

function strategyText(rule: Composed<FieldLeaf>, names: FieldNames): string {
  if (!isComposition(rule)) return `FieldCheck(field=${text(names.get(rule.field) ?? rule.field)})`;
  if (rule.type === "not") throw new NotTranslatable("not in verify has no counterpart");
  const parts = rule.conditions.map((part) => strategyText(part, names)).join(", ");
  if (rule.type === "at_least_n") return `AtLeastN(n=${rule.n}, conditions=[${parts}])`;
  return `${rule.type === "all_of" ? "AllOf" : "AnyOf"}(conditions=[${parts}])`;
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: "bool",
  string: "str",
  integer: "int",
  number: "float",
  date: "str",
};

function typeText(type: FieldType & { readonly nullable?: boolean }): string {
  const plain =
    type.type === "array"
      ? `list[${typeText(type.items)}]`
      : type.type === "enum"
        ? `Literal[${type.values.map(literal).join(", ")}]`
        : (TYPES[type.type] as string);
  return type.nullable === true ? `${plain} | None` : plain;
}

function primitiveText({ type, ...parameters }: Primitive): string {
  const entries = Object.entries(parameters as JsonObject).map(([key, value]) => {
    if (key !== "normalize" || !Array.isArray(value)) return `${key}=${literal(value)}`;
    const steps = value.map((step) =>
      isRecord(step)
        ? `SynonymMap(mapping=${literal(step.mapping as JsonValue)})`
        : literal(step as JsonValue),
    );
    return `${key}=[${steps.join(", ")}]`;
  });
  return `${type}(${entries.join(", ")})`;
}

/** A value as a Python literal. */
function literal(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item as JsonValue)).join(", ")}]`;
  return `{${Object.entries(value as JsonObject)
    .map(([key, item]) => `${text(key)}: ${literal(item)}`)
    .join(", ")}}`;
}

/** A text as a double-quoted literal of printable ASCII. */
function text(value: string): string {
  const escaped = [...value].map((character) => {
    const code = character.codePointAt(0) as number;
    if (character === '"' || character === "\\") return `\\${character}`;
    if (character === "\n") return "\\n";
    if (code >= 0x20 && code < 0x7f) return character;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 0x10000
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return `"${escaped.join("")}"`;
}
