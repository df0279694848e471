import type { Style } from "../terminal/style.ts";
import type { OutcomeRates } from "./outcome-rates.ts";
import { outcomeRatesText } from "./outcome-rates-text.ts";
import { totalsText } from "./totals-text.ts";

/**
 * What a person reads at the end of a run: the outcomes with their intervals, what it took, and what did not come to its end.
 *
 * @example
 * resultsText(outcomeRates(store.results(run), start), { style: PLAIN_STYLE, width: 72 })
 * // resisted            rate  95 % interval   n  inconclusive  errors
 * //   sim/steadfast  100.0 %  94–100 %       66             0       0
 */
export function resultsText(
  rates: OutcomeRates,
  layout: { readonly style: Style; readonly width: number },
): string {
  const outcomes = rates.totals.length === 0 ? [] : [...outcomeRatesText(rates, layout), ""];
  return [...outcomes, ...totalsText(rates, layout)].map((line) => `${line}\n`).join("");
}
