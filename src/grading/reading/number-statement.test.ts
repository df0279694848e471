import { expect, it } from "vitest";
import { numberTokens } from "../../core/text/number-tokens.ts";
import { numberRoles } from "./number-statement.ts";
import { ReplyText } from "./reply-text.ts";

it.each<[string, string[]]>([
  ["She has 12 apples.", ["count"]],
  ["1. First\n2. Second: 5", ["label", "label", "count"]],
  ["1) a\n2) b", ["label", "label"]],
  ["42. That is it.", ["count"]],
  ["Step 3: add 4", ["label", "count"]],
  ["Figure 2 and [3] and #4", ["label", "label", "label"]],
  ["42 (confidence: 90%), 90% sure", ["count", "label", "label"]],
  ["in 1999, since 2001, (2003)", ["date", "date", "date"]],
  ["2003 apples", ["count"]],
  ["on March 5, 2024", ["date", "date"]],
  ["on 5 March", ["date"]],
  ["Put it into Box 3.", ["label"]],
  ["There 3 are left", ["count"]],
])("%j: %j", (text, roles) => {
  const reply = new ReplyText(text);
  expect(numberRoles(reply, numberTokens(reply))).toEqual(roles);
});
