import { isRecord, type JsonObject } from "../../core/values/json.ts";
import type { RunBrowser } from "../../journal/store/run-browser.ts";
import type { RunSummary, Store } from "../../journal/store/store.ts";
import { definitionsOf } from "../../journal/transfer/stored-run.ts";
import { runRates } from "../../report/data/outcome-rates.ts";
import { headlineOf } from "../../report/text/headline.ts";
import type { RunAnswer, RunEntry, RunsAnswer, ScenarioEntry } from "../answers.ts";

/** A store that is looked at. */
export interface Viewed {
  readonly store: Store;
  readonly browser: RunBrowser;
  /** The version of this package. */
  readonly version: string;
}

/** How many names of scenarios the list of runs shows. */
const SHOWN_SCENARIOS = 3;

/** All runs, the latest first. */
export function runsAnswer({ store, browser, version }: Viewed): RunsAnswer {
  const runs = [...store.runs()].reverse().map((summary) => runEntry({ store, browser, version }, summary));
  return { store: browser.path, version, runs };
}

/** A run as the list shows it. */
export function runEntry({ store, browser }: Viewed, summary: RunSummary): RunEntry {
  const { run, startedAt, endedAt, start, tags, parent, statuses, spending } = summary;
  const scenarios = Object.keys(start.scenarios);
  const ended = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const finished = (statuses.completed ?? 0) + (statuses.limit_reached ?? 0);
  const isWritten = endedAt === null && browser.isBeingWritten(run);
  return {
    run,
    startedAt,
    endedAt,
    state: isWritten
      ? "running"
      : finished + (statuses.error ?? 0) >= start.conversations
        ? "finished"
        : "stopped",
    tags,
    parent,
    subjects: start.subjects,
    judges: start.judges,
    scenarios: scenarios.slice(0, SHOWN_SCENARIOS),
    scenarioCount: scenarios.length,
    replicates: start.replicates,
    conversations: start.conversations,
    ended,
    finished,
    spending,
    headline: headlineOf(runRates(store, summary).outcomes[0]),
  };
}

/** The page of a run. */
export function runAnswer(viewed: Viewed, summary: RunSummary): RunAnswer {
  const { store, browser } = viewed;
  const { run, statuses, start, judges } = summary;
  const { entries, descriptions } = scenariosOf(store, run);
  return {
    ...runEntry(viewed, summary),
    statuses,
    configuration: start.configuration,
    rates: runRates(store, summary),
    health: judges,
    causes: browser.causes(run).map(({ status, failure, subject, count }) => ({
      status,
      category: failure,
      subject,
      count,
    })),
    scenarioEntries: entries,
    descriptions,
  };
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
export function tagsIn(metadata: unknown): readonly string[] {
  if (!isRecord(metadata) || !Array.isArray(metadata.tags)) return [];
  return metadata.tags.filter((tag) => typeof tag === "string");
}
