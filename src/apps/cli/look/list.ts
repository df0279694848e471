import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { pooledRates } from "../../../insight/report/data/run-rates.ts";
import { countedText, timeText } from "../../../insight/report/text/figures.ts";
import { headlineOf } from "../../../insight/report/text/summary-line.ts";
import type { TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { type NamedColumn, type NamedLine, namedTable } from "../../../insight/report/text/text-blocks.ts";
import { printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Style, Terminal } from "../../../system/terminal/terminal.ts";
import { cutToWidth, type TableCell, textWidth, wrapText } from "../../../system/terminal/text-layout.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { withRuns } from "../stored-runs.ts";

/** The options of `list`. */
interface ListOptions {
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
      for (const run of shown)
        output.data(`${safeJson({ ...run, headline: pooledRates(store, run).outcomes[0] ?? null })}
`);
      return;
    }
    if (runs.length === 0) output.write("No runs yet. Start one: elenchus run\n");
    else
      output.write(
        `${runTable(listed(store, shown), { style: output.style, width: output.width }).join("\n")}\n`,
      );
    for (const { run, judges } of shown)
      for (const judge of judges.filter(({ isPoor }) => isPoor)) {
        const text = printableText(`${run}: ${judgeRemark(judge)}`);
        output.write(`${wrapText(text, output.width).map(output.style.red).join("\n")}\n`);
      }
    if (runs.length > shown.length)
      output.write(`… and ${runs.length - shown.length} earlier: --limit ${runs.length}\n`);
  });
  return 0;
}

/** The last column has remarks. */
const HEAD = ["run", "started", "done", "state", "result", "subjects", ""];
const COLUMNS: readonly NamedColumn[] = [
  // Dropped before the remarks: the order shows it, too, and tags were chosen by a person.
  { alignment: "<", leaves: 2 },
  { alignment: ">", leaves: 4 },
  { alignment: "<" },
  { alignment: "<", leaves: 5 },
  { alignment: "<", leaves: 1 },
  { alignment: "<", leaves: 3 },
];
const SUBJECTS = HEAD.indexOf("subjects");
/** The least width for the names of subjects. */
const SOME_NAMES = 12;
const GAP = 2;

/** A run, and its first outcome in short. */
interface ListedRun extends RunSummary {
  readonly headline: string;
}

function listed(store: Store, runs: readonly RunSummary[]): readonly ListedRun[] {
  return runs.map((run) => ({ ...run, headline: headlineOf(pooledRates(store, run).outcomes) }));
}

function runTable(runs: readonly ListedRun[], { style, width }: TextOptions): readonly string[] {
  const hasResults = runs.some(({ headline }) => headline !== "");
  const head = HEAD.map(
    (text): TableCell => ({
      text: text === "result" && !hasResults ? "" : text,
      paint: style.dim,
    }),
  );
  const table = [head, ...runs.map((run) => cellsOf(run, style))];
  const room = roomForSubjects(table, width);
  const lines = table.map((whole): NamedLine => {
    const [name = { text: "" }, ...cells] = whole.map(({ text, paint }, index) => ({
      text: index === SUBJECTS ? cutToWidth(text, room) : text,
      ...(paint === undefined ? {} : { paint }),
    }));
    return { name, indent: 0, cells };
  });
  return namedTable(lines, COLUMNS, width);
}

/** Names of subjects are cut. If little is left of them, their column is dropped before that of the tags. */
function roomForSubjects(table: readonly (readonly TableCell[])[], width: number): number {
  const widths = HEAD.map((_, column) =>
    table.reduce((most, cells) => Math.max(most, textWidth(cells[column]?.text ?? "")), 0),
  );
  const others = widths.reduce((sum, one, column) => (column === SUBJECTS ? sum : sum + one + GAP), 0);
  return Math.max(SOME_NAMES, width - others);
}

function cellsOf(
  { run, startedAt, endedAt, start, parent, tags, statuses, headline, judges, arms = 0 }: ListedRun,
  style: Style,
): TableCell[] {
  const ended = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const cutShort = (statuses.cancelled ?? 0) + (statuses.timeout ?? 0) + (statuses.budget_exhausted ?? 0);
  const errors = statuses.error ?? 0;
  const planned = start.conversations + arms;
  const isWhole = endedAt !== null && ended === planned && cutShort === 0;
  const poor = judges.filter(({ isPoor }) => isPoor);
  const finished = poor.length === 0 ? "finished" : "judge failed";
  const failed = errors === planned ? "failed" : countedText(errors, "error");
  const state = isWhole ? (errors === 0 ? finished : failed) : "unfinished";
  const isFine = errors === 0 && poor.length === 0;
  const paint = isWhole ? (isFine ? style.green : style.red) : style.yellow;
  return [
    { text: printableText(run), paint: style.bold },
    { text: timeText(startedAt) },
    { text: isWhole ? String(ended) : `${ended - cutShort} of ${planned}` },
    { text: state, paint },
    { text: headline },
    { text: printableText(namesText(start.subjects)) },
    {
      text: printableText(
        [
          ...(parent === null ? [] : [`regrades ${parent}`]),
          ...(start.configuration.recorded === true ? ["recorded"] : []),
          ...tags,
        ].join(", "),
      ),
    },
  ];
}

/** Which judge failed, how often, and why most often. */
function judgeRemark({ judge, asked, unreadable, failed, reasons: [most] }: JudgeHealth): string {
  const why =
    most?.result === "unreadable" ? "unreadable answers" : (most?.category ?? "").replaceAll("_", " ");
  return `judge ${judge} failed ${unreadable + failed} of ${asked}${why === "" ? "" : ` (${why})`}`;
}

function namesText(names: readonly string[]): string {
  return names.length <= 3
    ? names.join(", ")
    : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}
