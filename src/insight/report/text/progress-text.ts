import { DEFAULTS } from "../../../core/defaults.ts";
import type { RunTally } from "../../../engine/journal/fold/run.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { cutToWidth, type TableCell, textWidth } from "../../../system/terminal/text-layout.ts";
import type { RunProgress } from "../data/run-progress.ts";
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
  const { overall, finished, planned, cutShort } = progress;
  const { calls, cached } = overall;
  const elapsed = progress.elapsed(now);
  const { rate, left } = pace(progress, { now, isStopping });
  const parts = [
    `${countText(finished)} of ${countedText(planned, "conversation")}`,
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
  const [only, ...more] = awaited;
  if (isOver || only === undefined) return "";
  const sum = (counts: typeof awaited): number => counts.reduce((total, [, count]) => total + count, 0);
  const answers = `waiting for ${countedText(sum(awaited), "answer")}`;
  if (more.length === 0) return `${answers} of ${printableText(only[0])}`;
  const named = awaited
    .slice(0, NAMED)
    .map(([model, count]) => `${countText(count)} of ${printableText(model)}`);
  const others = sum(awaited.slice(NAMED));
  return `${answers} (${[...named, ...(others === 0 ? [] : [`${countText(others)} of others`])].join(", ")})`;
}

/** How many retries there were, and why the last one; empty without retries. */
function retryText({ overall: { retries, lastRetry }, isOver }: RunProgress): string {
  if (lastRetry === undefined || isOver) return "";
  return `${retriesText(retries)}, the last because: ${printableText(lastRetry.message)}`;
}

/** The rate and the time left; empty if unknown. */
function pace(
  progress: RunProgress,
  { now, isStopping = false }: Pick<ProgressTextOptions, "now" | "isStopping">,
): { readonly rate: string; readonly left: string } {
  const rate = progress.isOver ? undefined : progress.rate(now);
  const left = progress.timeLeft(now);
  return {
    rate: rate === undefined || rate === 0 ? "" : rateText(rate),
    left: isStopping ? "stopping" : left === undefined ? "" : timeLeftText(left),
  };
}

function barLine({ finished, planned: total }: RunProgress, columns: number, { green, dim }: Style): string {
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
  const { overall, finished, planned, cutShort, inFlight } = progress;
  const count = `${countText(finished)} of ${countText(planned)}`;
  const { rate, left } = pace(progress, { now, isStopping });
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
  return [...outages.values()].map(({ account, message, status, at, ms }) => {
    const [name = account] = account.split(" ");
    const lasted = durationText(Math.max(0, now - (at - ms)));
    const what = status === "given_up" ? "gave up waiting for" : "waiting for";
    return `${what} ${printableText(name)}, away for ${lasted}: ${printableText(message)}`;
  });
}

/** One line for each subject, none wider than `columns`; with more than `rows` subjects, the last line counts the others. */
function subjectLines(
  progress: RunProgress,
  { rows, columns, style }: { readonly rows: number; readonly columns: number; readonly style: Style },
): readonly string[] {
  const { size } = progress.subjects;
  if (rows < 1 || size === 0) return [];
  const shown = [...progress.subjects].slice(0, size > rows ? rows - 1 : rows);
  const more = size - shown.length;
  const lines = shown.map(([name, tally]) => ({
    // Longer names would take a line of their own.
    name: cutToWidth(printableText(name), Math.floor(columns / 3)),
    cells: subjectCells(progress, { name, tally, style }),
  }));
  // Columns in which no line has anything are left out.
  const used = RANKS.map((_, column) => column).filter((column) =>
    lines.some(({ cells }) => cells[column]?.text !== ""),
  );
  const table = namedTable(
    lines.map((line) => ({ ...line, cells: used.flatMap((column) => line.cells[column] ?? []) })),
    used.map((column) => (column === 0 ? ">" : [">", -(RANKS[column] ?? 0)])),
    columns,
  );
  const rest = style.dim(cutToWidth(`… ${countedText(more, "more subject")}`, columns));
  return more === 0 ? table : [...table, rest];
}

/** Of the columns of `subjectCells`: those with higher numbers are left out first. */
const RANKS = [0, 2, 3, 4, 5, 1, 6, 8, 7];

function subjectCells(
  { planned, start, finishedBefore }: RunProgress,
  { name, tally, style }: { readonly name: string; readonly tally: RunTally; readonly style: Style },
): readonly TableCell[] {
  const { verdicts, errorCount, turns, tokens, cost } = tally;
  const finished = (finishedBefore.get(name) ?? 0) + tally.finished;
  // Conversations are a product of which subjects are a factor.
  const total = planned / (start?.subjects.length ?? 1);
  const { green, red, yellow, dim } = style;
  type Paint = Style["dim"];
  const some = (count: number, text: string, paint: Paint): TableCell => ({
    text: count === 0 ? "" : text,
    paint,
  });
  const counted = (count: number, word: string, paint: Paint): TableCell =>
    some(count, `${countText(count)} ${word}`, paint);
  return [
    { text: `${countText(finished)}/${countText(total)}` },
    counted(verdicts.pass, "right", green),
    counted(verdicts.fail, "wrong", red),
    counted(verdicts.unreadable, "unread", yellow),
    counted(verdicts.unjudged, "not judged", yellow),
    some(errorCount, countedText(errorCount, "error"), red),
    { text: countedText(turns, "turn"), paint: dim },
    { text: tokensText(tokens), paint: dim },
    { text: spentText(cost), paint: dim },
  ];
}
