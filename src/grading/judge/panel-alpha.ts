import { isJudgedTrait, type JudgedTrait } from "../../core/templates/rubric.ts";
import { judgedFields, type TemplateField } from "../../core/templates/template.ts";
import { ownValue } from "../../core/values/json.ts";
import { traitValue } from "../verify/trait-value.ts";
import { krippendorffAlpha, type Rating } from "./agreement.ts";
import type { PanelQuestion, PanelVote } from "./panel.ts";
import { fieldValueKey } from "./panel-field.ts";

/** How far the judges of a panel agree over many turns, for each field and trait; null where that is undefined. */
export interface PanelAlpha {
  readonly parsed: Readonly<Record<string, number | null>>;
  readonly rubric: Readonly<Record<string, number | null>>;
}

/** Krippendorff's alpha over the turns of a run: one list of votes per turn, the judges in the same order in each. */
export function panelAlpha(
  turns: readonly (readonly PanelVote[])[],
  { template, traits = [] }: PanelQuestion,
): PanelAlpha {
  const fields = Object.entries(template === undefined ? {} : judgedFields(template));
  return {
    parsed: Object.fromEntries(fields.map(([name, field]) => [name, fieldAlpha(turns, name, field)])),
    rubric: Object.fromEntries(
      traits.filter(isJudgedTrait).map((trait) => [trait.name, traitAlpha(turns, trait)]),
    ),
  };
}

function fieldAlpha(
  turns: readonly (readonly PanelVote[])[],
  name: string,
  field: TemplateField,
): number | null {
  if (field.type === "number" || field.type === "integer") {
    return krippendorffAlpha(
      ratings(turns, (vote) => numberOrNull(ownValue(vote.parsed, name))),
      "interval",
    );
  }
  return krippendorffAlpha(
    ratings(turns, (vote) => fieldRating(field, ownValue(vote.parsed, name))),
    "nominal",
  );
}

function traitAlpha(turns: readonly (readonly PanelVote[])[], trait: JudgedTrait): number | null {
  const valueIn = (vote: PanelVote): Rating | null =>
    traitValue(trait, ownValue(vote.rubric, trait.name)).value;
  if (trait.type === "metric" || trait.kind === "score") {
    return krippendorffAlpha(
      ratings(turns, (vote) => numberOrNull(valueIn(vote))),
      "interval",
    );
  }
  return krippendorffAlpha(ratings(turns, valueIn), "nominal");
}

/** An unreadable judge has not rated. */
function ratings<Value>(
  turns: readonly (readonly PanelVote[])[],
  rate: (vote: PanelVote) => Value | null,
): (Value | null)[][] {
  return turns.map((votes) => votes.map((vote) => (vote.status === "read" ? rate(vote) : null)));
}

/** "Not stated" is something that judges can agree on. */
function fieldRating(field: TemplateField, value: unknown): Rating {
  return value === null || value === undefined
    ? "not stated"
    : `stated: ${fieldValueKey(field, value) ?? ""}`;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
