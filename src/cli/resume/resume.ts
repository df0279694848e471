import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { RunSummary, Store } from "../../journal/store/store.ts";
import { storedDefinitions } from "../../journal/transfer/stored-definitions.ts";
import { readCassette } from "../../models/cassette/cassette-file.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { Settings } from "../../project/settings.ts";
import { finishedBefore } from "../../report/finished-before.ts";
import { resumeRun } from "../../run/run-scenarios.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { runAndReport } from "../run/run-and-report.ts";
import { lacksSecrets, originOf, type RunOrigin, whereAsked, withMore } from "../run/run-origin.ts";
import type { RunDisplay } from "../run/run-view.ts";
import { countOpen, findRun, withRuns } from "../stored-runs.ts";

/** What `resume` is told. */
export interface ResumeCommandOptions {
  /** The latest run that is not finished, if it is left out. */
  readonly run?: string;
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  readonly retryErrors: boolean;
}

/** Goes on with a run where it was left, as it was asked for. */
export async function resume(options: ResumeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { retryErrors } = options;
  const { settings: now } = await readSettings(options.settings, terminal, { runsCode: true });
  return withRuns(
    now.store,
    async (store) => {
      const summary =
        options.run === undefined ? latestUnfinished(store, retryErrors) : findRun(store, options.run);
      if (countOpen(summary, retryErrors) === 0) {
        const hint =
          (summary.statuses.error ?? 0) > 0
            ? " To hold those again that ended in an error: --retry-errors"
            : "";
        terminal.messages.write(`Run ${summary.run} is finished; nothing is left to do.${hint}\n`);
      }
      const origin = demandOrigin(summary);
      const there = whereAsked(origin, now.store, terminal);
      const { settings } = await readSettings(withMore(origin, options.settings), there, { runsCode: true });
      const scenarios = await scenariosOf(origin, { store, summary, settings, terminal: there });
      const { replay } = origin;
      const cassette = replay === undefined ? undefined : await readCassette(resolve(there.folder, replay));
      return runAndReport(
        (signal) =>
          resumeRun(summary.run, {
            ...runOptionsOf(settings),
            scenarios,
            store,
            signal,
            retryErrors,
            environment: terminal.environment,
            keepResults: false,
            ...(cassette === undefined ? {} : { replay: cassette }),
          }),
        {
          store,
          settings,
          display: options.display,
          finishedBefore: finishedBefore(store, summary.run, { retryErrors }),
        },
        there,
      );
    },
    { readOnly: false },
  );
}

function latestUnfinished(store: Store, retryErrors: boolean): RunSummary {
  // What was graded again is not gone on with, but graded once more.
  const open = store.runs().filter((run) => run.parent === null && countOpen(run, retryErrors) > 0);
  const latest = open.sort((one, other) => other.startedAt - one.startedAt)[0];
  if (latest !== undefined) return latest;
  throw new ProjectError(["No run is unfinished. See what there is: elenchus list"]);
}

/** How a run was asked for; throws if it was not begun on the command line. */
export function demandOrigin(summary: RunSummary): RunOrigin {
  const origin = originOf(summary.start);
  if (origin !== undefined && lacksSecrets(origin))
    throw new ProjectError([
      `The run ${summary.run} was begun with a secret on the command line, which is never kept, so it cannot go on. Put the secret into an environment variable, and begin a new run: answers that are known come from the store.`,
    ]);
  if (origin !== undefined) return origin;
  throw new ProjectError([
    `The run ${summary.run} was not begun on this command line, so how it was asked for is not known. Go on with it where it was begun.`,
  ]);
}

/** The scenarios as the files have them now; what came from standard input is gone, and as the run has it. */
export async function scenariosOf(
  origin: RunOrigin,
  {
    store,
    summary,
    settings,
    terminal,
  }: {
    readonly store: Store;
    readonly summary: RunSummary;
    readonly settings: Settings;
    readonly terminal: Terminal;
  },
): Promise<readonly ScenarioDefinition[]> {
  if (origin.names.includes("-")) return [...storedDefinitions(store, summary.run).values()];
  return readScenarios(origin.names, settings, terminal);
}
