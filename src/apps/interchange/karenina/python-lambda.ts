import { type Expression, PythonError, parseExpression } from "./python.ts";
import { helperCode } from "./python-helpers.ts";
import { TRACE_HEADER } from "./python-patterns.ts";

/** What a lambda is a function of: the arguments that upstream gives it. */
export type LambdaRole = "condition" | "update" | "outcome";

/** A piece of JavaScript, and what it stands for: only values can be computed with. */
interface Value {
  readonly kind: "value" | "fields" | "state" | "result" | "finalState" | "turns" | "turn" | "tuple" | "loop";
  readonly code: string;
}

type Names = ReadonlyMap<string, Value>;

function plain(code: string): Value {
  return { kind: "value", code };
}

/** The arguments of our functions, and what each argument of the Python lambda is here. */
const ROLES: Readonly<Record<LambdaRole, { readonly head: string; readonly given: readonly Value[] }>> = {
  condition: { head: "(accumulated, parsed, state)", given: [{ kind: "state", code: "state" }] },
  update: {
    head: "(accumulated, parsed)",
    given: [plain("accumulated"), { kind: "fields", code: "parsed" }],
  },
  outcome: { head: "(result)", given: [{ kind: "result", code: "result" }] },
};

/** The attributes of upstream's objects; $ is the object. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  state: {
    verify_result: plain("$.verifyResult"),
    turn: plain("$.turn"),
    current_node: plain("$.currentNode"),
    parsed: { kind: "fields", code: "parsed" },
    accumulated: plain("accumulated"),
    node_visits: plain("$.nodeVisits"),
    history: { kind: "turns", code: "$.turns" },
  },
  result: {
    status: plain("$.status"),
    turn_count: plain("$.turnCount"),
    path: plain("$.path"),
    history: { kind: "turns", code: "$.turns" },
    final_state: { kind: "finalState", code: "$" },
  },
  finalState: { accumulated: plain("$.accumulated") },
  turn: {
    node_id: plain("$.node"),
    verify_result: plain("$.verifyResult"),
    question_text: plain("$.questionText"),
    parsed_fields: { kind: "fields", code: "$.parsed" },
    raw_response: plain(`(${JSON.stringify(TRACE_HEADER)} + $.reply)`),
  },
};

const ARITHMETIC: Readonly<Record<string, string>> = {
  ...{ "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "remainder", "|": "merge" },
};

/** Python's own functions that have a counterpart. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ len: "length", sum: "sum", any: "any", all: "all", min: "least", max: "greatest", bool: "truthy" },
};

/** Methods of texts, with the number of their arguments. */
const TEXT_METHODS: Readonly<Record<string, number>> = {
  ...{ lower: 0, upper: 0, strip: 0, startswith: 1, endswith: 1 },
};

/**
 * The JavaScript source of a function that means the same as a Python lambda, written for the sandbox. Throws `PythonError`
 * for everything else, and for texts that are ids of nodes which have other ids here.
 */
export function translateLambda(
  source: string,
  role: LambdaRole,
  renamed: ReadonlyMap<string, string> = new Map(),
): string {
  const { head, given } = ROLES[role];
  if (/^lambda\s+\w+$/.test(source.trim()))
    throw new PythonError("the text was cut off when it was saved: only its beginning is there", 1);
  const lambda = parseExpression(source);
  if (lambda.type !== "lambda" || lambda.parameters.length !== given.length)
    throw new PythonError(`a lambda with ${given.length} parameters is expected`, lambda.line);
  const writer = new LambdaWriter(renamed);
  const names = new Map(lambda.parameters.map((name, index) => [name, given[index] as Value]));
  const body = writer.value(lambda.body, names);
  const returned = role === "condition" ? writer.call("truthy", body) : body;
  // Upstream takes an outcome that raises for false.
  const last =
    role === "outcome" ? `try { return ${returned}; } catch { return false; }` : `return ${returned};`;
  return [`${head} => {`, ...[...helperCode(writer.used), last].map((line) => `  ${line}`), "}"].join("\n");
}

class LambdaWriter {
  /** The helper functions that the code calls. */
  readonly used = new Set<string>();
  readonly #renamed: ReadonlyMap<string, string>;
  #loops = 0;

  constructor(renamed: ReadonlyMap<string, string>) {
    this.#renamed = renamed;
  }

  call(helper: string, ...parts: readonly string[]): string {
    this.used.add(helper);
    return `${helper}(${parts.join(", ")})`;
  }

  /** The code of an expression that is a plain value, or of another kind that is useful in its place. */
  value(expression: Expression, names: Names, others: readonly Value["kind"][] = []): string {
    return codeOf(this.#any(expression, names), expression.line, others);
  }

  #any(expression: Expression, names: Names): Value {
    const { line } = expression;
    switch (expression.type) {
      case "name": {
        const known = names.get(expression.name);
        if (known === undefined) throw new PythonError(`the name ${expression.name} is not known here`, line);
        return known;
      }
      case "attribute": {
        const { kind, code } = this.#any(expression.of, names);
        if (kind === "state" && expression.name === "node_results")
          return plain(this.call("nodeResults", "state.nodeResults"));
        const found = ownPart(ATTRIBUTES[kind] ?? {}, expression.name);
        if (found === undefined) throw new PythonError(`.${expression.name} has no counterpart here`, line);
        return { kind: found.kind, code: found.code.replace("$", () => code) };
      }
      case "index":
        return this.#item(expression, names);
      case "call":
        return this.#call(expression, names);
      case "comprehension":
        return this.#comprehension(expression, names);
      case "list":
        return {
          kind: expression.isTuple ? "tuple" : "value",
          code: `[${expression.items.map((item) => this.value(item, names)).join(", ")}]`,
        };
      case "lambda":
        throw new PythonError("a function inside of a function has no counterpart here", line);
      default:
        return plain(this.#plain(expression, names));
    }
  }

  #plain(
    expression: Extract<Expression, { type: "literal" | "dict" | "operation" | "compare" }>,
    names: Names,
  ): string {
    switch (expression.type) {
      case "literal": {
        const { value, line } = expression;
        const id = this.#renamed.get(String(value));
        if (id !== undefined)
          throw new PythonError(`the node ${JSON.stringify(value)} is called "${id}" here`, line);
        return JSON.stringify(value);
      }
      case "dict": {
        const entries = expression.entries.map(({ key, value }) => {
          const code = this.value(value, names);
          return key === null ? `...${this.call("dict", code)}` : `${this.#key(key, names)}: ${code}`;
        });
        return `({ ${entries.join(", ")} })`;
      }
      case "operation":
        return this.#operation(expression, names);
      case "compare": {
        const { first, rest } = expression;
        const parts = rest.map(({ operator, right }, index) =>
          this.#compare([rest[index - 1]?.right ?? first, operator, right], names),
        );
        return parts.length === 1 ? (parts[0] as string) : `(${parts.join(" && ")})`;
      }
    }
  }

  #operation({ operator, operands, line }: Extract<Expression, { type: "operation" }>, names: Names): string {
    const [first = "", second = "", third = ""] = operands.map((operand) => this.value(operand, names));
    const [left] = operands;
    if (operator === "not") return `!${this.call("truthy", first)}`;
    if (operands.length === 1) return this.call("signed", JSON.stringify(operator), first);
    if (operator === "if") return `(${this.call("truthy", first)} ? ${second} : ${third})`;
    if (operator === "and") return this.call("both", first, `() => ${second}`);
    if (operator === "or") return this.call("either", first, `() => ${second}`);
    if (operator === "%" && left?.type === "literal" && typeof left.value === "string")
      throw new PythonError("a text with % is computed, which has no counterpart here", line);
    return this.call(ARITHMETIC[operator] as string, first, second);
  }

  #key(key: Expression, names: Names): string {
    // As a plain key of a literal, __proto__ would be the object's prototype.
    if (key.type === "literal" && typeof key.value === "string" && key.value !== "__proto__")
      return JSON.stringify(key.value);
    return `[${this.call("key", this.value(key, names))}]`;
  }

  #compare([left, operator, right]: readonly [Expression, string, Expression], names: Names): string {
    const not = operator.includes("not") || operator === "!=" ? "!" : "";
    switch (operator) {
      case "==":
      case "!=":
        return `${not}${this.call("equal", this.value(left, names), this.value(right, names))}`;
      case "in":
      case "not in": {
        const found = this.#any(right, names);
        const container = this.#stated(found, right.line, ["fields", "tuple", "loop"]);
        return `${not}${this.call("contains", container, this.value(left, names))}`;
      }
      case "is":
      case "is not":
        if (right.type !== "literal" || typeof right.value === "string" || typeof right.value === "number")
          throw new PythonError('"is" is readable with None, True and False only', right.line);
        return `(${this.value(left, names)} ${not || "="}== ${right.value})`;
      default:
        return `(${this.call("order", this.value(left, names), this.value(right, names))} ${operator} 0)`;
    }
  }

  #comprehension(expression: Extract<Expression, { type: "comprehension" }>, names: Names): Value {
    const { isList, item } = expression;
    const over = this.#any(expression.over, names);
    const code = codeOf(over, expression.line, ["turns", "tuple"]);
    // A name that Python allows may be taken in JavaScript, or have letters that others do not show.
    this.#loops++;
    const variable = `${/^\w+$/.test(expression.variable) ? expression.variable : `x${this.#loops}`}_`;
    const inner = new Map(names).set(expression.variable, {
      kind: over.kind === "turns" ? "turn" : "value",
      code: variable,
    });
    const items = over.kind === "turns" ? code : this.call("items", code);
    const tests = expression.tests.map((test) => this.call("truthy", this.value(test, inner)));
    const each = (): string => `(${variable}) => ${this.value(item, inner)}`;
    if (!isList) {
      const keep = `(${variable}) => ${tests.length === 0 ? "true" : tests.join(" && ")}`;
      return { kind: "loop", code: this.call("lazy", items, keep, each()) };
    }
    const kept = `${items}${tests.map((test) => `.filter((${variable}) => ${test})`).join("")}`;
    // The turns themselves can be counted and picked from, as the history can.
    const isTurn = item.type === "name" && this.#any(item, inner).kind === "turn";
    return isTurn ? { kind: "turns", code: kept } : plain(`${kept}.map(${each()})`);
  }

  #item({ of, index }: Extract<Expression, { type: "index" }>, names: Names): Value {
    const container = this.#any(of, names);
    if (container.kind === "turns")
      return { kind: "turn", code: this.call("at", container.code, this.value(index, names)) };
    if (index.type === "literal" && index.isFloat === true)
      throw new PythonError("this is no index in Python", index.line);
    this.#refuseUpstreamKey(container.kind, index);
    const items = this.#stated(container, of.line, ["fields", "tuple"]);
    return plain(this.call("at", items, this.value(index, names)));
  }

  /** Keys of `parsed` that upstream adds, and that have no counterpart. */
  #refuseUpstreamKey(kind: Value["kind"], index: Expression): void {
    if (index.type !== "literal") return;
    const isHidden = kind === "fields" && (index.value === "id" || index.value === "correct");
    if (isHidden || (this.used.has("nodeResults") && index.value === "rubric"))
      throw new PythonError(`${JSON.stringify(index.value)} has no counterpart here`, index.line);
  }

  /** Upstream leaves fields out that the reply does not state. */
  #stated(value: Value, line: number, others: readonly Value["kind"][]): string {
    const code = codeOf(value, line, others);
    return value.kind === "fields" ? this.call("stated", code) : code;
  }

  #call({ callee, positional, keywords, line }: Extract<Expression, { type: "call" }>, names: Names): Value {
    const [first, second] = positional;
    if (callee.type === "attribute") {
      const { name, of } = callee;
      if (name === "get" && keywords.size === 0 && first !== undefined && positional.length <= 2) {
        const container = this.#any(of, names);
        this.#refuseUpstreamKey(container.kind, first);
        const fallback = second === undefined ? "null" : this.value(second, names);
        const fields = this.#stated(container, line, ["fields"]);
        return plain(this.call("get", fields, this.value(first, names), fallback));
      }
      if (ownPart(TEXT_METHODS, name) !== positional.length || keywords.size > 0)
        throw new PythonError(`.${name}(…) has no counterpart here`, line);
      const parts = positional.flatMap((part) => (part.type === "list" && part.isTuple ? part.items : part));
      return plain(this.call(name, ...[of, ...parts].map((part) => this.value(part, names))));
    }
    const name = callee.type === "name" ? callee.name : "";
    // A list of pairs would be a dict, too.
    if (
      name === "dict" &&
      positional.length <= 1 &&
      first?.type !== "list" &&
      first?.type !== "comprehension"
    ) {
      const base = first === undefined ? [] : [`...${this.call("dict", this.value(first, names))}`];
      const entries = [...keywords].map(
        ([key, value]) => `[${JSON.stringify(key)}]: ${this.value(value, names)}`,
      );
      return plain(`({ ${[...base, ...entries].join(", ")} })`);
    }
    const helper = ownPart(FUNCTIONS, name);
    const isComparison = name === "min" || name === "max";
    if (
      helper === undefined ||
      keywords.size > 0 ||
      first === undefined ||
      (positional.length > 1 && !isComparison)
    )
      throw new PythonError(`${name === "" ? "this call" : `${name}(…)`} has no counterpart here`, line);
    if (positional.length > 1)
      return plain(this.call(helper, `[${positional.map((part) => this.value(part, names)).join(", ")}]`));
    const only = this.#any(first, names);
    if (name === "len" && only.kind === "turns") return plain(`${only.code}.length`);
    const others =
      name === "bool" ? [] : name === "len" ? (["tuple"] as const) : (["tuple", "loop"] as const);
    return plain(this.call(helper, codeOf(only, line, others)));
  }
}

function codeOf({ kind, code }: Value, line: number, others: readonly Value["kind"][]): string {
  if (kind === "value" || others.includes(kind)) return code;
  throw new PythonError(`${NOUNS[kind] ?? "this object"} has no counterpart here`, line);
}

const NOUNS: Readonly<Partial<Record<Value["kind"], string>>> = {
  fields: "parsed as a whole",
  tuple: "a tuple that is not searched, counted or looped over",
  loop: "a loop in round brackets outside of sum, any, all, min and max",
};

function ownPart<Part>(parts: Readonly<Record<string, Part>>, name: string): Part | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}
