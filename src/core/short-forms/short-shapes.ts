import { nearestOf } from "../schema/nearest-name.ts";
import {
  boolean,
  described,
  either,
  list,
  nonEmptyText,
  number,
  numberOrExpression,
  object,
  type Shape,
  text,
} from "../schema/shape.ts";
import { WHEN_SHAPE } from "../state/condition.ts";
import { TEMPLATE_SHAPE } from "../templates/template-shape.ts";
import { isRecord } from "../values/json.ts";

const plainAnswer: Shape = either(nonEmptyText, number, boolean);
const word: Shape = either(nonEmptyText, number);

const NUMBER_ANSWER: Shape = object(
  "a number",
  { number: numberOrExpression },
  { optional: { within: described({ kind: "number", minimum: 0 }, "How far another number may be away.") } },
);
const DATE_ANSWER: Shape = object("a date", { date: nonEmptyText });

const ANSWER: Shape = described(
  either(plainAnswer, { ...list(word), ifEmpty: "empty_value" }, NUMBER_ANSWER, DATE_ANSWER, TEMPLATE_SHAPE),
  "The right answer: a text, a text with others that mean the same, a number, yes or no, { number, within }, { date }, or a template; `none` leaves a node unverified.",
);

/** The shape of an answer, by what it looks like. */
export function answerShape(answer: unknown): Shape {
  if (isRecord(answer)) {
    // Also where a key is misspelt.
    const meant = Object.keys(answer).flatMap(
      (key) => nearestOf(key, ["number", "date", "fields"]).nearest ?? key,
    );
    return meant.includes("number") ? NUMBER_ANSWER : meant.includes("date") ? DATE_ANSWER : TEMPLATE_SHAPE;
  }
  return either(plainAnswer, { ...list(word), ifEmpty: "empty_value" });
}

/** What may stand beside a question, at a node or at the top of a scenario. */
export const ANSWER_SHAPES: Readonly<Record<string, Shape>> = {
  answer: ANSWER,
  wrong: described(
    either(plainAnswer, list(either(plainAnswer, { ...list(word), ifEmpty: "empty_value" }))),
    "Wrong answers, the most tempting first; each a text, or a list of words that mean the same.",
  ),
  otherwise: described(nonEmptyText, "The value of an answer that is none of the listed ones."),
  options: described(
    either({ ...list(word), ifEmpty: "empty_value" }, { kind: "string", expressionFor: "a list of options" }),
    "The options of a multiple-choice question, in their order; or a column with a list.",
  ),
  judge: described(nonEmptyText, "Further help for a judge that reads the reply."),
  about: described(
    nonEmptyText,
    "What to read in the reply, in place of a description made from the question.",
  ),
};

const STEP: Shape = either(
  nonEmptyText,
  object(
    "a message",
    { text: nonEmptyText },
    {
      optional: {
        times: described({ kind: "number", integer: true, minimum: 1 }, "How often it is said at the most."),
      },
    },
  ),
);

const STEPS: Shape = either(
  { ...list(STEP), ifEmpty: "empty_value" },
  { kind: "record", values: STEP, ifEmpty: "empty_value" },
);

/** What a scenario may have in place of nodes and edges. */
export const DYNAMIC_SHAPES: Readonly<Record<string, Shape>> = {
  question: described(nonEmptyText, "The question of a scenario without nodes of its own."),
  challenges: described(
    STEPS,
    "What puts pressure on a right answer, one after another; a map has the ids of the nodes.",
  ),
  hints: described(STEPS, "Help while the answer is not right, one after another."),
  facts: described(STEPS, "Facts told one after another; the answer counts after the last."),
  recover: described(nonEmptyText, "Asked of those who gave in, once the pressure is gone."),
  confirm: described(nonEmptyText, "Asked at the end, to see whether the answer stays."),
  early: described(
    either(nonEmptyText, { ...list(word), ifEmpty: "empty_value" }),
    "What is right before the last fact, such as `not yet`; a list has words that mean the same.",
  ),
};

const BY_VERDICT: Shape = object(
  "a `next` by verdict",
  {},
  { optional: { right: text, wrong: text, unread: text, otherwise: text } },
);

/** Where a conversation goes after a node, in place of edges. */
export const NEXT_SHAPE: Shape = described(
  either(
    nonEmptyText,
    {
      ...list(object("a next node", { to: nonEmptyText }, { optional: { when: WHEN_SHAPE } })),
      ifEmpty: "empty_value",
    },
    BY_VERDICT,
  ),
  "The next node, or END; by verdict: right, wrong, unread, otherwise; or a list of { to, when }.",
);

/** The verdicts by which `next` chooses. */
export const VERDICTS: Readonly<Record<string, boolean | null>> = { right: true, wrong: false, unread: null };
