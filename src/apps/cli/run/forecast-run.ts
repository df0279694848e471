import { SELF_JUDGE } from "../../../core/defaults.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { BudgetLimits } from "../../../engine/run/calls/budget.ts";
import { type ResolvedModels, resolveModels } from "../../../engine/run/resolve-models.ts";
import type { RunOptions } from "../../../engine/run/run-options.ts";
import { allModels } from "../../../engine/run/set-up-run.ts";
import { type PlanOptions, planRun, type RunPlan } from "../../../insight/analysis/plan/plan-run.ts";
import { costText, countedText } from "../../../insight/report/text/figures.ts";
import type { Output } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { parseBudget } from "../../project/short-forms.ts";
import type { RunDisplay } from "../command.ts";
import { withStoreIfAny } from "../stored-runs.ts";
import { forecastLine } from "../write/plan-text.ts";

/** How a run is forecast before it starts. */
interface ForecastOptions {
  /** Where runs are stored. */
  readonly store: string;
  /** The limit of the forecast, as written after `--max-cost`. */
  readonly maxCost: string | undefined;
  readonly display: RunDisplay;
  readonly models?: ResolvedModels;
  /** The run that is resumed, and what is retried in it. */
  readonly resumes?: PlanOptions["resumes"];
}

/** Looking for stored answers must not keep a run waiting. */
const MOST_CACHED = 500;

/**
 * Prints in one line what a run that costs money will take. Throws a `ProjectError` above the limit, before the first call and before
 * anything is written.
 */
export async function forecastIfPaid(
  runOptions: RunOptions,
  messages: Output,
  { store: path, maxCost, display, models, resumes }: ForecastOptions,
): Promise<void> {
  if (runOptions.replay !== undefined) return;
  const isSilent = display.quiet || display.json;
  const isPrinted = !isSilent && isAnnounced(models ?? (await resolveModels(runOptions)));
  if (!isPrinted && maxCost === undefined) return;
  const limits = maxCost === undefined ? undefined : limitsIn(maxCost);
  // A limit needs to know everything that need not be paid.
  const mostCached = limits === undefined ? MOST_CACHED : undefined;
  const plan = await withStoreIfAny(path, (store) =>
    planRun(
      { ...runOptions, ...withoutUndefined({ store }) },
      { extremes: false, ...withoutUndefined({ mostCached, resumes }) },
    ),
  );
  if (isPrinted) {
    const line = forecastLine(plan);
    messages.write(`${messages.isTerminal ? wrapText(line, messages.width).join("\n") : line}\n`);
  }
  if (limits !== undefined) refuseBeyond(plan, limits, maxCost ?? "");
}

/** The calls of a judge that nobody named are announced, also if they cost nothing. */
function isAnnounced(models: ResolvedModels): boolean {
  return models.judges.has(SELF_JUDGE) || allModels(models).some(({ price }) => price !== null);
}

function limitsIn(text: string): BudgetLimits {
  const limits = parseBudget(text);
  if (typeof limits === "string") throw new ProjectError([`--max-cost: ${limits}`]);
  return limits;
}

function refuseBeyond({ cost, tokens, calls, unpriced }: RunPlan, limits: BudgetLimits, given: string): void {
  if (limits.usd !== undefined && unpriced.length > 0)
    throw new ProjectError([
      `--max-cost ${given}: what the run will cost cannot be said, because no price is known for ${unpriced.join(", ")}. Give a limit in tokens or calls instead.`,
    ]);
  const { usd = Infinity, tokens: mostTokens = Infinity, calls: mostCalls = Infinity } = limits;
  const beyond = [
    ...(cost.expected > usd ? [`${costText(cost.expected)} USD`] : []),
    ...(tokens.expected > mostTokens ? [countedText(Math.round(tokens.expected), "token")] : []),
    ...(calls.expected > mostCalls ? [countedText(Math.round(calls.expected), "call")] : []),
  ];
  if (beyond.length > 0)
    throw new ProjectError([
      `The run would take about ${beyond.join(" and ")}, more than --max-cost ${given} allows, so it was not started. See the forecast: elenchus plan`,
    ]);
}
