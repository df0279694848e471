import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { Retried, RunSummary, Store } from "../../journal/store/store.ts";
import { storedDefinitions } from "../../journal/transfer/stored-run.ts";
import { readCassette } from "../../models/cassette/cassette-file.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import { finishedBefore } from "../../report/data/run-progress.ts";
import { countedText, countText, timeText } from "../../report/text/figures.ts";
import { startResume } from "../../run/run-scenarios.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { countOpen, findRun, isOpen, withRuns } from "../stored-runs.ts";
import { quoted } from "../trust/project-effects.ts";
import { isMadeHere, usableOrigin } from "../trust/usable-origin.ts";
import { openWork, workAddresses } from "../workers/shared-work.ts";
import { forecastIfPaid, requireSubjects } from "./run.ts";
import { runAndReport, usableThresholds } from "./run-and-report.ts";
import { whereAsked, withMore } from "./run-origin.ts";
import type { RunDisplay } from "./run-view.ts";

/** The options of `resume`. */
interface ResumeCommandOptions {
  /** The latest run that is not finished, if it is left out. */
  readonly run: string | undefined;
  /** The scenarios, named again; those of the run if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  readonly retryErrors: boolean;
  /** True to flush every group of events to the disk. */
  readonly isDurable: boolean;
  /** Imported runs whose answers may be used. */
  readonly useCalls: readonly string[] | undefined;
  readonly retryUnreadable: boolean;
  /** What the forecast of the rest may be at most. */
  readonly maxCost: string | undefined;
  /** Where workers find the conversations, which they run. */
  readonly workers: string | undefined;
  /** True to use what the run says about how it was begun, though it was not made here. */
  readonly trustsOrigin: boolean;
}

/** Goes on with a run where it was left: as it was asked for if it was made here, else with what the person names. */
export async function resume(options: ResumeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { retryErrors, retryUnreadable, names, trustsOrigin } = options;
  const retried: Retried = { retryErrors, retryUnreadable };
  const { settings: given } = await readSettings(options.settings, terminal, { runsCode: true });
  const addresses = options.workers === undefined ? undefined : workAddresses(options.workers, given.store);
  const now = addresses === undefined ? given : { ...given, store: addresses.store };
  return withRuns(
    now.store,
    async (store) => {
      const isOwn = (run: RunSummary): boolean => isMadeHere(run, now.store, terminal);
      const summary =
        options.run === undefined ? latestUnfinished(store, { retried, isOwn }) : findRun(store, options.run);
      const left = countOpen(store, summary, retried);
      const isFinished = left === 0;
      if (options.run === undefined && !isFinished && !options.display.quiet)
        sayWhich(summary, { left, store }, terminal);
      if (isFinished) sayFinished(summary, terminal);
      const { origin, unused } = await usableOrigin(summary, {
        command: "resume",
        store: now.store,
        names,
        trustsOrigin,
        terminal,
      });
      if (unused !== undefined && names.length === 0) {
        if (isFinished) return 0;
        throw new ProjectError([`${unused.reason}${separated(unused.advice)}`]);
      }
      const there = origin === undefined ? terminal : whereAsked(origin, now.store, terminal);
      const request = origin === undefined ? options.settings : withMore(origin, options.settings);
      const meant = names.length > 0 ? names : (origin?.names ?? []);
      const isStored = meant.includes("-") && names.length === 0;
      const { settings } = await readSettings(request, there, {
        runsCode: true,
        uses: "everything",
        names: meant,
      });
      requireSubjects(settings);
      const scenarios = isStored
        ? definitionsAsBegun(store, summary)
        : await readScenarios(meant, settings, names.length > 0 ? terminal : there);
      const everything = { ...settings, only: [], tags: [] };
      const thresholds = await usableThresholds(
        settings,
        {
          chosen: scenarios,
          all: async () =>
            isStored ? scenarios : readScenarios(meant, everything, names.length > 0 ? terminal : there),
        },
        terminal.messages,
      );
      const replay = origin?.replay;
      const cassette = replay === undefined ? undefined : await readCassette(resolve(there.folder, replay));
      const asked = {
        ...runOptionsOf(settings),
        scenarios,
        environment: terminal.environment,
        ...(options.useCalls === undefined ? {} : { useCalls: options.useCalls }),
        ...(cassette === undefined ? {} : { replay: cassette }),
      };
      if (!isFinished) {
        const { maxCost, display } = options;
        await forecastIfPaid(asked, terminal.messages, {
          store: now.store,
          maxCost,
          display,
          resumes: { run: summary.run, ...retried },
        });
      }
      const work = addresses === undefined ? undefined : await openWork(addresses, request, there);
      try {
        return await runAndReport(
          (signal) =>
            startResume(
              summary.run,
              { ...asked, store, signal, ...retried, keepResults: false },
              work === undefined ? {} : { begin: work.begin },
            ),
          {
            store,
            settings,
            thresholds,
            display: options.display,
            finishedBefore: finishedBefore(store, summary.run, retried),
          },
          there,
        );
      } finally {
        await work?.close();
      }
    },
    { readOnly: false, durable: options.isDurable },
  );
}

/** Which run is resumed, before anything is paid for; and the later ones, where there are any. */
function sayWhich(
  { run, startedAt, start }: RunSummary,
  { left, store }: { readonly left: number; readonly store: Store },
  { messages }: Terminal,
): void {
  const later = store.runs().filter((other) => other.startedAt > startedAt && other.parent === null).length;
  const passed = later === 0 ? "" : ` ${countedText(later, "later run")} not chosen; see: elenchus list`;
  messages.write(
    `Resuming run ${printableText(run)}, started ${timeText(startedAt)}: ${countText(left)} of ${countedText(start.conversations, "conversation")} left.${passed}\n`,
  );
}

function sayFinished({ run, statuses, unjudged, unreadable }: RunSummary, { messages }: Terminal): void {
  const name = quoted(run);
  const errors = (statuses.error ?? 0) + unjudged;
  const failed = unjudged === 0 ? "ended in an error" : "ended in an error, or their judge failed";
  const hints = [
    ...(errors === 0
      ? []
      : [
          ` ${countedText(errors, "conversation")} ${failed}; to retry: elenchus resume ${name} --retry-errors`,
        ]),
    ...(unreadable === 0
      ? []
      : [
          ` In ${countedText(unreadable, "conversation")}, answers of the judge could not be read; to ask again: elenchus resume ${name} --retry-unreadable`,
        ]),
  ];
  messages.write(`Run ${printableText(run)} is finished; nothing is left to do.${hints.join("")}\n`);
}

/** A list begins on a line of its own, a sentence does not. */
function separated(advice: string): string {
  return advice.startsWith("To ") ? `\n${advice}` : ` ${advice}`;
}

/**
 * The latest run with something left to do, errors included: after a run with errors, an older one would be a surprise. A run
 * that this user made goes before one that was imported.
 */
function latestUnfinished(
  store: Store,
  { retried, isOwn }: { readonly retried: Retried; readonly isOwn: (run: RunSummary) => boolean },
): RunSummary {
  // What was graded again is not gone on with, but graded once more.
  const begun = store.runs().filter((run) => run.parent === null);
  const sorted = begun.sort((one, other) => other.startedAt - one.startedAt);
  const open = sorted.filter((run) => isOpen(run, retried));
  const withErrors = { ...retried, retryErrors: true };
  const latest = sorted.find((run) => isOpen(run, withErrors) && isOwn(run)) ?? open.find(isOwn) ?? open[0];
  if (latest !== undefined) return latest;
  throw new ProjectError(["No run is unfinished. List the runs: elenchus list"]);
}

/** The scenarios as the run keeps them, such as those that came from standard input; only as they were when it was begun. */
export function definitionsAsBegun(store: Store, { run, start }: RunSummary): readonly ScenarioDefinition[] {
  return [...storedDefinitions(store, run).values()].filter(
    ({ name, hash }) => Object.hasOwn(start.scenarios, name) && start.scenarios[name] === hash,
  );
}
