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
import { demandOrigin, scenariosOf } from "../resume/resume.ts";
import { runAndReport } from "../run/run-and-report.ts";
import { folderFromStore, originToKeep, whereAsked, withMore } from "../run/run-origin.ts";
import type { RunDisplay } from "../run/run-view.ts";
import { findRun, withRuns } from "../stored-runs.ts";

/** What `regrade` is told. */
export interface RegradeCommandOptions {
  /** The latest if it is left out. */
  readonly run?: string;
  /** Files with the changed scenarios; those of the run if there are none. */
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  readonly display: RunDisplay;
  /** True to hold conversations again from where they go another way. */
  readonly reruns: boolean;
}

/** How many conversations that go another way are listed. */
const SHOWN = 20;

/** Verifies the replies of a run again, with scenarios, judges and outcomes as they are now, into a run of its own. */
export async function regradeCommand(options: RegradeCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, reruns } = options;
  const { settings: now } = await readSettings(options.settings, terminal, { runsCode: true });
  return withRuns(
    now.store,
    async (store) => {
      const summary = findRun(store, options.run);
      const origin = demandOrigin(summary);
      const request = withMore(origin, options.settings);
      const there = whereAsked(origin, now.store, terminal);
      const { settings } = await readSettings(request, there, { runsCode: true });
      const scenarios =
        names.length > 0
          ? await readScenarios(names, settings, terminal)
          : await scenariosOf(origin, { store, summary, settings, terminal: there });
      const { subjects, ...others } = runOptionsOf(settings);
      let again: Regrading | undefined;
      const begin = (signal: AbortSignal): Run => {
        again = startRegrade(
          summary.run,
          {
            ...others,
            ...(reruns ? { subjects } : {}),
            rerun: reruns,
            scenarios,
            store,
            signal,
            environment: terminal.environment,
          },
          {
            origin: originToKeep({
              names: names.length > 0 ? names : origin.names,
              settings: request,
              folder: folderFromStore(now.store, names.length > 0 ? terminal : there),
            }),
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
      `What would be said there is not known, so ${countedText(open, "conversation")} cannot be decided. To go on from there: --rerun\n`,
    );
}

function placeOf({ scenario, subject, replicate }: Divergence): string {
  return `${scenario}, ${subject}, replicate ${replicate}`;
}
