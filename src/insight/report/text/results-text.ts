import type { Style } from "../../../system/terminal/terminal.ts";
import { linesText, type TableCell, wrapText } from "../../../system/terminal/text-layout.ts";
import type { Total } from "../data/run-counts.ts";
import { type RunRates, shownRates } from "../data/run-rates.ts";
import { doubtTexts, judgeHealthLines, readersLines, unreadLines } from "./doubt-text.ts";
import { costText, countedText, countText } from "./figures.ts";
import { testedName } from "./names.ts";
import { matrixText } from "./rate-matrix.ts";
import { outcomeRatesText } from "./rate-table.ts";
import { headLine, type NamedColumn, type NamedLine, namedTable, type TextOptions } from "./text-blocks.ts";

/**
 * The results of a run: outcomes with their intervals (a matrix for several subjects, unless `details` is set), usage, turns, the conversations that did not finish, how well judges worked,
 * where replies were not read, and what makes the rates doubtful.
 *
 * @example
 * resultsText(runRates(store, summary), { style: PLAIN_STYLE, width: 72 })
 * // resisted            rate  95 % interval   n  inconclusive  errors
 * //   sim/steadfast  100.0 %  95–100 %       66             0       0
 */
export function resultsText(
  all: RunRates,
  layout: { readonly style: Style; readonly width: number; readonly details?: boolean },
): string {
  const rates = shownRates(all);
  const isMatrix = rates.totals.length > 1 && rates.outcomes.length > 0 && layout.details !== true;
  const table = isMatrix ? matrixText : outcomeRatesText;
  const outcomes = rates.totals.length === 0 ? [] : [...table(rates, layout), ""];
  const doubts = doubtTexts(rates).map((text) => wrapText(text, layout.width).map(layout.style.yellow));
  const sections = [
    [...readersLines(rates, layout), ...judgeHealthLines(rates, layout)],
    unreadLines(rates, layout),
    ...doubts,
  ].filter((lines) => lines.length > 0);
  return linesText([
    ...outcomes,
    ...totalsText(rates, layout),
    ...sections.flatMap((lines) => ["", ...lines]),
  ]);
}

/** A column: its heading, its text, and when it is dropped from a narrow table. */
interface Figure {
  readonly heading: string;
  readonly text: (total: Total) => string;
  readonly color?: "green" | "red" | "yellow";
  readonly leaves?: number;
  /** True to show it only if it is not 0. */
  readonly unlessZero?: true;
}

const SPENDING: readonly Figure[] = [
  { heading: "conversations", text: conversationsText },
  {
    heading: "simulator faults",
    text: ({ statuses }) => countText(statuses.simulator_fault ?? 0),
    color: "yellow",
    unlessZero: true,
  },
  {
    heading: "record mismatches",
    text: ({ statuses }) => countText(statuses.record_mismatch ?? 0),
    color: "yellow",
    unlessZero: true,
  },
  { heading: "calls", text: ({ spending }) => countText(spending.calls) },
  { heading: "cached", text: ({ spending }) => countText(spending.cached), leaves: 0 },
  { heading: "tokens", text: ({ spending }) => countText(spending.tokens), leaves: 1 },
  { heading: "USD", text: ({ spending }) => costText(spending.cost) },
  {
    heading: "simulator calls",
    text: ({ simulator }) => countText(simulator.calls),
    unlessZero: true,
  },
  { heading: "simulator USD", text: ({ simulator }) => simulatorCost(simulator), unlessZero: true },
];

const TURNS: readonly Figure[] = [
  { heading: "turns", text: ({ turns }) => countText(allTurns(turns)), leaves: 2 },
  { heading: "right", text: ({ turns }) => countText(turns.passed), color: "green" },
  { heading: "wrong", text: ({ turns }) => countText(turns.failed), color: "red" },
  { heading: "unread", text: ({ turns }) => countText(turns.unreadable), color: "yellow" },
  { heading: "not judged", text: ({ turns }) => countText(turns.unjudged), color: "yellow", leaves: 1 },
  {
    heading: "not verified",
    text: ({ turns }) => countText(turns.unverified + (turns.notVerified ?? 0)),
    leaves: 0,
  },
];

/** Usage by subject: conversations, calls, tokens and money; then turns by verdict, and the conversations that did not finish. */
function totalsText({ totals, sum, judges }: RunRates, { style, width }: TextOptions): readonly string[] {
  if (totals.length === 0) return ["There are no conversations."];
  const named: readonly (readonly [string, Total])[] = [
    ...totals.map((total) => [testedName(total, judges), total] as const),
    ...(totals.length > 1 ? [["total", sum] as const] : []),
  ];
  const table = (title: string, figures: readonly Figure[]): readonly string[] =>
    namedTable(
      [
        headLine(
          title,
          figures.map(({ heading }) => heading),
          style,
        ),
        ...named.map((line) => lineOf(line, figures, style)),
      ],
      columnsOf(figures, sum),
      width,
    );
  return [
    ...table(
      "Usage",
      SPENDING.filter(({ unlessZero, text }) => unlessZero !== true || text(sum) !== "0"),
    ),
    "",
    ...table("Turns", TURNS),
    ...[...unansweredText(sum), ...endingsText(sum)].flatMap((sentence) => [
      "",
      ...wrapText(sentence, width).map(style.yellow),
    ]),
  ];
}

function simulatorCost({ calls, cost }: Total["simulator"]): string {
  return calls === 0 ? "0" : costText(cost);
}

function conversationsText({ begun, ended, planned }: Total): string {
  const whole = planned ?? begun;
  return ended === whole ? countText(ended) : `${countText(ended)} of ${countText(whole)}`;
}

function allTurns(turns: Total["turns"]): number {
  return Object.values(turns).reduce((sum, count) => sum + count, 0);
}

function lineOf(
  [name, total]: readonly [string, Total],
  figures: readonly Figure[],
  style: Style,
): NamedLine {
  const cells = figures.map(({ text, color }): TableCell => {
    const figure = text(total);
    if (figure === "0") return { text: figure, paint: style.dim };
    return color === undefined ? { text: figure } : { text: figure, paint: style[color] };
  });
  return { name, indent: 2, cells };
}

/** A column of zeros is dropped before all others. */
function columnsOf(figures: readonly Figure[], sum: Total): readonly NamedColumn[] {
  return figures.map(({ leaves, text }) => {
    if (leaves === undefined) return ">";
    return [">", text(sum) === "0" ? leaves - figures.length : leaves];
  });
}

function unansweredText({ spending: { unanswered = 0 } }: Total): readonly string[] {
  if (unanswered === 0) return [];
  const were = unanswered === 1 ? "was" : "were";
  return [
    `${countedText(unanswered, "call")} ${were} sent and got no usable answer (time limit, cancelled, connection lost): counted with estimated tokens.`,
  ];
}

/** How conversations end that are not about the subject, but about time, money, machines, simulated users or records. */
const CUT_SHORT = [
  "error",
  "timeout",
  "budget_exhausted",
  "cancelled",
  "simulator_fault",
  "record_mismatch",
] as const;

/** Sentences on conversations that did not finish; none if all did. */
export function endingsText(total: Total): readonly string[] {
  const { begun, ended, planned, statuses } = total;
  const whole = planned ?? begun;
  const kinds = [
    ...CUT_SHORT.map((status) => [status.replace("_", " "), statuses[status] ?? 0] as const),
    ["unfinished", begun - ended] as const,
    ["not started", whole - begun] as const,
  ].filter(([, count]) => count > 0);
  const missing = kinds.reduce((sum, [, count]) => sum + count, 0);
  const limited = statuses.limit_reached ?? 0;
  if (whole > 0 && statuses.error === whole)
    return [`The run failed: every conversation ended with an error (${countText(whole)}).`];
  const listed = kinds.map(([word, count]) => `${word} ${countText(count)}`).join(", ");
  return [
    ...(missing === 0
      ? []
      : [`${countText(missing)} of ${countedText(whole, "conversation")} did not finish: ${listed}.`]),
    ...(limited === 0 ? [] : [`${countedText(limited, "conversation")} reached the turn limit.`]),
  ];
}
