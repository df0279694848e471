import { memoize } from "../../core/lazy.ts";
import { nearestOf } from "../../core/schema/nearest-name.ts";
import { ownValue } from "../../core/values/json.ts";
import { RunError } from "../../journal/failure.ts";
import type { ConversationScore } from "../../journal/store/store.ts";
import type { RunFacts } from "./run-facts.ts";

/** The values of a group, by the names of what it is grouped by; null where a conversation has none. */
export type GroupValues = Readonly<Record<string, string | null>>;

/** What every conversation has. */
const PLAIN = [
  "subject",
  "judge",
  "scenario",
  "row",
  "arm",
  "replicate",
  "status",
  "variant",
  "tag",
] as const;

/** Says which groups a conversation is in: one for each tag, otherwise one. */
export type Grouper = (score: ConversationScore) => readonly GroupValues[];

/**
 * Groups by anything that identifies a conversation: `subject`, `scenario`, `arm`, `tag`, `variant.<factor>`, `metadata.<key>`,
 * `row.<column>`. Throws `RunError` for a name that no conversation has.
 */
export function grouper(
  by: readonly string[],
  scores: readonly ConversationScore[],
  facts: RunFacts,
): Grouper {
  const factors = new Set<string>();
  const columns = new Set<string>();
  for (const score of scores) noteNames(score, { factors, columns });
  refuseUnknownGroups(by, { factors, columns, facts });
  return groupsBy(by, facts);
}

/** The names that conversations bring with them. */
export interface GroupNames {
  /** Of variants. */
  readonly factors: Set<string>;
  /** Of rows. */
  readonly columns: Set<string>;
}

/** Notes the factors and columns of a conversation. */
export function noteNames({ variant, rowValues }: ConversationScore, { factors, columns }: GroupNames): void {
  if (variant !== null) for (const factor of Object.keys(variant)) factors.add(factor);
  for (const column in rowValues) columns.add(column);
}

/** True if the values of rows must be read. */
export function needsRowValues(by: readonly string[] = []): boolean {
  return by.some((name) => name.startsWith("row."));
}

/** Throws `RunError` for a name that no conversation has. */
export function refuseUnknownGroups(
  by: readonly string[],
  { factors, columns: found, facts }: GroupNames & { readonly facts: RunFacts },
): void {
  const keys = new Set([...facts.scenarios.values()].flatMap(({ metadata }) => Object.keys(metadata)));
  const columns = new Set([
    ...found,
    ...[...facts.scenarios.values()].flatMap(({ rows }) => rows.flatMap((row) => Object.keys(row))),
  ]);
  const known = [
    ...PLAIN,
    ...[...factors].map((factor) => `variant.${factor}`),
    ...[...keys].filter((key) => key !== "tags").map((key) => `metadata.${key}`),
    ...[...columns].map((column) => `row.${column}`),
  ];
  for (const name of by) {
    if (known.includes(name)) continue;
    const { nearest } = nearestOf(name, known);
    const aboutRows = name.startsWith("row.")
      ? " Of a row, numbers, booleans and texts of up to 100 characters are stored with a run."
      : "";
    const hint =
      nearest === undefined ? `Group by ${known.join(", ")}.${aboutRows}` : `Did you mean "${nearest}"?`;
    throw new RunError([`There is nothing called "${name}" to group by. ${hint}`]);
  }
}

/** The same without a test of the names. */
export function groupsBy(by: readonly string[], facts: RunFacts): Grouper {
  const values = by.map((name) => valuesOf(name, facts));
  // Conversations of the same group share it: there are many more of them than groups.
  const known = new Map<string, readonly GroupValues[]>();
  return (score) => {
    const own = values.map((of) => of(score));
    return memoize(known, JSON.stringify(own), () => combined(by, own));
  };
}

function combined(
  by: readonly string[],
  values: readonly (readonly (string | null)[])[],
): readonly GroupValues[] {
  let groups: Record<string, string | null>[] = [{}];
  for (const [i, name] of by.entries())
    groups = groups.flatMap((group) => (values[i] ?? [null]).map((value) => ({ ...group, [name]: value })));
  return groups;
}

function valuesOf(name: string, facts: RunFacts): (score: ConversationScore) => readonly (string | null)[] {
  const [root = "", ...rest] = name.split(".");
  const key = rest.join(".");
  switch (root) {
    case "tag":
      return ({ scenario }) => {
        const tags = facts.scenarios.get(scenario)?.metadata.tags;
        return Array.isArray(tags) && tags.length > 0 ? tags.map(String) : [null];
      };
    case "metadata":
      return ({ scenario }) => [textOf(facts.scenarios.get(scenario)?.metadata[key])];
    case "variant":
      if (key === "") return ({ variant }) => [variant === null ? null : Object.values(variant).join(", ")];
      return ({ variant }) => [variant?.[key] ?? null];
    case "row":
      if (key === "")
        return ({ row, rowIndex }) => [row ?? (rowIndex === null ? null : String(rowIndex + 1))];
      return ({ scenario, rowIndex, rowValues }) => {
        if (rowValues != null) return [textOf(ownValue(rowValues, key))];
        // Runs of earlier versions stored no values; rows that stand in the scenario are known all the same.
        return [rowIndex === null ? null : textOf(facts.scenarios.get(scenario)?.rows[rowIndex]?.[key])];
      };
    default:
      return (score) => [
        textOf(score[root as "subject" | "judge" | "scenario" | "arm" | "replicate" | "status"]),
      ];
  }
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A key of a group for maps. */
export function groupKey(group: GroupValues): string {
  return JSON.stringify(Object.values(group));
}
