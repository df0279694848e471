import { resolve } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { Retried, RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { readCassette } from "../../../engine/models/cassette/cassette.ts";
import { startResume } from "../../../engine/run/run-scenarios.ts";
import { finishedBefore } from "../../../insight/report/data/run-progress.ts";
import { countedText, countText, timeText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { RESUME } from "../commands/run-commands.ts";
import { readSettings, requireSubjects } from "../read-settings.ts";
import { countOpen, findRun, isOpen, withRuns } from "../stored-runs.ts";
import { originOf } from "../trust/run-origin.ts";
import { openWork, workAddresses } from "../workers/shared-work.ts";
import { forecastIfPaid } from "./forecast-run.ts";
import { runAndReport } from "./run-and-report.ts";
import { storedCommand } from "./stored-command.ts";
import { usableThresholds } from "./thresholds.ts";

/** Resumes a run: with its stored command line if it was started here, else with what this command names. */
export async function resume(options: OptionsOf<typeof RESUME>, terminal: Terminal): Promise<ExitCode> {
  const { retryErrors, files: names, useCalls } = options;
  const { settings: ownSettings } = await readSettings(options.settings, terminal, { runsCode: true });
  const retried: Retried = { retryErrors, retryUnreadable: ownSettings.retryUnreadable };
  const addresses =
    options.workers === undefined ? undefined : workAddresses(options.workers, ownSettings.store);
  const current = addresses === undefined ? ownSettings : { ...ownSettings, store: addresses.store };
  return withRuns(
    current.store,
    async (store) => {
      const summary =
        options.run === undefined ? latestUnfinished(store, retried) : findRun(store, options.run);
      const left = countOpen(store, summary, retried);
      const isFinished = left === 0;
      if (options.run === undefined && !isFinished && !options.display.quiet)
        printChosenRun(summary, { left, store }, terminal);
      if (isFinished)
        terminal.messages.write(`Run ${printableText(summary.run)} is finished; nothing is left to do.\n`);
      if (isFinished && names.length === 0 && originOf(summary.start) === undefined) return 0;
      const command = await storedCommand(
        { store, storePath: current.store, run: summary, names, settings: options.settings },
        terminal,
      );
      const { origin, request, settings, scenarios, all, terminal: originTerminal } = command;
      requireSubjects(settings);
      const thresholds = await usableThresholds(settings, { chosen: scenarios, all }, terminal.messages);
      const replay = origin?.replay;
      const cassette =
        replay === undefined ? undefined : await readCassette(resolve(originTerminal.folder, replay));
      const runOptions = {
        ...runOptionsOf(settings),
        scenarios,
        environment: terminal.environment,
        ...withoutUndefined({ useCalls, replay: cassette }),
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

/**
 * The latest run with something left to do. Errors count: after a run with errors, resuming an older one would be a surprise. Runs that
 * were started on the command line go before imported ones.
 */
function latestUnfinished(store: Store, retried: Retried): RunSummary {
  const isOwn = ({ start }: RunSummary): boolean => originOf(start) !== undefined;
  // A regraded run is not resumed: it is regraded again.
  const candidates = store.runs().filter((run) => run.parent === null);
  const sorted = candidates.sort((one, other) => other.startedAt - one.startedAt);
  const open = sorted.filter((run) => isOpen(run, retried));
  const withErrors = { ...retried, retryErrors: true };
  const latest = sorted.find((run) => isOpen(run, withErrors) && isOwn(run)) ?? open.find(isOwn) ?? open[0];
  if (latest !== undefined) return latest;
  throw new ProjectError(["No run is unfinished. List the runs: elenchus list"]);
}
