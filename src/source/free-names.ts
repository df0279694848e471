import { functionForm } from "./function-form.ts";
import { readAssignment, readPrimary } from "./read-expression.ts";
import { readArrowOrParentheses, readFunction, readParametersAndBody } from "./read-function.ts";
import { readStatements } from "./read-statement.ts";
import { type Grammar, Refusal, SourceCursor } from "./source-cursor.ts";

const GRAMMAR: Grammar = { primary: readPrimary, assignment: readAssignment, statements: readStatements };

/**
 * The names that a function uses but does not declare, standard ones such as `Math` included, in the order of
 * their first use; or why that cannot be told. The source is valid JavaScript, as given by
 * `Function.prototype.toString`. What is not understood is refused: no name is ever missed.
 *
 * @example freeNames("(a) => a + b") // { names: ["b"] }
 */
export function freeNames(source: string): { names: string[] } | { problem: string } {
  const form = functionForm(source);
  if ("problem" in form) return form;
  const cursor = new SourceCursor(source, GRAMMAR);
  try {
    if (form.kind === "function") readFunction(cursor, "expression");
    else if (form.kind === "method") {
      // In contrast to a function's, a method's name is not known inside of it.
      cursor.readName();
      readParametersAndBody(cursor);
    } else if (!readArrowOrParentheses(cursor)) return { problem: "it is not a function" };
    if (cursor.token.kind !== "end") cursor.refuseToken();
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
  return { names: [...cursor.scope.close()] };
}
