import { SELF_JUDGE } from "../../../core/defaults.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { type Divergence, describeDivergence } from "../../../engine/run/recorded-conversation.ts";
import { isRecorded, type Regrading, startRegrade } from "../../../engine/run/regrade.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { REGRADE } from "../commands/run-commands.ts";
import type { SettingsRequest } from "../flags.ts";
import { readSettings, requireSubjects } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { keepOrigin } from "../trust/run-origin.ts";
import { runAndReport } from "./run-and-report.ts";
import { storedCommand } from "./stored-command.ts";

/** How many conversations that take another edge are listed. */
const SHOWN = 20;

/** Verifies the replies of a run again, with the current scenarios, judges and outcomes, as a new run. */
export async function regrade(options: OptionsOf<typeof REGRADE>, terminal: Terminal): Promise<ExitCode> {
  const { files: names, rerun: reruns, allowDrafts } = options;
  const { settings: current } = await readSettings(options.settings, terminal, { runsCode: true });
  return withRuns(
    current.store,
    async (store) => {
      const summary = findRun(store, options.run);
      const command = await storedCommand(
        {
          store,
          storePath: current.store,
          run: summary,
          names,
          settings: options.settings,
          imported: () => withSizeOf(summary, store, options.settings),
        },
        terminal,
      );
      const { origin, request, settings, scenarios, base } = command;
      if (origin === undefined && names.length === 0)
        terminal.messages.write(
          `Run ${printableText(summary.run)} was not started on this command line. The scenarios that it keeps are used, with your settings. To use others: elenchus regrade ${runWord(summary.run)} FILES\n`,
        );
      if (reruns) requireSubjects(settings);
      const { subjects, ...others } = runOptionsOf(settings);
      // Only a run that was started here says which models read.
      const readsItself =
        origin !== undefined && settings.judges.includes(SELF_JUDGE) && !isRecorded(summary.start);
      let regrading: Regrading | undefined;
      const kept = await keepOrigin({ names: command.names, settings: request }, current.store, base);
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
          { origin: kept },
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
