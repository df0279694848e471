import { pairedDifference } from "../../../core/statistics/clusters.ts";
import { mean } from "../../../core/statistics/means.ts";
import { minimumDetectableDifference, oneWayVarianceComponents } from "../../../core/statistics/noise.ts";
import { RunError } from "../../../engine/journal/failure.ts";
import type { ConversationScore, Store } from "../../../engine/journal/store/store.ts";
import { countedScores, itemMeans, type RateRequest } from "./rate-line.ts";
import { declaredRequests } from "./rates.ts";
import { runFacts } from "./run-facts.ts";

/** What a plan assumes about an outcome. */
export interface Assumptions {
  readonly rate: number;
  /** The intraclass correlation of replicates of one item. */
  readonly icc: number;
  /** The correlation of two subjects' item means. */
  readonly correlation: number;
}

/** A number of items with a number of replicates. */
interface DetectionChoice {
  readonly replicates: number;
  /** Null if no number of items suffices. */
  readonly items: number | null;
  readonly conversations: number | null;
}

const REPLICATES = [1, 2, 3, 5, 10];

/** The items that detect a difference, for several numbers of replicates. */
export function detectionPlans(
  detect: number,
  { power, rate, icc, correlation }: Assumptions & { readonly power: number },
): readonly DetectionChoice[] {
  return REPLICATES.map((replicates) => {
    const one = minimumDetectableDifference({
      p: rate,
      items: 1,
      replicates,
      icc,
      power,
      alpha: 0.05,
      correlation,
    });
    // The detectable difference falls with the root of the number of items.
    const items = one === null ? null : Math.max(2, Math.ceil((one / detect) ** 2 - 1e-9));
    return { replicates, items, conversations: items === null ? null : items * replicates };
  });
}

/** The rate, its intraclass correlation, and how subjects correlate over items, from an earlier run. */
export function assumptionsOf(
  store: Store,
  run: string,
  name?: string,
): { readonly outcome: string; readonly assumptions: Partial<Assumptions> } {
  const facts = runFacts(store, [run]);
  const scores = [...store.scores(run)];
  const requests = declaredRequests(new Set(facts.outcomes), facts, name === undefined ? undefined : [name]);
  const request =
    name === undefined
      ? (requests.find(({ name: one }) => facts.rates.has(one)) ?? requests[0])
      : requests[0];
  const outcome = request?.declaration.of;
  if (request === undefined || outcome === undefined)
    throw new RunError([`Run ${run} has no rate to plan with. Name one with --outcome.`]);
  const counted = countedScores(request, scores).filter(
    ({ score }) => typeof score.outcomes.get(outcome) === "boolean",
  );
  const values = counted.map(({ value }) => value);
  const groups = counted.map(({ score: { subject, item } }) => `${subject}\u0000${item}`);
  const rate = mean(values);
  if (rate === null) throw new RunError([`In run ${run} nothing is decided about ${request.name}.`]);
  const icc = oneWayVarianceComponents(values, groups)?.icc ?? null;
  const correlation = subjectCorrelation(scores, request);
  return {
    outcome: request.name,
    assumptions: {
      ...(rate === 0 || rate === 1 ? {} : { rate }),
      ...(icc === null ? {} : { icc }),
      ...(correlation === null ? {} : { correlation }),
    },
  };
}

/** The mean correlation of the item means of two subjects; null with one subject. */
function subjectCorrelation(scores: readonly ConversationScore[], request: RateRequest): number | null {
  const subjects = [...Map.groupBy(scores, ({ subject }) => subject).values()].map((own) =>
    itemMeans(request, own),
  );
  const found: number[] = [];
  for (const [i, a] of subjects.entries())
    for (const b of subjects.slice(i + 1)) {
      const shared = [...a.keys()].filter((item) => b.has(item));
      const result = pairedDifference(
        shared.map((item) => a.get(item) as number),
        shared.map((item) => b.get(item) as number),
        null,
      );
      if (result?.correlation != null) found.push(result.correlation);
    }
  const average = mean(found);
  return average === null ? null : Math.max(0, average);
}
