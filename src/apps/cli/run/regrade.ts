import { resolve } from "node:path";
import { SELF_JUDGE } from "../../../core/defaults.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { type Divergence, describeDivergence } from "../../../engine/run/recorded-conversation.ts";
import { isRecorded, type Regrading, startRegrade } from "../../../engine/run/regrade.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios, requireAddressConsent } from "../read-scenarios.ts";
import { readSettings, requireSubjects, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { folderFromStore, originToKeep, terminalOfOrigin, withOverrides } from "../trust/run-origin.ts";
import { sealRun } from "../trust/run-seal.ts";
import { type UnusedOrigin, usableOrigin } from "../trust/usable-origin.ts";
import { definitionsAtStart } from "./resume.ts";
import { runAndReport } from "./run-and-report.ts";
import type { RunDisplay } from "./run-view.ts";

/** The options of `regrade`. */
interface RegradeCommandOptions {
  /** Default: the latest run. */
  readonly run: string | undefined;
  /** Files with the changed scenarios; those of the run if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  /** True to continue conversations that now take another edge, by asking the subject. */
  readonly rerun: boolean;
  /** True to use the stored command line of a run that was not started here. */
  readonly trustOrigin: boolean;
  /** True to use scenarios that are marked as drafts. */
  readonly allowDrafts: boolean;
}

/** How many conversations that take another edge are listed. */
const SHOWN = 20;

/** Verifies the replies of a run again, with the current scenarios, judges and outcomes, as a new run. */
export async function regradeCommand(options: RegradeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, rerun: reruns, trustOrigin: trustsOrigin, allowDrafts } = options;
  const { settings: current } = await readSettings(options.settings, terminal, { runsCode: true });
  return withRuns(
    current.store,
    async (store) => {
      const summary = findRun(store, options.run);
      const { origin, unused } = await usableOrigin(summary, {
        command: "regrade",
        store: current.store,
        names,
        trustsOrigin,
        terminal,
      });
      const request =
        origin === undefined
          ? withSizeOf(summary, store, options.settings)
          : withOverrides(origin, options.settings);
      const originTerminal =
        origin === undefined ? terminal : terminalOfOrigin(origin, current.store, terminal);
      // The scenarios stored in a run from elsewhere are data: they can be verified without the rest of its command line.
      const scenarioNames = names.length > 0 ? names : (origin?.names ?? ["-"]);
      // Names that the command gives are relative to its own folder, those of the run to the folder of the run.
      const base = names.length > 0 ? terminal : originTerminal;
      const isStored = names.length === 0 && scenarioNames.includes("-");
      const { settings } = await readSettings(request, originTerminal, {
        runsCode: true,
        uses: "everything",
        names: scenarioNames,
      });
      const scenarios = isStored
        ? keptScenarios(store, summary, { unused, messages: terminal.messages })
        : await readScenarios(scenarioNames, settings, base, options.settings);
      const stored = { file: resolve(base.folder, "-"), settings, request: options.settings };
      if (isStored) await requireAddressConsent(scenarios, stored, terminal);
      if (reruns) requireSubjects(settings);
      const { subjects, ...others } = runOptionsOf(settings);
      // Only a run that was started here says which models read.
      const readsItself =
        origin !== undefined && settings.judges.includes(SELF_JUDGE) && !isRecorded(summary.start);
      let regrading: Regrading | undefined;
      const start = (signal: AbortSignal): Run => {
        regrading = startRegrade(
          summary.run,
          {
            ...others,
            // The stored run may have had `--fresh`; its answers are in the store now, and grading needs no others.
            fresh: isFreshNow(options.settings),
            ...(reruns || readsItself ? { subjects } : {}),
            rerun: reruns,
            scenarios,
            allowDrafts,
            store,
            keepResults: false,
            signal,
            environment: terminal.environment,
          },
          {
            origin: originToKeep({
              names: scenarioNames,
              settings: request,
              folder: folderFromStore(current.store, base),
            }),
            seal: (started) => sealRun(started, base.folder, terminal.environment),
          },
        );
        return regrading;
      };
      const onEnd = async (): Promise<void> => {
        if (regrading !== undefined && !options.display.json)
          printDivergences(await regrading.divergences, {
            reruns,
            output: options.display.quiet ? terminal.messages : terminal.output,
          });
      };
      return runAndReport(start, { store, settings, display: options.display, onEnd }, terminal);
    },
    { readOnly: false },
  );
}

/** True if this command has `--fresh`, whatever the stored run had. */
function isFreshNow({ flags }: SettingsRequest): boolean {
  return flags.some(({ path, value }) => path.join(".") === "fresh" && value === true);
}

/** Adds replicates, seed and turn limit of the stored run as defaults: they say which conversations there are to verify. */
function withSizeOf({ run, start }: RunSummary, store: Store, settings: SettingsRequest): SettingsRequest {
  let stored = 0;
  for (const _ of store.conversations(run)) stored++;
  const { turnLimit } = start.configuration;
  const numbers = { replicates: Math.min(start.replicates, stored), seed: start.seed, turnLimit };
  const flags = Object.entries(numbers).flatMap(([key, value]) =>
    typeof value === "number" && Number.isSafeInteger(value) && (value > 0 || key === "seed")
      ? [{ flag: `${key} of the run`, path: [key], value }]
      : [],
  );
  return { ...settings, flags: [...flags, ...settings.flags] };
}

/**
 * The scenarios stored in a run. Their functions run in the sandbox. A run from elsewhere must not choose the models: if its scenarios
 * name models, consent is needed.
 */
function keptScenarios(
  store: Store,
  summary: RunSummary,
  { unused, messages }: { readonly unused: UnusedOrigin | undefined; readonly messages: Output },
): readonly ScenarioDefinition[] {
  const kept = definitionsAtStart(store, summary);
  const refuse = (why: string): never => {
    throw new ProjectError([`${unused?.reason ?? ""} ${why} ${unused?.advice ?? "Name the files."}`.trim()]);
  };
  if (kept.length < Object.keys(summary.start.scenarios).length)
    return refuse("It does not keep all of its scenarios as they were.");
  if (unused === undefined) return kept;
  const models = kept.flatMap(({ nodes }) =>
    Object.values(nodes).flatMap(({ modelOverride = {} }) =>
      [modelOverride.subject, modelOverride.judge].filter(Boolean),
    ),
  );
  if (models.length > 0) return refuse("Its scenarios name models of their own.");
  messages.write(
    `${unused.reason} The scenarios that it keeps are used, with your settings. To use others: elenchus regrade ${runWord(summary.run)} FILES\n`,
  );
  return kept;
}

function printDivergences(
  divergences: readonly Divergence[],
  { reruns, output }: { readonly reruns: boolean; readonly output: Output },
): void {
  if (divergences.length === 0) {
    output.write("Every conversation takes the same edges as before.\n");
    return;
  }
  const count = countedText(divergences.length, "conversation");
  output.write(`${count} would now take another edge${reruns ? ", and went on from there" : ""}:\n`);
  for (const divergence of divergences.slice(0, SHOWN))
    output.write(`  ${printableText(`${placeOf(divergence)}: ${describeDivergence(divergence)}`)}\n`);
  if (divergences.length > SHOWN) output.write(`  … and ${divergences.length - SHOWN} more\n`);
  const open = divergences.filter(({ now }) => now !== null).length;
  if (open > 0 && !reruns)
    output.write(
      `The replies on that path are not known, so ${countedText(open, "conversation")} cannot be decided. To ask the subject: --rerun\n`,
    );
}

function placeOf({ scenario, subject, replicate }: Divergence): string {
  return `${scenario}, ${subject}, replicate ${replicate}`;
}
