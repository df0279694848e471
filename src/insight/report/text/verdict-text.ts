import { usesTruth } from "../../../core/checks/evaluate-check.ts";
import { hasTexts } from "../../../core/liquid/fill-texts.ts";
import type { Truth } from "../../../core/logic/kleene.ts";
import type { Question } from "../../../core/scenario/definition.ts";
import { describeCheck, describeCondition } from "../../../core/state/describe-condition.ts";
import { type ConversationStatus, isFinished, type ScenarioState } from "../../../core/state/state.ts";
import {
  defaultFieldCheck,
  isTraceCheck,
  isTruthFrom,
  resolveTruth,
} from "../../../core/templates/template.ts";
import { ownValue } from "../../../core/values/json.ts";
import type { TraitResult } from "../../../engine/grading/verify/trait-value.ts";
import type { FieldVerdict } from "../../../engine/grading/verify/verify-parsed.ts";
import type { RunFailure, Stage } from "../../../engine/journal/failure.ts";
import { type FinishedTurn, type TurnVerdict, turnVerdict } from "../../../engine/journal/turn.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { meanText } from "./figures.ts";
import { inset, paintedLines, type RoomOptions, remarkedLines, valueText } from "./text-blocks.ts";

/** A word and its colour. */
export interface PaintedWord {
  readonly word: string;
  readonly paint: (text: string) => string;
}

/** The verdict on a turn in a word. */
export function verdictWord(verdict: TurnVerdict, style: Style): PaintedWord {
  switch (verdict) {
    case "pass":
      return { word: "right", paint: style.green };
    case "fail":
      return { word: "wrong", paint: style.red };
    case "unreadable":
      return { word: "unread", paint: style.yellow };
    case "unjudged":
      return { word: "error", paint: style.red };
    case "unverified":
    case "not_verified":
      return { word: "not verified", paint: style.dim };
  }
}

/** The verdict on a field, with a sign before it. */
export function fieldWord(result: Truth, style: Style): PaintedWord {
  if (result === null) return { word: "? unread", paint: style.yellow };
  return result ? { word: "✓ right", paint: style.green } : { word: "✗ wrong", paint: style.red };
}

/** How a conversation ended, or that it has not. */
export function statusWord(status: ConversationStatus | null, style: Style): PaintedWord {
  if (status === null) return { word: "unfinished", paint: style.yellow };
  const word = status.replace("_", " ");
  if (isFinished(status)) return { word, paint: (text) => text };
  return { word, paint: status === "error" ? style.red : style.yellow };
}

/** Why the judge did not read a reply; empty if it did, or was not needed. */
export function judgeLines(
  { judgeFailure, readStatus }: FinishedTurn,
  { style, room }: RoomOptions,
): readonly string[] {
  if (judgeFailure !== undefined) return paintedLines(failureSentence(judgeFailure), room, style.yellow);
  if (readStatus === "read") return [];
  return paintedLines("The judge's answer could not be read.", room, style.yellow);
}

/** The verdict on a turn, with its score. */
export function verdictLines(result: FinishedTurn, { style, room }: RoomOptions): readonly string[] {
  const { refused, score, verifyResult, judgeFailure } = result;
  const verdict = turnVerdict(result);
  // Without a judge that failed, there is none: nobody has read the reply.
  const isUnread = verdict === "unjudged" && judgeFailure === undefined;
  const { word, paint } = verdictWord(isUnread ? "unreadable" : verdict, style);
  const isTelling = score !== null && score !== (verifyResult === true ? 1 : 0);
  const remarks = [
    ...(isTelling ? [`score ${meanText(score)}`] : []),
    ...(refused === true ? ["it refused to answer"] : []),
  ];
  return paintedLines(remarks.length === 0 ? word : `${word} (${remarks.join(", ")})`, room, paint);
}

const WHAT: Readonly<Record<Stage, string>> = {
  subject: "The subject gave no answer",
  judge: "The judge could not be asked",
  tool: "A tool could not be used",
  handover: "The question could not be handed over",
  run: "The run ended the conversation",
  record: "The record does not fit the scenario",
  simulator: "The simulated user broke its contract",
};

/** A failure as one sentence: what did not work, where, of what kind, and what is known about it. */
export function failureSentence(failure: RunFailure): string {
  const { turn, node, cause } = failure;
  const message = printableText(failure.message);
  const place = [
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(node === undefined ? [] : [`node ${printableText(node)}`]),
  ].join(", ");
  const where = place === "" ? "" : ` in ${place}`;
  const behind = cause === undefined ? "" : printableText(cause);
  // The message often contains the answer of the server already.
  const more = message.includes(behind) ? "" : `${/[.!?…]$/.test(message) ? "" : "."} Cause: ${behind}`;
  return `${WHAT[failure.stage]}${where} (${kindOf(failure)}): ${message}${more}`;
}

/** What failed and of what kind, without the place: the same for failures that belong together. */
export function failureKind(failure: Pick<RunFailure, "stage" | "category" | "statusCode">): string {
  return `${WHAT[failure.stage]} (${kindOf(failure)})`;
}

function kindOf({ category, statusCode }: Pick<RunFailure, "category" | "statusCode">): string {
  const kind = category.replaceAll("_", " ");
  return statusCode === undefined ? kind : `${kind}, status ${statusCode}`;
}

/** Colours, room, and the expected value of a field where it is known. */
interface FieldsOptions extends RoomOptions {
  readonly expected: (field: string) => string | null;
}

/** The fields read from a reply, one on each line: `city = "Sydney"  ✗ wrong, expected "Canberra"`, and the passage that states it. */
export function fieldLines(
  { fields, parsed, notes, quotes }: Pick<FinishedTurn, "fields" | "parsed" | "notes" | "quotes">,
  options: FieldsOptions,
): readonly string[] {
  const { style, room, expected } = options;
  return Object.entries(fields).flatMap(([name, verdict]) => {
    const value = ownValue(parsed, name);
    // A field that looks at the raw reply is not read.
    const statement = value === undefined ? printableText(name) : `${printableText(name)} = ${shown(value)}`;
    const { word, paint } = fieldWord(verdict.result, style);
    const why = whyText(verdict, {
      note: ownValue(notes, name) as string | undefined,
      expected: expected(name),
    });
    const quote = ownValue(quotes, name) as string | undefined;
    return [
      ...remarkedLines(statement, { text: word + why, paint }, room),
      ...(quote === undefined
        ? []
        : paintedLines(`stated in: ${valueText(quote)}`, room - 2, style.dim).map(inset)),
    ];
  });
}

/** The values of traits, one on each line. */
export function traitLines(
  traits: Readonly<Record<string, TraitResult>>,
  { style, room }: RoomOptions,
): readonly string[] {
  return Object.entries(traits).flatMap(([name, { value, reason, details }]) => {
    const statement = `${printableText(name)} = ${shown(value)}`;
    if (value === null)
      return remarkedLines(statement, { text: `? undecided${because(reason)}`, paint: style.yellow }, room);
    if (details === undefined) return paintedLines(statement, room);
    const metrics = Object.entries(details.metrics).map(
      ([metric, number]) => `${metric} ${meanText(number)}`,
    );
    return remarkedLines(statement, { text: metrics.join(", "), paint: style.dim }, room);
  });
}

function whyText(
  { result, score, reason }: FieldVerdict,
  { note, expected }: { readonly note: string | undefined; readonly expected: string | null },
): string {
  if (result === null) return because(note ?? reason);
  const partly = score > 0 && score < 1 ? ` (score ${meanText(score)})` : "";
  return result || expected === null ? partly : `${partly}, expected ${printableText(expected)}`;
}

function because(reason: string | undefined): string {
  return reason === undefined ? "" : `: ${printableText(reason)}`;
}

function shown(value: unknown): string {
  return value === null || value === undefined ? "–" : valueText(value);
}

/**
 * What would have been right: `"Canberra"`, `≥ 3`. Null if the template does not say. `before` is the state before the
 * turn, without what state updates made of it.
 */
export function expectedText(question: Question, field: string, before: ScenarioState): string | null {
  const fields = question.template?.fields ?? {};
  const known = ownValue(fields, field) === undefined ? undefined : fields[field];
  // What could not be rendered is not known.
  if (known === undefined || hasTexts(known.truth)) return null;
  if (isTruthFrom(known.truth) && known.truth.from.startsWith("accumulated"))
    return `computed from ${known.truth.from}`;
  const truth = resolveTruth(known.truth, before);
  if (truth === undefined) return null;
  const verifyWith = truth.check ?? known.check ?? defaultFieldCheck(known);
  if (truth.truth === null && usesTruth(verifyWith)) return "null";
  if (isTraceCheck(verifyWith))
    return `${truth.truth === false ? "the opposite of " : ""}${describeCheck(verifyWith)}`;
  const text = describeCondition({
    type: "state_check",
    field: "",
    expected: truth.truth,
    verifyWith,
  }).trim();
  return text.startsWith("= ") ? text.slice(2) : text;
}
