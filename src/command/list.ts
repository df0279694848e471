import { printableText } from "../drawing/printable-text.ts";
import type { RunSummary } from "../journal/store.ts";
import { countedText } from "../report/figure-text.ts";
import { alignColumns, type TableCell } from "../terminal/align-columns.ts";
import type { Style } from "../terminal/style.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";
import { readSettings, type SettingsRequest } from "./read-settings.ts";
import { withRuns } from "./stored-runs.ts";

/** What `list` is told. */
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
    if (runs.length === 0) output.write("No runs yet. Begin with: elenchus run\n");
    else output.write(`${runTable(shown, output.style).join("\n")}\n`);
    if (runs.length > shown.length)
      output.write(`… and ${runs.length - shown.length} earlier: --limit ${runs.length}\n`);
  });
  return 0;
}

function runTable(runs: readonly RunSummary[], style: Style): readonly string[] {
  const head = ["run", "begun", "conversations", "state", "subjects", ""];
  const rows = runs.map((run) => rowOf(run, style));
  return alignColumns(
    [head.map((text) => ({ text, paint: style.dim })), ...rows],
    ["<", "<", ">", "<", "<", "<"],
  );
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

/** In the time zone of whoever reads, to the minute. */
function timeText(at: number): string {
  const time = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
