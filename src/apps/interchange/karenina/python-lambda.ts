import { type Comparison, type Expression, parseExpression } from "./python-expression.ts";
import { ARITHMETIC, FUNCTIONS, helperCode, ORDER, TEXT_METHODS } from "./python-operators.ts";
import { PythonError } from "./python-tokens.ts";
import { TRACE_HEADER } from "./trace-header.ts";

/** What a lambda is a function of: the arguments that upstream gives it. */
export type LambdaRole = "condition" | "update" | "outcome";

/** The arguments of our functions, and what each argument of the Python lambda is here. */
const ROLES: Readonly<
  Record<LambdaRole, { readonly head: string; readonly arguments: readonly Value[]; readonly result: string }>
> = {
  condition: {
    head: "(accumulated, parsed, state)",
    arguments: [{ kind: "state", code: "state" }],
    result: "truthy",
  },
  update: {
    head: "(accumulated, parsed)",
    arguments: [
      { kind: "value", code: "accumulated" },
      { kind: "fields", code: "parsed" },
    ],
    result: "",
  },
  outcome: { head: "(result)", arguments: [{ kind: "result", code: "result" }], result: "" },
};

/** A piece of JavaScript, and what it stands for: only values can be computed with. */
interface Value {
  readonly kind: "value" | "fields" | "state" | "result" | "finalState" | "turns" | "turn" | "tuple" | "loop";
  readonly code: string;
}

/** What cannot stand alone, and why. */
const ALONE: Readonly<Partial<Record<Value["kind"], string>>> = {
  fields: "parsed can only be asked for its fields",
  tuple: "a tuple can only be searched, counted and looped over",
  loop: "a loop in round brackets is readable only in sum, any, all, min and max",
};

/**
 * The JavaScript source of a function that means the same as a Python lambda. It is written for the sandbox, and keeps
 * Python's meaning of every operator: a missing key raises, empty lists are false, texts and numbers have no order.
 * Throws `PythonError` for everything else, and for texts that are ids of nodes which have other ids here.
 */
export function translateLambda(
  source: string,
  role: LambdaRole,
  renamed: ReadonlyMap<string, string> = new Map(),
): string {
  const { head, arguments: given, result } = ROLES[role];
  if (/^lambda\s+\w+$/.test(source.trim()))
    throw new PythonError("the text was cut off when it was saved: only its beginning is there", 1);
  const lambda = parseExpression(source);
  if (lambda.type !== "lambda") throw new PythonError("it is not a lambda", lambda.line);
  if (lambda.parameters.length !== given.length)
    throw new PythonError(`a lambda with ${given.length} parameters is expected`, lambda.line);
  const writer = new LambdaWriter(renamed);
  const names = new Map(lambda.parameters.map((name, index) => [name, given[index] as Value]));
  const body = writer.value(lambda.body, names);
  const returned = result === "" ? body : writer.call(result, body);
  // Upstream takes an outcome that raises for false.
  const last =
    role === "outcome" ? `try { return ${returned}; } catch { return false; }` : `return ${returned};`;
  return [`${head} => {`, ...[...writer.helpers(), last].map((line) => `  ${line}`), "}"].join("\n");
}

type Names = ReadonlyMap<string, Value>;

const STATE_PARTS: Readonly<Record<string, Value>> = {
  verify_result: { kind: "value", code: "state.verifyResult" },
  turn: { kind: "value", code: "state.turn" },
  current_node: { kind: "value", code: "state.currentNode" },
  parsed: { kind: "fields", code: "parsed" },
  accumulated: { kind: "value", code: "accumulated" },
  node_visits: { kind: "value", code: "state.nodeVisits" },
  history: { kind: "turns", code: "state.turns" },
};

const RESULT_PARTS: Readonly<Record<string, Value>> = {
  status: { kind: "value", code: "result.status" },
  turn_count: { kind: "value", code: "result.turnCount" },
  path: { kind: "value", code: "result.path" },
  history: { kind: "turns", code: "result.turns" },
  final_state: { kind: "finalState", code: "result" },
};

const TURN_PARTS: Readonly<Record<string, (turn: string) => Value>> = {
  node_id: (turn) => ({ kind: "value", code: `${turn}.node` }),
  verify_result: (turn) => ({ kind: "value", code: `${turn}.verifyResult` }),
  question_text: (turn) => ({ kind: "value", code: `${turn}.questionText` }),
  parsed_fields: (turn) => ({ kind: "fields", code: `${turn}.parsed` }),
  raw_response: (turn) => ({ kind: "value", code: `(${JSON.stringify(TRACE_HEADER)} + ${turn}.reply)` }),
};

/** Keys of `parsed` that upstream adds, and that have no counterpart. */
const UPSTREAM_KEYS: ReadonlySet<string> = new Set(["id", "correct"]);

class LambdaWriter {
  readonly #used = new Set<string>();
  readonly #renamed: ReadonlyMap<string, string>;
  #loops = 0;

  constructor(renamed: ReadonlyMap<string, string>) {
    this.#renamed = renamed;
  }

  /** The helper functions that the code uses, those that others need first. */
  helpers(): readonly string[] {
    return helperCode(this.#used);
  }

  call(helper: string, ...parts: readonly string[]): string {
    this.#used.add(helper);
    return `${helper}(${parts.join(", ")})`;
  }

  /** The code of an expression that is a plain value. */
  value(expression: Expression, names: Names): string {
    const { kind, code } = this.#any(expression, names);
    if (kind === "value") return code;
    throw new PythonError(ALONE[kind] ?? "this object has no counterpart by itself", expression.line);
  }

  /** The code of what is searched, counted or looped over. */
  #listed(expression: Expression, names: Names): string {
    const { kind, code } = this.#any(expression, names);
    return kind === "tuple" || kind === "loop" ? code : this.value(expression, names);
  }

  #any(expression: Expression, names: Names): Value {
    const { line } = expression;
    switch (expression.type) {
      case "name": {
        const known = names.get(expression.name);
        if (known === undefined) throw new PythonError(`the name ${expression.name} is not known here`, line);
        return known;
      }
      case "attribute":
        return this.#attribute(expression, names);
      case "index":
        return this.#item(expression.of, expression.index, names);
      case "call":
        return this.#call(expression, names);
      case "comprehension":
        return this.#comprehension(expression, names);
      case "list":
        return {
          kind: expression.isTuple ? "tuple" : "value",
          code: `[${expression.items.map((item) => this.value(item, names)).join(", ")}]`,
        };
      default:
        return plain(this.#plain(expression, names));
    }
  }

  #plain(expression: Expression, names: Names): string {
    switch (expression.type) {
      case "literal": {
        const id = this.#renamed.get(String(expression.value));
        if (id !== undefined)
          throw new PythonError(
            `the node ${JSON.stringify(expression.value)} is called "${id}" here`,
            expression.line,
          );
        return JSON.stringify(expression.value);
      }
      case "dict":
        return `({ ${expression.entries
          .map(({ key, value }) =>
            key === null
              ? `...${this.call("dict", this.value(value, names))}`
              : `${this.#key(key, names)}: ${this.value(value, names)}`,
          )
          .join(", ")} })`;
      case "unary":
        if (expression.operator === "not")
          return `!${this.call("truthy", this.value(expression.operand, names))}`;
        return this.call(
          "signed",
          JSON.stringify(expression.operator),
          this.value(expression.operand, names),
        );
      case "binary":
        return this.#binary(expression, names);
      case "compare": {
        let left = expression.first;
        const parts = expression.rest.map(({ operator, right }) => {
          const part = this.#compare(left, { operator, right }, names);
          left = right;
          return part;
        });
        return parts.length === 1 ? (parts[0] as string) : `(${parts.join(" && ")})`;
      }
      case "choice": {
        const test = this.call("truthy", this.value(expression.test, names));
        return `(${test} ? ${this.value(expression.then, names)} : ${this.value(expression.other, names)})`;
      }
      default:
        throw new PythonError("this has no counterpart", expression.line);
    }
  }

  #key(key: Expression, names: Names): string {
    // As a plain key of a literal, __proto__ would be the object's prototype.
    if (key.type === "literal" && typeof key.value === "string" && key.value !== "__proto__")
      return JSON.stringify(key.value);
    return `[${this.call("key", this.value(key, names))}]`;
  }

  #binary(expression: Extract<Expression, { type: "binary" }>, names: Names): string {
    const { operator, left, right } = expression;
    if (operator === "and")
      return this.call("both", this.value(left, names), `() => ${this.value(right, names)}`);
    if (operator === "or")
      return this.call("either", this.value(left, names), `() => ${this.value(right, names)}`);
    if (operator === "%" && left.type === "literal" && typeof left.value === "string")
      throw new PythonError("a text with % is computed, which has no counterpart here", expression.line);
    return this.call(ARITHMETIC[operator] as string, this.value(left, names), this.value(right, names));
  }

  #compare(left: Expression, { operator, right }: Comparison, names: Names): string {
    switch (operator) {
      case "==":
        return this.call("equal", this.value(left, names), this.value(right, names));
      case "!=":
        return `!${this.call("equal", this.value(left, names), this.value(right, names))}`;
      case "in":
      case "not in": {
        const container = this.#any(right, names);
        if (!["value", "fields", "tuple", "loop"].includes(container.kind))
          throw new PythonError("this cannot be searched", right.line);
        const found = this.call("contains", this.#stated(container), this.value(left, names));
        return operator === "in" ? found : `!${found}`;
      }
      case "is":
      case "is not": {
        if (right.type !== "literal" || typeof right.value === "string" || typeof right.value === "number")
          throw new PythonError('"is" is readable with None, True and False only', right.line);
        return `(${this.value(left, names)} ${operator === "is" ? "===" : "!=="} ${right.value})`;
      }
      default:
        return `(${this.call("order", this.value(left, names), this.value(right, names))} ${ORDER[operator]})`;
    }
  }

  #comprehension(expression: Extract<Expression, { type: "comprehension" }>, names: Names): Value {
    const over = this.#any(expression.over, names);
    if (over.kind !== "turns" && over.kind !== "value" && over.kind !== "tuple")
      throw new PythonError("this cannot be looped over", expression.line);
    // A name that Python allows may be taken in JavaScript, or have letters that others do not show.
    this.#loops++;
    const variable = `${/^\w+$/.test(expression.variable) ? expression.variable : `x${this.#loops}`}_`;
    const inner = new Map(names).set(expression.variable, {
      kind: over.kind === "turns" ? "turn" : "value",
      code: variable,
    });
    const items = over.kind === "turns" ? over.code : this.call("items", over.code);
    const tests = expression.tests.map((test) => this.call("truthy", this.value(test, inner)));
    const isTurn = expression.item.type === "name" && this.#any(expression.item, inner).kind === "turn";
    if (!expression.isList) {
      const keep = `(${variable}) => ${tests.length === 0 ? "true" : tests.join(" && ")}`;
      const code = this.call("lazy", items, keep, `(${variable}) => ${this.value(expression.item, inner)}`);
      return { kind: "loop", code };
    }
    const kept = `${items}${tests.map((test) => `.filter((${variable}) => ${test})`).join("")}`;
    // The turns themselves can be counted and picked from, as the history can.
    if (isTurn) return { kind: "turns", code: kept };
    return plain(`${kept}.map((${variable}) => ${this.value(expression.item, inner)})`);
  }

  #attribute(expression: Extract<Expression, { type: "attribute" }>, names: Names): Value {
    const { name, line } = expression;
    const of = this.#any(expression.of, names);
    const found =
      of.kind === "state"
        ? ownPart(STATE_PARTS, name)
        : of.kind === "result"
          ? ownPart(RESULT_PARTS, name)
          : of.kind === "turn"
            ? ownPart(TURN_PARTS, name)?.(of.code)
            : of.kind === "finalState" && name === "accumulated"
              ? plain("result.accumulated")
              : undefined;
    if (of.kind === "state" && name === "node_results")
      return plain(this.call("nodeResults", "state.nodeResults"));
    if (found === undefined) throw new PythonError(`.${name} has no counterpart here`, line);
    return found;
  }

  #item(container: Expression, index: Expression, names: Names): Value {
    const of = this.#any(container, names);
    if (of.kind === "turns")
      return { kind: "turn", code: this.call("at", of.code, this.value(index, names)) };
    this.#refuseUpstreamKey(of, index);
    if (of.kind === "loop" || (index.type === "literal" && index.isFloat === true))
      throw new PythonError("this is no index in Python", index.line);
    return plain(this.call("at", this.#stated(of), this.value(index, names)));
  }

  #refuseUpstreamKey(of: Value, index: Expression): void {
    if (index.type !== "literal") return;
    const isHidden = of.kind === "fields" && UPSTREAM_KEYS.has(String(index.value));
    if (isHidden || (this.#used.has("nodeResults") && index.value === "rubric"))
      throw new PythonError(`${JSON.stringify(index.value)} has no counterpart here`, index.line);
  }

  /** Upstream leaves fields out that the reply does not state. */
  #stated({ kind, code }: Value): string {
    return kind === "fields" ? this.call("stated", code) : code;
  }

  #call(expression: Extract<Expression, { type: "call" }>, names: Names): Value {
    const { callee, positional, keywords, line } = expression;
    if (callee.type === "attribute") return this.#method(expression, callee, names);
    const name = callee.type === "name" ? callee.name : "";
    if (name === "dict") {
      const [base] = positional;
      const parts = [
        ...(base === undefined ? [] : [`...${this.call("dict", this.value(base, names))}`]),
        ...[...keywords].map(([key, value]) => `[${JSON.stringify(key)}]: ${this.value(value, names)}`),
      ];
      // A list of pairs would be a dict, too.
      if (positional.length <= 1 && base?.type !== "list" && base?.type !== "comprehension")
        return plain(`({ ${parts.join(", ")} })`);
    }
    const helper = ownPart(FUNCTIONS, name);
    if (helper === undefined || keywords.size > 0 || positional.length === 0)
      throw new PythonError(`${name === "" ? "this call" : `${name}(…)`} has no counterpart here`, line);
    const [first] = positional as [Expression];
    if (positional.length === 1 && name === "len" && this.#any(first, names).kind === "turns")
      return plain(`${this.#any(first, names).code}.length`);
    if (positional.length > 1 && name !== "min" && name !== "max")
      throw new PythonError(`${name}(…) takes one argument here`, line);
    if (positional.length === 1 && name !== "abs" && name !== "bool" && !(name === "len" && isLoop(first)))
      return plain(this.call(helper, this.#listed(first, names)));
    const parts = positional.map((part) => this.value(part, names));
    return plain(this.call(helper, parts.length > 1 ? `[${parts.join(", ")}]` : (parts[0] as string)));
  }

  #method(
    { positional, keywords, line }: Extract<Expression, { type: "call" }>,
    callee: Extract<Expression, { type: "attribute" }>,
    names: Names,
  ): Value {
    const { name } = callee;
    if (keywords.size > 0) throw new PythonError(`.${name}(…) has no counterpart here`, line);
    const of = this.#any(callee.of, names);
    const [first, second] = positional;
    if (name === "get" && first !== undefined && positional.length <= 2) {
      this.#refuseUpstreamKey(of, first);
      const fallback = second === undefined ? "null" : this.value(second, names);
      return plain(this.call("get", this.#stated(of), this.value(first, names), fallback));
    }
    if (ownPart(TEXT_METHODS, name) !== positional.length || of.kind !== "value")
      throw new PythonError(`.${name}(…) has no counterpart here`, line);
    const parts = positional.flatMap((part) => (part.type === "list" && part.isTuple ? part.items : [part]));
    return plain(this.call(name, of.code, ...parts.map((part) => this.value(part, names))));
  }
}

function isLoop(expression: Expression): boolean {
  return expression.type === "comprehension" && !expression.isList;
}

function plain(code: string): Value {
  return { kind: "value", code };
}

function ownPart<Part>(parts: Readonly<Record<string, Part>>, name: string): Part | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}
