import type { RunSummary } from "../../journal/store/store.ts";
import { countedText } from "../../report/text/figures.ts";
import { type NamedColumn, type NamedLine, namedTable } from "../../report/text/named-table.ts";
import type { TextOptions } from "../../report/text/text-blocks.ts";
import type { TableCell } from "../../terminal/align-columns.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Style, Terminal } from "../../terminal/terminal.ts";
import { cutToWidth, textWidth } from "../../terminal/text-width.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { withRuns } from "../stored-runs.ts";

/** The options of `list`. */
export interface ListOptions {
  readonly settings: SettingsRequest;
  readonly limit: number;
  readonly json: boolean;
}

/** Lists the runs of a project, the latest first. */
export async function list(options: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const { settings } = await readSettings(options.settings, terminal);
  await withRuns(settings.store, (store) => {
    const runs = [...store.runs()].sort((one, other) => other.startedAt - one.startedAt);
    const shown = runs.slice(0, options.limit);
    if (options.json) {
      for (const run of shown) output.write(`${JSON.stringify(run)}\n`);
      return;
    }
    if (runs.length === 0) output.write("No runs yet. Start one: elenchus run\n");
    else output.write(`${runTable(shown, { style: output.style, width: output.width }).join("\n")}\n`);
    if (runs.length > shown.length)
      output.write(`… and ${runs.length - shown.length} earlier: --limit ${runs.length}\n`);
  });
  return 0;
}

/** The last column has remarks. */
const HEAD = ["run", "started", "conversations", "state", "subjects", ""];
const COLUMNS: readonly NamedColumn[] = [
  { alignment: "<", leaves: 3 },
  { alignment: ">", leaves: 4 },
  { alignment: "<" },
  { alignment: "<", leaves: 2 },
  { alignment: "<", leaves: 1 },
];
const SUBJECTS = HEAD.indexOf("subjects");
const REMARKS = HEAD.length - 1;
/** What is left of the names of subjects, if not all of them fit. */
const SOME_NAMES = 16;
const GAP = 2;

function runTable(runs: readonly RunSummary[], { style, width }: TextOptions): readonly string[] {
  const head = HEAD.map((text): TableCell => ({ text, paint: style.dim }));
  const rows = [head, ...runs.map((run) => rowOf(run, style))];
  const room = roomForSubjects(rows, width);
  const lines = rows.map((row): NamedLine => {
    const [name = { text: "" }, ...cells] = row.map(({ text, paint }, index) => ({
      text: index === SUBJECTS ? cutToWidth(text, room) : text,
      ...(paint === undefined ? {} : { paint }),
    }));
    return { name, indent: 0, cells };
  });
  return namedTable(lines, COLUMNS, width);
}

/** Names of subjects are cut before remarks leave, and remarks leave before little is left of the names. */
function roomForSubjects(rows: readonly (readonly TableCell[])[], width: number): number {
  const widths = HEAD.map((_, column) =>
    rows.reduce((most, row) => Math.max(most, textWidth(row[column]?.text ?? "")), 0),
  );
  const others = widths.reduce((sum, one, column) => (column === SUBJECTS ? sum : sum + one + GAP), 0);
  const room = width - others;
  return room >= SOME_NAMES ? room : Math.max(SOME_NAMES, room + (widths[REMARKS] ?? 0) + GAP);
}

function rowOf(
  { run, startedAt, endedAt, start, parent, tags, statuses }: RunSummary,
  style: Style,
): TableCell[] {
  const ended = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const cutShort = (statuses.cancelled ?? 0) + (statuses.timeout ?? 0) + (statuses.budget_exhausted ?? 0);
  const errors = statuses.error ?? 0;
  const isWhole = endedAt !== null && ended === start.conversations && cutShort === 0;
  const state = isWhole ? (errors === 0 ? "finished" : countedText(errors, "error")) : "unfinished";
  const paint = isWhole ? (errors === 0 ? style.green : style.red) : style.yellow;
  return [
    { text: printableText(run), paint: style.bold },
    { text: timeText(startedAt) },
    { text: isWhole ? String(ended) : `${ended - cutShort} of ${start.conversations}` },
    { text: state, paint },
    { text: printableText(namesText(start.subjects)) },
    { text: printableText([...(parent === null ? [] : [`regrades ${parent}`]), ...tags].join(", ")) },
  ];
}

function namesText(names: readonly string[]): string {
  return names.length <= 3
    ? names.join(", ")
    : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}

/** In the local time zone, to the minute. */
function timeText(at: number): string {
  const time = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
