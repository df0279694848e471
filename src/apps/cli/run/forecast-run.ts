import type { Store } from "../../../engine/journal/store/store.ts";
import type { BudgetLimits } from "../../../engine/run/calls/budget.ts";
import type { RunOptions } from "../../../engine/run/run-options.ts";
import { type PlanOptions, planRun, type RunPlan } from "../../../insight/analysis/plan/plan-run.ts";
import { costText, countText } from "../../../insight/report/text/figures.ts";
import type { Output } from "../../../system/terminal/terminal.ts";
import { wrapText } from "../../../system/terminal/text-layout.ts";
import { ProjectError } from "../../project/project-error.ts";
import { parseBudget } from "../../project/short-forms.ts";
import { withStoreIfAny } from "../stored-runs.ts";
import { forecastLine } from "../write/plan-text.ts";

/** How a run is forecast before it starts. */
export interface ForecastOptions {
  /** Where runs are stored. */
  readonly store: string;
  /** The limit of the forecast, as written after `--max-cost`. */
  readonly maxCost: string | undefined;
  /** The run that is resumed, and what is retried in it. */
  readonly resumes?: PlanOptions["resumes"];
  /** False to check the limit only. */
  readonly isPrinted: boolean;
}

/** Looking for stored answers must not keep a run waiting. */
const MOST_CACHED = 500;

/** Prints in one line what a run will take. Throws a `ProjectError` above the limit, before the first call and before anything is written. */
export async function forecastRun(
  options: RunOptions,
  messages: Output,
  { store: path, maxCost, isPrinted, resumes }: ForecastOptions,
): Promise<void> {
  const limits = maxCost === undefined ? undefined : limitsIn(maxCost);
  const forecast = (store: Store | undefined): Promise<RunPlan> =>
    planRun(store === undefined ? options : { ...options, store }, {
      extremes: false,
      // A limit needs to know everything that need not be paid.
      ...(limits === undefined ? { mostCached: MOST_CACHED } : {}),
      ...(resumes === undefined ? {} : { resumes }),
    });
  const plan = await withStoreIfAny(path, forecast);
  if (isPrinted) {
    const line = forecastLine(plan);
    messages.write(`${messages.isTerminal ? wrapText(line, messages.width).join("\n") : line}\n`);
  }
  if (limits !== undefined) refuseBeyond(plan, limits, maxCost ?? "");
}

function limitsIn(text: string): BudgetLimits {
  const { limits, problem } = parseBudget(text);
  if (limits !== undefined) return limits;
  throw new ProjectError([`--max-cost: ${problem}`]);
}

function refuseBeyond({ cost, tokens, calls, unpriced }: RunPlan, limits: BudgetLimits, given: string): void {
  if (limits.usd !== undefined && unpriced.length > 0)
    throw new ProjectError([
      `--max-cost ${given}: what the run will cost cannot be said, because no price is known for ${unpriced.join(", ")}. Give a limit in tokens or calls instead.`,
    ]);
  const beyond = [
    ...(cost.expected > (limits.usd ?? Number.POSITIVE_INFINITY)
      ? [`about ${costText(cost.expected)} USD`]
      : []),
    ...(tokens.expected > (limits.tokens ?? Number.POSITIVE_INFINITY)
      ? [`about ${countText(Math.round(tokens.expected))} tokens`]
      : []),
    ...(calls.expected > (limits.calls ?? Number.POSITIVE_INFINITY)
      ? [`about ${countText(Math.round(calls.expected))} calls`]
      : []),
  ];
  if (beyond.length === 0) return;
  throw new ProjectError([
    `The run would take ${beyond.join(" and ")}, more than --max-cost ${given} allows, so it was not started. See the forecast: elenchus plan`,
  ]);
}
