import { allOf, anyOf, type Composed } from "../../core/logic/composition.ts";
import { type DatasetOption, type DatasetSource, datasetSource } from "../../core/scenario/dataset.ts";
import { locatorOf } from "../../core/scenario/define-scenario.ts";
import { copyDefinition, type ScenarioDefinition } from "../../core/scenario/definition.ts";
import { RowTexts } from "../../core/scenario/row-texts.ts";
import { formatIssue } from "../../core/schema/format-issue.ts";
import type { Issue } from "../../core/schema/issue.ts";
import { compileWhen, stateCheck, type When, type WhenLeaf } from "../../core/state/condition.ts";
import { sha256 } from "../../core/values/hash.ts";
import { canonicalJson, type JsonObject, withoutUndefined } from "../../core/values/json.ts";
import { maskSecretsIn } from "../../system/secrets/mask-secrets.ts";
import { redactSecrets } from "../../system/secrets/redact-secrets.ts";
import { Dataset } from "../datasets/dataset.ts";
import { DatasetError } from "../datasets/row-files.ts";
import { RunError } from "../journal/failure.ts";
import type { RunOptions } from "./run-options.ts";

/** What a run says about rows. */
export type RowOptions = Pick<RunOptions, "dataset" | "rows" | "skipBadRows" | "onlyRows" | "rowLimit">;

/** How many problems are reported. */
const SHOWN = 20;

/**
 * The rows that a scenario is run with: those of the run, else its own. Null if it uses no row. Throws `RunError` with everything
 * that is wrong with the rows, before the first call.
 */
export async function openRows(definition: ScenarioDefinition, options: RowOptions): Promise<Dataset | null> {
  const texts = new RowTexts(definition);
  if (!texts.isUsed) return null;
  const { name } = definition;
  const located = locatorOf(definition);
  const sentence = (issue: Issue): string => `In scenario "${name}", ${formatIssue(located(issue))}`;
  const option = options.dataset ?? options.rows ?? definition.dataset;
  if (option === undefined) {
    const issues = texts.withoutRows();
    if (issues.length === 0) return null;
    throw new RunError(limited(issues.map(sentence)));
  }
  const isOpen = option instanceof Dataset;
  const source = isOpen
    ? option.source
    : await resolvedSource(option, options.dataset === undefined ? definition : undefined);
  try {
    return await Dataset.open(source, {
      skipBadRows: options.skipBadRows ?? (isOpen && option.skipsBadRows),
      ...withoutUndefined({ onlyRows: options.onlyRows, rowLimit: options.rowLimit }),
      test: (row) => texts.problems(row),
      used: (row) => texts.used(row),
      testColumns: (columns) => texts.unknownColumns(columns).map((issue) => formatIssue(located(issue))),
    });
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    const { problems, message } = error;
    if (problems.length === 0) {
      const isOwn = options.dataset === undefined && options.rows === undefined;
      const issue: Issue = { code: "invalid_parameter", path: ["dataset"], message };
      throw new RunError([isOwn ? sentence(issue) : `In scenario "${name}": ${message}`]);
    }
    throw new RunError(limited([...new Set(problems)]).map((problem) => `In scenario "${name}", ${problem}`));
  }
}

/** The tags of a row: its column `tags`, a text or a list of texts. */
function tagsOf({ tags }: JsonObject): readonly string[] {
  return [tags].flat().filter((tag) => typeof tag === "string");
}

/** The tags of the rows that a scenario has of its own. */
export async function rowTags(definition: ScenarioDefinition): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (definition.dataset === undefined) return found;
  for await (const { values } of (await openRows(definition, {})) ?? [])
    for (const tag of tagsOf(values)) found.add(tag);
  return found;
}

/** True if a scenario has a row with one of the ids of its own. */
export async function hasRow(definition: ScenarioDefinition, ids: readonly string[]): Promise<boolean> {
  if (definition.dataset === undefined) return false;
  for await (const { id } of (await openRows(definition, {})) ?? []) if (ids.includes(id)) return true;
  return false;
}

/** A scenario with only those of its rows that have one of the tags. */
export function withTaggedRows(definition: ScenarioDefinition, tags: readonly string[]): ScenarioDefinition {
  const source = datasetSource(definition.dataset as DatasetOption);
  const isTagged = anyOf(
    stateCheck({ field: "tags", expected: null, verifyWith: { type: "one_of", values: [...tags] } }),
    stateCheck({
      field: "tags",
      expected: [...tags],
      verifyWith: { type: "set_containment", mode: "overlap" },
    }),
  );
  const before = compileWhen(source.where);
  const where: When = before === null ? isTagged : allOf<WhenLeaf>(before as Composed<WhenLeaf>, isTagged);
  const tagged = copyDefinition(definition, { dataset: { ...source, where } });
  const folder = folders.get(definition);
  if (folder !== undefined) rememberFolder(tagged, folder);
  return tagged;
}

function limited(problems: readonly string[]): readonly string[] {
  const more = problems.length - SHOWN;
  return more > 0 ? [...problems.slice(0, SHOWN), `and ${more} more of this kind.`] : problems;
}

/** The hash of what texts use of a row, and so of the questions, truths and rules that it gives. */
export function itemHasher(definition: ScenarioDefinition): (row: JsonObject) => string {
  const texts = new RowTexts(definition);
  return ofLatestRow((row) => sha256(canonicalJson(texts.used(row))).slice(0, 16));
}

/** Makes something of a row once: the conversations about a row, with all subjects and judges, begin one after the other. */
export function ofLatestRow<Made>(make: (row: JsonObject) => Made): (row: JsonObject) => Made {
  let latest: { readonly row: JsonObject; readonly made: Made } | undefined;
  return (row) => {
    if (latest?.row !== row) latest = { row, made: make(row) };
    return latest.made;
  };
}

/** A longer value tells rows apart, but groups none: questions, passages, reference answers. */
const LONGEST_VALUE = 100;
const MOST_COLUMNS = 40;

/**
 * The values of a row that results can be grouped by: short texts, numbers and booleans, of the first columns that have one. They stand in
 * the journal with each conversation, because the file that the row came from may be gone when results are read. Secrets are masked.
 */
export function rowValues(row: JsonObject): JsonObject {
  const kept: [string, string | number | boolean][] = [];
  for (const [column, value] of Object.entries(row)) {
    if (kept.length === MOST_COLUMNS) break;
    if (column.length > LONGEST_VALUE) continue;
    if (typeof value === "number" || typeof value === "boolean") kept.push([column, value]);
    else if (typeof value === "string" && value.length <= LONGEST_VALUE && value !== "")
      kept.push([column, redactSecrets(value)]);
  }
  return maskSecretsIn(Object.fromEntries(kept));
}

/** A definition is data, and the same wherever its file is: so the folder is no part of it. */
const folders = new WeakMap<ScenarioDefinition, string>();

/** Remembers in which folder the file of a scenario is: its dataset is looked for there. */
export function rememberFolder(definition: ScenarioDefinition, folder: string): void {
  folders.set(definition, folder);
}

/** A source whose file is a path from here. What a scenario file names stays below its folder or the one at hand. */
async function resolvedSource(
  option: DatasetOption,
  definition: ScenarioDefinition | undefined,
): Promise<DatasetSource> {
  const source = datasetSource(option);
  if (source.file === undefined || definition === undefined) return source;
  const { isAbsolute, join, relative, resolve } = await import("node:path");
  const folder = folders.get(definition) ?? ".";
  const file = isAbsolute(source.file) ? source.file : join(folder, source.file);
  const { realpath } = await import("node:fs/promises");
  const real = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
  // A link must not lead elsewhere either: rows are sent to models.
  const target = await real(file);
  const isBelow = async (base: string): Promise<boolean> => {
    const way = relative(await real(base), target);
    return !way.startsWith("..") && !isAbsolute(way);
  };
  if (!(await isBelow(folder)) && !(await isBelow(".")))
    throw new RunError([
      `In scenario "${definition.name}", the dataset ${source.file} is outside of the folder of its file and of the current folder${resolve(file) === target ? "" : `, behind a link to ${target}`}. Move it, or name it with --dataset.`,
    ]);
  return { ...source, file };
}
