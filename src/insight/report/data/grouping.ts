import { memoize } from "../../../core/lazy.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";
import { ownValue } from "../../../core/values/json.ts";
import { rowText } from "../../../engine/journal/cell.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
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

/**
 * Groups are within a subject, and within a judge where there are several: conversations of two models are never pooled.
 */
export function withinSubject(
  by: readonly string[],
  scores: readonly Pick<ConversationScore, "judge">[],
): readonly string[] {
  const judges = new Set(scores.map(({ judge }) => judge)).size > 1 ? ["judge"] : [];
  return [...["subject", ...judges].filter((name) => !by.includes(name)), ...by];
}

/** The conversations of a group. */
interface ScoredGroup {
  readonly group: GroupValues;
  readonly members: ConversationScore[];
}

/** The conversations of each group, in the order in which groups appear; those with the same first value follow each other. */
export function groupedScores(
  scores: readonly ConversationScore[],
  groupsOf: Grouper,
): readonly ScoredGroup[] {
  const groups = new Map<string, ScoredGroup>();
  // The same objects come again and again.
  const seen = new Map<GroupValues, ScoredGroup>();
  for (const score of scores)
    for (const group of groupsOf(score))
      memoize(seen, group, () =>
        memoize(groups, groupKey(group), () => ({ group, members: [] })),
      ).members.push(score);
  return [...Map.groupBy(groups.values(), ({ group }) => Object.values(group)[0]).values()].flat();
}

/** What declared rates are averaged over (`average: { macro }`). */
export function macroGroups({ rates }: RunFacts): readonly string[] {
  return [...new Set([...rates.values()].flatMap(({ average }) => average?.macro ?? []))];
}

/** True if the values of rows must be read. */
export function needsRowValues(by: readonly string[] = []): boolean {
  return by.some((name) => name === "tag" || name.startsWith("row."));
}

/** Throws `RunError` for a name that no conversation has. */
export function refuseUnknownGroups(
  by: readonly string[],
  { factors, columns, facts }: GroupNames & { readonly facts: RunFacts },
): void {
  const keys = new Set([...facts.scenarios.values()].flatMap(({ metadata }) => Object.keys(metadata)));
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
      return ({ scenario, rowValues }) => {
        const tags = [facts.scenarios.get(scenario)?.metadata.tags ?? [], rowValues?.tags ?? []].flat();
        return tags.length > 0 ? tags.map(String) : [null];
      };
    case "metadata":
      return ({ scenario }) => [textOf(facts.scenarios.get(scenario)?.metadata[key])];
    case "variant":
      if (key === "") return ({ variant }) => [variant === null ? null : Object.values(variant).join(", ")];
      return ({ variant }) => [variant?.[key] ?? null];
    case "row":
      if (key === "") return distinctRows();
      return ({ rowValues }) => [rowValues == null ? null : textOf(ownValue(rowValues, key))];
    default:
      return (score) => [
        textOf(score[root as "subject" | "judge" | "scenario" | "arm" | "replicate" | "status"]),
      ];
  }
}

/** Rows by what a person sees of them; those that look the same are numbered. */
function distinctRows(): (score: ConversationScore) => readonly (string | null)[] {
  const names = new Map<string | number, string>();
  const taken = new Set<string>();
  return (score) => {
    const [text, id] = [rowText(score), score.row ?? score.rowIndex];
    if (text === null || id === null) return [null];
    let name = names.get(id) ?? text;
    if (names.has(id)) return [name];
    for (let number = 2; taken.has(name); number++) name = `${text} (${number})`;
    names.set(id, name);
    taken.add(name);
    return [name];
  };
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The values of a group as one text: `gpt, expert`. */
export function groupName(group: GroupValues): string {
  return Object.values(group)
    .map((value) => value ?? "–")
    .join(", ");
}

/** A key of a group for maps. */
export function groupKey(group: GroupValues): string {
  return JSON.stringify(Object.values(group));
}
