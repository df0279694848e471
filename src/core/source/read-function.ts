import type { SourceCursor } from "./source-cursor.ts";

/** Reads a function from the word `function` on. An expression's name is known inside of it only. */
export function readFunction(cursor: SourceCursor, place: "expression" | "declaration"): void {
  cursor.expect("function");
  if (cursor.at("*")) cursor.refuse("it contains a generator");
  if (place === "expression") cursor.openScope();
  if (place === "declaration" || !cursor.at("(")) cursor.scope.declare(cursor.readName());
  readParametersAndBody(cursor);
  if (place === "expression") cursor.closeScope();
}

/** Reads the rest of a function or of a method behind its name. */
export function readParametersAndBody(cursor: SourceCursor): void {
  cursor.openScope();
  cursor.scope.declare("arguments");
  cursor.expect("(");
  while (!cursor.at(")")) {
    cursor.take("...");
    readBinding(cursor, "let");
    if (!cursor.at(")")) cursor.expect(",");
  }
  cursor.expect(")");
  readBody(cursor);
  cursor.closeScope();
}

/**
 * Reads an arrow function, or the expression in parentheses that it turns out to be; true for an arrow.
 * Names in the parentheses are used in a scope of their own: if an arrow follows, that scope declares them;
 * if not, it declares nothing and hides nothing.
 */
export function readArrowOrParentheses(cursor: SourceCursor): boolean {
  cursor.openScope();
  let mayBeValue = false;
  let parameters: string[] = [];
  if (cursor.at("(")) ({ parameters, mayBeValue } = readParentheses(cursor));
  else parameters.push(cursor.readName());
  const isArrow = cursor.take("=>");
  if (isArrow) {
    for (const name of parameters) cursor.scope.declare(name);
    if (cursor.at("{")) readBody(cursor);
    else cursor.grammar.assignment(cursor);
  } else if (!mayBeValue) cursor.refuseToken();
  cursor.closeScope();
  return isArrow;
}

/** Reads a name or a pattern, with its default or initial value, and declares the names that it binds. */
export function readBinding(cursor: SourceCursor, keyword: "var" | "let"): void {
  readBindingTarget(cursor, keyword);
  if (cursor.take("=")) cursor.grammar.assignment(cursor);
}

/** Reads a name or a pattern and declares the names that it binds. */
export function readBindingTarget(cursor: SourceCursor, keyword: "var" | "let"): void {
  if (cursor.token.kind !== "word" && !cursor.at("{") && !cursor.at("[")) cursor.refuseToken();
  // A pattern reads like a literal: its names are used here too, which is harmless as they are declared here.
  for (const name of cursor.grammar.primary(cursor)) {
    if (keyword === "var") cursor.scope.declareVariable(name);
    else cursor.scope.declare(name);
  }
}

function readParentheses(cursor: SourceCursor): { parameters: string[]; mayBeValue: boolean } {
  const parameters: string[] = [];
  let mayBeValue = false;
  cursor.expect("(");
  while (!cursor.at(")")) {
    const isRest = cursor.take("...");
    for (const name of cursor.grammar.assignment(cursor)) parameters.push(name);
    const isLast = !cursor.take(",");
    mayBeValue = isLast && !isRest;
    if (isLast) break;
  }
  cursor.expect(")");
  return { parameters, mayBeValue };
}

/** The body has a scope of its own: a default value of a parameter does not see what the body declares. */
function readBody(cursor: SourceCursor): void {
  cursor.enter();
  cursor.openScope(true);
  cursor.expect("{");
  cursor.grammar.statements(cursor);
  cursor.expect("}");
  cursor.closeScope();
  cursor.leave();
}
