import type { Store } from "../../journal/store/store.ts";
import { ProjectError } from "../../project/project-error.ts";
import { type Assumptions, assumptionsOf, detectionPlans } from "../../report/data/detection.ts";
import { countText } from "../../report/text/figures.ts";
import { namedTable } from "../../report/text/named-table.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";

/** The options of `plan`. */
export interface PlanOptions {
  readonly settings: SettingsRequest;
  /** The difference to detect, as a share. */
  readonly detect: number;
  readonly power: number;
  /** An earlier run to take the variance from. */
  readonly from?: string;
  readonly outcome?: string;
  /** What is assumed; values of the earlier run are used for what is left out. */
  readonly assumed: Partial<Assumptions>;
  readonly json: boolean;
}

/** Says how many items and replicates would detect a difference. */
export async function plan(options: PlanOptions, terminal: Terminal): Promise<ExitCode> {
  const { detect, power, assumed, json } = options;
  if (!(detect > 0 && detect < 1))
    throw new ProjectError([
      `The difference to detect must lie between 0 and 1 (0.05 are 5 points), not ${detect}.`,
    ]);
  const { settings } = await readSettings(options.settings, terminal);
  const isStated = assumed.rate !== undefined && assumed.icc !== undefined && options.from === undefined;
  const measured = isStated ? undefined : await withRuns(settings.store, (store) => measure(store, options));
  const assumptions: Assumptions = {
    rate: 0.5,
    icc: 0.5,
    correlation: 0,
    ...measured?.assumptions,
    ...assumed,
  };
  const plans = detectionPlans(detect, { power, ...assumptions });
  const { output } = terminal;
  if (json) {
    output.write(
      `${JSON.stringify({ detect, power, assumptions, from: measured?.from ?? null, plans }, null, 2)}\n`,
    );
    return 0;
  }
  const source =
    measured === undefined
      ? "As stated"
      : `From run ${measured.from}${measured.isWhole ? "" : " (what it cannot tell is assumed)"}`;
  const { rate, icc, correlation } = assumptions;
  const head = `To detect a difference of ${points(detect)} with ${Math.round(100 * power)} % power. ${source}: rate ${rate.toFixed(2)}, intraclass correlation ${icc.toFixed(2)}, correlation of two subjects ${correlation.toFixed(2)}.`;
  const lines = [
    {
      name: { text: "replicates" },
      indent: 0,
      cells: ["items", "conversations per subject"].map((text) => ({ text, paint: output.style.dim })),
    },
    ...plans.map(({ replicates, items, conversations }) => ({
      name: { text: String(replicates) },
      indent: 0,
      cells: [
        { text: items === null ? "–" : countText(items) },
        { text: conversations === null ? "–" : countText(conversations) },
      ],
    })),
  ];
  output.write(
    `${wrapText(head, output.width).join("\n")}\n\n${namedTable(lines, [{ alignment: ">" }, { alignment: ">" }], output.width).join("\n")}\n`,
  );
  return 0;
}

function points(share: number): string {
  return `${Number((100 * share).toPrecision(6))} points`;
}

function measure(
  store: Store,
  { from, outcome }: PlanOptions,
): { readonly from: string; readonly assumptions: Partial<Assumptions>; readonly isWhole: boolean } {
  const { run } = findRun(store, from);
  const found = assumptionsOf(store, run, outcome);
  const isWhole = Object.keys(found.assumptions).length === 3;
  return { from: `${run}, ${printableText(found.outcome)}`, assumptions: found.assumptions, isWhole };
}
