import { regularExpressionEnd, templatePieceEnd } from "./javascript-tokens.ts";
import { readArrowOrParentheses, readFunction, readParametersAndBody } from "./read-function.ts";
import type { SourceCursor } from "./source-cursor.ts";

const NO_NAMES: readonly string[] = [];
const PREFIXES = wordSet("! ~ + - ++ -- typeof void delete new");
// Who binds closer does not matter here: every operand is read, and that is all.
const BINARY = wordSet("+ - * / % ** << >> >>> & | ^ && || ?? == != === !== < > <= >= in instanceof");
const ASSIGNING = wordSet("= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=");
const CONSTANTS = wordSet("null true false");

/** Reads an expression, which may be several with commas between them, and uses the names in it. */
export function readExpression(cursor: SourceCursor): void {
  do readAssignment(cursor);
  while (cursor.take(","));
}

/** Reads an expression without commas, and gives the names that it would bind as a pattern. */
export function readAssignment(cursor: SourceCursor): readonly string[] {
  cursor.enter();
  const names = assignment(cursor);
  cursor.leave();
  return names;
}

/** Reads a value without operators around it, and gives the names that it would bind as a pattern. */
export function readPrimary(cursor: SourceCursor): readonly string[] {
  const { kind, text } = cursor.token;
  if (kind === "word") return readWord(cursor, text);
  if (text === "[") return readArray(cursor);
  if (text === "{") return readObject(cursor);
  if (text === "`") readTemplate(cursor);
  else if (text === "/" || text === "/=") readRegularExpression(cursor);
  else if (text === "(") {
    // An arrow function here, behind an operator, is no JavaScript.
    if (readArrowOrParentheses(cursor)) cursor.refuseToken();
  } else if (kind === "private") cursor.scope.use(cursor.advance().text);
  else if (kind === "string" || kind === "number") cursor.advance();
  else cursor.refuseToken();
  return NO_NAMES;
}

function assignment(cursor: SourceCursor): readonly string[] {
  let names = NO_NAMES;
  if (cursor.at("(") || (cursor.token.kind === "word" && cursor.peek().text === "=>")) {
    // An arrow function takes no operators behind it: what follows is the next statement.
    if (readArrowOrParentheses(cursor)) return NO_NAMES;
    readSuffixes(cursor);
  } else names = readOperand(cursor);
  while (BINARY.has(cursor.token.text)) {
    cursor.advance();
    readOperand(cursor);
    names = NO_NAMES;
  }
  if (cursor.take("?")) {
    readAssignment(cursor);
    cursor.expect(":");
    readAssignment(cursor);
    return NO_NAMES;
  }
  if (!ASSIGNING.has(cursor.token.text)) return names;
  const isPlain = cursor.advance().text === "=";
  readAssignment(cursor);
  return isPlain ? names : NO_NAMES;
}

function readOperand(cursor: SourceCursor): readonly string[] {
  let isBare = true;
  while (PREFIXES.has(cursor.token.text)) {
    isBare = false;
    const prefix = cursor.advance();
    if (prefix.text === "new" && cursor.at(".")) cursor.refuse('it uses "new.target"');
  }
  const names = readPrimary(cursor);
  return readSuffixes(cursor) || !isBare ? NO_NAMES : names;
}

/** Reads calls, property accesses and the like behind a value; false if there are none. */
function readSuffixes(cursor: SourceCursor): boolean {
  const { start } = cursor.token;
  for (;;) {
    if (cursor.take(".")) readPropertyName(cursor);
    else if (cursor.take("?.")) {
      if (!cursor.at("(") && !cursor.at("[")) readPropertyName(cursor);
    } else if (cursor.take("(")) readArguments(cursor);
    else if (cursor.take("[")) {
      readExpression(cursor);
      cursor.expect("]");
    } else if (cursor.at("`")) readTemplate(cursor);
    else break;
  }
  // Nothing but operators can follow `++`, and at the start of a line it belongs to what follows.
  if ((cursor.at("++") || cursor.at("--")) && !cursor.token.newlineBefore) cursor.advance();
  return cursor.token.start !== start;
}

function readPropertyName(cursor: SourceCursor): void {
  if (cursor.token.kind === "private") cursor.scope.use(cursor.token.text);
  else if (cursor.token.kind !== "word") cursor.refuseToken();
  cursor.advance();
}

function readArguments(cursor: SourceCursor): void {
  while (!cursor.at(")")) {
    cursor.take("...");
    readAssignment(cursor);
    if (!cursor.at(")")) cursor.expect(",");
  }
  cursor.expect(")");
}

function readWord(cursor: SourceCursor, word: string): readonly string[] {
  if (word === "function") readFunction(cursor, "expression");
  else if (CONSTANTS.has(word)) cursor.advance();
  else {
    if (word === "this" || word === "super" || word === "import") cursor.refuse(`it uses "${word}"`);
    if (word === "class") cursor.refuse("it contains a class");
    if (word === "async" && startsAsyncFunction(cursor)) cursor.refuse("it contains an async function");
    const name = cursor.readName();
    cursor.scope.use(name);
    return [name];
  }
  return NO_NAMES;
}

/** `async` may be a plain name as well; a call of something called `async` is refused with the functions. */
function startsAsyncFunction(cursor: SourceCursor): boolean {
  const { kind, text, newlineBefore } = cursor.peek();
  if (newlineBefore) return false;
  return text === "(" || (kind === "word" && !["in", "of", "instanceof"].includes(text));
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Reads `[…]`, a literal or a pattern, and gives the names that it would bind as a pattern. */
export function readArray(cursor: SourceCursor): readonly string[] {
  const names: string[] = [];
  cursor.expect("[");
  while (!cursor.at("]")) {
    if (cursor.take(",")) continue;
    cursor.take("...");
    for (const name of cursor.grammar.assignment(cursor)) names.push(name);
    if (!cursor.at("]")) cursor.expect(",");
  }
  cursor.expect("]");
  return names;
}

/** Reads `{…}`, a literal or a pattern, and gives the names that it would bind as a pattern. */
export function readObject(cursor: SourceCursor): readonly string[] {
  const names: string[] = [];
  cursor.expect("{");
  while (!cursor.at("}")) {
    const found = cursor.take("...") ? cursor.grammar.assignment(cursor) : readProperty(cursor);
    for (const name of found) names.push(name);
    if (!cursor.at("}")) cursor.expect(",");
  }
  cursor.expect("}");
  return names;
}

/** Reads a template, with the expressions in it, from its backtick on. */
export function readTemplate(cursor: SourceCursor): void {
  let end = templatePieceEnd(cursor.source, cursor.token.end);
  while (end !== undefined && cursor.source[end - 1] === "{") {
    cursor.moveTo(end);
    do cursor.grammar.assignment(cursor);
    while (cursor.take(","));
    // The brace is the next token, and what is behind it is text again: passing it as code would misread it.
    if (!cursor.at("}")) cursor.refuseToken();
    end = templatePieceEnd(cursor.source, cursor.token.end);
  }
  cursor.moveTo(end ?? cursor.refuseToken());
}

/** Reads a regular expression from its slash on. Only who awaits a value can tell it from a division. */
export function readRegularExpression(cursor: SourceCursor): void {
  cursor.moveTo(regularExpressionEnd(cursor.source, cursor.token.start) ?? cursor.refuseToken());
}

function readProperty(cursor: SourceCursor): readonly string[] {
  if (cursor.at("*")) cursor.refuse("it contains a generator");
  if (isModifier(cursor)) {
    if (cursor.at("async")) cursor.refuse("it contains an async function");
    cursor.advance();
  }
  const key = cursor.token;
  const behind = cursor.peek().text;
  if (key.kind === "word" && behind !== ":" && behind !== "(") return readShorthand(cursor);
  if (cursor.take("[")) {
    cursor.grammar.assignment(cursor);
    cursor.expect("]");
  } else if (key.kind === "word" || key.kind === "string" || key.kind === "number") cursor.advance();
  else cursor.refuseToken();
  if (cursor.take(":")) return cursor.grammar.assignment(cursor);
  readParametersAndBody(cursor);
  return [];
}

/** `get`, `set` and `async` are modifiers if a key follows, and keys of their own if not. */
function isModifier(cursor: SourceCursor): boolean {
  if (!cursor.at("get") && !cursor.at("set") && !cursor.at("async")) return false;
  return ![",", ":", "(", "}", "="].includes(cursor.peek().text);
}

/** `{ name }` uses the name; `{ name = 1 }` is a pattern with a default. */
function readShorthand(cursor: SourceCursor): readonly string[] {
  const name = cursor.readName();
  cursor.scope.use(name);
  if (cursor.take("=")) cursor.grammar.assignment(cursor);
  return [name];
}
