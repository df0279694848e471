import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { Retried, RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions } from "../../../engine/journal/transfer/stored-run.ts";
import { readCassette } from "../../../engine/models/cassette/cassette-file.ts";
import { startResume } from "../../../engine/run/run-scenarios.ts";
import { finishedBefore } from "../../../insight/report/data/run-progress.ts";
import { countedText, countText, timeText } from "../../../insight/report/text/figures.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios, requireAddressConsent } from "../read-scenarios.ts";
import { readSettings, requireSubjects, type SettingsRequest } from "../read-settings.ts";
import { countOpen, findRun, isOpen, withRuns } from "../stored-runs.ts";
import { terminalOfOrigin, withOverrides } from "../trust/run-origin.ts";
import { isMadeHere, usableOrigin } from "../trust/usable-origin.ts";
import { openWork, workAddresses } from "../workers/shared-work.ts";
import { forecastIfPaid } from "./run.ts";
import { runAndReport, usableThresholds } from "./run-and-report.ts";
import type { RunDisplay } from "./run-view.ts";

/** The options of `resume`. */
interface ResumeCommandOptions {
  /** Default: the latest run that is not finished. */
  readonly run: string | undefined;
  /** Default: the scenarios of the run. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  readonly retryErrors: boolean;
  /** True to flush every group of events to the disk. */
  readonly durable: boolean;
  /** Imported runs whose answers may be used. */
  readonly useCalls: readonly string[] | undefined;
  /** The limit of the forecast for the rest of the run. */
  readonly maxCost: string | undefined;
  /** The address where workers find the conversations. */
  readonly workers: string | undefined;
  /** True to use the stored command line of a run that was not started here. */
  readonly trustOrigin: boolean;
}

/** Resumes a run: with its stored command line if it was started here, else with what this command names. */
export async function resume(options: ResumeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { retryErrors, names, trustOrigin: trustsOrigin } = options;
  const { settings: ownSettings } = await readSettings(options.settings, terminal, { runsCode: true });
  const retried: Retried = { retryErrors, retryUnreadable: ownSettings.retryUnreadable };
  const addresses =
    options.workers === undefined ? undefined : workAddresses(options.workers, ownSettings.store);
  const current = addresses === undefined ? ownSettings : { ...ownSettings, store: addresses.store };
  return withRuns(
    current.store,
    async (store) => {
      const isOwn = (run: RunSummary): boolean => isMadeHere(run, current.store, terminal);
      const summary =
        options.run === undefined ? latestUnfinished(store, { retried, isOwn }) : findRun(store, options.run);
      const left = countOpen(store, summary, retried);
      const isFinished = left === 0;
      if (options.run === undefined && !isFinished && !options.display.quiet)
        printChosenRun(summary, { left, store }, terminal);
      if (isFinished) printFinished(summary, terminal);
      const { origin, unused } = await usableOrigin(summary, {
        command: "resume",
        store: current.store,
        names,
        trustsOrigin,
        terminal,
      });
      if (unused !== undefined && names.length === 0) {
        if (isFinished) return 0;
        throw new ProjectError([`${unused.reason}${separated(unused.advice)}`]);
      }
      const originTerminal =
        origin === undefined ? terminal : terminalOfOrigin(origin, current.store, terminal);
      const request = origin === undefined ? options.settings : withOverrides(origin, options.settings);
      const scenarioNames = names.length > 0 ? names : (origin?.names ?? []);
      // Names that the command gives are relative to its own folder, those of the run to the folder of the run.
      const base = names.length > 0 ? terminal : originTerminal;
      const isStored = scenarioNames.includes("-") && names.length === 0;
      const { settings } = await readSettings(request, originTerminal, {
        runsCode: true,
        uses: "everything",
        names: scenarioNames,
      });
      requireSubjects(settings);
      const scenarios = isStored
        ? definitionsAtStart(store, summary)
        : await readScenarios(scenarioNames, settings, base, options.settings);
      // As if standard input had been read again, where consent may have been given.
      const stored = { file: resolve(base.folder, "-"), settings, request: options.settings };
      if (isStored) await requireAddressConsent(scenarios, stored, terminal);
      const everything = { ...settings, only: [], tags: [] };
      const thresholds = await usableThresholds(
        settings,
        {
          chosen: scenarios,
          all: async () => (isStored ? scenarios : readScenarios(scenarioNames, everything, base)),
        },
        terminal.messages,
      );
      const replay = origin?.replay;
      const cassette =
        replay === undefined ? undefined : await readCassette(resolve(originTerminal.folder, replay));
      const runOptions = {
        ...runOptionsOf(settings),
        scenarios,
        environment: terminal.environment,
        ...(options.useCalls === undefined ? {} : { useCalls: options.useCalls }),
        ...(cassette === undefined ? {} : { replay: cassette }),
      };
      if (!isFinished) {
        const { maxCost, display } = options;
        await forecastIfPaid(runOptions, terminal.messages, {
          store: current.store,
          maxCost,
          display,
          resumes: { run: summary.run, ...retried },
        });
      }
      const work = addresses === undefined ? undefined : await openWork(addresses, request, originTerminal);
      try {
        return await runAndReport(
          (signal) =>
            startResume(
              summary.run,
              { ...runOptions, store, signal, ...retried, keepResults: false },
              work === undefined ? {} : { begin: work.startRun },
            ),
          {
            store,
            settings,
            thresholds,
            display: options.display,
            finishedBefore: finishedBefore(store, summary.run, retried),
          },
          originTerminal,
        );
      } finally {
        await work?.close();
      }
    },
    { readOnly: false, durable: options.durable },
  );
}

/** Prints which run is resumed, before the first call, and how many later runs were not chosen. */
function printChosenRun(
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

function printFinished({ run, statuses, unjudged, unreadable }: RunSummary, { messages }: Terminal): void {
  const name = runWord(run);
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
 * The latest run with something left to do. Errors count: after a run with errors, resuming an older one would be a surprise. Runs that
 * this user started go before imported ones.
 */
function latestUnfinished(
  store: Store,
  { retried, isOwn }: { readonly retried: Retried; readonly isOwn: (run: RunSummary) => boolean },
): RunSummary {
  // A regraded run is not resumed: it is regraded again.
  const candidates = store.runs().filter((run) => run.parent === null);
  const sorted = candidates.sort((one, other) => other.startedAt - one.startedAt);
  const open = sorted.filter((run) => isOpen(run, retried));
  const withErrors = { ...retried, retryErrors: true };
  const latest = sorted.find((run) => isOpen(run, withErrors) && isOwn(run)) ?? open.find(isOwn) ?? open[0];
  if (latest !== undefined) return latest;
  throw new ProjectError(["No run is unfinished. List the runs: elenchus list"]);
}

/** The scenarios stored in a run, such as those from standard input, if they are as they were at its start. */
export function definitionsAtStart(store: Store, { run, start }: RunSummary): readonly ScenarioDefinition[] {
  return [...storedDefinitions(store, run).values()].filter(
    ({ name, hash }) => Object.hasOwn(start.scenarios, name) && start.scenarios[name] === hash,
  );
}
