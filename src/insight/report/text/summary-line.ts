import { printableText } from "../../../system/terminal/printable-text.ts";
import type { OutcomeRates, RatedOutcome } from "../data/outcome-rates.ts";
import { countCutShort, testedName } from "../data/subject-totals.ts";
import {
  costText,
  countedText,
  countText,
  intervalText,
  itemsText,
  meanText,
  NOTHING,
  percentText,
} from "./figures.ts";

/** About as much as a log shows without breaking the line. */
const MOST_CHARACTERS = 200;

/**
 * A run in one line, for logs, without a line break. If it is too long, intervals are left out first, then the last outcomes, which are
 * counted.
 *
 * @example
 * summaryLine(rates, "3f2a61c09b5e")
 * // elenchus: 66 conversations, resisted 83.3 % (95 % 73–91, n 66), 0 errors, 412 calls, 0.12 USD, run 3f2a61c09b5e
 */
export function summaryLine(rates: OutcomeRates, run: string): string {
  const { begun, ended, planned, statuses, turns, spending } = rates.sum;
  const whole = planned ?? begun;
  const others = countCutShort(statuses) - (statuses.error ?? 0);
  // Also conversations whose judge could not be asked.
  const errors = Math.max(statuses.error ?? 0, rates.open.infrastructure - others);
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
  const outcomes = outcomesText(rates, room);
  return `elenchus: ${[head, ...(outcomes === "" ? [] : [outcomes]), tail].join(rates.totals.length > 1 ? "; " : ", ")}`;
}

/** The outcomes of each subject, in as many characters as there are. */
function outcomesText(rates: OutcomeRates, room: number): string {
  const full = parts(rates, true);
  if (lengthOf(full) <= room) return joined(full);
  const short = parts(rates, false);
  if (lengthOf(short) <= room) return joined(short);
  const kept: Part[] = [];
  let used = ", 1,000 more".length;
  for (const part of short) {
    used += lengthOf([part]);
    if (used > room) break;
    kept.push(part);
  }
  const left = short.length - kept.length;
  return joined([
    ...kept,
    {
      before: kept.length === 0 ? "" : "; ",
      text: kept.length === 0 ? countedText(left, "outcome") : `${countText(left)} more`,
    },
  ]);
}

interface Part {
  /** What separates it from the part before. */
  readonly before: string;
  readonly text: string;
}

/** The outcomes of each subject; a subject is named if there are several. */
function parts({ outcomes, totals, judges }: OutcomeRates, withIntervals: boolean): readonly Part[] {
  return totals.flatMap((total, index) =>
    outcomes.map((rated, position): Part => {
      const value = valueText(rated, index, withIntervals);
      const isFirst = position === 0;
      const name = isFirst && totals.length > 1 ? `${testedName(total, judges)}: ` : "";
      const before = isFirst ? (index === 0 ? "" : "; ") : ", ";
      return { before, text: `${name}${printableText(rated.outcome)} ${value}` };
    }),
  );
}

/** Lines stand in the order of the totals. */
function valueText(rated: RatedOutcome, index: number, withInterval: boolean): string {
  const line = rated.lines[index];
  const n = `n ${line === undefined ? 0 : itemsText(line)}`;
  if (rated.kind === "undecided") return `${NOTHING} (${n})`;
  if (rated.kind === "number") return `${meanText(rated.lines[index]?.mean ?? null)} (${n})`;
  const { rate = null, interval = null } = rated.lines[index] ?? {};
  const between =
    interval === null || !withInterval ? "" : `95 % ${intervalText(interval).replace(" %", "")}, `;
  return `${rate === null ? NOTHING : percentText(rate, 1)} (${between}${n})`;
}

function joined(list: readonly Part[]): string {
  return list.map(({ before, text }) => before + text).join("");
}

function lengthOf(list: readonly Part[]): number {
  return list.reduce((sum, { before, text }) => sum + before.length + text.length, 0);
}

/** The first outcome of a run that is decided: its rate or mean; from the least to the largest, where there are several subjects. */
export function headlineOf(outcomes: readonly RatedOutcome[]): string {
  const rated = outcomes.find(({ kind }) => kind !== "undecided");
  if (rated === undefined || rated.kind === "undecided") return "";
  const isRate = rated.kind === "assertion";
  const values = isRate ? rated.lines.map(({ rate }) => rate) : rated.lines.map(({ mean }) => mean);
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "";
  const text = (value: number): string => (isRate ? String(Math.round(100 * value)) : meanText(value));
  const [least, most] = [text(Math.min(...known)), text(Math.max(...known))];
  const range = `${least === most ? least : `${least}–${most}`}${isRate ? " %" : ""}`;
  return `${printableText(rated.outcome)} ${range}`;
}
