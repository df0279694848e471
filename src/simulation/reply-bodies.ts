import type { JsonValue } from "../value/json.ts";
import { fieldStatements } from "./field-statements.ts";
import type { IntendedValues } from "./reads-as.ts";
import type { ResolvedField } from "./resolved-field.ts";
import { NOTHING_TO_STATE } from "./wording.ts";

const MOST_BODIES = 48;
/** A longer reference answer is an essay, not a part of a reply. */
const MAX_RAW_ANSWER = 1_000;

/** Ways to state an answer, without opening and closing words. */
export function replyBodies(
  fields: readonly ResolvedField[],
  intended: IntendedValues,
  rawAnswer: string | null,
): readonly string[] {
  const stated = fields.filter(({ name }) => (intended[name] ?? null) !== null);
  const isAlone = stated.filter(({ looksAtReply }) => !looksAtReply).length === 1;
  const statements = stated.map((field) => fieldStatements(field, intended[field.name] ?? null, isAlone));
  const plain = statements.length === 0 ? NOTHING_TO_STATE : joinedStatements(statements);
  if (rawAnswer === null || rawAnswer.trim() === "" || rawAnswer.length > MAX_RAW_ANSWER) {
    return plain.slice(0, MOST_BODIES);
  }
  const reference = asSentence(rawAnswer);
  const says = stated.every((field) => speaksFor(field, intended[field.name] ?? null, rawAnswer));
  const alternating = plain.map((body, index) => (index % 2 === 0 ? body : `${body} ${reference}`));
  return [...(says ? [reference] : []), ...alternating, ...plain].slice(0, MOST_BODIES);
}

/** The reference answer may stand alone where rules will try it, or where it has the value in it word for word. */
function speaksFor({ field, looksAtReply }: ResolvedField, value: JsonValue, rawAnswer: string): boolean {
  if (looksAtReply || field.extract !== undefined) return true;
  return typeof value === "string" && rawAnswer.toLowerCase().includes(value.toLowerCase());
}

/** Statements of all fields: in the same form, in forms that differ, and in the other order. */
function joinedStatements(statements: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(...statements.map((list) => list.length));
  const bodies: string[] = [];
  for (let form = 0; form < count; form++) {
    bodies.push(joined(statements, () => form));
    if (statements.length < 2) continue;
    bodies.push(joined([...statements].reverse(), () => form));
    bodies.push(joined(statements, (place) => form + place));
    bodies.push(joined(statements, (place) => (place === 0 ? form : 0), "\n"));
  }
  return [...new Set(bodies)];
}

function joined(
  statements: readonly (readonly string[])[],
  formAt: (place: number) => number,
  separator = " ",
): string {
  return statements.map((list, place) => list[formAt(place) % list.length]).join(separator);
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?)\]"']$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
