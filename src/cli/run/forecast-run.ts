import { type PlanOptions, planRun, type RunPlan } from "../../analysis/plan/plan-run.ts";
import type { Store } from "../../journal/store/store.ts";
import { ProjectError } from "../../project/project-error.ts";
import { parseBudget } from "../../project/short-forms.ts";
import { costText, countText } from "../../report/text/figures.ts";
import type { BudgetLimits } from "../../run/calls/budget.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Output } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/text-layout.ts";
import { forecastLine } from "../plan/plan-text.ts";
import { withStoreIfAny } from "../stored-runs.ts";

/** How a run is forecast before it starts. */
export interface ForecastOptions {
  /** Where runs are stored. */
  readonly store: string;
  /** What the forecast may be at most, as a person writes it. */
  readonly maxCost: string | undefined;
  /** The run that is resumed, and what is done again in it. */
  readonly resumes?: PlanOptions["resumes"];
  /** False where nothing is to be said. */
  readonly isTold: boolean;
}

/** Looking for stored answers must not keep a run waiting. */
const MOST_CACHED = 500;

/**
 * Says in one line what a run will take. Throws a `ProjectError` if that is more than it may be, before anything is
 * asked or written.
 */
export async function forecastRun(
  options: RunOptions,
  messages: Output,
  { store: path, maxCost, isTold, resumes }: ForecastOptions,
): Promise<void> {
  const limits = maxCost === undefined ? undefined : limitsIn(maxCost);
  const forecast = (store: Store | undefined): Promise<RunPlan> =>
    planRun(store === undefined ? options : { ...options, store }, {
      extremes: false,
      // A limit needs to know everything that need not be paid.
      ...(limits === undefined ? { mostCached: MOST_CACHED } : {}),
      ...(resumes === undefined ? {} : { resumes }),
    });
  const plan = await withStoreIfAny(path, forecast, { isOptional: true });
  if (isTold) {
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
    `The run would take ${beyond.join(" and ")}, more than --max-cost ${given} allows, so it was not started. See what it would take: elenchus plan`,
  ]);
}
