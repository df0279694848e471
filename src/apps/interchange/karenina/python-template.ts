import type { JsonValue } from "../../../core/values/json.ts";
import type {
  Primitive,
  PythonCase,
  PythonField,
  PythonScalar,
  PythonStrategy,
  PythonTemplate,
  PythonTruth,
  PythonType,
} from "./primitives.ts";
import { type Expression, ExpressionParser, parseExpression } from "./python-expression.ts";
import { PythonError, tokenize } from "./python-tokens.ts";

/** Reads the text of a template without running any of it. Throws `PythonError` for whatever is not declarative. */
export function parseTemplate(source: string): PythonTemplate {
  return new TemplateReader(source).module();
}

const FIELD_ARGUMENTS = ["description", "ground_truth", "verify_with", "weight", "extraction_hint"];

/** Arguments that upstream drops when it reads a template. */
const IGNORED_ARGUMENTS: ReadonlySet<string> = new Set(
  "default title examples ge gt le lt min_length max_length max_digits decimal_places".split(" "),
);

const RESERVED_FIELDS: ReadonlySet<string> = new Set(["id", "correct", "regex"]);

class TemplateReader {
  readonly #parser: ExpressionParser;
  readonly #renamed = new Set<string>();

  constructor(source: string) {
    this.#parser = new ExpressionParser(tokenize(source));
  }

  module(): PythonTemplate {
    const parser = this.#parser;
    let template: PythonTemplate | null = null;
    while (!parser.is("end")) {
      if (parser.is("name", "import") || parser.is("name", "from")) this.#import();
      else if (parser.is("text")) this.#docstring();
      else if (parser.is("operator", "@")) throw parser.error("a decorator is code, which is never run");
      else if (!parser.is("name", "class"))
        throw parser.error("a template is one class; other statements are code, which is never run");
      else if (template !== null) throw parser.error("a template is one class; here is a second one");
      else template = this.#class();
    }
    if (template === null) throw parser.error("there is no class");
    return template;
  }

  #import(): void {
    const parser = this.#parser;
    while (!parser.is("newline") && !parser.is("end")) {
      if (parser.is("operator", ";")) throw parser.error("one statement a line is expected");
      const { text } = parser.take();
      if (text === "as" && parser.is("name")) this.#renamed.add(parser.next.text);
    }
    parser.skip("newline");
  }

  #docstring(): void {
    while (this.#parser.is("text")) this.#parser.take();
    this.#parser.expect("newline");
  }

  #class(): PythonTemplate {
    const parser = this.#parser;
    parser.take();
    parser.name();
    parser.expect("operator", "(");
    const base = parser.expression();
    if (this.#lastName(base) !== "BaseAnswer")
      throw new PythonError(`the class must have the base BaseAnswer and no other`, base.line);
    if (!parser.is("operator", ")")) throw parser.error("the class must have one base and no arguments");
    parser.take();
    const fields: PythonField[] = [];
    let strategy: PythonStrategy | null = null;
    this.#block(() => {
      if (parser.is("name", "class")) strategy = this.#strategyClass();
      else fields.push(this.#field(fields));
    });
    if (fields.length === 0) throw parser.error("the class has no VerifiedField");
    for (const name of fieldsOf(strategy))
      if (!fields.some((field) => field.name === name))
        throw parser.error(`the strategy names the field "${name}", which is not there`);
    return { fields, strategy };
  }

  /** An indented block of statements; texts, `pass` and `...` say nothing. */
  #block(statement: () => void): void {
    const parser = this.#parser;
    parser.expect("operator", ":");
    if (!parser.skip("newline")) {
      // A body on the line of its head.
      if (!parser.skip("name", "pass") && !parser.skip("operator", "...")) statement();
      parser.skip("newline");
      return;
    }
    parser.expect("indent");
    while (!parser.skip("dedent")) {
      if (parser.is("text")) this.#docstring();
      else if (parser.skip("name", "pass") || parser.skip("operator", "...")) parser.expect("newline");
      else statement();
    }
  }

  #field(before: readonly PythonField[]): PythonField {
    const parser = this.#parser;
    if (parser.is("name", "def") || parser.is("name", "async") || parser.is("operator", "@"))
      throw parser.error("a method is code, which is never run; only declarative fields can be imported");
    const { line } = parser.next;
    const name = parser.name();
    if (name === "model_config") throw new PythonError("model_config is not readable", line);
    if (RESERVED_FIELDS.has(name) || name.startsWith("_"))
      throw new PythonError(`a field cannot be called ${name}`, line);
    if (before.some((field) => field.name === name))
      throw new PythonError(`the field ${name} is given twice`, line);
    if (!parser.skip("operator", ":")) throw new PythonError(`${name} has no type`, line);
    const { type, isNullable } = this.#type(parser.expression());
    if (!parser.skip("operator", "=")) throw new PythonError(`${name} is not a VerifiedField`, line);
    const value = parser.expression();
    parser.expect("newline");
    return { name, line, type, isNullable, ...this.#verifiedField(name, value) };
  }

  #verifiedField(
    name: string,
    value: Expression,
  ): Omit<PythonField, "name" | "line" | "type" | "isNullable"> {
    if (value.type !== "call" || this.#lastName(value.callee) !== "VerifiedField")
      throw new PythonError(
        `${name} is not a VerifiedField: a field that nothing verifies has no counterpart`,
        value.line,
      );
    const given = new Map<string, Expression>();
    if (value.positional.length > FIELD_ARGUMENTS.length)
      throw new PythonError("VerifiedField has too many arguments", value.line);
    value.positional.forEach((argument, index) => {
      given.set(FIELD_ARGUMENTS[index] as string, argument);
    });
    for (const [key, argument] of value.keywords) {
      if (given.has(key)) throw new PythonError(`the argument ${key} is given twice`, argument.line);
      if (IGNORED_ARGUMENTS.has(key)) this.#literal(argument);
      else if (!FIELD_ARGUMENTS.includes(key))
        throw new PythonError(`VerifiedField has no argument ${key}`, argument.line);
      given.set(key, argument);
    }
    const needed = (key: string): Expression => {
      const argument = given.get(key);
      if (argument === undefined) throw new PythonError(`${name} has no ${key}`, value.line);
      return argument;
    };
    const optional = (key: string): JsonValue => {
      const argument = given.get(key);
      return argument === undefined ? null : this.#literal(argument);
    };
    const description = this.#text(needed("description"));
    if (description.trim() === "") throw new PythonError(`${name} has an empty description`, value.line);
    const weight = optional("weight") ?? 1;
    if (typeof weight !== "number" || weight < 0)
      throw new PythonError(`the weight of ${name} must be a number from 0`, value.line);
    const hint = optional("extraction_hint");
    if (hint !== null && typeof hint !== "string")
      throw new PythonError(`the extraction_hint of ${name} must be a text`, value.line);
    return {
      description,
      truth: this.#truth(needed("ground_truth")),
      verifyWith: this.#primitive(needed("verify_with")),
      weight,
      hint,
    };
  }

  #truth(expression: Expression): PythonTruth {
    if (expression.type !== "call") return { value: this.#literal(expression) };
    const { line } = expression;
    const { source, cases, default: otherwise, ...rest } = this.#call(expression, "ConditionalGroundTruth");
    if (
      source === undefined ||
      cases === undefined ||
      otherwise === undefined ||
      Object.keys(rest).length > 0
    )
      throw new PythonError("ConditionalGroundTruth needs source, cases and default", line);
    if (cases.type !== "dict") throw new PythonError("the cases must be a dict", cases.line);
    const entries = cases.entries.map(({ key, value }): [string, PythonCase] => {
      if (key === null) throw new PythonError("cases that are spread are not readable", value.line);
      return [this.#text(key), this.#case(value)];
    });
    return { source: this.#text(source), cases: new Map(entries), otherwise: this.#case(otherwise) };
  }

  #case(expression: Expression): PythonCase {
    const { value, verify_with, ...rest } = this.#call(expression, "GroundTruthCase");
    if (value === undefined || Object.keys(rest).length > 0)
      throw new PythonError("GroundTruthCase takes value and verify_with", expression.line);
    const isNone =
      verify_with === undefined || (verify_with.type === "literal" && verify_with.value === null);
    return { value: this.#literal(value), verifyWith: isNone ? null : this.#primitive(verify_with) };
  }

  /** The named arguments of a call of this class. */
  #call(expression: Expression, className: string): Readonly<Record<string, Expression | undefined>> {
    if (expression.type !== "call" || this.#lastName(expression.callee) !== className)
      throw new PythonError(`${className}(…) is expected here`, expression.line);
    if (expression.positional.length > 0)
      throw new PythonError(`${className} takes named arguments only`, expression.line);
    return Object.fromEntries(expression.keywords);
  }

  #primitive(expression: Expression): Primitive {
    if (expression.type !== "call")
      throw new PythonError("a comparison such as ExactMatch() is expected here", expression.line);
    const type = this.#lastName(expression.callee);
    const parameters = Object.entries(this.#call(expression, type)).map(([key, value]) => [
      key,
      key === "normalize" ? this.#normalizers(value as Expression) : this.#literal(value as Expression),
    ]);
    return { type, ...Object.fromEntries(parameters) };
  }

  #normalizers(expression: Expression): JsonValue {
    if (expression.type !== "list") throw new PythonError("normalize must be a list", expression.line);
    return expression.items.map((item) => {
      if (item.type !== "call") return this.#literal(item);
      const { mapping } = this.#call(item, "SynonymMap");
      if (mapping === undefined) throw new PythonError("SynonymMap needs a mapping", item.line);
      return { mapping: this.#literal(mapping) };
    });
  }

  #strategyClass(): PythonStrategy | null {
    const parser = this.#parser;
    parser.take();
    const { line } = parser.next;
    if (parser.name() !== "VerificationStrategy")
      throw new PythonError("a class inside a template can only be VerificationStrategy", line);
    let strategy: PythonStrategy | null = null;
    this.#block(() => {
      if (parser.name() !== "verify_strategy") throw parser.error("only verify_strategy is expected here");
      if (parser.skip("operator", ":")) parser.expression();
      parser.expect("operator", "=");
      strategy = this.#tree(parser.expression());
      parser.expect("newline");
    });
    return strategy;
  }

  #tree(expression: Expression): PythonStrategy {
    const { line } = expression;
    if (expression.type !== "call") throw new PythonError("a strategy such as AllOf(…) is expected", line);
    const type = this.#lastName(expression.callee);
    const { conditions, n, field, ...rest } = this.#call(expression, type);
    const parts = (): readonly PythonStrategy[] => {
      if (conditions?.type !== "list") throw new PythonError(`${type} needs a list of conditions`, line);
      return conditions.items.map((item) => this.#tree(item));
    };
    if (Object.keys(rest).length > 0) throw new PythonError(`${type} has other arguments`, line);
    if (type === "FieldCheck" && field !== undefined) return { type: "field", field: this.#text(field) };
    if (type === "AllOf") return { type: "all_of", conditions: parts() };
    if (type === "AnyOf") return { type: "any_of", conditions: parts() };
    if (type !== "AtLeastN" || n === undefined) throw new PythonError(`${type} is not a strategy`, line);
    const count = this.#literal(n);
    if (typeof count !== "number" || !Number.isInteger(count) || count < 0)
      throw new PythonError("n must be a whole number from 0", line);
    return { type: "at_least_n", n: count, conditions: parts() };
  }

  #type(expression: Expression): { readonly type: PythonType; readonly isNullable: boolean } {
    const { line } = expression;
    if (expression.type === "literal" && typeof expression.value === "string")
      return this.#type(parseExpression(expression.value));
    const inner = this.#withoutNone(expression);
    if (inner !== null) return { type: this.#type(inner).type, isNullable: true };
    if (expression.type === "index") {
      const container = this.#lastName(expression.of);
      if (container === "list" || container === "List")
        return { type: { type: "list", items: this.#scalar(expression.index) }, isNullable: false };
      if (container === "Literal") return { type: this.#literalType(expression.index), isNullable: false };
    }
    if (expression.type !== "name") throw new PythonError("this type has no counterpart", line);
    return { type: this.#scalar(expression), isNullable: false };
  }

  #scalar(expression: Expression): PythonScalar {
    if (expression.type === "index" && this.#lastName(expression.of) === "Literal")
      return this.#literalType(expression.index);
    const name = expression.type === "name" ? expression.name : "";
    if (name === "bool" || name === "str" || name === "int" || name === "float") return { type: name };
    throw new PythonError("this type has no counterpart", expression.line);
  }

  #literalType(index: Expression): PythonScalar {
    const items = index.type === "list" && index.isTuple ? index.items : [index];
    const values = items.map((item) => {
      const value = this.#literal(item);
      if (typeof value !== "string" && typeof value !== "number")
        throw new PythonError("Literal may hold texts and numbers only", item.line);
      return value;
    });
    return { type: "literal", values: [...new Set(values)] };
  }

  /** The type inside `Optional[…]`, `… | None` and `Union[…, None]`, or null. */
  #withoutNone(expression: Expression): Expression | null {
    const isNone = (part: Expression): boolean => part.type === "literal" && part.value === null;
    if (expression.type === "binary" && expression.operator === "|") {
      if (isNone(expression.right)) return expression.left;
      return isNone(expression.left) ? expression.right : null;
    }
    if (expression.type !== "index") return null;
    const container = this.#lastName(expression.of);
    if (container === "Optional") return expression.index;
    if (container !== "Union" || expression.index.type !== "list") return null;
    const others = expression.index.items.filter((item) => !isNone(item));
    return others.length === 1 && expression.index.items.length === 2 ? (others[0] as Expression) : null;
  }

  /** The last part of a name with modules before it. */
  #lastName(expression: Expression): string {
    if (expression.type === "name") {
      if (this.#renamed.has(expression.name))
        throw new PythonError(`${expression.name} is a name that an import has changed`, expression.line);
      return expression.name;
    }
    if (expression.type !== "attribute") throw new PythonError("a name is expected here", expression.line);
    this.#lastName(expression.of);
    return expression.name;
  }

  #text(expression: Expression): string {
    const value = this.#literal(expression);
    if (typeof value !== "string") throw new PythonError("a text is expected here", expression.line);
    return value;
  }

  #literal(expression: Expression): JsonValue {
    switch (expression.type) {
      case "literal":
        return expression.value;
      case "list":
        return expression.items.map((item) => this.#literal(item));
      case "dict":
        return Object.fromEntries(
          expression.entries.map(({ key, value }) => {
            if (key === null) throw new PythonError("a dict that is spread is not data", value.line);
            return [this.#text(key), this.#literal(value)];
          }),
        );
      case "unary": {
        const value = this.#literal(expression.operand);
        if (expression.operator !== "not" && typeof value === "number")
          return expression.operator === "-" ? -value : value;
        break;
      }
    }
    throw new PythonError("only plain data is readable here; nothing is computed", expression.line);
  }
}

function fieldsOf(strategy: PythonStrategy | null): readonly string[] {
  if (strategy === null) return [];
  return strategy.type === "field" ? [strategy.field] : strategy.conditions.flatMap(fieldsOf);
}
