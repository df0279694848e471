import { memoize } from "../../../core/lazy.ts";
import { countStatuses, isFinished, isInterrupted } from "../../../core/state/state.ts";
import { isRecord, type JsonObject } from "../../../core/values/json.ts";
import { itemName } from "../../../engine/journal/cell.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { RunBrowser } from "../../../engine/journal/store/run-browser.ts";
import type { ResultRow, RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { definitionsOf } from "../../../engine/journal/transfer/stored-run.ts";
import { pooledRates } from "../../../insight/report/data/run-rates.ts";
import { headlineOf } from "../../../insight/report/text/summary-line.ts";
import type {
  FailureCause,
  HeatAnswer,
  HeatCell,
  HeatLine,
  RunAnswer,
  RunEntry,
  RunsAnswer,
  ScenarioEntry,
} from "../answers.ts";

/** A store that is looked at. */
export interface Viewed {
  readonly store: Store;
  readonly browser: RunBrowser;
}

/** How many names of scenarios the list of runs shows. */
const SHOWN_SCENARIOS = 3;

/** All runs, the latest first. */
export function runsAnswer(viewed: Viewed): RunsAnswer {
  const runs = [...viewed.store.runs()].reverse().map((summary) => runEntry(viewed, summary));
  return { store: viewed.browser.path, runs };
}

/** A run as the list shows it. */
export function runEntry({ store, browser }: Viewed, summary: RunSummary): RunEntry {
  const { run, startedAt, endedAt, start, tags, parent, statuses, spending, arms = 0 } = summary;
  const planned = start.conversations + arms;
  const scenarios = Object.keys(start.scenarios);
  const ended = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const over = countStatuses(statuses, (status) => !isInterrupted(status));
  const isFailed = planned > 0 && statuses.error === planned;
  const isWritten = endedAt === null && browser.isBeingWritten(run);
  return {
    run,
    startedAt,
    endedAt,
    state: isWritten ? "running" : isFailed ? "failed" : over >= planned ? "finished" : "stopped",
    tags,
    parent,
    subjects: start.subjects,
    judges: start.judges,
    scenarios: scenarios.slice(0, SHOWN_SCENARIOS),
    scenarioCount: scenarios.length,
    replicates: start.replicates,
    conversations: planned,
    ended,
    spending,
    headline: headlineOf(pooledRates(store, summary).outcomes),
  };
}

/** The page of a run. */
export function runAnswer(viewed: Viewed, summary: RunSummary): RunAnswer {
  const { store } = viewed;
  const { run, statuses, judges } = summary;
  const { entries, descriptions } = scenariosOf(store, run);
  const { unread: _, ...rates } = pooledRates(store, summary);
  return {
    ...runEntry(viewed, summary),
    statuses,
    rates,
    health: judges,
    causes: causesOf(store, run),
    scenarioEntries: entries,
    groups: groupsOf(viewed, summary, entries),
    descriptions,
  };
}

/** What tells the conversations of a run apart, besides their subject. */
function groupsOf(
  { store, browser }: Viewed,
  { run, start }: RunSummary,
  entries: readonly ScenarioEntry[],
): readonly string[] {
  const tallies = store.tallies(run);
  const factors = new Set(tallies.flatMap(({ variant }) => Object.keys(variant ?? {})));
  return [
    ...(entries.some(({ tags }) => tags.length > 0) ? ["tag"] : []),
    ...[...factors].map((factor) => `variant.${factor}`),
    ...(tallies.some(({ arm }) => arm !== null) ? ["arm"] : []),
    ...(start.judges.length > 1 ? ["judge"] : []),
    ...(entries.length > 1 ? ["scenario"] : []),
    ...(start.conversations > entries.length * start.subjects.length * start.replicates ? ["row"] : []),
    ...columnsOf(browser, { run, start }).map((column) => `row.${column}`),
  ];
}

/** How many scenarios are looked at to find the columns of rows. */
const LOOKED_AT = 20;

/** The columns of the datasets of a run, by which results can be grouped. */
function columnsOf(
  browser: RunBrowser,
  { run, start }: Pick<RunSummary, "run" | "start">,
): readonly string[] {
  const { datasets } = start.configuration;
  const scenarios = isRecord(datasets) ? Object.keys(datasets).slice(0, LOOKED_AT) : [];
  return [...new Set(scenarios.flatMap((scenario) => browser.rowColumns(run, scenario)))];
}

/** Conversations that ended early, the most frequent cause first. */
function causesOf(store: Store, run: string): readonly FailureCause[] {
  const causes = new Map<string, { -readonly [Key in keyof FailureCause]: FailureCause[Key] }>();
  for (const { subject, statuses } of store.tallies(run))
    for (const { status, failure, count } of statuses) {
      if (isFinished(status)) continue;
      const key = JSON.stringify([status, failure, subject]);
      const known = causes.get(key) ?? { status, category: failure, subject, count: 0 };
      causes.set(key, known);
      known.count += count;
    }
  return [...causes.values()].sort((one, other) => other.count - one.count);
}

/** Of a run with more conversations, scenarios are shown in place of items. */
const MOST_BY_ITEM = 20_000;

/** One outcome, by item and subject; of a large run by scenario. Without texts, rows have their ids for names. */
export function heatAnswer(
  { store }: Viewed,
  { run, start }: RunSummary,
  { outcome, hasTexts = true }: { readonly outcome: string; readonly hasTexts?: boolean },
): HeatAnswer {
  const lines = new Map<string, Omit<HeatLine, "cells"> & { readonly cells: (HeatCell | null)[] }>();
  const subjects = start.subjects;
  const add = (key: string, line: Omit<HeatLine, "cells">, subject: string, found?: HeatCell): void => {
    const { cells } = memoize(lines, key, () => ({ ...line, cells: subjects.map(() => null) }));
    const at = subjects.indexOf(subject);
    if (found === undefined || at < 0) return;
    const before = cells[at] ?? NO_CELL;
    cells[at] = {
      yes: before.yes + found.yes,
      n: before.n + found.n,
      sum: before.sum + found.sum,
      inconclusive: before.inconclusive + found.inconclusive,
      errors: before.errors + found.errors,
    };
  };
  if (start.conversations > MOST_BY_ITEM)
    for (const { scenario, subject, outcomes } of store.results(run))
      add(
        scenario,
        { scenario, name: scenario },
        subject,
        resultCell(Object.hasOwn(outcomes, outcome) ? outcomes[outcome] : undefined),
      );
  else
    for (const { rowName, ...score } of store.scores(run)) {
      const { scenario, subject, item, row, outcomes } = score;
      const name = itemName({ ...score, rowName: hasTexts ? rowName : null });
      const line = { scenario, name, ...(row === null ? {} : { row }) };
      add(item, line, subject, scoreCell(outcomes.get(outcome)));
    }
  return { outcome, subjects, lines: [...lines.values()] };
}

const NO_CELL: HeatCell = { yes: 0, n: 0, sum: 0, inconclusive: 0, errors: 0 };

function resultCell(found: ResultRow["outcomes"][string] | undefined): HeatCell | undefined {
  if (found === undefined) return undefined;
  const { yes, no, numbers, mean, inconclusive, infrastructure: errors } = found;
  return { yes, n: yes + no + numbers, sum: (mean ?? 0) * numbers, inconclusive, errors };
}

function scoreCell(score: OutcomeScore | undefined): HeatCell | undefined {
  if (score === undefined || score === "not_applicable") return score && NO_CELL;
  if (score === "inconclusive") return { ...NO_CELL, inconclusive: 1 };
  if (score === "error") return { ...NO_CELL, errors: 1 };
  return typeof score === "number"
    ? { ...NO_CELL, n: 1, sum: score }
    : { ...NO_CELL, n: 1, yes: Number(score) };
}

/** The scenarios of a run with their tags, and what their outcomes mean. */
function scenariosOf(
  store: Store,
  run: string,
): { readonly entries: readonly ScenarioEntry[]; readonly descriptions: Readonly<Record<string, string>> } {
  const entries: ScenarioEntry[] = [];
  const descriptions = new Map<string, string>();
  for (const { scenario, definition } of definitionsOf(store, run)) {
    const { metadata, outcomes } = JSON.parse(definition) as JsonObject;
    entries.push({ scenario, tags: tagsIn(metadata) });
    for (const outcome of Array.isArray(outcomes) ? outcomes.filter(isRecord) : []) {
      const { name, description } = outcome;
      if (typeof name === "string" && typeof description === "string" && !descriptions.has(name))
        descriptions.set(name, description);
    }
  }
  return { entries, descriptions: Object.fromEntries(descriptions) };
}

/** The tags in the metadata of a scenario. */
function tagsIn(metadata: unknown): readonly string[] {
  if (!isRecord(metadata) || !Array.isArray(metadata.tags)) return [];
  return metadata.tags.filter((tag) => typeof tag === "string");
}
