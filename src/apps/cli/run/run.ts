import { resolve } from "node:path";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import { cassetteFromRun } from "../../../engine/journal/transfer/stored-run.ts";
import { readCassette, writeCassette } from "../../../engine/models/cassette/cassette.ts";
import { refuseDrafts, requireJudge } from "../../../engine/run/required-models.ts";
import { resolveModels } from "../../../engine/run/resolve-models.ts";
import { startRun } from "../../../engine/run/run-scenarios.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import type { Telemetry } from "../../interchange/otel/set-up.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { RUN } from "../commands/run-commands.ts";
import { explainSettings } from "../explain-settings.ts";
import { coverageThresholds } from "../look/coverage.ts";
import type { ViewedRun } from "../look/view.ts";
import { printWarnings, readScenarios } from "../read-scenarios.ts";
import { readSettings, requireSubjects } from "../read-settings.ts";
import { openToWrite } from "../stored-runs.ts";
import { keepOrigin } from "../trust/run-origin.ts";
import { watchRuns } from "../watch/watch.ts";
import { type OpenWork, openWork, workAddresses } from "../workers/shared-work.ts";
import { refuseToOverwrite } from "../write-output.ts";
import { prepareGate } from "./baseline-gate.ts";
import { forecastIfPaid } from "./forecast-run.ts";
import { runAndReport } from "./run-and-report.ts";
import { usableThresholds } from "./thresholds.ts";

/** Runs scenarios against models and reports the results. */
export async function run(options: OptionsOf<typeof RUN>, terminal: Terminal): Promise<ExitCode> {
  const { files: names, record, replay, shard, useCalls, maxCost, display, allowDrafts } = options;
  if (options.watch) return watchRuns(options, terminal);
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
    ...withoutUndefined({ shard, replay: cassette, useCalls }),
    // Workers make the calls, with their own keys.
    ...(addresses === undefined ? {} : { keyless: true }),
  };
  const coverageLimits = coverageThresholds(options.failUnderCoverage ?? []);
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
    const origin = await keepOrigin({ names, settings: options.settings, replay }, settings.store, terminal);
    const code = await runAndReport(
      (signal) =>
        start(
          {
            ...runOptions,
            store,
            signal,
            keepResults: false,
            ...withoutUndefined({ observer: telemetry?.observer, run: name }),
          },
          { origin },
        ),
      {
        store,
        settings,
        thresholds,
        ...withoutUndefined({ gate }),
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
