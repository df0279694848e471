import { alignColumns, type TableCell } from "../terminal/align-columns.ts";
import { printableText } from "../terminal/printable-text.ts";
import type { Style } from "../terminal/terminal.ts";
import { cutToWidth, textWidth } from "../terminal/text-width.ts";
import { countedText, countText } from "./figure-text.ts";
import { spentText, tokensText } from "./progress-words.ts";
import type { RunProgress, SubjectProgress } from "./run-progress.ts";

const GAP = 2;
/** A name is cut down to this before a column is left out. */
const LEAST_NAME = 12;

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

/** One line for each subject, none wider than so many columns; of more than `rows` the last line says how many are left. */
export function subjectLines(
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
    : [...lines, style.dim(cutToWidth(`… ${countText(more)} more subject${more === 1 ? "" : "s"}`, columns))];
}

function table(
  subjects: readonly (readonly [string, SubjectProgress])[],
  columns: number,
  style: Style,
): readonly string[] {
  const names = subjects.map(([name]) => printableText(name));
  let cells = COLUMNS.map(({ text, paint, rank }) => {
    const texts = subjects.map(([, subject]) => text(subject));
    return { texts, paint: paint?.(style), rank, width: Math.max(...texts.map(textWidth)) };
  }).filter(({ width }) => width > 0);
  const widest = Math.max(...names.map(textWidth));
  const roomForNames = (): number => columns - cells.reduce((sum, { width }) => sum + width + GAP, 0);
  while (cells.length > 1 && roomForNames() < Math.min(widest, LEAST_NAME)) {
    const last = Math.max(...cells.map(({ rank }) => rank));
    cells = cells.filter(({ rank }) => rank !== last);
  }
  const room = Math.max(1, roomForNames());
  const rows = names.map((name, row): readonly TableCell[] => [
    { text: cutToWidth(name, room) },
    ...cells.map(({ texts, paint }) => ({
      text: texts[row] ?? "",
      ...(paint === undefined ? {} : { paint }),
    })),
  ]);
  return alignColumns(rows, ["<", ...cells.map(() => ">" as const)]);
}
