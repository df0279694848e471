import type { Store } from "../../journal/store/store.ts";
import { ProjectError } from "../../project/project-error.ts";
import { type Assumptions, assumptionsOf, detectionPlans } from "../../report/data/detection.ts";
import { countText } from "../../report/text/figures.ts";
import { namedTable } from "../../report/text/named-table.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Output } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/text-layout.ts";
import { findRun, withRuns } from "../stored-runs.ts";

/** What to detect, and what is assumed. */
export interface DetectOptions {
  /** The difference to detect, as a share. */
  readonly detect: number;
  readonly power: number;
  /** An earlier run to take the variance from. */
  readonly from?: string;
  readonly outcome?: string;
  /** What is assumed; values of the earlier run are used for what is left out. */
  readonly assumed: Partial<Assumptions>;
}

/** How many items and replicates would detect a difference. */
export interface Detection {
  readonly detect: number;
  readonly power: number;
  readonly assumptions: Assumptions;
  /** The run that they come from, and of which outcome; null if they are stated. */
  readonly from: string | null;
  /** False if the run cannot tell all of them. */
  readonly isWhole: boolean;
  readonly plans: ReturnType<typeof detectionPlans>;
}

/** Finds out how many items and replicates would detect a difference. */
export async function detection(options: DetectOptions, store: string): Promise<Detection> {
  const { detect, power, assumed } = options;
  if (!(detect > 0 && detect < 1))
    throw new ProjectError([
      `The difference to detect must lie between 0 and 1 (0.05 are 5 points), not ${detect}.`,
    ]);
  const isStated = assumed.rate !== undefined && assumed.icc !== undefined && options.from === undefined;
  const measured = isStated ? undefined : await withRuns(store, (runs) => measure(runs, options));
  const assumptions: Assumptions = {
    rate: 0.5,
    icc: 0.5,
    correlation: 0,
    ...measured?.assumptions,
    ...assumed,
  };
  const plans = detectionPlans(detect, { power, ...assumptions });
  const { from = null, isWhole = true } = measured ?? {};
  return { detect, power, assumptions, from, isWhole, plans };
}

/** The numbers of items and replicates as a table. */
export function detectionText(found: Detection, { style, width }: Pick<Output, "style" | "width">): string {
  const { detect, power, assumptions, from, isWhole, plans } = found;
  const source =
    from === null ? "As stated" : `From run ${from}${isWhole ? "" : " (what it cannot tell is assumed)"}`;
  const { rate, icc, correlation } = assumptions;
  const head = `To detect a difference of ${points(detect)} with ${Math.round(100 * power)} % power. ${source}: rate ${rate.toFixed(2)}, intraclass correlation ${icc.toFixed(2)}, correlation of two subjects ${correlation.toFixed(2)}.`;
  const lines = [
    {
      name: { text: "replicates" },
      indent: 0,
      cells: ["items", "conversations per subject"].map((text) => ({ text, paint: style.dim })),
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
  return `${wrapText(head, width).join("\n")}\n\n${namedTable(lines, [{ alignment: ">" }, { alignment: ">" }], width).join("\n")}\n`;
}

function points(share: number): string {
  return `${Number((100 * share).toPrecision(6))} points`;
}

function measure(
  store: Store,
  { from, outcome }: DetectOptions,
): { readonly from: string; readonly assumptions: Partial<Assumptions>; readonly isWhole: boolean } {
  const { run } = findRun(store, from);
  const found = assumptionsOf(store, run, outcome);
  const isWhole = Object.keys(found.assumptions).length === 3;
  return { from: `${run}, ${printableText(found.outcome)}`, assumptions: found.assumptions, isWhole };
}
