import { readAssignment, readExpression } from "./read-expression.ts";
import { readBinding, readBindingTarget, readFunction } from "./read-function.ts";
import type { SourceCursor } from "./source-cursor.ts";

/** Reads statements up to the brace that ends their block or body. */
export function readStatements(cursor: SourceCursor): void {
  while (!cursor.at("}")) readListed(cursor);
}

/** Reads a statement where declarations may stand too: in a block, in a body, in a `case`. */
function readListed(cursor: SourceCursor): void {
  if (cursor.at("function")) readFunction(cursor, "declaration");
  else if (cursor.take("let") || cursor.take("const")) readDeclarations(cursor, "let");
  else readStatement(cursor);
}

function readStatement(cursor: SourceCursor): void {
  const read = STATEMENTS.get(cursor.token.text);
  cursor.enter();
  if (read !== undefined) {
    cursor.advance();
    read(cursor);
  } else if (cursor.token.kind === "word" && cursor.peek().text === ":") {
    cursor.readName();
    cursor.expect(":");
    readStatement(cursor);
  } else {
    // A function declared without a block around it: what that means differs between strict and other code.
    if (cursor.at("function")) cursor.refuseToken();
    readExpression(cursor);
    endStatement(cursor);
  }
  cursor.leave();
}

/** What follows the word or the sign that a statement starts with. */
const STATEMENTS: ReadonlyMap<string, (cursor: SourceCursor) => void> = new Map([
  [";", () => {}],
  ["{", readRestOfBlock],
  ["var", (cursor: SourceCursor) => readDeclarations(cursor, "var")],
  ["if", readIf],
  ["for", readFor],
  ["while", readWhile],
  ["do", readDo],
  ["switch", readSwitch],
  ["try", readTry],
  ["return", readOptionalValue],
  ["throw", readOptionalValue],
  ["break", readJump],
  ["continue", readJump],
  ["debugger", endStatement],
  ["with", (cursor: SourceCursor) => cursor.refuse('it uses "with"')],
]);

function readDeclarations(cursor: SourceCursor, keyword: "var" | "let"): void {
  do readBinding(cursor, keyword);
  while (cursor.take(","));
  endStatement(cursor);
}

function readIf(cursor: SourceCursor): void {
  readCondition(cursor);
  readStatement(cursor);
  if (cursor.take("else")) readStatement(cursor);
}

function readWhile(cursor: SourceCursor): void {
  readCondition(cursor);
  readStatement(cursor);
}

function readDo(cursor: SourceCursor): void {
  readStatement(cursor);
  cursor.expect("while");
  readCondition(cursor);
  cursor.take(";");
}

function readFor(cursor: SourceCursor): void {
  cursor.openScope();
  cursor.expect("(");
  const isOver = readForHead(cursor);
  if (!isOver) {
    cursor.expect(";");
    if (!cursor.at(";")) readExpression(cursor);
    cursor.expect(";");
    if (!cursor.at(")")) readExpression(cursor);
  }
  cursor.expect(")");
  readStatement(cursor);
  cursor.closeScope();
}

/** Reads up to the first semicolon, or all of a `for … of` or a `for … in`: true for these. */
function readForHead(cursor: SourceCursor): boolean {
  const keyword = cursor.at("var") ? "var" : "let";
  if (cursor.take("var") || cursor.take("let") || cursor.take("const")) {
    readBinding(cursor, keyword);
    if (cursor.take("of") || cursor.take("in")) {
      readExpression(cursor);
      return true;
    }
    while (cursor.take(",")) readBinding(cursor, keyword);
    return false;
  }
  if (cursor.at(";")) return false;
  readExpression(cursor);
  if (cursor.take("of")) readAssignment(cursor);
  // `for (key in record)` has been read as an expression with the operator `in`.
  return cursor.at(")");
}

function readSwitch(cursor: SourceCursor): void {
  readCondition(cursor);
  cursor.expect("{");
  cursor.openScope();
  while (!cursor.at("}")) {
    if (cursor.take("case")) {
      readExpression(cursor);
      cursor.expect(":");
    } else if (cursor.take("default")) cursor.expect(":");
    else readListed(cursor);
  }
  cursor.expect("}");
  cursor.closeScope();
}

function readTry(cursor: SourceCursor): void {
  readBlock(cursor);
  if (cursor.take("catch")) {
    cursor.openScope();
    if (cursor.take("(")) {
      readBindingTarget(cursor, "let");
      cursor.expect(")");
    }
    readBlock(cursor);
    cursor.closeScope();
  }
  if (cursor.take("finally")) readBlock(cursor);
}

function readBlock(cursor: SourceCursor): void {
  cursor.expect("{");
  readRestOfBlock(cursor);
}

function readRestOfBlock(cursor: SourceCursor): void {
  cursor.openScope();
  readStatements(cursor);
  cursor.expect("}");
  cursor.closeScope();
}

function readCondition(cursor: SourceCursor): void {
  cursor.expect("(");
  readExpression(cursor);
  cursor.expect(")");
}

function readOptionalValue(cursor: SourceCursor): void {
  if (!isStatementOver(cursor)) readExpression(cursor);
  endStatement(cursor);
}

/** `break label`: a label is no name. On the next line, the word starts a statement of its own. */
function readJump(cursor: SourceCursor): void {
  if (!isStatementOver(cursor)) cursor.readName();
  endStatement(cursor);
}

function endStatement(cursor: SourceCursor): void {
  if (!isStatementOver(cursor)) cursor.refuseToken();
  cursor.take(";");
}

/** A semicolon may be left out before a closing brace and at the end of a line. */
function isStatementOver(cursor: SourceCursor): boolean {
  return cursor.at(";") || cursor.at("}") || cursor.token.newlineBefore;
}
