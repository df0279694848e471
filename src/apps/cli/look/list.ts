import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { RunSummary, Store } from "../../../engine/journal/store/store.ts";
import { pooledRates } from "../../../insight/report/data/run-rates.ts";
import { countedText, timeText } from "../../../insight/report/text/figures.ts";
import { headlineOf } from "../../../insight/report/text/summary-line.ts";
import {
  type NamedColumn,
  type NamedLine,
  namedTable,
  type TextOptions,
} from "../../../insight/report/text/text-blocks.ts";
import { printableText, safeJson } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { cutToWidth, linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { LIST } from "../commands/look-commands.ts";
import { readSettings } from "../read-settings.ts";
import { withRuns } from "../stored-runs.ts";

/** Lists the runs of a project, the latest first. */
export async function list(options: OptionsOf<typeof LIST>, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const { settings } = await readSettings(options.settings, terminal);
  await withRuns(settings.store, (store) => {
    const runs = [...store.runs()].sort((one, other) => other.startedAt - one.startedAt);
    const shown = runs.slice(0, options.limit);
    if (options.json) {
      for (const run of shown)
        output.data(`${safeJson({ ...run, headline: pooledRates(store, run).outcomes[0] ?? null })}\n`);
      return;
    }
    if (runs.length === 0) output.write("No runs yet. Start one: elenchus run\n");
    else output.write(runTable(store, shown, output));
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

/** Below this many columns, little is shown of the names of subjects. */
const WIDE = 100;
const HEAD = ["started", "done", "state", "result", "subjects", ""];
/** Without room, tags are dropped after the subjects and the time: a person chose them. */
const COLUMNS: readonly NamedColumn[] = [["<", 2], [">", 4], "<", ["<", 5], ["<", 1], ["<", 3]];

function runTable(store: Store, runs: readonly RunSummary[], { style, width }: TextOptions): string {
  const lines = runs.map((run) =>
    runLine(run, headlineOf(pooledRates(store, run).outcomes), { style, width }),
  );
  const hasResults = lines.some(({ cells }) => cells[3] !== "");
  const head = HEAD.map((text) => ({ text: text === "result" && !hasResults ? "" : text, paint: style.dim }));
  const name = { text: "run", paint: style.dim };
  return linesText(namedTable([{ name, cells: head }, ...lines], COLUMNS, width));
}

function runLine(
  { run, startedAt, endedAt, start, parent, tags, statuses, judges, arms = 0 }: RunSummary,
  headline: string,
  { style, width }: TextOptions,
): NamedLine {
  const ended = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const cutShort = (statuses.cancelled ?? 0) + (statuses.timeout ?? 0) + (statuses.budget_exhausted ?? 0);
  const errors = statuses.error ?? 0;
  const planned = start.conversations + arms;
  const isWhole = endedAt !== null && ended === planned && cutShort === 0;
  const isPoor = judges.some((judge) => judge.isPoor);
  const finished = isPoor ? "judge failed" : "finished";
  const failed = errors === planned ? "failed" : countedText(errors, "error");
  const state = isWhole ? (errors === 0 ? finished : failed) : "unfinished";
  const paint = isWhole ? (errors === 0 && !isPoor ? style.green : style.red) : style.yellow;
  const remarks = [
    ...(parent === null ? [] : [`regrades ${parent}`]),
    ...(start.configuration.recorded === true ? ["recorded"] : []),
    ...tags,
  ];
  const subjects = cutToWidth(
    printableText(namesText(start.subjects)),
    width < WIDE ? 12 : Math.floor(width / 4),
  );
  return {
    name: { text: printableText(run), paint: style.bold },
    indent: 0,
    cells: [
      { text: timeText(startedAt) },
      { text: isWhole ? String(ended) : `${ended - cutShort} of ${planned}` },
      { text: state, paint },
      headline,
      { text: subjects },
      { text: printableText(remarks.join(", ")) },
    ],
  };
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
