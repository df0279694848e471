import type { CheckOf } from "./check.ts";
import { type CompiledCheck, passedIf } from "./check-result.ts";
import { incomparable } from "./incomparable.ts";
import { compileLinearRegex } from "./linear-regex.ts";
import { isInRange } from "./numeric-checks.ts";
import { unusableCheck } from "./unusable-check.ts";
import { words } from "./white-space.ts";

/** Enough matches in the raw reply. */
export function compileTraceRegex(check: CheckOf<"trace_regex">): CompiledCheck {
  const regex = compileLinearRegex(check.pattern);
  if ("problem" in regex) return unusableCheck(`The ${regex.part} cannot be used: ${regex.problem}.`);
  const enough = check.countMin ?? 1;
  return testReply(enough === 1 ? regex.find : (reply) => regex.count(reply, enough) >= enough);
}

/** The substring occurs in the raw reply as it is written. */
export function compileTraceContains(check: CheckOf<"trace_contains">): CompiledCheck {
  return testReply((reply) => reply.includes(check.substring));
}

/** The length of the raw reply is inside the bounds. */
export function compileTraceLength(check: CheckOf<"trace_length">): CompiledCheck {
  const { min, max, unit = "chars" } = check;
  const range = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return testReply((reply) =>
    isInRange(unit === "words" ? words(reply).length : countCharacters(reply), range),
  );
}

/** Code points, as other languages count: an emoji is one, not the two units of its JavaScript string. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function testReply(holds: (reply: string) => boolean): CompiledCheck {
  return (value) =>
    typeof value === "string" ? passedIf(holds(value)) : incomparable("value", value, "the text of a reply");
}
