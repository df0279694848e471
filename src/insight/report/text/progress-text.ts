import { DEFAULTS } from "../../../core/defaults.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { cutToWidth, textWidth } from "../../../system/terminal/text-layout.ts";
import type { RunProgress, SubjectProgress } from "../data/run-progress.ts";
import {
  countedText,
  countText,
  durationText,
  errorsText,
  rateText,
  retriesText,
  spentText,
  timeLeftText,
  tokensText,
} from "./figures.ts";
import { namedTable } from "./text-blocks.ts";

/** How progress is shown on a terminal. */
interface ProgressTextOptions {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly style: Style;
  readonly width: number;
  readonly height: number;
  /** True if the run is being stopped. */
  readonly isStopping?: boolean;
}

const SEPARATOR = ", ";
const LONGEST_BAR = 40;
/** Below this width, words are left out. */
const NARROW = 60;
/** A small terminal may be filled; of a large one, half is enough. */
const FEW_ROWS = 8;

/** How far a run is, in lines that fit a terminal: none wider than `width - 1`, and fewer than `height`. */
export function progressLines(progress: RunProgress, options: ProgressTextOptions): readonly string[] {
  const { style } = options;
  const columns = (options.width > 0 ? options.width : DEFAULTS.terminalWidth) - 1;
  const height = options.height > 0 ? options.height : DEFAULTS.terminalHeight;
  const rows = Math.max(1, Math.min(height - 1, Math.max(FEW_ROWS, Math.floor(height / 2))));
  const summary = summaryLine(progress, columns, options);
  if (rows === 1) return [summary];
  const { errors, errorCount } = progress.overall;
  const notes = [
    ...(errorCount === 0 ? [] : [style.red(cutToWidth(errorsText(errors), columns))]),
    ...waitingLine(progress, columns, options),
  ].slice(0, rows - 2);
  const subjects = subjectLines(progress, { rows: rows - 2 - notes.length, columns, style });
  return [barLine(progress, columns, style), summary, ...subjects, ...notes];
}

/** How far a run is, on one line of plain words for pipes and logs. */
export function plainLine(
  progress: RunProgress,
  { now, isStopping = false }: { readonly now: number; readonly isStopping?: boolean },
): string {
  const { overall, finished, total, cutShort } = progress;
  const { calls, cached } = overall;
  const elapsed = progress.elapsed(now);
  const { rate, left } = pace(progress, now, isStopping);
  const parts = [
    `${countText(finished)} of ${countedText(total, "conversation")}`,
    cutShort === 0 ? "" : `${countText(cutShort)} cut short`,
    countedText(overall.turns, "turn"),
    countedText(calls + cached, "call") + (cached === 0 ? "" : ` (${countText(cached)} cached)`),
    overall.errorCount === 0 ? "" : errorsText(overall.errors),
    tokensText(overall.tokens),
    spentText(overall.cost),
    ...(progress.isOver && elapsed !== undefined
      ? [`took ${durationText(elapsed)}`]
      : [elapsedText(progress, now), rate, left, waitingText(progress), retryText(progress)]),
    ...outageTexts(progress, now),
  ];
  return parts.filter((part) => part !== "").join(SEPARATOR);
}

/** How long the run has taken so far; empty before its start and after its end. */
function elapsedText(progress: RunProgress, now: number): string {
  const elapsed = progress.elapsed(now);
  return elapsed === undefined || progress.isOver ? "" : `${durationText(elapsed)} so far`;
}

/** Models that are named; for more, only the number of answers is shown. */
const NAMED = 3;

/** Which answers the run waits for; empty if none. */
function waitingText({ awaited, isOver }: RunProgress): string {
  if (isOver || awaited.length === 0) return "";
  const named = awaited
    .slice(0, NAMED)
    .map(([model, count]) => `${countText(count)} of ${printableText(model)}`);
  const others = awaited.slice(NAMED).reduce((sum, [, count]) => sum + count, 0);
  const answers = awaited.reduce((sum, [, count]) => sum + count, 0);
  const [only] = awaited;
  if (awaited.length === 1 && only !== undefined)
    return `waiting for ${countedText(answers, "answer")} of ${printableText(only[0])}`;
  return `waiting for ${countedText(answers, "answer")} (${[...named, ...(others === 0 ? [] : [`${countText(others)} of others`])].join(", ")})`;
}

/** How many retries there were, and why the last one; empty without retries. */
function retryText({ overall: { retries, lastRetry }, isOver }: RunProgress): string {
  if (lastRetry === undefined || isOver) return "";
  return `${retriesText(retries)}, the last because: ${printableText(lastRetry.message)}`;
}

/** The rate and the time left; empty if unknown. */
function pace(
  progress: RunProgress,
  now: number,
  isStopping: boolean,
): { readonly rate: string; readonly left: string } {
  const rate = progress.isOver ? undefined : progress.rate(now);
  const left = progress.timeLeft(now);
  return {
    rate: rate === undefined || rate === 0 ? "" : rateText(rate),
    left: isStopping ? "stopping" : left === undefined ? "" : timeLeftText(left),
  };
}

function barLine({ finished, total }: RunProgress, columns: number, { green, dim }: Style): string {
  const length = Math.max(0, Math.min(LONGEST_BAR, columns - 6));
  // Never full before the last conversation is finished.
  const filled = total === 0 ? 0 : Math.floor((length * finished) / total);
  const percentage = total === 0 ? "–" : String(Math.floor((100 * finished) / total));
  return `${green("█".repeat(filled))}${dim("░".repeat(length - filled))} ${percentage.padStart(3)} %`;
}

/** The most important parts that fit, in the order in which they are read. */
function summaryLine(
  progress: RunProgress,
  columns: number,
  { now, style, isStopping = false }: ProgressTextOptions,
): string {
  const { overall, finished, total, cutShort, inFlight } = progress;
  const count = `${countText(finished)} of ${countText(total)}`;
  const { rate, left } = pace(progress, now, isStopping);
  const plain = (text: string): string => text;
  // In the order in which they are read; the lower the rank, the more important.
  const parts = [
    {
      text: columns < NARROW ? cutToWidth(count, columns) : `${count} conversations`,
      rank: 0,
      paint: style.bold,
    },
    { text: cutShort === 0 ? "" : `${countText(cutShort)} cut short`, rank: 2, paint: style.yellow },
    { text: countedText(overall.turns, "turn"), rank: 5, paint: plain },
    { text: `${countText(inFlight)} in flight`, rank: 4, paint: plain },
    { text: tokensText(overall.tokens), rank: 7, paint: plain },
    { text: spentText(overall.cost), rank: 3, paint: plain },
    { text: rate, rank: 6, paint: plain },
    { text: overall.retries === 0 ? "" : retriesText(overall.retries), rank: 8, paint: style.yellow },
    { text: elapsedText(progress, now), rank: 2, paint: plain },
    { text: left, rank: 1, paint: plain },
  ].filter(({ text }) => text !== "");
  let room = columns + SEPARATOR.length;
  const fitting = new Set<(typeof parts)[number]>();
  for (const part of parts.toSorted((one, other) => one.rank - other.rank)) {
    const needed = textWidth(part.text) + SEPARATOR.length;
    if (needed > room) continue;
    room -= needed;
    fitting.add(part);
  }
  return parts
    .filter((part) => fitting.has(part))
    .map(({ text, paint }) => paint(text))
    .join(SEPARATOR);
}

/** What the run waits for, and why calls are made again. */
function waitingLine(
  progress: RunProgress,
  columns: number,
  { now, style }: Pick<ProgressTextOptions, "now" | "style">,
): readonly string[] {
  const outages = outageTexts(progress, now);
  if (outages.length > 0) return outages.map((text) => style.yellow(cutToWidth(text, columns)));
  // Each on a line of its own: neither may push the other out of a narrow terminal.
  return [
    { text: waitingText(progress), paint: style.dim },
    { text: retryText(progress), paint: style.yellow },
  ].flatMap(({ text, paint }) => (text === "" ? [] : [paint(cutToWidth(text, columns))]));
}

/** Which servers cannot be reached, and for how long. */
function outageTexts({ outages, isOver }: RunProgress, now: number): readonly string[] {
  if (isOver) return [];
  return outages.map(({ account, message, since, isGivenUp }) => {
    const [name = account] = account.split(" ");
    const lasted = durationText(Math.max(0, now - since));
    const what = isGivenUp ? "gave up waiting for" : "waiting for";
    return `${what} ${printableText(name)}, away for ${lasted}: ${printableText(message)}`;
  });
}

interface Column {
  readonly text: (subject: SubjectProgress) => string;
  readonly paint?: (style: Style) => (text: string) => string;
  /** Columns with higher numbers are left out first. */
  readonly rank: number;
}

/** Nothing where there is nothing to count. */
function some(count: number, text: string): string {
  return count === 0 ? "" : text;
}

const COLUMNS: readonly Column[] = [
  {
    text: ({ tally, before, total }) => `${countText(before + tally.finished)}/${countText(total)}`,
    rank: 0,
  },
  {
    text: ({ tally: { verdicts } }) => some(verdicts.pass, `${countText(verdicts.pass)} right`),
    paint: ({ green }) => green,
    rank: 2,
  },
  {
    text: ({ tally: { verdicts } }) => some(verdicts.fail, `${countText(verdicts.fail)} wrong`),
    paint: ({ red }) => red,
    rank: 3,
  },
  {
    text: ({ tally: { verdicts } }) =>
      some(verdicts.unreadable, `${countText(verdicts.unreadable)} unreadable`),
    paint: ({ yellow }) => yellow,
    rank: 4,
  },
  {
    text: ({ tally: { verdicts } }) => some(verdicts.unjudged, `${countText(verdicts.unjudged)} not judged`),
    paint: ({ yellow }) => yellow,
    rank: 5,
  },
  {
    text: ({ tally: { errorCount } }) => some(errorCount, countedText(errorCount, "error")),
    paint: ({ red }) => red,
    rank: 1,
  },
  { text: ({ tally }) => countedText(tally.turns, "turn"), paint: ({ dim }) => dim, rank: 6 },
  { text: ({ tally }) => tokensText(tally.tokens), paint: ({ dim }) => dim, rank: 8 },
  { text: ({ tally }) => spentText(tally.cost), paint: ({ dim }) => dim, rank: 7 },
];

/** One line for each subject, none wider than `columns`; with more than `rows` subjects, the last line counts the others. */
function subjectLines(
  progress: RunProgress,
  { rows, columns, style }: { readonly rows: number; readonly columns: number; readonly style: Style },
): readonly string[] {
  const { size } = progress.subjects;
  if (rows < 1 || size === 0) return [];
  const shown = [...progress.subjects].slice(0, size > rows ? rows - 1 : rows);
  const more = size - shown.length;
  const lines = shown.length === 0 ? [] : table(shown, columns, style);
  return more === 0
    ? lines
    : [...lines, style.dim(cutToWidth(`… ${countedText(more, "more subject")}`, columns))];
}

function table(
  subjects: readonly (readonly [string, SubjectProgress])[],
  columns: number,
  style: Style,
): readonly string[] {
  const shown = COLUMNS.filter(({ text }) => subjects.some(([, subject]) => text(subject) !== ""));
  const lines = subjects.map(([name, subject]) => ({
    // Longer names would take a line of their own.
    name: { text: cutToWidth(printableText(name), Math.floor(columns / 3)) },
    indent: 0,
    cells: shown.map(({ text, paint }) => ({
      text: text(subject),
      ...(paint === undefined ? {} : { paint: paint(style) }),
    })),
  }));
  const drawn = shown.map(({ rank }) => ({
    alignment: ">" as const,
    ...(rank === 0 ? {} : { leaves: -rank }),
  }));
  return namedTable(lines, drawn, columns);
}
