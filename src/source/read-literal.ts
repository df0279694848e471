import { regularExpressionEnd, templatePieceEnd } from "./javascript-tokens.ts";
import { readParametersAndBody } from "./read-function.ts";
import type { SourceCursor } from "./source-cursor.ts";

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
