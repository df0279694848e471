import type { Check } from "../../../core/checks/check.ts";
import { defaultFieldCheck, type FieldType } from "../../../core/templates/template.ts";
import { deepEqual, isRecord, type JsonObject, type JsonValue } from "../../../core/values/json.ts";
import {
  isTruthy,
  type Note,
  NotTranslatable,
  type Primitive,
  present,
  snakeCase,
  toCheck,
} from "./primitives.ts";
import { type Expression, PythonError, parseExpression, parseModule, type Statement } from "./python.ts";
import type { ScenarioNames } from "./scenario-names.ts";

/** A declarative answer template, as its author wrote it in Python. */
export interface PythonTemplate {
  readonly fields: readonly PythonField[];
  /** `verify` as a file has it. */
  readonly strategy: JsonObject | null;
}

interface PythonField {
  readonly name: string;
  readonly line: number;
  readonly type: FieldType;
  readonly isNullable: boolean;
  readonly description: string;
  readonly truth: JsonValue | PastTruth;
  readonly verifyWith: Primitive;
  readonly weight: number;
  readonly hint: string | null;
}

/** A truth that depends on an earlier turn. */
class PastTruth {
  readonly source: string;
  readonly cases: JsonObject;
  readonly otherwise: JsonObject;

  constructor({ source, cases, default: otherwise }: JsonObject) {
    if (typeof source !== "string" || !isRecord(cases) || !isRecord(otherwise))
      throw new NotTranslatable("ConditionalGroundTruth needs source, cases and default");
    this.source = source;
    this.cases = cases as JsonObject;
    this.otherwise = otherwise as JsonObject;
  }
}

const FIELD_ARGUMENTS = ["description", "ground_truth", "verify_with", "weight", "extraction_hint"];

/** Arguments that upstream drops when it reads a template. */
const IGNORED_ARGUMENTS: ReadonlySet<string> = new Set(
  "default title examples ge gt le lt min_length max_length max_digits decimal_places".split(" "),
);

/** Names that fields of a template cannot have. */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set(["id", "correct", "regex", "model_config"]);

/** Reads the text of a template without running any of it. Throws `PythonError` for whatever is not declarative. */
export function parseTemplate(source: string): PythonTemplate {
  const { statements, renamed } = parseModule(source);
  const [template, second] = statements;
  if (template?.type !== "class" || second !== undefined)
    throw new PythonError("a template is one class, and nothing else", (second ?? template)?.line ?? 1);
  const reader = new TemplateReader(renamed);
  const { bases, body, line } = template;
  if (bases.length !== 1 || reader.lastName(bases[0] as Expression) !== "BaseAnswer")
    throw new PythonError("the class must have the base BaseAnswer and no other", line);
  const fields: PythonField[] = [];
  let strategy: JsonObject | null = null;
  for (const statement of body)
    try {
      if (fields.some(({ name }) => name === statement.name))
        throw new NotTranslatable(`the field ${statement.name} is given twice`);
      if (statement.type === "field") fields.push(reader.field(statement));
      else strategy = reader.strategy(statement);
    } catch (error) {
      throw atLine(error, statement.line);
    }
  if (fields.length === 0) throw new PythonError("the class has no VerifiedField", line);
  const missing = fieldsOf(strategy).find((name) => !fields.some((field) => field.name === name));
  if (missing !== undefined)
    throw new PythonError(`the strategy names the field "${missing}", which is not there`, line);
  return { fields, strategy };
}

function atLine(error: unknown, line: number): unknown {
  return error instanceof NotTranslatable ? new PythonError(error.message, line) : error;
}

function fieldsOf(strategy: JsonObject | null): readonly string[] {
  if (strategy === null) return [];
  const { type, field, conditions } = strategy;
  return type === "field" ? [String(field)] : (conditions as readonly JsonObject[]).flatMap(fieldsOf);
}

type FieldStatement = Extract<Statement, { type: "field" }>;

class TemplateReader {
  readonly #renamed: ReadonlySet<string>;

  constructor(renamed: ReadonlySet<string>) {
    this.#renamed = renamed;
  }

  /** The last part of a name with modules before it. */
  lastName(expression: Expression): string {
    if (expression.type === "attribute") {
      this.lastName(expression.of);
      return expression.name;
    }
    if (expression.type !== "name") throw new NotTranslatable("a name is expected");
    if (this.#renamed.has(expression.name))
      throw new NotTranslatable(`${expression.name} is a name that an import has changed`);
    return expression.name;
  }

  /** A call of this class with named arguments, or arguments in this order. */
  #called(
    expression: Expression | null,
    name: string,
    order: readonly string[] = [],
  ): ReadonlyMap<string, Expression> {
    if (expression?.type !== "call" || this.lastName(expression.callee) !== name)
      throw new NotTranslatable(`${name}(…) is expected: nothing is computed, and no other field verified`);
    const { positional, keywords } = expression;
    if (
      positional.length > order.length ||
      positional.some((_, index) => keywords.has(order[index] as string))
    )
      throw new NotTranslatable(`${name} has too many arguments`);
    return new Map([
      ...positional.map((value, index) => [order[index] as string, value] as const),
      ...keywords,
    ]);
  }

  field({ name, annotation, value, line }: FieldStatement): PythonField {
    if (RESERVED_FIELDS.has(name) || name.startsWith("_"))
      throw new NotTranslatable(`a field cannot be called ${name}`);
    if (annotation === null) throw new NotTranslatable(`${name} has no type`);
    const given = this.#called(value, "VerifiedField", FIELD_ARGUMENTS);
    const other = [...given.keys()].find(
      (key) => !FIELD_ARGUMENTS.includes(key) && !IGNORED_ARGUMENTS.has(key),
    );
    if (other !== undefined) throw new NotTranslatable(`VerifiedField has no argument ${other}`);
    const truth = given.get("ground_truth");
    const { description, weight, extraction_hint } = Object.fromEntries(
      [...given].map(([key, part]) => [key, /^(?:ground|verify)/.test(key) ? null : this.#data(part)]),
    );
    if (typeof description !== "string" || description.trim() === "")
      throw new NotTranslatable(`${name} has no description`);
    if (typeof (weight ?? 1) !== "number" || Number(weight) < 0)
      throw new NotTranslatable(`the weight of ${name} must be a number from 0`);
    if (typeof (extraction_hint ?? "") !== "string")
      throw new NotTranslatable(`the extraction_hint of ${name} must be a text`);
    const verifyWith = given.get("verify_with");
    if (truth === undefined || verifyWith === undefined)
      throw new NotTranslatable(`${name} needs ground_truth and verify_with`);
    return {
      name,
      line,
      ...this.#type(annotation),
      description,
      truth: truth.type === "call" ? this.#pastTruth(truth) : this.#data(truth),
      verifyWith: this.#instance(verifyWith),
      weight: Number(weight ?? 1),
      hint: (extraction_hint ?? null) as string | null,
    };
  }

  #pastTruth(expression: Expression): PastTruth {
    const given = this.#called(expression, "ConditionalGroundTruth");
    const caseOf = (part: Expression): JsonObject => {
      const { value, verify_with } = Object.fromEntries(this.#called(part, "GroundTruthCase"));
      if (value === undefined) throw new NotTranslatable("GroundTruthCase needs a value");
      const isNone =
        verify_with === undefined || (verify_with.type === "literal" && verify_with.value === null);
      return { value: this.#data(value), ...(isNone ? {} : { verifyWith: this.#instance(verify_with) }) };
    };
    const parts = [...given].map(([key, part]): [string, JsonValue] => {
      if (key === "default") return [key, caseOf(part)];
      if (key !== "cases" || part.type !== "dict") return [key, this.#data(part)];
      return [
        key,
        Object.fromEntries(part.entries.map((entry) => [this.#key(entry.key), caseOf(entry.value)])),
      ];
    });
    return new PastTruth(Object.fromEntries(parts));
  }

  strategy({ name, bases, body }: Extract<Statement, { type: "class" }>): JsonObject | null {
    const [statement, second] = body;
    const isStrategy = name === "VerificationStrategy" && bases.length === 0 && second === undefined;
    if (statement === undefined && isStrategy) return null;
    if (
      !isStrategy ||
      statement?.type !== "field" ||
      statement.name !== "verify_strategy" ||
      !statement.value
    )
      throw new NotTranslatable(
        "a class inside a template can only be VerificationStrategy with verify_strategy",
      );
    return this.#tree(this.#instance(statement.value));
  }

  #tree({ type, ...given }: JsonObject): JsonObject {
    const { field, conditions, n } = given;
    if (type === "FieldCheck" && typeof field === "string") return { type: "field", field };
    const isTree = type === "AllOf" || type === "AnyOf" || type === "AtLeastN";
    const isCounted = type !== "AtLeastN" || (Number.isInteger(n) && Number(n) >= 0);
    if (!isTree || !isCounted || !Array.isArray(conditions))
      throw new NotTranslatable(`${String(type)} is no strategy, or has other arguments`);
    const parts = conditions.map((part) => this.#tree(part as JsonObject));
    return { type: snakeCase(type), ...(type === "AtLeastN" ? { n: n as number } : {}), conditions: parts };
  }

  /** An object of a class with named arguments, as karenina writes it in JSON. */
  #instance(expression: Expression): Primitive {
    if (expression.type !== "call")
      throw new NotTranslatable("a comparison such as ExactMatch() is expected");
    const type = this.lastName(expression.callee);
    const given = [...this.#called(expression, type)].map(([key, part]): [string, JsonValue] => {
      if (part.type !== "list") return [key, this.#data(part)];
      return [
        key,
        part.items.map((item) => (item.type === "call" ? this.#instance(item) : this.#data(item))),
      ];
    });
    return type === "SynonymMap"
      ? ({ mapping: Object.fromEntries(given).mapping } as never)
      : { type, ...Object.fromEntries(given) };
  }

  #type(expression: Expression): { readonly type: FieldType; readonly isNullable: boolean } {
    if (expression.type === "literal" && typeof expression.value === "string")
      return this.#type(parseExpression(expression.value));
    const parts = this.#optional(expression);
    const types = parts.filter((part) => !(part.type === "literal" && part.value === null));
    const [only] = types;
    if (only === undefined || types.length > 1) throw new NotTranslatable("this type has no counterpart");
    if (only.type === "index" && /^[lL]ist$/.test(this.lastName(only.of)))
      return { type: { type: "array", items: this.#scalar(only.index) }, isNullable: parts.length > 1 };
    return { type: this.#scalar(only), isNullable: parts.length > 1 };
  }

  /** The types in `Optional[…]`, `… | None` and `Union[…, None]`. */
  #optional(expression: Expression): readonly Expression[] {
    if (expression.type === "operation" && expression.operator === "|") return expression.operands;
    if (expression.type !== "index") return [expression];
    const container = this.lastName(expression.of);
    const { index, line } = expression;
    if (container === "Optional") return [index, { type: "literal", value: null, line }];
    return container === "Union" && index.type === "list" ? index.items : [expression];
  }

  #scalar(expression: Expression): Exclude<FieldType, { type: "array" }> {
    if (expression.type === "index" && this.lastName(expression.of) === "Literal") {
      const { index } = expression;
      const values = (index.type === "list" ? index.items : [index]).map((item) => this.#data(item));
      if (values.some((value) => typeof value !== "string" && typeof value !== "number"))
        throw new NotTranslatable("Literal may hold texts and numbers only");
      return { type: "enum", values: [...new Set(values as (string | number)[])] };
    }
    const name = expression.type === "name" ? expression.name : "";
    const type = SCALARS.find(([, python]) => python === name)?.[0];
    if (type === undefined) throw new NotTranslatable("this type has no counterpart");
    return { type };
  }

  #key(key: Expression | null): string {
    const value = key === null ? null : this.#data(key);
    if (typeof value !== "string") throw new NotTranslatable("keys must be texts, and nothing is spread");
    return value;
  }

  /** Plain data; nothing is computed. */
  #data(expression: Expression): JsonValue {
    switch (expression.type) {
      case "literal":
        return expression.value;
      case "list":
        return expression.items.map((item) => this.#data(item));
      case "dict":
        return Object.fromEntries(
          expression.entries.map(({ key, value }) => [this.#key(key), this.#data(value)]),
        );
      case "operation": {
        const [operand, second] = expression.operands;
        const value = operand === undefined || second !== undefined ? null : this.#data(operand);
        if (typeof value === "number" && expression.operator !== "not")
          return expression.operator === "-" ? -value : value;
      }
    }
    throw new NotTranslatable("only plain data is readable here; nothing is computed");
  }
}

/** Types of fields, here and in Python. */
export const SCALARS = [
  ["boolean", "bool"],
  ["string", "str"],
  ["integer", "int"],
  ["number", "float"],
] as const;

/** The template of a question as a file has it. */
export function translateTemplate(template: PythonTemplate, names: ScenarioNames, note: Note): JsonObject {
  const fields = template.fields.map((field): [string, JsonObject] => {
    try {
      return [field.name, translateField(field, names, (message) => note(`field ${field.name}: ${message}`))];
    } catch (error) {
      if (!(error instanceof NotTranslatable)) throw error;
      throw new PythonError(`field ${field.name}: ${error.message}`, field.line);
    }
  });
  const isTrace = ({ verifyWith }: PythonField): boolean => verifyWith.type.startsWith("Trace");
  if (template.fields.some(isTrace) && !template.fields.every(isTrace))
    note(
      "upstream never evaluates its checks on the reply's text beside other fields; here they work as written",
    );
  return {
    fields: Object.fromEntries(fields),
    ...(template.strategy === null ? {} : { verify: template.strategy }),
    // Upstream's verdict is never unknown: what the reply does not state is wrong.
    undecided: "wrong",
  };
}

function translateField(field: PythonField, names: ScenarioNames, note: Note): JsonObject {
  const { type, description, truth, weight, hint, isNullable } = field;
  const check = checkOf(field.verifyWith, note);
  return present({
    ...type,
    description,
    truth: truth instanceof PastTruth ? pastTruth(field, truth, names, note) : plainTruth(field, truth),
    check: deepEqual(check, defaultFieldCheck(type)) ? undefined : check,
    weight: weight === 1 ? undefined : weight,
    nullable: isNullable || undefined,
    hint: hint || undefined,
  });
}

function checkOf(primitive: Primitive, note: Note): Check {
  if (primitive.type === "SemanticMatch")
    note("upstream cannot evaluate SemanticMatch; here it needs an embedding model");
  return toCheck(primitive, note, true);
}

/** A truth as a file has it; a check on the reply's text takes any truth for true or false, as Python does. */
function plainTruth({ verifyWith, type }: PythonField, value: JsonValue): JsonValue {
  const isBoolean = type.type === "boolean" && verifyWith.type === "BooleanMatch" && value !== null;
  return isBoolean || verifyWith.type.startsWith("Trace") ? isTruthy(value) : value;
}

function pastTruth(field: PythonField, past: PastTruth, names: ScenarioNames, note: Note): JsonObject {
  const [root, node = "", section, ...rest] = past.source.split(".");
  const here = names.node(node);
  if (root !== "node_results" || here === undefined || rest.length > 1)
    throw new NotTranslatable(`the source ${past.source} of its truth has no counterpart`);
  const type =
    section === "parsed"
      ? names.field(node, rest[0] ?? "").type
      : section === "verify_result"
        ? "boolean"
        : "any";
  const caseOf = (one: JsonObject): JsonValue => {
    const truth = plainTruth(field, one.value as JsonValue);
    if (one.verifyWith === undefined) return truth;
    return { truth, check: checkOf(one.verifyWith as Primitive, note) as unknown as JsonObject };
  };
  const cases = Object.entries(past.cases).flatMap(([key, one]) => {
    const own = caseKey(key, type);
    if (own !== null) return [[own, caseOf(one as JsonObject)] as const];
    note(`the case ${JSON.stringify(key)} can never apply upstream, and is left out`);
    return [];
  });
  if (cases.length === 0) throw new NotTranslatable("none of the cases of its truth can ever apply");
  const from = [root, here.id, section, ...rest].join(".");
  return { from, cases: Object.fromEntries(cases), otherwise: caseOf(past.otherwise) };
}

/** Keys upstream are Python's texts of values; here they are those of JSON. */
function caseKey(key: string, type: string): string | null {
  if (key === "None") return null;
  if (type === "boolean") return key === "True" ? "true" : key === "False" ? "false" : null;
  if (type !== "number") return key;
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(key) && /[.e]/.test(key) ? String(Number(key)) : null;
}
