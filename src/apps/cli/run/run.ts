import { resolve } from "node:path";
import { SELF_JUDGE } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { cassetteFromRun } from "../../../engine/journal/transfer/stored-run.ts";
import { readCassette, writeCassette } from "../../../engine/models/cassette/cassette.ts";
import { refuseDrafts } from "../../../engine/run/refuse-scenarios.ts";
import { requireJudge } from "../../../engine/run/required-models.ts";
import { type ResolvedModels, resolveModels } from "../../../engine/run/resolve-models.ts";
import type { RunOptions } from "../../../engine/run/run-options.ts";
import { startRun } from "../../../engine/run/run-scenarios.ts";
import { allModels } from "../../../engine/run/set-up-run.ts";
import type { Shard } from "../../../engine/run/shard.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import type { Telemetry } from "../../interchange/otel/set-up.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { ExitCode } from "../command.ts";
import { explainSettings } from "../explain-settings.ts";
import { coverageThresholds } from "../look/show-coverage.ts";
import type { ViewedRun } from "../look/view.ts";
import { printWarnings, readScenarios } from "../read-scenarios.ts";
import { readSettings, requireSubjects, type SettingsRequest } from "../read-settings.ts";
import { openToWrite } from "../stored-runs.ts";
import { keepOrigin } from "../trust/run-origin.ts";
import { type OpenWork, openWork, workAddresses } from "../workers/shared-work.ts";
import { refuseToOverwrite } from "../write-output.ts";
import { type GateOptions, prepareGate } from "./baseline-gate.ts";
import type { ForecastOptions } from "./forecast-run.ts";
import { runAndReport, usableThresholds } from "./run-and-report.ts";
import type { RunDisplay } from "./run-view.ts";

/** The options of `run`. */
interface RunCommandOptions extends GateOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  /** The name of the run. */
  readonly name: string | undefined;
  /** True to flush every group of events to the disk. */
  readonly durable: boolean;
  /** Imported runs whose answers may be used. */
  readonly useCalls: readonly string[] | undefined;
  /** A cassette to write when the run is over. */
  readonly record: string | undefined;
  /** A cassette that answers in place of all models. */
  readonly replay: string | undefined;
  /** True to print the settings with their origins, and exit. */
  readonly explainConfig: boolean;
  /** True to show the run in a browser, until Ctrl-C. */
  readonly view: boolean;
  /** True to send traces and metrics to where the standard variables of OpenTelemetry say. */
  readonly otel: boolean;
  /** True to run scenarios that are marked as drafts. */
  readonly allowDrafts: boolean;
  /** The limit of the forecast: above it, the run is not started. */
  readonly maxCost: string | undefined;
  /** Shares of nodes, edges, outcomes and paths that must be reached. */
  readonly failUnderCoverage: readonly string[] | undefined;
  /** Only the conversations of this part. */
  readonly shard: Shard | undefined;
  /** The address where workers find the conversations. */
  readonly workers: string | undefined;
}

/** Runs scenarios against models and reports the results. */
export async function run(options: RunCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, record, replay, shard, useCalls, maxCost, display, allowDrafts } = options;
  const resolved = await readSettings(options.settings, terminal, {
    runsCode: true,
    names,
    ...(options.explainConfig ? {} : { uses: "everything" }),
  });
  const addresses =
    options.workers === undefined ? undefined : workAddresses(options.workers, resolved.settings.store);
  const settings =
    addresses === undefined ? resolved.settings : { ...resolved.settings, store: addresses.store };
  if (options.explainConfig) {
    const { style, width } = terminal.output;
    terminal.output.write(explainSettings(resolved, { style, width }));
    return 0;
  }
  const scenarios = await readScenarios(names, settings, terminal, options.settings);
  requireSubjects(settings);
  refuseDrafts({ scenarios, allowDrafts });
  printWarnings(scenarios, terminal);
  // Standard input can be read only once.
  const all = async (): Promise<readonly ScenarioDefinition[]> =>
    names.includes("-") ? scenarios : readScenarios(names, { ...settings, only: [], tags: [] }, terminal);
  const thresholds = await usableThresholds(settings, { chosen: scenarios, all }, terminal.messages);
  if (record !== undefined) refuseToOverwrite(record, terminal);
  const cassette = replay === undefined ? undefined : await readCassette(resolve(terminal.folder, replay));
  const runOptions = {
    ...runOptionsOf(settings),
    scenarios,
    environment: terminal.environment,
    allowDrafts,
    ...(shard === undefined ? {} : { shard }),
    ...(cassette === undefined ? {} : { replay: cassette }),
    ...(useCalls === undefined ? {} : { useCalls }),
    // Workers make the calls, with their own keys.
    ...(addresses === undefined ? {} : { keyless: true }),
  };
  const coverageLimits = await coverageThresholds(options.failUnderCoverage ?? []);
  // A misspelt model, a missing key or a missing judge should not leave a store behind.
  const models = await resolveModels(runOptions);
  const { subjects } = models;
  requireJudge(runOptions, models);
  const { store: storePath } = settings;
  await forecastIfPaid(runOptions, terminal.messages, { store: storePath, maxCost, display, models });
  const telemetry = options.otel ? await openTelemetryFromEnvironment() : undefined;
  const store = await openToWrite(settings.store, { durable: options.durable });
  let viewed: ViewedRun | undefined;
  let work: OpenWork | undefined;
  try {
    const gate = await prepareGate(options, { store, scenarios, subjects: [...subjects.keys()] }, terminal);
    if (options.view) {
      const { viewRun } = await import("../look/view.ts");
      viewed = await viewRun(settings.store, options.name, terminal);
    }
    const name = viewed?.run ?? options.name;
    work = addresses === undefined ? undefined : await openWork(addresses, options.settings, terminal);
    const start = work === undefined ? startRun : work.startRun;
    const origin = await keepOrigin(options, settings.store, terminal);
    const code = await runAndReport(
      (signal) =>
        start(
          {
            ...runOptions,
            store,
            signal,
            keepResults: false,
            ...(telemetry === undefined ? {} : { observer: telemetry.observer }),
            ...(name === undefined ? {} : { run: name }),
          },
          { origin },
        ),
      {
        store,
        settings,
        thresholds,
        ...(gate === undefined ? {} : { gate }),
        coverage: { scenarios, thresholds: coverageLimits },
        display,
        onEnd: async (name) => {
          if (record === undefined) return;
          const recorded = cassetteFromRun(store, name);
          await writeCassette(resolve(terminal.folder, record), recorded);
          // Simulated subjects are not recorded.
          terminal.messages.write(`Recorded ${countedText(recorded.size, "call")} in ${record}\n`);
        },
      },
      terminal,
    );
    await viewed?.untilStopped();
    return code;
  } finally {
    await viewed?.close();
    await work?.close();
    const unsent = await telemetry?.close();
    if (typeof unsent === "string")
      terminal.messages.write(`Warning: Telemetry could not be sent: ${printableText(unsent)}\n`);
    await store.close();
  }
}

/** Throws a `ProjectError` if a package of OpenTelemetry is not installed. */
async function openTelemetryFromEnvironment(): Promise<Telemetry> {
  const otel = await import("../../interchange/otel/set-up.ts");
  try {
    return await otel.openTelemetryFromEnvironment();
  } catch (error) {
    if (error instanceof otel.MissingTelemetry) throw new ProjectError([error.message], { cause: error });
    throw error;
  }
}

/** Prints the forecast of a run that costs money. Throws a `ProjectError` if it is above the limit of `--max-cost`. */
export async function forecastIfPaid(
  runOptions: RunOptions,
  messages: Terminal["messages"],
  {
    display,
    models,
    ...options
  }: Omit<ForecastOptions, "isPrinted"> & { readonly display: RunDisplay; readonly models?: ResolvedModels },
): Promise<void> {
  if (runOptions.replay !== undefined) return;
  const { quiet, json } = display;
  const isPrinted = !quiet && !json && isAnnounced(models ?? (await resolveModels(runOptions)));
  if (!isPrinted && options.maxCost === undefined) return;
  const { forecastRun } = await import("./forecast-run.ts");
  await forecastRun(runOptions, messages, { ...options, isPrinted });
}

/** The calls of a judge that nobody named are announced, also if they cost nothing. */
function isAnnounced(models: ResolvedModels): boolean {
  return models.judges.has(SELF_JUDGE) || allModels(models).some(({ price }) => price !== null);
}
