import type { Check } from "../../../core/checks/check.ts";
import { readDate } from "../../../core/checks/date-value.ts";
import { compileComparison, defaultCheck } from "../../../core/checks/shorthand.ts";
import { memoize } from "../../../core/lazy.ts";
import { fillTexts, hasTexts } from "../../../core/liquid/fill-texts.ts";
import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import { leavesOf } from "../../../core/logic/composition.ts";
import type { OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { compileWhen, type ExplicitStateCheck, type When } from "../../../core/state/condition.ts";
import { scoreRange, type Trait } from "../../../core/templates/rubric.ts";
import type { TemplateField } from "../../../core/templates/template.ts";
import { deepEqual, type JsonValue } from "../../../core/values/json.ts";
import { patternSample } from "../../../engine/models/simulated/pattern-sample.ts";
import { fitsType } from "../../../engine/models/simulated/resolved-field.ts";
import { fieldsRead } from "../outcome-reads.ts";

/** A comparison that something makes with a value. */
export interface Comparison {
  readonly check: Check;
  readonly expected: JsonValue;
}

/** The comparisons with the state in a condition. */
export function stateChecks(when: When | undefined): readonly ExplicitStateCheck[] {
  const condition = compileWhen(when);
  return condition === null
    ? []
    : leavesOf(condition).flatMap((leaf) => (leaf.type === "state_check" ? [leaf] : []));
}

/** True if an outcome reads what is accumulated. */
export function readsAccumulated(check: OutcomeCheck): boolean {
  return (
    needsOfParts(check).accumulated || fieldsRead(check).some((field) => field.startsWith("accumulated"))
  );
}

/** The check and the expected value of a comparison; undefined if they depend on the conversation. */
export function fixedComparison(
  { verifyWith, expected }: { readonly verifyWith?: Check; readonly expected?: JsonValue },
  definition: ScenarioDefinition,
): Comparison | undefined {
  const filled = fixedPart({ check: verifyWith, expected: expected ?? null }, definition);
  if (filled === undefined) return undefined;
  const check = filled.check ?? defaultCheck(filled.expected);
  return { check, expected: filled.expected };
}

/** A part with the values of its row and variant; undefined if its texts read the conversation or cannot be rendered. */
export function fixedPart<Part>(part: Part, { given = {} }: ScenarioDefinition): Part | undefined {
  if (!hasTexts(part)) return part;
  if (needsOfParts(part).readsState) return undefined;
  try {
    return fillTexts(part, { ...given });
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}

/** A text that no scenario compares with. */
const OTHER = "something else";

/**
 * Values of a field that comparisons may tell apart: what they name, what lies between compared numbers, and something else. Values
 * that all comparisons treat alike are left out later.
 */
export function fieldValues(
  field: TemplateField,
  comparisons: readonly Comparison[],
  named: readonly JsonValue[],
): readonly JsonValue[] {
  const compared = [...comparisons.flatMap(distinguishedBy), ...named];
  const candidates = [...compared, ...ofType(field, compared)];
  return distinct(candidates.filter((value) => value !== null && fitsType(field, value)));
}

/** The same for a trait of a rubric. */
export function traitValues(
  trait: Trait,
  comparisons: readonly Comparison[],
  named: readonly JsonValue[],
): readonly JsonValue[] {
  const compared = [...comparisons.flatMap(distinguishedBy), ...named];
  if (trait.type === "regex" || (trait.type === "llm" && trait.kind === "boolean")) return [true, false];
  if (trait.type === "llm" && trait.kind === "literal") return Object.keys(trait.classes);
  if (trait.type === "function")
    return distinct(
      [true, false, ...compared, ...numbersAround(compared, false), OTHER].filter((one) => one !== null),
    );
  const range = trait.type === "llm" && trait.kind === "score" ? scoreRange(trait) : { min: 0, max: 1 };
  const isWhole = trait.type === "llm";
  const numbers = [...numbersAround([...compared, range.min, range.max], isWhole), ...compared];
  return distinct(
    numbers.filter(
      (value) =>
        typeof value === "number" &&
        value >= range.min &&
        value <= range.max &&
        (!isWhole || Number.isInteger(value)),
    ),
  );
}

/** Which of some values stand for all: those on which every comparison gives the same answers are one. */
export function answersOf(value: unknown, comparisons: readonly Comparison[]): string {
  let answers = "";
  for (const { check, expected } of comparisons) {
    const { passes, evaluable } = memoize(compiled, check, () => compileComparison(check))(value, expected);
    answers += passes ? "1" : evaluable ? "0" : "-";
  }
  return answers;
}

/** Checks are frozen, and some take time to compile, such as patterns. */
const compiled = new WeakMap<Check, ReturnType<typeof compileComparison>>();

function ofType(field: TemplateField, compared: readonly JsonValue[]): readonly JsonValue[] {
  switch (field.type) {
    case "boolean":
      return [true, false];
    case "enum":
      return field.values;
    case "integer":
    case "number":
      return numbersAround(compared, field.type === "integer");
    case "date":
      return compared.flatMap((date) => [shifted(date, -1), shifted(date, 1)]).flatMap((date) => date ?? []);
    case "string":
      return [OTHER];
    case "array":
      return [[], ...(field.items.type === "enum" ? field.items.values.map((item) => [item]) : [[OTHER]])];
  }
}

/** The values that a comparison names. */
function distinguishedBy({ check, expected }: Comparison): readonly JsonValue[] {
  switch (check.type) {
    case "contains_any":
    case "contains_all":
      return [...check.substrings, check.substrings.join(" "), [...check.substrings]];
    case "regex_match":
      return [patternSample(check.pattern, { variant: 0 })];
    case "one_of":
      return check.values;
    case "numeric_range":
    case "date_range":
      return [check.min, check.max].flatMap((bound) => bound ?? []);
    case "numeric_range_graded":
      return [check.min - check.margin, check.min, check.max, check.max + check.margin];
    case "numeric_tolerance":
      return typeof expected === "number" ? around(expected, check.tolerance, check.mode) : [];
    case "numeric_graded":
      return typeof expected === "number" ? around(expected, check.cutoff, check.mode) : [];
    case "numeric_threshold_graded":
      return typeof expected === "number" ? around(expected, check.margin, check.mode) : [];
    case "set_containment":
    case "ordered_match":
    case "literal_match":
      return Array.isArray(expected)
        ? [expected, expected.slice(0, -1), [...expected, OTHER], [...expected].reverse(), ...expected]
        : [expected];
    default:
      return [expected];
  }
}

function around(expected: number, distance: number, mode: "relative" | "absolute" = "relative"): number[] {
  const reach = mode === "absolute" ? distance : distance * Math.abs(expected);
  return [expected - reach, expected, expected + reach];
}

/** The numbers themselves, one between each two neighbours, and one beyond each end. */
function numbersAround(values: readonly JsonValue[], isWhole: boolean): readonly number[] {
  const numbers = values.filter((value) => typeof value === "number").sort((left, right) => left - right);
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? 0;
  const between = numbers.slice(1).flatMap((number, index) => {
    const middle = ((numbers[index] as number) + number) / 2;
    return isWhole ? [Math.floor(middle), Math.ceil(middle)] : [middle];
  });
  const points = [...numbers, ...between, Math.ceil(first) - 1, Math.floor(last) + 1];
  return isWhole ? points.flatMap((point) => [Math.floor(point), Math.ceil(point)]) : points;
}

const DAY = 86_400_000;

function shifted(date: unknown, days: number): string | undefined {
  const known = readDate(date);
  if (known === undefined) return undefined;
  const written = new Date(Date.UTC(known.year, known.month - 1, known.day) + days * DAY)
    .toISOString()
    .slice(0, 10);
  return readDate(written) === undefined ? undefined : written;
}

/** No scenario tells more values of one field apart than this; beyond it, the first are tried. */
const MOST = 64;

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    if (found.length >= MOST) break;
    if (!found.some((other) => deepEqual(other, value))) found.push(value);
  }
  return found;
}
