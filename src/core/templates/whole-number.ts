import { numberTokens } from "../../grading/reading/number-tokens.ts";
import { ReplyText } from "../../grading/reading/reply-text.ts";
import { numberValue } from "../checks/number-value.ts";

/** The number that a short text is, with separators, a sign, a currency and a unit of one word: "$1,200", "12 km". */
export function wholeNumber(text: string): number | undefined {
  if (text.length > 100) return undefined;
  const plain = numberValue(text);
  if (plain !== undefined) return plain;
  const reply = new ReplyText(text);
  const [token, ...more] = numberTokens(reply);
  if (token === undefined || token.value === null || more.length > 0) return undefined;
  const before = reply.text.slice(0, token.start).trim();
  const after = reply.text.slice(token.end).trim();
  return /^(?:[(~≈=]|[a-z]{3})?$/i.test(before) && /^[)]?[a-z°€£%/]{0,12}[.]?$/i.test(after)
    ? token.value
    : undefined;
}
