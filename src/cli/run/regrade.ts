import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import type { RunSummary, Store } from "../../journal/store/store.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import { countedText } from "../../report/text/figures.ts";
import { type Divergence, describeDivergence } from "../../run/recorded-conversation.ts";
import { type Regrading, startRegrade } from "../../run/regrade.ts";
import type { Run } from "../../run/run-scenarios.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Output, Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { quoted } from "../trust/project-effects.ts";
import { sealRun } from "../trust/run-seal.ts";
import { type UnusedOrigin, usableOrigin } from "../trust/usable-origin.ts";
import { definitionsAsBegun } from "./resume.ts";
import { requireSubjects } from "./run.ts";
import { runAndReport } from "./run-and-report.ts";
import { folderFromStore, originToKeep, whereAsked, withMore } from "./run-origin.ts";
import type { RunDisplay } from "./run-view.ts";

/** The options of `regrade`. */
interface RegradeCommandOptions {
  /** Default: the latest run. */
  readonly run: string | undefined;
  /** Files with the changed scenarios; those of the run if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  /** True to hold conversations again from where they go another way. */
  readonly reruns: boolean;
  /** True to use what the run says about how it was begun, though it was not made here. */
  readonly trustsOrigin: boolean;
  /** True to use scenarios that are marked as drafts. */
  readonly allowDrafts: boolean;
}

/** How many conversations that go another way are listed. */
const SHOWN = 20;

/** Verifies the replies of a run again, with scenarios, judges and outcomes as they are now, into a run of its own. */
export async function regradeCommand(options: RegradeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, reruns, trustsOrigin, allowDrafts } = options;
  const { settings: now } = await readSettings(options.settings, terminal, { runsCode: true });
  return withRuns(
    now.store,
    async (store) => {
      const summary = findRun(store, options.run);
      const { origin, unused } = await usableOrigin(summary, {
        command: "regrade",
        store: now.store,
        names,
        trustsOrigin,
        terminal,
      });
      const request =
        origin === undefined
          ? withSizeOf(summary, store, options.settings)
          : withMore(origin, options.settings);
      const there = origin === undefined ? terminal : whereAsked(origin, now.store, terminal);
      // What a run from elsewhere keeps of its scenarios is data, and can be verified without anything else of it.
      const meant = names.length > 0 ? names : (origin?.names ?? ["-"]);
      const isStored = names.length === 0 && meant.includes("-");
      const { settings } = await readSettings(request, there, {
        runsCode: true,
        uses: "everything",
        names: meant,
      });
      const scenarios = isStored
        ? keptScenarios(store, summary, { unused, messages: terminal.messages })
        : await readScenarios(meant, settings, names.length > 0 ? terminal : there);
      if (reruns) requireSubjects(settings);
      const asked = names.length > 0 ? terminal : there;
      const { subjects, ...others } = runOptionsOf(settings);
      let again: Regrading | undefined;
      const begin = (signal: AbortSignal): Run => {
        again = startRegrade(
          summary.run,
          {
            ...others,
            // Of the run before, which asked for all answers anew, they are in the store; what is graded again needs no others.
            fresh: isFreshNow(options.settings),
            ...(reruns ? { subjects } : {}),
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
              names: meant,
              settings: request,
              folder: folderFromStore(now.store, asked),
            }),
            seal: (start) => sealRun(start, asked.folder, terminal.environment),
          },
        );
        return again;
      };
      const onEnd = async (): Promise<void> => {
        if (again !== undefined && !options.display.json)
          sayDivergences(await again.divergences, {
            reruns,
            output: options.display.quiet ? terminal.messages : terminal.output,
          });
      };
      return runAndReport(begin, { store, settings, display: options.display, onEnd }, terminal);
    },
    { readOnly: false },
  );
}

/** True if this command, not the run before, asks for new answers. */
function isFreshNow({ flags }: SettingsRequest): boolean {
  return flags.some(({ path, value }) => path.join(".") === "fresh" && value === true);
}

/** Numbers that say which conversations there are to verify; what the person says goes before them. No more than there are. */
function withSizeOf({ run, start }: RunSummary, store: Store, settings: SettingsRequest): SettingsRequest {
  let held = 0;
  for (const _ of store.conversations(run)) held++;
  const { turnLimit } = start.configuration;
  const numbers = { replicates: Math.min(start.replicates, held), seed: start.seed, turnLimit };
  const flags = Object.entries(numbers).flatMap(([key, value]) =>
    typeof value === "number" && Number.isSafeInteger(value) && (value > 0 || key === "seed")
      ? [{ flag: `${key} of the run`, path: [key], value }]
      : [],
  );
  return { ...settings, flags: [...flags, ...settings.flags] };
}

/**
 * The scenarios that a run keeps. Functions in them run in the sandbox. A run from elsewhere does not say which models are asked: one
 * whose scenarios name models is not verified without consent.
 */
function keptScenarios(
  store: Store,
  summary: RunSummary,
  { unused, messages }: { readonly unused: UnusedOrigin | undefined; readonly messages: Output },
): readonly ScenarioDefinition[] {
  const kept = definitionsAsBegun(store, summary);
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
    `${unused.reason} The scenarios that it keeps are used, with your settings. To use others: elenchus regrade ${quoted(printableText(summary.run))} FILES\n`,
  );
  return kept;
}

function sayDivergences(
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
