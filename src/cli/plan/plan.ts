import { type PlanAssumptions, readAssumptions } from "../../analysis/plan/assumptions.ts";
import { planRun, type RunPlan } from "../../analysis/plan/plan-run.ts";
import { ProjectError } from "../../project/project-error.ts";
import { runOptionsOf } from "../../project/run-options-of.ts";
import type { Settings } from "../../project/settings.ts";
import { safeJson } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { requireSubjects } from "../run/run.ts";
import { findRun, withStoreIfAny } from "../stored-runs.ts";
import { type DetectOptions, detection, detectionText } from "./detect.ts";
import { planText } from "./plan-text.ts";

/** The options of `plan`. */
export interface PlanCommandOptions {
  readonly names: readonly string[];
  readonly settings: SettingsRequest;
  /** What is assumed of replies, as a person writes it. */
  readonly assume: readonly string[];
  /** An earlier run to take chances, lengths and variance from. */
  readonly from?: string;
  readonly useCalls?: readonly string[];
  readonly allowDrafts: boolean;
  /** Also says how many items would detect a difference; alone without scenarios. */
  readonly detect?: DetectOptions;
  readonly json: boolean;
}

/** Says what a run would take, and how many items and replicates would detect a difference. */
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
  const assumptions = assumptionsIn(options.assume);
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
