import type { Store } from "../../../engine/journal/store/store.ts";
import { type PlanAssumptions, readAssumptions } from "../../../insight/analysis/plan/assumptions.ts";
import { planRun, type RunPlan } from "../../../insight/analysis/plan/plan-run.ts";
import { type Assumptions, assumptionsOf, detectionPlans } from "../../../insight/report/data/detection.ts";
import { countText } from "../../../insight/report/text/figures.ts";
import { namedTable } from "../../../insight/report/text/text-blocks.ts";
import { printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Output, Terminal } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { Settings } from "../../project/settings.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, requireSubjects, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns, withStoreIfAny } from "../stored-runs.ts";
import { planText } from "./plan-text.ts";

/** The options of `plan`. */
interface PlanCommandOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** The values of `--assume`. */
  readonly assume: readonly string[] | undefined;
  /** An earlier run to take chances, lengths and variance from. */
  readonly from: string | undefined;
  readonly useCalls: readonly string[] | undefined;
  readonly allowDrafts: boolean;
  /** A difference to detect. Without scenarios, only this is planned. */
  readonly detect: DetectOptions | undefined;
  readonly json: boolean;
}

/** Prints the forecast of a run, and how many items and replicates would detect a difference. */
export async function plan(options: PlanCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, detect, json } = options;
  const isRun = names.length > 0 || detect === undefined;
  const { settings } = await readSettings(options.settings, terminal, {
    runsCode: isRun,
    names,
    ...(isRun ? { uses: "scenarios" } : {}),
  });
  const found = detect === undefined ? undefined : await detection(detect, settings.store);
  const planned = isRun ? await plannedRun(options, settings, terminal) : undefined;
  const { output } = terminal;
  const layout = { style: output.style, width: output.width };
  if (json) {
    const { isWhole: _, ...numbers } = found ?? {};
    output.data(`${safeJson({ ...planned, ...numbers }, 2)}\n`);
    return 0;
  }
  const texts = [
    ...(planned === undefined ? [] : [planText(planned, layout)]),
    ...(found === undefined ? [] : [detectionText(found, layout)]),
  ];
  output.write(texts.join("\n"));
  return 0;
}

async function plannedRun(
  options: PlanCommandOptions,
  settings: Settings,
  terminal: Terminal,
): Promise<RunPlan> {
  const { names, from, useCalls, allowDrafts } = options;
  const assumptions = assumptionsIn(options.assume ?? []);
  const scenarios = await readScenarios(names, settings, terminal);
  requireSubjects(settings);
  const run = {
    ...runOptionsOf(settings),
    scenarios,
    environment: terminal.environment,
    allowDrafts,
    ...(useCalls === undefined ? {} : { useCalls }),
  };
  return withStoreIfAny(settings.store, (store) => {
    if (from !== undefined && store === undefined)
      throw new ProjectError([`There is no run "${from}": there is no store yet.`]);
    const earlier = from === undefined || store === undefined ? {} : { from: findRun(store, from).run };
    return planRun(store === undefined ? run : { ...run, store }, { assumptions, ...earlier });
  });
}

function assumptionsIn(texts: readonly string[]): Partial<PlanAssumptions> {
  const read = readAssumptions(texts.flatMap((text) => text.split(",")));
  if ("problem" in read) throw new ProjectError([read.problem]);
  return read.given;
}

/** What to detect, and what is assumed. */
interface DetectOptions {
  /** The difference to detect, as a share. */
  readonly detect: number;
  readonly power: number;
  /** An earlier run to take the variance from. */
  readonly from: string | undefined;
  readonly outcome: string | undefined;
  /** What is assumed; values of the earlier run are used for what is left out. */
  readonly assumed: Partial<Assumptions>;
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

/** Computes how many items and replicates would detect a difference. */
async function detection(options: DetectOptions, store: string): Promise<Detection> {
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
function detectionText(found: Detection, { style, width }: Pick<Output, "style" | "width">): string {
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
