import { expect, test } from "vitest";
import { numberTokens } from "../../core/text/number-tokens.ts";
import { type NumberStatement, numberStatements } from "./number-statement.ts";
import { hasCompetition } from "./read-number.ts";
import { ReplyText } from "./reply-text.ts";
import { Context } from "./statement.ts";

/** Asks it of the last number of a reply. */
function competes(reply: string): boolean {
  const context = new Context(new ReplyText(reply));
  const { statements } = numberStatements(context, numberTokens(context.reply));
  return hasCompetition(context, statements, statements.at(-1) as NumberStatement);
}

test.each([
  "The pen cost 10 cents. Check: 10 + 210 = 220",
  "The pen cost 10 cents. To verify it: 10 + 210 = 220",
  "The pen cost 10 cents, because 220 − 200 = 20",
  "The pen cost 10 cents (10 + 210 = 220).",
  "There are 46, arranged in 23 pairs.",
  "There are 46, of which 2 are different.",
  "There are 46, 23 from each parent.",
  "There are 46. They form 23 pairs.",
])("competes with what was stated before: %j", (reply) => {
  expect(competes(reply)).toBe(true);
});

test.each([
  "Check: 10 + 210 = 220",
  "It makes 220. Check: 10 + 210 = 220",
  "There are 3 cats. There are 4 dogs.",
  "3 boxes, each with 4 apples, make 12 apples.",
  "There are 3 boxes. Each costs 4 euros. You pay 12 euros.",
  "2 × (3 + 4) = 14",
])("stands on its own: %j", (reply) => {
  expect(competes(reply)).toBe(false);
});
