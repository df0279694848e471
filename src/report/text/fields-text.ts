import { usesTruth } from "../../core/checks/evaluate-check.ts";
import { hasTexts } from "../../core/liquid/fill-texts.ts";
import type { Question } from "../../core/scenario/definition.ts";
import { describeCheck, describeCondition } from "../../core/state/describe-condition.ts";
import type { ScenarioState } from "../../core/state/state.ts";
import { defaultFieldCheck, isTraceCheck, isTruthFrom, resolveTruth } from "../../core/templates/template.ts";
import { ownValue } from "../../core/values/json.ts";
import type { TraitResult } from "../../grading/verify/trait-value.ts";
import type { FieldVerdict } from "../../grading/verify/verify-parsed.ts";
import type { FinishedTurn } from "../../journal/turn.ts";
import { printableText } from "../../terminal/printable-text.ts";
import { meanText } from "./figures.ts";
import { inset, paintedLines, type RoomOptions, remarkedLines, valueText } from "./text-blocks.ts";
import { fieldWord } from "./verdict-text.ts";

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
