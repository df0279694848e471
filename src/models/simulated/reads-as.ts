import { readDate } from "../../core/checks/date-value.ts";
import { textValue } from "../../core/checks/text-value.ts";
import { strip } from "../../core/checks/white-space.ts";
import type { Truth } from "../../core/logic/kleene.ts";
import type { ScenarioState } from "../../core/state/state.ts";
import type { Template } from "../../core/templates/template.ts";
import { deepEqual } from "../../core/values/deep-equal.ts";
import type { JsonValue } from "../../core/values/json.ts";
import { extractFields } from "../../grading/reading/extract-value.ts";
import { verifyParsed } from "../../grading/verify/verify-parsed.ts";

/** The values that a reply is meant to state, by field. */
export type IntendedValues = Readonly<Record<string, JsonValue>>;

/** What becomes of a reply once it is read. */
export interface Reading {
  readonly verdict: Truth;
  /** True if rules read every value as it was meant, so that they and a person agree. */
  readonly faithful: boolean;
}

/** Reads a reply as a run does: rules read what they can, a judge is taken to read what is meant, code compares. */
export function readReply(
  template: Template,
  text: string,
  { intended, state }: { readonly intended: IntendedValues; readonly state: ScenarioState },
): Reading {
  const extracted = extractFields(template, text);
  const parsed: Record<string, unknown> = { ...intended };
  let faithful = true;
  for (const [name, { value }] of Object.entries(extracted)) {
    parsed[name] = value;
    faithful &&= isSameValue(value, intended[name] ?? null);
  }
  return { verdict: verifyParsed(template, parsed, { reply: text, state }).verifyResult, faithful };
}

function isSameValue(read: unknown, meant: JsonValue): boolean {
  if (deepEqual(read, meant)) return true;
  const [left, right] = [textValue(read), textValue(meant)];
  if (left === undefined || right === undefined) return false;
  if (strip(left).toLowerCase() === strip(right).toLowerCase()) return true;
  const day = readDate(left)?.instant;
  return day !== undefined && day === readDate(right)?.instant;
}
