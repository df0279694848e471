import { withoutUndefined } from "../../../core/values/json.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { readAssumptions } from "../../../insight/analysis/plan/assumptions.ts";
import { planRun, type RunPlan } from "../../../insight/analysis/plan/plan-run.ts";
import { type Assumptions, assumptionsOf, detectionPlans } from "../../../insight/report/data/detection.ts";
import { countText } from "../../../insight/report/text/figures.ts";
import { namedTable } from "../../../insight/report/text/text-blocks.ts";
import { printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/resolve-settings.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { PLAN } from "../commands/write-commands.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, requireSubjects } from "../read-settings.ts";
import { findRun, withRuns, withStoreIfAny } from "../stored-runs.ts";
import { planText } from "./plan-text.ts";

type PlanOptions = OptionsOf<typeof PLAN>;

/** Prints the forecast of a run, and how many items and replicates would detect a difference. */
export async function plan(options: PlanOptions, terminal: Terminal): Promise<ExitCode> {
  const { files: names, detect, json } = options;
  const alone = (["outcome", "rate", "icc", "correlation"] as const).find(
    (key) => options[key] !== undefined,
  );
  if (detect === undefined && alone !== undefined)
    throw new ProjectError([`--${alone} needs --detect, the difference to detect.`]);
  // Without scenarios, a difference is planned alone.
  const isRun = names.length > 0 || detect === undefined;
  const { settings } = await readSettings(options.settings, terminal, {
    runsCode: isRun,
    names,
    ...(isRun ? { uses: "scenarios" } : {}),
  });
  const found = detect === undefined ? undefined : await detection(detect, options, settings.store);
  const planned = isRun ? await plannedRun(options, settings, terminal) : undefined;
  const { output } = terminal;
  if (json) {
    const { isWhole: _, ...numbers } = found ?? {};
    output.data(`${safeJson({ ...planned, ...numbers }, 2)}\n`);
    return 0;
  }
  const texts = [
    ...(planned === undefined ? [] : [planText(planned, output)]),
    ...(found === undefined ? [] : [detectionText(found, output)]),
  ];
  output.write(texts.join("\n"));
  return 0;
}

async function plannedRun(
  { files, from, useCalls, allowDrafts, assume = [] }: PlanOptions,
  settings: Settings,
  terminal: Terminal,
): Promise<RunPlan> {
  const assumptions = readAssumptions(assume.flatMap((text) => text.split(",")));
  if ("problem" in assumptions) throw new ProjectError([assumptions.problem]);
  const scenarios = await readScenarios(files, settings, terminal);
  requireSubjects(settings);
  const { environment } = terminal;
  const run = {
    ...runOptionsOf(settings),
    scenarios,
    environment,
    allowDrafts,
    ...withoutUndefined({ useCalls }),
  };
  return withStoreIfAny(settings.store, (store) => {
    if (from !== undefined && store === undefined)
      throw new ProjectError([`There is no run "${from}": there is no store yet.`]);
    const earlier = store && from !== undefined ? findRun(store, from).run : undefined;
    return planRun(
      { ...run, ...withoutUndefined({ store }) },
      { assumptions: assumptions.given, ...withoutUndefined({ from: earlier }) },
    );
  });
}

/** How many items and replicates would detect a difference. */
interface Detection {
  readonly detect: number;
  readonly power: number;
  readonly assumptions: Assumptions;
  /** The run that they come from, and of which outcome; null if they are stated. */
  readonly from: string | null;
  /** False if the run does not give all of them. */
  readonly isWhole: boolean;
  readonly plans: ReturnType<typeof detectionPlans>;
}

async function detection(detect: number, options: PlanOptions, store: string): Promise<Detection> {
  const { power, rate, icc, correlation, from } = options;
  if (!(detect > 0 && detect < 1))
    throw new ProjectError([
      `The difference to detect must lie between 0 and 1 (0.05 are 5 points), not ${detect}.`,
    ]);
  const isStated = rate !== undefined && icc !== undefined && from === undefined;
  const measured = isStated ? undefined : await withRuns(store, (runs) => measure(runs, options));
  const assumptions: Assumptions = {
    rate: 0.5,
    icc: 0.5,
    correlation: 0,
    ...measured?.assumptions,
    ...withoutUndefined({ rate, icc, correlation }),
  };
  const plans = detectionPlans(detect, { power, ...assumptions });
  return { from: null, isWhole: true, ...measured, detect, power, assumptions, plans };
}

/** The numbers of items and replicates as a table. */
function detectionText(found: Detection, { style, width }: Pick<Output, "style" | "width">): string {
  const { detect, power, assumptions, from, isWhole, plans } = found;
  const source =
    from === null ? "As stated" : `From run ${from}${isWhole ? "" : " (what it cannot tell is assumed)"}`;
  const { rate, icc, correlation } = assumptions;
  const head = `To detect a difference of ${points(detect)} with ${Math.round(100 * power)} % power. ${source}: rate ${rate.toFixed(2)}, intraclass correlation ${icc.toFixed(2)}, correlation of two subjects ${correlation.toFixed(2)}.`;
  const lines = [
    {
      name: "replicates",
      cells: ["items", "conversations per subject"].map((text) => ({ text, paint: style.dim })),
    },
    ...plans.map(({ replicates, items, conversations }) => ({
      name: String(replicates),
      cells: [items, conversations].map(countText),
    })),
  ];
  return `${wrapText(head, width).join("\n")}\n\n${namedTable(lines, [">", ">"], width).join("\n")}\n`;
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
