import { countStatuses, isFinished } from "../../../core/state/state.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { RateLine } from "../data/rate-line.ts";
import type { RatedOutcome } from "../data/rates.ts";
import { type RunRates, shownRates } from "../data/run-rates.ts";
import { costText, countedText, countText, estimateText, itemsText, meanText, spanText } from "./figures.ts";
import { testedName } from "./names.ts";

/** About as much as a log shows without breaking the line. */
const MOST_CHARACTERS = 200;

/**
 * A run in one line, for logs, without a line break. Outcomes that do not fit are counted.
 *
 * @example
 * summaryLine(rates, "3f2a61c09b5e")
 * // elenchus: 66 conversations, resisted 83.3 % (95 % 73–91, n 66), 0 errors, 412 calls, 0.12 USD, run 3f2a61c09b5e
 */
export function summaryLine(rates: RunRates, run: string): string {
  const { begun, ended, planned, statuses, turns, spending } = rates.sum;
  const whole = planned ?? begun;
  const others = countStatuses(statuses, (status) => !isFinished(status)) - (statuses.error ?? 0);
  // Also conversations whose judge could not be asked.
  const errors = Math.max(statuses.error ?? 0, rates.open.errors - others);
  const head =
    ended === whole
      ? countedText(ended, "conversation")
      : `${countText(ended)} of ${countedText(whole, "conversation")}`;
  const tail = [
    countedText(errors, "error"),
    ...(others === 0 ? [] : [`${countText(others)} cut short`]),
    ...(turns.unjudged === 0 ? [] : [`${countedText(turns.unjudged, "turn")} not judged`]),
    ...rates.health.flatMap(({ isPoor, judge, unreadable, failed, asked }) =>
      isPoor
        ? [`judge ${printableText(judge)} failed ${countText(unreadable + failed)} of ${countText(asked)}`]
        : [],
    ),
    countedText(spending.calls, "call"),
    `${costText(spending.cost)} USD`,
    `run ${printableText(run)}`,
  ].join(", ");
  const room = MOST_CHARACTERS - "elenchus: ".length - head.length - tail.length - 4;
  const outcomes = outcomesText(shownRates(rates), room);
  return `elenchus: ${[head, ...(outcomes === "" ? [] : [outcomes]), tail].join(rates.totals.length > 1 ? "; " : ", ")}`;
}

/** The outcomes of each subject, as many as there is room for; a subject is named if there are several. */
function outcomesText({ outcomes, totals, judges }: RunRates, room: number): string {
  const parts = totals.flatMap((total, index) =>
    outcomes.map(({ outcome, lines }, position) => {
      const line = lines[index] as RateLine;
      const name = position === 0 && totals.length > 1 ? `${testedName(total, judges)}: ` : "";
      const before = index === 0 && position === 0 ? "" : position === 0 ? "; " : ", ";
      return `${before}${name}${printableText(outcome)} ${lineText(line)}`;
    }),
  );
  const reserved = ", 1,000 more".length;
  let text = "";
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (text.length + part.length + (isLast ? 0 : reserved) <= room) text += part;
    else {
      const left = parts.length - index;
      return text === "" ? countedText(left, "outcome") : `${text}; ${countText(left)} more`;
    }
  }
  return text;
}

function lineText(line: RateLine): string {
  const { interval, kind, estimate } = line;
  const between = interval === null || estimate === null ? "" : `95 % ${spanText(interval, kind)}, `;
  return `${estimateText({ ...line, method: null })} (${between}n ${itemsText(line)})`;
}

/** The first outcome of a run that is decided: its rate or mean; from the least to the largest, where there are several subjects. */
export function headlineOf(outcomes: readonly RatedOutcome[]): string {
  const rated = outcomes.find(({ kind }) => kind !== null);
  const known = rated?.lines.flatMap(({ estimate }) => estimate ?? []) ?? [];
  if (rated === undefined || known.length === 0) return "";
  const isRate = rated.kind === "rate";
  const text = (value: number): string => (isRate ? String(Math.round(100 * value)) : meanText(value));
  const [least, most] = [text(Math.min(...known)), text(Math.max(...known))];
  const range = `${least === most ? least : `${least}–${most}`}${isRate ? " %" : ""}`;
  return `${printableText(rated.outcome)} ${range}`;
}
