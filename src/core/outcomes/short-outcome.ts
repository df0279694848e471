import { NORMALIZERS_SHAPE } from "../checks/normalize.ts";
import { SHORTHAND_SHAPE, type ShorthandValue } from "../checks/shorthand.ts";
import { allOf, anyOf, atLeastN, type Composed, not } from "../logic/composition.ts";
import {
  boolean,
  described,
  either,
  functionOrSource,
  list,
  number,
  object,
  oneOfTexts,
  type ReferenceShape,
  reference,
  type Shape,
  type ShapeRule,
  text,
} from "../schema/shape.ts";
import type { ConversationStatus } from "../state/state.ts";
import { isRecord, type UnknownRecord } from "../values/json.ts";
import type {
  AppliesWhen,
  Comparison,
  CrossTurnCheck,
  Measure,
  MeasureCheck,
  NodeFilter,
  OutcomeCheck,
  OutcomeLeaf,
  SingleTurn,
  TurnFields,
} from "./outcome-check.ts";
import {
  allTurns,
  anyTurn,
  countTurns,
  crossTurn,
  firstMatchIndex,
  firstTurn,
  lastAttempt,
  lastOverTurns,
  lastTurn,
  longestRun,
  meanOverTurns,
  measureIs,
  minOverTurns,
  numberOfFlips,
  persistence,
  resultIs,
  statusIs,
  turnAt,
  turnCountEq,
  turnCountGte,
  turnOfFlip,
} from "./outcome-helpers.ts";
import { APPLIES, NODE_FILTER, OUTCOME_CHECK, OUTCOME_OPTIONS, TURN_FIELDS } from "./outcome-shape.ts";

// In a file, outcomes may be a mapping from names to short forms, with the names of the functions of TypeScript:
// `held_firm: { allTurns: { verify_result: true }, node: push }`. They are written out as those functions do it.

const BOUNDS = ["gt", "gte", "lt", "lte", "eq", "neq"] as const;

const COUNT: Shape = { kind: "number", integer: true, minimum: 0 };

const SINGLE_TURN: Shape = described(
  either(oneOfTexts("first", "last"), { kind: "number", integer: true }),
  "A turn: first, last, or its index from 0; -1 is the last.",
);

const ASSERTIONS: Readonly<Record<string, Shape>> = {
  firstTurn: TURN_FIELDS,
  lastTurn: TURN_FIELDS,
  lastAttempt: TURN_FIELDS,
  turnAt: described(
    { kind: "number", integer: true },
    "The index of a turn, from 0; its fields stand in `has`.",
  ),
  anyTurn: TURN_FIELDS,
  allTurns: TURN_FIELDS,
  statusIs: oneOfTexts(
    "completed",
    "limit_reached",
    "timeout",
    "budget_exhausted",
    "cancelled",
    "error",
    "simulator_fault",
    "record_mismatch",
  ),
  resultIs: described(
    { kind: "record", values: SHORTHAND_SHAPE, ifEmpty: "empty_value" },
    "Fields of the conversation and the values they must have.",
  ),
  turnCountGte: COUNT,
  turnCountEq: COUNT,
  crossTurn: described(
    object(
      "crossTurn",
      { source: SINGLE_TURN, sourceField: text, target: SINGLE_TURN, targetField: text },
      { optional: { comparison: oneOfTexts(...BOUNDS, "contains"), normalize: NORMALIZERS_SHAPE } },
    ),
    "Compares a field of one turn with a field of another: target <comparison> source (default eq).",
  ),
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
  object("a measure", {}, { optional: { ...MEASURES, node: NODE_FILTER }, rule: oneMeasure }),
);

const oneMeasure: ShapeRule = (value, report) => {
  const names = Object.keys(MEASURES);
  if (names.filter((name) => Object.hasOwn(value, name)).length === 1) return;
  report(null, { code: "invalid_parameter", message: `A measure needs one of ${names.join(", ")}.` });
};

const PART: Shape = reference("shortAssertion", () =>
  either(OUTCOME_CHECK, partShape("a short outcome", {})),
);

const COMPOSITIONS: Readonly<Record<string, Shape>> = {
  allOf: list(PART),
  anyOf: list(PART),
  atLeastN: described(
    { kind: "number", integer: true, minimum: 0 },
    "How many of the parts in `of` must hold.",
  ),
  not: PART,
};

const KINDS = [
  ...Object.keys(ASSERTIONS),
  ...Object.keys(MEASURES),
  "allOf",
  "anyOf",
  "atLeastN",
  "not",
  "check",
];

const oneKind: ShapeRule = (value, report) => {
  const kinds = KINDS.filter((kind) => Object.hasOwn(value, kind));
  if (kinds.length !== 1) {
    const message =
      kinds.length === 0
        ? `An outcome needs one of ${KINDS.join(", ")}.`
        : `This outcome has ${kinds.join(" and ")}; write two outcomes, or join them with allOf or anyOf.`;
    return report(null, { code: "invalid_parameter", message });
  }
  const [kind = ""] = kinds;
  const misplaced = Object.keys(value).find((key) => OWNERS[key]?.includes(kind) === false);
  if (misplaced !== undefined)
    report(misplaced, { code: "invalid_parameter", message: `${misplaced} does not belong to ${kind}.` });
};

/** The forms that an option belongs to. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  node: ["anyTurn", "allTurns", "lastAttempt", ...Object.keys(MEASURES)],
  has: ["turnAt"],
  of: ["atLeastN"],
  ...Object.fromEntries(BOUNDS.map((bound) => [bound, Object.keys(MEASURES)])),
};

function partShape(owner: string, more: Readonly<Record<string, Shape>>): Shape {
  return object(
    owner,
    {},
    {
      optional: {
        ...ASSERTIONS,
        ...MEASURES,
        ...COMPOSITIONS,
        node: NODE_FILTER,
        has: TURN_FIELDS,
        of: list(PART),
        ...Object.fromEntries(BOUNDS.map((bound) => [bound, either(number, MEASURE)])),
        ...more,
      },
      rule: oneKind,
    },
  );
}

/** An outcome as it may stand under its name. */
export const SHORT_OUTCOME_SHAPE: ReferenceShape = reference("shortOutcome", () =>
  either(
    functionOrSource,
    partShape("an outcome", { check: OUTCOME_CHECK, ...OUTCOME_OPTIONS, when: SHORT_APPLIES }),
  ),
);

const oneComposition: ShapeRule = (value, report) => {
  if (Object.keys(value).length === 1) return;
  report(null, {
    code: "invalid_parameter",
    message: "When an outcome applies needs one of not, allOf, anyOf.",
  });
};

const SHORT_APPLIES: Shape = reference("shortApplies", () =>
  either(
    APPLIES,
    object(
      "a condition over outcomes",
      {},
      {
        optional: { not: SHORT_APPLIES, allOf: list(SHORT_APPLIES), anyOf: list(SHORT_APPLIES) },
        rule: oneComposition,
      },
    ),
  ),
);

/** Writes out what stands under a name; its shape is known to be right. */
export function writeOutOutcome(name: string, short: unknown): UnknownRecord {
  if (!isRecord(short)) return { name, check: short };
  const { description, when, good, ...form } = short;
  const applies = when === undefined ? undefined : appliesOf(when);
  return {
    name,
    check: checkOf(form),
    ...(description === undefined ? {} : { description }),
    ...(applies === undefined ? {} : { when: applies }),
    ...(good === undefined ? {} : { good }),
  };
}

// Casts below: the shape has been validated.

function appliesOf(when: unknown): AppliesWhen {
  if (typeof when === "string") return when;
  const form = when as UnknownRecord;
  if (form.type !== undefined) return form as unknown as AppliesWhen;
  const parts = (value: unknown): AppliesWhen[] => (value as unknown[]).map(appliesOf);
  if (form.allOf !== undefined) return allOf(...parts(form.allOf));
  if (form.anyOf !== undefined) return anyOf(...parts(form.anyOf));
  return not(appliesOf(form.not));
}

function checkOf(form: UnknownRecord): OutcomeCheck {
  if (form.check !== undefined) return form.check as OutcomeCheck;
  const measure = measureOf(form);
  if (measure === undefined) return partOf(form);
  const bounds = BOUNDS.filter((bound) => form[bound] !== undefined).map(
    (bound): MeasureCheck => measureIs(measure, bound, boundOf(form[bound])),
  );
  return bounds.length === 0 ? measure : bounds.length === 1 ? (bounds[0] as MeasureCheck) : allOf(...bounds);
}

function boundOf(value: unknown): number | Measure {
  // Its shape says that it is one of the two.
  return isRecord(value) ? (measureOf(value) as Measure) : (value as number);
}

function partOf(form: UnknownRecord): Composed<OutcomeLeaf> {
  // A check that is written out, or a measure that is compared.
  if (form.type !== undefined) return form as unknown as OutcomeLeaf;
  if (measureOf(form) !== undefined) return checkOf(form) as Composed<OutcomeLeaf>;
  const parts = (value: unknown): Composed<OutcomeLeaf>[] => (value as UnknownRecord[]).map(partOf);
  if (form.allOf !== undefined) return allOf(...parts(form.allOf));
  if (form.anyOf !== undefined) return anyOf(...parts(form.anyOf));
  if (form.atLeastN !== undefined) return atLeastN(form.atLeastN as number, ...parts(form.of ?? []));
  if (form.not !== undefined) return not(partOf(form.not as UnknownRecord));
  if (form.statusIs !== undefined) return statusIs(form.statusIs as ConversationStatus);
  if (form.resultIs !== undefined) {
    const checks = Object.entries(form.resultIs as Readonly<Record<string, ShorthandValue>>).map(
      ([field, value]) => resultIs(field, value),
    );
    return checks.length === 1 ? (checks[0] as Composed<OutcomeLeaf>) : allOf(...checks);
  }
  if (form.turnCountGte !== undefined) return turnCountGte(form.turnCountGte as number);
  if (form.turnCountEq !== undefined) return turnCountEq(form.turnCountEq as number);
  if (form.crossTurn !== undefined) return crossTurnOf(form.crossTurn as UnknownRecord);
  return turnCheckOf(form);
}

function crossTurnOf({ source, target, comparison = "eq", ...rest }: UnknownRecord): CrossTurnCheck {
  const turn = (which: unknown): SingleTurn =>
    which === "first" ? firstTurn() : which === "last" ? lastTurn() : turnAt(which as number);
  return crossTurn({
    ...(rest as Pick<CrossTurnCheck, "sourceField" | "targetField" | "normalize">),
    source: turn(source),
    target: turn(target),
    comparison: comparison as Comparison,
  });
}

function turnCheckOf(form: UnknownRecord): Composed<OutcomeLeaf> {
  if (form.turnAt !== undefined) return turnAt(form.turnAt as number, (form.has ?? {}) as TurnFields);
  if (form.firstTurn !== undefined) return firstTurn(form.firstTurn as TurnFields);
  if (form.lastTurn !== undefined) return lastTurn(form.lastTurn as TurnFields);
  if (form.lastAttempt !== undefined) return lastAttempt(form.lastAttempt as TurnFields, atNode(form));
  if (form.anyTurn !== undefined) return anyTurn(form.anyTurn as TurnFields, atNode(form));
  return allTurns(form.allTurns as TurnFields, atNode(form));
}

function measureOf(form: UnknownRecord): Measure | undefined {
  const filter = atNode(form);
  if (form.countTurns !== undefined) return countTurns({ ...(form.countTurns as object), ...filter });
  if (form.firstMatchIndex !== undefined)
    return firstMatchIndex({ ...(form.firstMatchIndex as object), ...filter });
  if (form.longestRun !== undefined) return longestRun({ ...(form.longestRun as object), ...filter });
  if (form.persistence !== undefined) return persistence(filter);
  if (form.turnOfFlip !== undefined) return turnOfFlip(filter);
  if (form.numberOfFlips !== undefined) return numberOfFlips(filter);
  if (form.minOverTurns !== undefined) return minOverTurns(form.minOverTurns as string, filter);
  if (form.meanOverTurns !== undefined) return meanOverTurns(form.meanOverTurns as string, filter);
  if (form.lastOverTurns !== undefined) return lastOverTurns(form.lastOverTurns as string, filter);
  return undefined;
}

function atNode({ node }: UnknownRecord): { readonly node?: NodeFilter } {
  return node === undefined ? {} : { node: node as NodeFilter };
}
