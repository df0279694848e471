import type { CompiledCheck } from "../../../core/checks/check-result.ts";
import { compileCheck, usesTruth } from "../../../core/checks/evaluate-check.ts";
import { compileComparison } from "../../../core/checks/shorthand.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { type Composed, evaluateComposition, isComposition } from "../../../core/logic/composition.ts";
import { allTrue, type Truth } from "../../../core/logic/kleene.ts";
import { type Condition, compileWhen } from "../../../core/state/condition.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { valueAt } from "../../../core/state/state-path.ts";
import {
  type CaseTruth,
  defaultFieldCheck,
  type FieldLeaf,
  gateOf,
  isTraceCheck,
  isTruthFrom,
  isVerified,
  resolveTruth,
  type Template,
  type TemplateField,
  type VerifyContext,
  type VerifyFunction,
  type VerifyGate,
  verifiedNames,
  verifyRuleOf,
} from "../../../core/templates/template.ts";
import { isRecord, ownValue, type UnknownRecord } from "../../../core/values/json.ts";
import { meaningVerdict } from "./semantic-match.ts";

/** The verdict on one field: null if the reply does not state it or it cannot be compared. */
export interface FieldVerdict {
  readonly result: Truth;
  /** From 0 to 1; graded checks give partial credit, a null field scores 0. */
  readonly score: number;
  readonly reason?: string;
}

/** The verdict on a reply. */
export interface Verification {
  readonly fields: Readonly<Record<string, FieldVerdict>>;
  /** True or false, or null if it depends on a field that is null. */
  readonly verifyResult: Truth;
  /** Weighted, from 0 to 1; null if no field has weight. */
  readonly score: number | null;
  /** Why there is no verdict, if the reason is not a field. */
  readonly reason?: string;
  /** True if the template does not verify such a reply: it is neither right nor wrong. */
  readonly notVerified?: true;
}

/** What verification uses besides the parsed fields. */
export interface VerificationContext {
  /** The raw reply, for checks that look at it. */
  readonly reply: string;
  /** The state before this turn, for truths that depend on the past. */
  readonly state?: ScenarioState | undefined;
  /** True for a field that is null because it could not be read, and not because the reply does not state it. */
  readonly isUnread?: ((field: string) => boolean) | undefined;
  /** How alike the meanings of fields and their truths are, for fields with `semantic_match`. */
  readonly similarities?: Readonly<Record<string, number>> | undefined;
  /** Whether the reply declines to answer, for a gate that asks for it. */
  readonly refused?: Truth;
  /** From 1, for a function. */
  readonly turn?: number | undefined;
}

/** Compares the parsed fields of a reply with the truth; never throws. */
export function verifyParsed(
  template: Template,
  parsed: UnknownRecord,
  context: VerificationContext,
): Verification {
  const gate = gateOf(template);
  const isOpen = gate === undefined ? true : gateTruth(gate, parsed, context.refused ?? null);
  if (isOpen === false) return notVerified(template);
  const fields: Record<string, FieldVerdict> = {};
  for (const field of compiledFields(template)) fields[field.name] = verifyField(field, parsed, context);
  // A function decides by itself.
  if (verifyRuleOf(template) === undefined && verifiedNames(template).length === 0)
    return { fields, score: null, verifyResult: null, notVerified: true };
  const score = templateScore(template, (name): FieldScore => {
    const weight = template.fields[name]?.weight ?? 1;
    return { weight, score: fields[name]?.score ?? 0, result: fields[name]?.result ?? null };
  });
  const decided = verdict(template, fields, parsed, context);
  if (isOpen) return { fields, score, ...decided };
  return { fields, score: null, verifyResult: null, reason: "it is not known whether the reply is verified" };
}

const CLOSED: FieldVerdict = Object.freeze({ result: null, score: 0, reason: "the reply is not verified" });

function notVerified({ fields }: Template): Verification {
  return {
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, CLOSED])),
    verifyResult: null,
    score: null,
    notVerified: true,
  };
}

/** Whether a gate is open; null if that depends on something that could not be read. */
function gateTruth({ when }: VerifyGate, parsed: UnknownRecord, refused: Truth): Truth {
  return evaluateComposition(compileWhen(when) ?? ALWAYS, (leaf) => {
    // The shape allows no code.
    if (leaf.type === "function") return null;
    const [root, ...keys] = leaf.field.split(".");
    const value = root === "refused" ? refused : valueAt(parsed, keys);
    const { passes, evaluable } = compileComparison(leaf.verifyWith)(value, leaf.expected ?? null);
    if (passes) return true;
    // What could not be read may have been anything.
    return evaluable && value !== null ? false : null;
  });
}

const ALWAYS: Condition = Object.freeze({ type: "all_of", conditions: [] });

interface CompiledField {
  readonly name: string;
  readonly field: TemplateField;
  readonly check: CompiledCheck;
  readonly looksAtReply: boolean;
  /** Undefined if the truth depends on the past. */
  readonly truth: CaseTruth | undefined;
}

/** Checks of frozen templates, which are plain data: compiling them takes longer than verifying a reply. */
const compiledTemplates = new WeakMap<Template, readonly CompiledField[]>();

function compiledFields(template: Template): readonly CompiledField[] {
  const known = compiledTemplates.get(template);
  if (known !== undefined) return known;
  const compiled = Object.entries(template.fields).map(([name, field]) => ({
    name,
    field,
    check: compileCheck(field.check ?? defaultFieldCheck(field)),
    looksAtReply: isTraceCheck(field.check),
    truth: isTruthFrom(field.truth) ? undefined : { truth: field.truth ?? null },
  }));
  if (Object.isFrozen(template) && Object.isFrozen(template.fields))
    compiledTemplates.set(template, compiled);
  return compiled;
}

const NOT_STATED: FieldVerdict = Object.freeze({
  result: null,
  score: 0,
  reason: "the reply does not state it",
});
/** A field without a truth is read for conditions and reports. */
const NOT_VERIFIED: FieldVerdict = Object.freeze({ result: null, score: 0, reason: "it has no truth" });
const NO_TRUTH: FieldVerdict = Object.freeze({
  result: null,
  score: 0,
  reason: "no case of its truth applies",
});
const PASSED: FieldVerdict = Object.freeze({ result: true, score: 1 });
const FAILED: FieldVerdict = Object.freeze({ result: false, score: 0 });

function verifyField(
  compiled: CompiledField,
  parsed: UnknownRecord,
  context: VerificationContext,
): FieldVerdict {
  const { name, field, looksAtReply } = compiled;
  if (!isVerified(field)) return NOT_VERIFIED;
  const truth = compiled.truth ?? resolveTruth(field.truth, context.state ?? INITIAL_STATE);
  if (looksAtReply) return replyVerdict(compiled.check, context.reply, truth?.truth !== false);
  if (truth === undefined) return NO_TRUTH;
  const value = isRecord(parsed) ? (ownValue(parsed, name) ?? null) : null;
  const check = truth.check ?? field.check ?? defaultFieldCheck(field);
  if (truth.truth === null && usesTruth(check)) {
    if (value !== null) return FAILED;
    const isRead = isRecord(parsed) && (Object.hasOwn(parsed, name) || field.optional === true);
    return isRead && context.isUnread?.(name) !== true ? PASSED : NOT_STATED;
  }
  if (check.type === "semantic_match" && value !== null)
    return meaningVerdict(check, ownValue(context.similarities ?? {}, name) as number | undefined);
  return verdictOf(truth.check === undefined ? compiled.check : compileCheck(check), value, truth.truth);
}

/** A check on the raw reply passes if it holds, or, where the truth is false, if it does not. */
function replyVerdict(check: CompiledCheck, reply: string, holds: boolean): FieldVerdict {
  const { passes, evaluable, reason } = check(reply, null);
  if (!evaluable) return { result: null, score: 0, reason: reason ?? "it cannot be compared" };
  return passes === holds ? PASSED : FAILED;
}

function verdictOf(check: CompiledCheck, value: unknown, truth: unknown): FieldVerdict {
  const { passes, evaluable, score, reason } = check(value, truth);
  // Null is neither right nor wrong, unless the check asks for it.
  if (value === null && !passes) return NOT_STATED;
  if (!evaluable) return { result: null, score: 0, reason: reason ?? "it cannot be compared" };
  if (score === 1 && passes) return PASSED;
  if (score === 0 && !passes) return FAILED;
  return { result: passes, score };
}

function verdict(
  template: Template,
  fields: Readonly<Record<string, FieldVerdict>>,
  parsed: UnknownRecord,
  { reply, isUnread, turn }: VerificationContext,
): Pick<Verification, "verifyResult" | "reason"> {
  const verify = verifyRuleOf(template);
  const resultOf = (name: string): Truth => {
    const result = ownValue(fields, name) === undefined ? null : (fields[name]?.result ?? null);
    // What could not be read at all stays unreadable, whatever the template says.
    return result === null && template.undecided === "wrong" && isUnread?.(name) !== true ? false : result;
  };
  if (typeof verify === "string")
    return { verifyResult: null, reason: "a source string runs only within a run" };
  if (typeof verify === "function") {
    const results = Object.fromEntries(Object.entries(fields).map(([name, { result }]) => [name, result]));
    return verifyByFunction(verify, parsed, { reply, results, ...(turn === undefined ? {} : { turn }) });
  }
  if (verify === undefined) return { verifyResult: allTrue(verifiedNames(template).map(resultOf)) };
  return { verifyResult: evaluateComposition(verify, (leaf) => resultOf(leaf.field)) };
}

function verifyByFunction(
  verify: VerifyFunction,
  parsed: UnknownRecord,
  context: VerifyContext,
): Pick<Verification, "verifyResult" | "reason"> {
  try {
    // Only the author knows the type of `parsed`; here it is a record of unknown values.
    const answer: unknown = (verify as VerifyFunction<unknown>)(parsed, context);
    if (answer === true || answer === false || answer === null) return { verifyResult: answer };
    return { verifyResult: null, reason: "the verification did not return true, false or null" };
  } catch (error) {
    return {
      verifyResult: null,
      reason: `the verification threw: ${errorMessage(error)}`,
    };
  }
}

/** What a field contributes to the score. */
interface FieldScore {
  readonly weight: number;
  readonly score: number;
  readonly result: Truth;
}

/**
 * The weighted score of a template, along its composition: the weighted mean for `all_of`, the best child for `any_of`,
 * the mean of the `n` best for `at_least_n`. So a reply that passes scores what its passing parts score. Null if no field
 * has weight.
 */
function templateScore(template: Template, fieldScore: (name: string) => FieldScore): number | null {
  const verify = verifyRuleOf(template);
  const composition: Composed<FieldLeaf> =
    typeof verify === "object" ? verify : { type: "all_of", conditions: verifiedNames(template).map(leaf) };
  const { score, weight } = partScore(composition, fieldScore);
  return weight > 0 ? score : null;
}

function leaf(name: string): FieldLeaf {
  return { type: "field", field: name };
}

type PartScore = Pick<FieldScore, "weight" | "score">;

function partScore(part: Composed<FieldLeaf>, fieldScore: (name: string) => FieldScore): PartScore {
  if (!isComposition(part)) return fieldScore(part.field);
  if (part.type === "not") return negatedScore(part.condition, fieldScore);
  const parts = part.conditions.map((child) => partScore(child, fieldScore));
  switch (part.type) {
    case "all_of":
      return weightedMean(parts);
    case "any_of":
      return bestOf(parts, 1);
    case "at_least_n":
      return bestOf(parts, part.n);
  }
}

function weightedMean(parts: readonly PartScore[]): PartScore {
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  // An empty composition is true.
  if (parts.length === 0) return { weight: 1, score: 1 };
  if (weight === 0) return { weight, score: 0 };
  return { weight, score: parts.reduce((sum, part) => sum + part.weight * part.score, 0) / weight };
}

/** The mean of the `n` best children; missing ones count as 0. Its weight is that of its `n` heaviest children. */
function bestOf(parts: readonly PartScore[], n: number): PartScore {
  if (n === 0) return { weight: 1, score: 1 };
  const best = parts
    .map(({ score }) => score)
    .sort((left, right) => right - left)
    .slice(0, n);
  const heaviest = parts
    .map(({ weight }) => weight)
    .sort((left, right) => right - left)
    .slice(0, n);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return { weight: parts.length === 0 ? 1 : sum(heaviest), score: sum(best) / n };
}

/** The score of a negation is 1 minus the score of its child. A field that is not stated scores 0. */
function negatedScore(part: Composed<FieldLeaf>, fieldScore: (name: string) => FieldScore): PartScore {
  const { weight, score } = partScore(part, fieldScore);
  const unknown = !isComposition(part) && fieldScore(part.field).result === null;
  return { weight, score: unknown ? 0 : 1 - score };
}
