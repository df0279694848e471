import type { CheckOf } from "../../../core/checks/check.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import {
  defaultFieldCheck,
  isTruthFrom,
  resolveTruth,
  type Template,
} from "../../../core/templates/template.ts";
import { textValue } from "../../../core/text/text-value.ts";
import { isRecord, ownValue, type UnknownRecord } from "../../../core/values/json.ts";

/** Two texts whose meanings are compared. */
export interface MeaningPair {
  readonly value: string;
  readonly truth: string;
}

/** True if a field of the template may be compared by meaning. */
export function comparesMeaning(template: Template | undefined): boolean {
  return Object.values(template?.fields ?? {}).some(
    ({ check, truth }) => isSemantic(check) || (isTruthFrom(truth) && casesOf(truth).some(isSemanticCase)),
  );
}

function isSemantic(check: unknown): boolean {
  return isRecord(check) && check.type === "semantic_match";
}

function isSemanticCase(value: unknown): boolean {
  return isRecord(value) && isSemantic(value.check);
}

function casesOf({
  cases,
  otherwise,
}: {
  readonly cases: UnknownRecord;
  readonly otherwise?: unknown;
}): unknown[] {
  return [...Object.values(cases), otherwise];
}

/** The texts to compare by field; what is not stated, or is no text, is left out. */
export function meaningPairs(
  template: Template | undefined,
  parsed: UnknownRecord,
  state: ScenarioState = INITIAL_STATE,
): Readonly<Record<string, MeaningPair>> {
  const pairs = Object.entries(template?.fields ?? {}).flatMap(([name, field]) => {
    const truth = resolveTruth(field.truth, state);
    if (truth === undefined || !isSemantic(truth.check ?? field.check ?? defaultFieldCheck(field))) return [];
    const [text, expected] = [textValue(ownValue(parsed, name)), textValue(truth.truth)];
    return text === undefined || expected === undefined
      ? []
      : [[name, { value: text, truth: expected }] as const];
  });
  return Object.fromEntries(pairs);
}

const THRESHOLD = 0.85;

/** The verdict on a field whose meaning was compared; undefined means that it was not. */
export function meaningVerdict(
  { threshold = THRESHOLD }: CheckOf<"semantic_match">,
  similarity: number | undefined,
): { readonly result: boolean | null; readonly score: number; readonly reason?: string } {
  if (similarity === undefined)
    return {
      result: null,
      score: 0,
      reason: "its meaning could not be compared: that needs an embedding model",
    };
  if (similarity >= threshold) return { result: true, score: 1 };
  return {
    result: false,
    score: 0,
    reason: `its meaning is too far from the truth: ${similarity.toFixed(3)}, and ${threshold} is needed`,
  };
}

/** The cosine of two vectors; null if they have different lengths, or one has no direction. */
export function cosine(left: readonly number[], right: readonly number[]): number | null {
  if (left.length !== right.length) return null;
  let [product, ofLeft, ofRight] = [0, 0, 0];
  for (const [index, x] of left.entries()) {
    const y = right[index] as number;
    product += x * y;
    ofLeft += x * x;
    ofRight += y * y;
  }
  const length = Math.sqrt(ofLeft) * Math.sqrt(ofRight);
  if (length === 0 || !Number.isFinite(length)) return null;
  // Rounding may leave a text a little more than like itself.
  return Math.max(-1, Math.min(1, product / length));
}
