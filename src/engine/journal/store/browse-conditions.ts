import type { BrowseFilter, PlaceInRun } from "./browsed-run.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** What a condition of a filter takes. */
export type FilterValue = string | number | null;

/** The conditions of a filter in SQL, and the values that they take. */
export interface BrowseConditions {
  readonly conditions: readonly string[];
  readonly values: readonly FilterValue[];
}

/** The column that counts a verdict. */
export const VERDICT_COLUMNS: Readonly<Record<string, string>> = {
  pass: "passed",
  fail: "failed",
  unreadable: "unreadable",
  unjudged: "unjudged",
  unverified: "unverified",
  not_verified: "not_verified",
};

/** What a filter may ask of a conversation. */
const ASKED = [
  ...(["scenario", "subject", "judge", "row", "arm", "replicate", "status"] as const),
  ...(["outcome", "node", "verdict", "edge"] as const),
];

/** True of a filter whose conversations are all that one index leads through: none is looked at in vain. */
export function isIndexed(filter: BrowseFilter): boolean {
  const walked = isSorted(filter) ? undefined : filter.walk;
  return ASKED.every((key) => key === walked || filter[key] === undefined);
}

/** True if an index of what the list is sorted by leads through it: another one would have them all sorted first. */
export function isSorted({ sort = "position", isFew = false }: BrowseFilter): boolean {
  return sort !== "position" && !isFew;
}

/** A part of a list: after a place, up to another one. */
export interface ListPart {
  readonly after: PlaceInRun | null | undefined;
  readonly end?: PlaceInRun | null | undefined;
  readonly isReversed: boolean;
}

/** A piece of a list, with the order of its conversations in SQL. */
export interface ListPiece extends BrowseConditions {
  readonly order: string;
}

/**
 * The pieces of a part of a list, one after the other. Where many conversations have the same key, as where no cost is known, an index
 * finds those after a place only if the key is named by itself, and is not sorted by.
 */
export function piecesOf(
  { after, end, isReversed }: ListPart,
  { key, id = "id" }: { readonly key: string; readonly id?: string },
): readonly ListPiece[] {
  const [past, before, direction] = isReversed ? ["<", ">", "DESC"] : [">", "<", "ASC"];
  type Bound = readonly [condition: string, value: number];
  const piece = (bounds: readonly Bound[], order: string): ListPiece => ({
    conditions: bounds.map(([condition]) => condition),
    values: bounds.map(([, value]) => value),
    order,
  });
  const within = (place: PlaceInRun, ...ids: readonly Bound[]): ListPiece =>
    piece([[`${key} = ?`, place.position], ...ids], `${id} ${direction}`);
  const begins = after == null ? [] : [[`${id} ${past} ?`, after.id] as const];
  const ends = end == null ? [] : [[`${id} ${before}= ?`, end.id] as const];
  if (after != null && after.position === end?.position) return [within(after, ...begins, ...ends)];
  const between: readonly Bound[] = [
    ...(after == null ? [] : [[`${key} ${past} ?`, after.position] as const]),
    ...(end == null ? [] : [[`${key} ${before} ?`, end.position] as const]),
  ];
  return [
    ...(after == null ? [] : [within(after, ...begins)]),
    piece(between, `${key} ${direction}, ${id} ${direction}`),
    ...(end == null ? [] : [within(end, ...ends)]),
  ];
}

/** Conditions as the end of a query. */
export function allOf(parts: readonly BrowseConditions[]): string {
  return parts.flatMap(({ conditions }) => conditions.map((condition) => `AND ${condition}`)).join(" ");
}

/** What a filter asks of a conversation; `range` has the ids of all conversations of its run. */
export function browseConditions(
  database: SqlDatabase,
  filter: BrowseFilter,
  range: readonly [first: number, last: number],
): BrowseConditions {
  const conditions: string[] = [];
  const values: FilterValue[] = [];
  const add = (condition: string, ...used: readonly FilterValue[]): void => {
    conditions.push(condition);
    values.push(...used);
  };
  const walked = isSorted(filter) || filter.start !== undefined ? undefined : filter.walk;
  const column = (name: string): string => (name === walked ? name : database.dialect.unindexed(name));
  for (const key of ["scenario", "subject", "judge", "replicate"] as const)
    if (filter[key] !== undefined) add(`${column(key)} = ?`, filter[key]);
  if (filter.status === null) add("status IS NULL");
  else if (filter.status !== undefined) add(`${column("status")} = ?`, filter.status);
  if (filter.row !== undefined) add(`${rowOf(database, "conversation")} = ?`, filter.row);
  if (filter.arm !== undefined)
    if (database.hasColumn("conversation", "arm")) add("arm = ?", filter.arm);
    else add("1 = 0");
  if (filter.outcome !== undefined)
    addOutcome(filter.outcome, filter.start === "outcome" ? range : null, add);
  addTurns(database, filter, { range, add });
  return { conditions, values };
}

type Add = (condition: string, ...used: readonly FilterValue[]) => void;

function addOutcome(
  { name, value }: NonNullable<BrowseFilter["outcome"]>,
  range: readonly [first: number, last: number] | null,
  add: Add,
): void {
  // As the index has them, which leaves numbers out.
  const [wanted, used] =
    value === "decided"
      ? ["outcome.status = ?", value]
      : typeof value === "string"
        ? ["outcome.status <> 'decided' AND outcome.status = ?", value]
        : ["outcome.status = 'decided' AND kind = 'boolean' AND value = ?", value ? 1 : 0];
  if (range === null)
    add(
      `EXISTS (SELECT 1 FROM outcome WHERE outcome.conversation = conversation.id AND name = ? AND ${wanted})`,
      name,
      used,
    );
  else
    add(
      `id IN (SELECT conversation FROM outcome WHERE name = ? AND ${wanted} AND conversation BETWEEN ? AND ?)`,
      ...[name, used, ...range],
    );
}

function addTurns(
  database: SqlDatabase,
  { node, verdict, edge, start, nodes }: BrowseFilter,
  { range, add }: { readonly range: readonly [first: number, last: number]; readonly add: Add },
): void {
  if (node === undefined && verdict === undefined && edge === undefined) return;
  const isStart = start === "turns";
  // How many turns of a conversation have which verdict stands in its own columns.
  const counted =
    verdict !== undefined && Object.hasOwn(VERDICT_COLUMNS, verdict) ? VERDICT_COLUMNS[verdict] : undefined;
  if (counted !== undefined && node === undefined && edge === undefined && !isStart)
    return add(`${counted} > 0`);
  // Of one conversation, all turns are found at once: the index of nodes would lead through all others.
  const off = isStart ? (column: string): string => column : database.dialect.unindexed;
  const wanted: string[] = [];
  const values: FilterValue[] = [];
  const oneOf = (column: string, from: readonly string[]): void => {
    wanted.push(`${off(column)} IN (${from.map(() => "?").join(", ")})`);
    values.push(...from);
  };
  if (node !== undefined) oneOf("node", [node]);
  else if (isStart) oneOf("node", nodes ?? []);
  // Named also where any verdict will do: the index has finished turns only, each verdict with its edges.
  oneOf("verdict", verdict === undefined ? Object.keys(VERDICT_COLUMNS) : [verdict]);
  if (edge !== undefined) {
    wanted.push(database.hasColumn("turn", "edge") ? "edge = ?" : "? IS NULL");
    values.push(edge);
  }
  if (isStart)
    add(
      `id IN (SELECT conversation FROM turn WHERE ${wanted.join(" AND ")} AND conversation BETWEEN ? AND ?)`,
      ...[...values, ...range],
    );
  else
    add(
      `EXISTS (SELECT 1 FROM turn WHERE turn.conversation = conversation.id AND ${wanted.join(" AND ")})`,
      ...values,
    );
}

/** What identifies a row of a dataset. Of a conversation of an earlier version only the position of its row is known. */
export function rowOf(database: SqlDatabase, table: string): string {
  const position = `CAST(${table}."row" AS TEXT)`;
  return database.hasColumn("conversation", "row_id") ? `coalesce(${table}.row_id, ${position})` : position;
}
