import { textsIn } from "../liquid/fill-texts.ts";
import { compileText } from "../liquid/text-template.ts";
import { Rng } from "../rng.ts";
import type { IssuePath, ReportIssue } from "../schema/issue.ts";
import { nearestOf } from "../schema/nearest-name.ts";
import { described, either, json, number, type Shape, text } from "../schema/shape.ts";
import { isRecord, isReservedKey, type JsonObject, type JsonValue } from "../values/json.ts";

/** The levels of a factor: names, or names with what they stand for. */
export type Levels = readonly (string | number)[] | Readonly<Record<string, JsonValue>>;

/** The level of each factor, by the name of the factor. */
export type Variant = Readonly<Record<string, string>>;

/**
 * Named factors with named levels. All combinations are run, or those that `cells` lists; with `assign: "one"`, one of them is
 * drawn for each conversation.
 */
export interface Variants {
  readonly cells?: readonly Readonly<Record<string, string | number>>[];
  readonly assign?: "one";
  readonly [factor: string]:
    | Levels
    | readonly Readonly<Record<string, string | number>>[]
    | "one"
    | undefined;
}

/** Keys of variants that are no factors. */
const WORDS: ReadonlySet<string> = new Set(["cells", "assign"]);

/** True for a key of variants that is the name of a factor. */
export function isFactor(key: string): boolean {
  return !WORDS.has(key);
}

/** Variants as they stand in files. What the factors are is validated as a whole. */
export const VARIANTS_SHAPE: Shape = described(
  {
    kind: "record",
    values: either(
      // Of `assign`: `validateVariants` has the words for anything else.
      text,
      {
        kind: "array",
        items: either(text, number, { kind: "record", values: either(text, number) }),
        ifEmpty: "empty_value",
      },
      { kind: "record", values: json, ifEmpty: "empty_value" },
    ),
    ifEmpty: "empty_value",
  },
  "Factors with their levels; cells lists combinations; assign: one draws one for each conversation.",
);

/** The factors, each with what its levels stand for, by the names of the levels. */
export function factorsOf(variants: Variants): ReadonlyMap<string, ReadonlyMap<string, JsonValue>> {
  const factors = Object.entries(variants).filter(([name]) => !WORDS.has(name));
  return new Map(factors.map(([name, levels]) => [name, levelsOf(levels as Levels)]));
}

function levelsOf(levels: Levels): ReadonlyMap<string, JsonValue> {
  if (Array.isArray(levels)) return new Map(levels.map((level: string | number) => [String(level), level]));
  return new Map(Object.entries(levels as Readonly<Record<string, JsonValue>>));
}

/** All combinations that may be run, in order: the last factor changes first. */
export function variantCells(variants: Variants): readonly Variant[] {
  const { cells } = variants;
  if (cells !== undefined)
    return cells.map((cell) =>
      Object.fromEntries([...factorsOf(variants).keys()].map((factor) => [factor, String(cell[factor])])),
    );
  let combined: readonly Variant[] = [{}];
  for (const [factor, levels] of factorsOf(variants))
    combined = combined.flatMap((cell) => [...levels.keys()].map((level) => ({ ...cell, [factor]: level })));
  return combined;
}

/** The variant of a conversation that gets only one; the same whenever the same conversation is run. */
export function drawnVariant(cells: readonly Variant[], key: string): Variant {
  return cells[new Rng(`variant ${key}`).below(cells.length)] as Variant;
}

/** What the levels of a variant stand for, for texts. */
export function variantValues(variants: Variants, variant: Variant): JsonObject {
  const factors = factorsOf(variants);
  return Object.fromEntries(
    Object.entries(variant).map(([factor, level]) => [factor, factors.get(factor)?.get(level) ?? level]),
  );
}

/** More combinations are a mistake. */
const MOST_CELLS = 10_000;

/** Validates factors, levels and cells. */
export function validateVariants(variants: unknown, report: ReportIssue): void {
  if (!isRecord(variants)) return;
  const path = ["variants"];
  const wrong = (at: IssuePath, message: string): void =>
    report({ code: "invalid_parameter", path: at, message });
  const { assign, cells } = variants;
  if (assign !== undefined && assign !== "one") wrong([...path, "assign"], 'assign is "one", or left out.');
  if (cells !== undefined && !(Array.isArray(cells) && cells.every(isRecord)))
    return wrong([...path, "cells"], "cells is a list of objects such as { challenger: aus, order: a }.");
  let isSound = true;
  for (const [factor, levels] of Object.entries(variants)) {
    if (WORDS.has(factor)) continue;
    const problem = levelsProblem(factor, levels);
    if (problem === null) continue;
    wrong([...path, factor], problem);
    isSound = false;
  }
  if (!isSound) return;
  const factors = factorsOf(variants as unknown as Variants);
  if (factors.size === 0) return wrong(path, "There are no factors; write factor: [level, level].");
  validateLevelTexts(factors, report);
  if (Array.isArray(cells)) validateCells(cells as readonly JsonObject[], factors, report);
  const count = [...factors.values()].reduce((product, levels) => product * levels.size, 1);
  if (cells === undefined && count > MOST_CELLS)
    wrong(path, `There are ${count} combinations, more than ${MOST_CELLS}; list some of them as cells.`);
}

function levelsProblem(factor: string, levels: unknown): string | null {
  if (isReservedKey(factor)) return `${JSON.stringify(factor)} is a reserved name.`;
  const names = Array.isArray(levels) ? levels : isRecord(levels) ? Object.keys(levels) : undefined;
  if (names === undefined) return "A factor is a list of levels, or an object of levels.";
  if (names.length === 0) return "A factor needs levels.";
  if (names.some((name) => typeof name !== "string" && typeof name !== "number"))
    return "The name of a level is a text or a number.";
  const texts = names.map(String);
  const twice = texts.find((name, index) => texts.indexOf(name) !== index);
  if (twice !== undefined) return `The level ${JSON.stringify(twice)} stands twice.`;
  const reserved = texts.find((name) => name.trim() === "" || isReservedKey(name));
  return reserved === undefined ? null : `${JSON.stringify(reserved)} cannot be the name of a level.`;
}

/** Texts of levels are rendered before the conversation begins, so they may use the row and nothing else. */
function validateLevelTexts(
  factors: ReadonlyMap<string, ReadonlyMap<string, JsonValue>>,
  report: ReportIssue,
): void {
  for (const [factor, levels] of factors)
    for (const [level, value] of levels)
      for (const { text: source, path } of textsIn(value, ["variants", factor, level])) {
        const { problem, variables } = compileText(source);
        if (problem !== undefined) report({ code: "invalid_text", path, message: problem.message });
        const other = variables.find((variable) => variable.path[0] !== "row");
        if (other === undefined) continue;
        const message = `The text of a level may use row, not ${String(other.path[0])}; put the text into the node.`;
        report({ code: "invalid_parameter", path, message });
      }
}

function validateCells(
  cells: readonly JsonObject[],
  factors: ReadonlyMap<string, ReadonlyMap<string, JsonValue>>,
  report: ReportIssue,
): void {
  if (cells.length === 0) report({ code: "empty_value", path: ["variants", "cells"] });
  const seen = new Set<string>();
  cells.forEach((cell, index) => {
    const path = ["variants", "cells", index];
    for (const [factor, level] of Object.entries(cell)) {
      const levels = factors.get(factor);
      const allowed = levels === undefined ? [...factors.keys()] : [...levels.keys()];
      const value = levels === undefined ? factor : String(level);
      if (allowed.includes(value)) continue;
      report({
        code: "unknown_value",
        path: [...path, factor],
        value,
        allowed,
        ...nearestOf(value, allowed),
      });
    }
    for (const factor of factors.keys())
      if (!Object.hasOwn(cell, factor)) report({ code: "missing_key", path, key: factor, owner: "a cell" });
    const key = JSON.stringify([...factors.keys()].map((factor) => String(cell[factor])));
    if (seen.has(key)) report({ code: "invalid_parameter", path, message: "This combination stands twice." });
    seen.add(key);
  });
}
