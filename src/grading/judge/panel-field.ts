import { readDate } from "../../core/checks/date-value.ts";
import { collapseWhiteSpace } from "../../core/checks/white-space.ts";
import type { FieldType } from "../../core/templates/template.ts";
import { majority, median, type PanelAnswer } from "./panel-vote.ts";

/**
 * Combines what judges read for a field: the median of numbers, the majority of everything else. What does not have
 * the type of the field is not a vote.
 */
export function combineFieldVotes(field: FieldType, answers: readonly unknown[]): PanelAnswer {
  const votes = answers.filter((answer) => answer === null || hasType(field, answer));
  if (field.type === "number" || field.type === "integer") {
    // What is left has the type of the field.
    return median(votes as readonly (number | null)[], { whole: field.type === "integer" });
  }
  return majority(votes, (vote) => fieldValueKey(field, vote));
}

/** Values of a field with the same key are the same answer; also what to give to `krippendorffAlpha` as ratings. */
export function fieldValueKey(field: FieldType, value: unknown): string {
  if (field.type === "array") {
    const items = Array.isArray(value) ? value.map((item) => fieldValueKey(field.items, item)) : [];
    return JSON.stringify([...new Set(items)].sort());
  }
  if (typeof value !== "string" || field.type === "enum") return JSON.stringify(value) ?? "null";
  if (field.type === "date") return dateKey(value);
  // Judges copy the same words with another case or line break.
  return JSON.stringify(collapseWhiteSpace(value.normalize("NFC")).toLowerCase());
}

/** The same day is the same however it is written; with a time of day it is the same instant. */
function dateKey(value: string): string {
  const date = readDate(value);
  if (date === undefined) return JSON.stringify(collapseWhiteSpace(value));
  return date.bare ? `day ${date.instant}` : `instant ${date.instant}`;
}

function hasType(field: FieldType, value: unknown): boolean {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
    case "date":
      return typeof value === "string";
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "enum":
      return field.values.includes(value as never);
    case "array":
      return Array.isArray(value) && value.every((item) => hasType(field.items, item));
  }
}
