import { NORMALIZERS_SHAPE } from "../checks/normalize.ts";
import { SHORTHAND_SHAPE, type ShorthandValue } from "../checks/shorthand.ts";
import { allOf, anyOf, atLeastN, type Composed, not } from "../logic/composition.ts";
import {
  boolean,
  code,
  described,
  either,
  integer,
  integerFrom,
  list,
  number,
  type ObjectShape,
  object,
  oneOfTexts,
  record,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../schema/shape.ts";
import { CONVERSATION_STATUSES, type ConversationStatus } from "../state/state.ts";
import { isRecord, type UnknownRecord } from "../values/json.ts";
import {
  APPLIES,
  type AppliesWhen,
  type CrossTurnCheck,
  type Measure,
  NODE_FILTER,
  OUTCOME_CHECK,
  OUTCOME_OPTIONS,
  type OutcomeCheck,
  type OutcomeFunction,
  type OutcomeLeaf,
  type SingleTurn,
  TURN_FIELDS,
  type TurnFields,
  type TurnScope,
} from "./outcome-check.ts";
import {
  crossTurn,
  firstTurn,
  lastTurn,
  measureIs,
  resultIs,
  statusIs,
  turnAt,
  turnChecks,
  turnCountEq,
  turnCountGte,
} from "./outcome-helpers.ts";

// In a file, outcomes may be a mapping from names to short forms, with the names of the functions of TypeScript:
// `held_firm: { allTurns: { verify_result: true }, node: push }`. They are written out as those functions do it.

const BOUNDS = ["gt", "gte", "lt", "lte", "eq", "neq"] as const;

const SINGLE_TURN: Shape = described(
  either(oneOfTexts("first", "last"), integer),
  "A turn: first, last, or its index from 0; -1 is the last.",
);

/** Turns by their scope, with the fields that they must have. */
const TURN_CHECKS = {
  firstTurn: TURN_FIELDS,
  lastTurn: TURN_FIELDS,
  lastAttempt: TURN_FIELDS,
  turnAt: described(integer, "The index of a turn, from 0; its fields stand in `has`."),
  anyTurn: TURN_FIELDS,
  allTurns: TURN_FIELDS,
};

const FILTER = { optional: { verifyResult: boolean, where: TURN_FIELDS } };

const MEASURES: Readonly<Record<string, Shape>> = {
  countTurns: object("countTurns", {}, FILTER),
  firstMatchIndex: object("firstMatchIndex", {}, FILTER),
  longestRun: object("longestRun", {}, FILTER),
  persistence: object("persistence", {}),
  turnOfFlip: object("turnOfFlip", {}),
  numberOfFlips: object("numberOfFlips", {}),
  minOverTurns: text,
  meanOverTurns: text,
  lastOverTurns: text,
};

const MEASURE: Shape = reference("shortMeasure", () =>
  object(
    "a measure",
    {},
    { optional: { ...MEASURES, node: NODE_FILTER }, rule: oneOf("A measure", Object.keys(MEASURES)) },
  ),
);

function oneOf(owner: string, names: readonly string[]): ShapeRule {
  return (value, report) => {
    if (names.filter((name) => Object.hasOwn(value, name)).length === 1) return;
    report(null, { code: "invalid_parameter", message: `${owner} needs one of ${names.join(", ")}.` });
  };
}

const PART: Shape = reference("shortAssertion", () =>
  either(OUTCOME_CHECK, partShape("a short outcome", {})),
);

/** Every form of an outcome. */
const FORMS = {
  ...TURN_CHECKS,
  statusIs: oneOfTexts(...CONVERSATION_STATUSES),
  resultIs: described(
    record(SHORTHAND_SHAPE, { ifEmpty: "empty_value" }),
    "Fields of the conversation and the values they must have.",
  ),
  turnCountGte: integerFrom(0),
  turnCountEq: integerFrom(0),
  crossTurn: described(
    object(
      "crossTurn",
      { source: SINGLE_TURN, sourceField: text, target: SINGLE_TURN, targetField: text },
      { optional: { comparison: oneOfTexts(...BOUNDS, "contains"), normalize: NORMALIZERS_SHAPE } },
    ),
    "Compares a field of one turn with a field of another: target <comparison> source (default eq).",
  ),
  ...MEASURES,
  allOf: list(PART),
  anyOf: list(PART),
  atLeastN: described(integerFrom(0), "How many of the parts in `of` must hold."),
  not: PART,
};

const KINDS = [...Object.keys(FORMS), "check"];

/** The forms that an option belongs to. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  node: ["anyTurn", "allTurns", "lastAttempt", ...Object.keys(MEASURES)],
  has: ["turnAt"],
  of: ["atLeastN"],
  ...Object.fromEntries(BOUNDS.map((bound) => [bound, Object.keys(MEASURES)])),
};

const oneKind: ShapeRule = (value, report) => {
  const [kind, ...others] = KINDS.filter((name) => Object.hasOwn(value, name));
  if (kind === undefined) return oneOf("An outcome", KINDS)(value, report);
  if (others.length > 0) {
    const kinds = [kind, ...others].join(" and ");
    const message = `This outcome has ${kinds}; write two outcomes, or join them with allOf or anyOf.`;
    return report(null, { code: "invalid_parameter", message });
  }
  const misplaced = Object.keys(value).find((key) => OWNERS[key]?.includes(kind) === false);
  if (misplaced !== undefined)
    report(misplaced, { code: "invalid_parameter", message: `${misplaced} does not belong to ${kind}.` });
};

function partShape(owner: string, more: Readonly<Record<string, Shape>>): ObjectShape {
  const bounds = Object.fromEntries(BOUNDS.map((bound) => [bound, either(number, MEASURE)]));
  const optional = { ...FORMS, node: NODE_FILTER, has: TURN_FIELDS, of: list(PART), ...bounds, ...more };
  return object(owner, {}, { optional, rule: oneKind });
}

/** An outcome as it may stand under its name. */
export const SHORT_OUTCOME_SHAPE = reference("shortOutcome", () =>
  either(
    code<OutcomeFunction>(),
    partShape("an outcome", { check: OUTCOME_CHECK, ...OUTCOME_OPTIONS, when: SHORT_APPLIES }),
  ),
);

const SHORT_APPLIES: Shape = reference("shortApplies", () =>
  either(
    APPLIES,
    object(
      "a condition over outcomes",
      {},
      {
        optional: { not: SHORT_APPLIES, allOf: list(SHORT_APPLIES), anyOf: list(SHORT_APPLIES) },
        rule: oneOf("When an outcome applies", ["not", "allOf", "anyOf"]),
      },
    ),
  ),
);

/** Writes out what stands under a name; its shape is known to be right. */
export function writeOutOutcome(name: string, short: unknown): UnknownRecord {
  if (!isRecord(short)) return { name, check: short };
  const { description, when, good, shown, ...form } = short;
  return {
    name,
    check: checkOf(form),
    ...(description === undefined ? {} : { description }),
    ...(when === undefined ? {} : { when: appliesOf(when) }),
    ...(good === undefined ? {} : { good }),
    ...(shown === undefined ? {} : { shown }),
  };
}

// Casts below: the shape has been validated.

function appliesOf(when: unknown): AppliesWhen {
  if (!isRecord(when) || when.type !== undefined) return when as AppliesWhen;
  const parts = (value: unknown): AppliesWhen[] => (value as unknown[]).map(appliesOf);
  if (when.allOf !== undefined) return allOf(...parts(when.allOf));
  return when.anyOf === undefined ? not(appliesOf(when.not)) : anyOf(...parts(when.anyOf));
}

function checkOf(form: UnknownRecord): OutcomeCheck {
  // A check that is written out.
  if (form.type !== undefined) return form as unknown as OutcomeLeaf;
  const kind = KINDS.find((name) => form[name] !== undefined) ?? "";
  const value = form[kind];
  const parts = (list: unknown): Composed<OutcomeLeaf>[] =>
    (list as UnknownRecord[]).map((part) => checkOf(part) as Composed<OutcomeLeaf>);
  const joined = (checks: Composed<OutcomeLeaf>[]): Composed<OutcomeLeaf> =>
    checks.length === 1 ? (checks[0] as OutcomeLeaf) : allOf(...checks);
  switch (kind) {
    case "check":
      return value as OutcomeCheck;
    case "allOf":
      return allOf(...parts(value));
    case "anyOf":
      return anyOf(...parts(value));
    case "atLeastN":
      return atLeastN(value as number, ...parts(form.of ?? []));
    case "not":
      return not(checkOf(value as UnknownRecord) as Composed<OutcomeLeaf>);
    case "statusIs":
      return statusIs(value as ConversationStatus);
    case "resultIs": {
      const fields = Object.entries(value as Readonly<Record<string, ShorthandValue>>);
      return joined(fields.map(([field, wanted]) => resultIs(field, wanted)));
    }
    case "turnCountGte":
      return turnCountGte(value as number);
    case "turnCountEq":
      return turnCountEq(value as number);
    case "crossTurn":
      return crossTurnOf(value as UnknownRecord);
    case "turnAt":
      return turnChecks({ type: "turn_at", index: value as number }, (form.has ?? {}) as TurnFields);
  }
  if (kind in TURN_CHECKS)
    return turnChecks({ type: typeOf(kind), ...atNode(form) } as TurnScope, value as TurnFields);
  const measure = measureOf(form);
  const bounds = BOUNDS.filter((bound) => form[bound] !== undefined).map((bound) => {
    const expected = form[bound];
    return measureIs(measure, bound, isRecord(expected) ? measureOf(expected) : (expected as number));
  });
  return bounds.length === 0 ? measure : joined(bounds);
}

function crossTurnOf({ source, target, comparison = "eq", ...rest }: UnknownRecord): CrossTurnCheck {
  const turn = (which: unknown): SingleTurn =>
    which === "first" ? firstTurn() : which === "last" ? lastTurn() : turnAt(which as number);
  return crossTurn({
    ...(rest as Pick<CrossTurnCheck, "sourceField" | "targetField" | "normalize">),
    source: turn(source),
    target: turn(target),
    comparison: comparison as CrossTurnCheck["comparison"],
  });
}

function measureOf(form: UnknownRecord): Measure {
  const name = Object.keys(MEASURES).find((measure) => form[measure] !== undefined) ?? "";
  const value = form[name];
  const parts = typeof value === "string" ? { field: value } : (value as object);
  return { type: typeOf(name), ...parts, ...atNode(form) } as Measure;
}

/** The type of the data that a function of TypeScript makes: `allTurns` makes `all_turns`. */
function typeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function atNode({ node }: UnknownRecord): object {
  return node === undefined ? {} : { node };
}
