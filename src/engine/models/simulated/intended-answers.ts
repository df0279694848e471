import type { Check } from "../../../core/checks/check.ts";
import type { ScenarioState } from "../../../core/state/state.ts";
import { type Template, verifyRuleOf } from "../../../core/templates/template.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { verifyParsed } from "../../grading/verify/verify-parsed.ts";
import { rightValues, wrongValues } from "./field-values.ts";
import { patternSample } from "./pattern-sample.ts";
import type { IntendedValues, ResolvedField } from "./resolved-field.ts";

/** What an answer is to come to, and what it can be made of. */
export interface AnswerGoal {
  readonly right: boolean;
  readonly rawAnswer: string;
  /** Wrong answers that the author or a challenger names. */
  readonly suggested: readonly string[];
  readonly state: ScenarioState;
}

const MOST_ANSWERS = 24;
/** Mixtures of right and wrong fields double with each field. */
const MOST_MIXED = 4;

interface FieldChoices {
  readonly name: string;
  readonly right: readonly JsonValue[];
  readonly wrong: readonly JsonValue[];
}

/**
 * Values for all fields that come to the intended verdict, the plainest first: all fields right, or all wrong. If none does,
 * the plainest.
 */
export function* intendedAnswers(
  template: Template,
  fields: readonly ResolvedField[],
  goal: AnswerGoal,
): Generator<IntendedValues> {
  const choices = fields.map((field) => choicesOf(field, goal));
  const answers = [...uniformAnswers(choices, goal.right), ...mixedAnswers(choices)];
  // A check on the raw reply cannot be evaluated before there is one.
  const isOpen =
    fields.some(({ looksAtReply }) => looksAtReply) || typeof verifyRuleOf(template) === "function";
  let count = 0;
  for (const values of answers) {
    if (count >= MOST_ANSWERS) return;
    const { verifyResult } = isOpen
      ? { verifyResult: goal.right }
      : verifyParsed(template, values, { reply: "", state: goal.state });
    if (verifyResult !== goal.right) continue;
    count++;
    yield values;
  }
  const [plainest] = answers;
  if (count === 0 && plainest !== undefined) yield plainest;
}

function choicesOf(resolved: ResolvedField, { rawAnswer, suggested }: AnswerGoal): FieldChoices {
  const { name, check, truth, looksAtReply } = resolved;
  if (looksAtReply) return { name, right: passingFragments(check), wrong: failingFragments(check) };
  const right = rightValues(resolved, rawAnswer);
  const wrong = wrongValues(resolved, suggested);
  // A field that nothing can be right about, or wrong about, is at least spoken of.
  const fallback = [truth];
  return { name, right: right.length > 0 ? right : fallback, wrong: wrong.length > 0 ? wrong : fallback };
}

/** All fields right, or all wrong: with the first value of each, then with one field's other values. */
function uniformAnswers(choices: readonly FieldChoices[], right: boolean): readonly IntendedValues[] {
  const values = choices.map((choice) => [choice.name, right ? choice.right : choice.wrong] as const);
  const first = Object.fromEntries(values.map(([name, list]) => [name, list[0] ?? null]));
  const others = values.flatMap(([name, list]) =>
    list.slice(1).map((value) => ({ ...first, [name]: value })),
  );
  return [first, ...others];
}

/** Some fields right and the others wrong, for verdicts that are not simply all of them. */
function mixedAnswers(choices: readonly FieldChoices[]): readonly IntendedValues[] {
  const mixed = choices.slice(0, MOST_MIXED);
  return Array.from({ length: 2 ** mixed.length }, (_, mask) =>
    Object.fromEntries(
      choices.map(({ name, right, wrong }, index) => [
        name,
        ((mask >> index) & 1 ? wrong : right)[0] ?? null,
      ]),
    ),
  );
}

const FILLER = [
  "There is more to say about this, and I am glad to go into it.",
  "I have tried to keep to what I know and to leave out what I do not.",
  "If a detail matters to you, tell me which one, and I will look at it again.",
];

/** No author needs a longer reply, and a check may ask for anything. */
const MAX_LENGTH = 20_000;
const MAX_REPEATS = 100;

/** Texts to put into a reply so that a check on the raw reply passes; null stands for nothing. */
export function passingFragments(check: Check): readonly JsonValue[] {
  switch (check.type) {
    case "trace_contains":
      return [check.substring, null];
    case "trace_regex": {
      const times = Math.min(check.countMin ?? 1, MAX_REPEATS);
      const samples = [0, 1, 2].map((variant) => patternSample(check.pattern, { variant }));
      return [null, ...samples.map((sample) => Array(times).fill(sample).join(" "))];
    }
    case "trace_length":
      return [null, fillerOf(check.min ?? 0, check.unit ?? "chars")];
    default:
      return [null];
  }
}

/** Texts to put into a reply so that a check on the raw reply fails. */
export function failingFragments(check: Check): readonly JsonValue[] {
  if (check.type !== "trace_length" || check.max === undefined) return [null];
  return [null, fillerOf(check.max + 1, check.unit ?? "chars")];
}

function fillerOf(length: number, unit: "chars" | "words"): string {
  const wanted = Math.min(unit === "words" ? length * 6 : length, MAX_LENGTH);
  let text = "";
  for (let index = 0; text.length < wanted; index++) text += ` ${FILLER[index % FILLER.length]}`;
  return text.trim();
}
