import { isContentId } from "../../core/scenario/dataset.ts";
import type { Cell } from "./run-event.ts";
import type { ConversationSummary } from "./store/store.ts";

/** A cell as tables show it: what does not apply is null. */
type CellSummary = Pick<
  ConversationSummary,
  | "index"
  | "scenario"
  | "subject"
  | "judge"
  | "replicate"
  | "row"
  | "rowIndex"
  | "rowName"
  | "variant"
  | "arm"
  | "parent"
  | "item"
>;

/** A cell with nulls for what does not apply, and the key of pairing. */
export function cellSummary(cell: Cell): CellSummary {
  const { index, scenario, subject, judge, replicate } = cell;
  const { row = null, rowIndex = null, rowName = null, variant = null, arm = null, parent = null } = cell;
  const place = { index, scenario, subject, judge, replicate };
  return { ...place, row, rowIndex, rowName, variant, arm, parent, item: itemKey(cell) };
}

/**
 * The key of pairing: the scenario and the id of the row, as JSON. Conversations with the same item differ in subject, variant, arm,
 * judge or replicate only.
 */
export function itemKey({
  scenario,
  row,
  rowIndex,
}: Pick<Partial<CellSummary>, "row" | "rowIndex"> & Pick<Cell, "scenario">): string {
  const place = row ?? rowIndex ?? undefined;
  return JSON.stringify(place === undefined ? [scenario] : [scenario, place]);
}

/** An item in words: its scenario, and its row. */
export function itemName(cell: Pick<Cell, "scenario"> & RowPlace): string {
  const row = rowText(cell);
  return row === null ? cell.scenario : `${cell.scenario} row ${row}`;
}

/** True if a variant has all of some levels. */
export function hasLevels(variant: Cell["variant"] | null, wanted: Cell["variant"]): boolean {
  if (wanted === undefined) return true;
  return Object.entries(wanted).every(
    ([factor, level]) => variant != null && Object.hasOwn(variant, factor) && variant[factor] === level,
  );
}

type RowPlace = Partial<Pick<CellSummary, "row" | "rowIndex" | "rowName">>;

/** A row in a sentence: its name, else its id, or its number from 1 if the id is only a hash. */
export function rowText({ row, rowIndex, rowName }: RowPlace): string | null {
  if (rowName != null) return rowName;
  const number = rowIndex === null || rowIndex === undefined ? null : `${rowIndex + 1}`;
  if (row === null || row === undefined) return number;
  return isContentId(row) ? (number ?? row) : row;
}

/** A variant in a sentence: `challenger=aus, order=a`; null if there is none. */
export function variantText(variant: Cell["variant"] | null): string | null {
  if (variant == null) return null;
  return Object.entries(variant)
    .map(([factor, level]) => `${factor}=${level}`)
    .join(", ");
}

/** What of a conversation's place is worth a word beside scenario, subject and replicate: `row q17`, `order=a`, `arm mcq`. */
export function placeTexts(
  cell: RowPlace & Partial<Pick<CellSummary, "variant" | "arm">>,
): readonly string[] {
  const row = rowText(cell);
  const variant = variantText(cell.variant ?? null);
  const { arm } = cell;
  return [
    ...(row === null ? [] : [`row ${row}`]),
    ...(variant === null ? [] : [variant]),
    ...(arm === null || arm === undefined ? [] : [`arm ${arm}`]),
  ];
}
