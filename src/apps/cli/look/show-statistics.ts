import { resolve } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { ConversationFilter, Store } from "../../../engine/journal/store/store.ts";
import { needsRowValues } from "../../../insight/report/data/grouping.ts";
import { judgeReport, readLabels } from "../../../insight/report/data/judge-agreement.ts";
import { type NoisyScore, noise } from "../../../insight/report/data/noise.ts";
import { rates, wantedScores } from "../../../insight/report/data/rates.ts";
import { runFacts } from "../../../insight/report/data/run-facts.ts";
import { sequences } from "../../../insight/report/data/sequences.ts";
import { groupedRatesText } from "../../../insight/report/text/rate-table.ts";
import { sequencesText } from "../../../insight/report/text/sequences-text.ts";
import { judgeReportText, noiseText } from "../../../insight/report/text/statistics-text.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { safeJson } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { OptionsOf } from "../command.ts";
import type { SHOW } from "../commands/look-commands.ts";
import { findRun } from "../stored-runs.ts";

type ShowOptions = OptionsOf<typeof SHOW>;

/** True if any statistics are requested. Throws a `ProjectError` for flags that do not fit together. */
export function wantsStatistics(options: ShowOptions): boolean {
  const { by, average, agreement, labels } = options;
  if (options.with !== undefined && !options.noise)
    throw new ProjectError(["--with needs --noise or --coverage: it adds a run to them."]);
  if (average !== undefined && by === undefined) throw new ProjectError([AVERAGE_ALONE]);
  if (by !== undefined && (agreement || labels !== undefined))
    throw new ProjectError(["--by groups rates, --sequences and --noise; --agreement has no groups."]);
  return by !== undefined || options.sequences || options.noise || agreement || labels !== undefined;
}

/** The error for `--average` without groups. */
export const AVERAGE_ALONE =
  "--average needs --by: it averages over groups, for instance --by tag --average macro";

/** Prints rates by group, sequences, noise or the agreement of judges. */
export function showStatistics(
  options: ShowOptions,
  {
    store,
    run,
    filter,
  }: { readonly store: Store; readonly run: string; readonly filter: ConversationFilter },
  terminal: Terminal,
): void {
  const { output } = terminal;
  const parts: { readonly data: Readonly<Record<string, unknown>>; readonly text: () => string }[] = [];
  const { by, average } = options;
  if (by !== undefined) {
    const report = rates(store, run, { by, filter, ...withoutUndefined({ average }) });
    parts.push({ data: { rates: report }, text: () => groupedRatesText(report, output) });
  }
  if (options.sequences) {
    const found = sequences(store, run, { filter, ...withoutUndefined({ by }) });
    parts.push({ data: { sequences: found }, text: () => sequencesText(found, output) });
  }
  if (options.noise) {
    const runs = [run, ...(options.with ?? []).map((name) => findRun(store, name).run)];
    const noisy = [...new Set(runs)].flatMap((name) => noisyScores(store, name, { filter, by }));
    const lines = noise(noisy, runFacts(store, runs), by);
    parts.push({ data: { noise: lines }, text: () => noiseText(lines, output) });
  }
  if (options.agreement || options.labels !== undefined) {
    const given = options.labels === undefined ? [] : labelsOf(store, run, options.labels, terminal);
    const report = judgeReport(store, run, [...store.labels(run), ...given], filter);
    parts.push({ data: { agreement: report }, text: () => judgeReportText(report, output) });
  }
  if (options.json) output.data(`${safeJson(Object.assign({ run }, ...parts.map(({ data }) => data)), 2)}\n`);
  else output.write(parts.map(({ text }) => text()).join("\n"));
}

/** The conversations of a run, with the model that simulated their users. */
function noisyScores(
  store: Store,
  run: string,
  { filter, by }: { readonly filter: ConversationFilter; readonly by: readonly string[] | undefined },
): readonly NoisyScore[] {
  const { simulator } = findRun(store, run).start.configuration;
  const name = simulator === undefined ? null : JSON.stringify(simulator);
  return wantedScores(store.scores(run, { rowValues: needsRowValues(by) }), filter).map((score) => ({
    score,
    run,
    simulator: name,
  }));
}

/** The labels of a file; a conversation may be named by the beginning of its name. */
function labelsOf(
  store: Store,
  run: string,
  file: string,
  { folder }: Terminal,
): ReturnType<typeof readLabels> {
  const { text, problem } = readTextFile(resolve(folder, file), file);
  if (text === undefined) throw new ProjectError([problem]);
  const labels = readLabels(text, file);
  const names = [...store.conversations(run)].map(({ conversation }) => conversation);
  const known = new Set(names);
  const problems: string[] = [];
  const found = labels.map((label) => {
    if (known.has(label.conversation)) return label;
    const [only, ...others] = names.filter((name) => name.startsWith(label.conversation));
    if (only !== undefined && others.length === 0) return { ...label, conversation: only };
    problems.push(`${file}:${label.line}: There is no conversation "${label.conversation}" in run ${run}.`);
    return label;
  });
  if (problems.length > 0) {
    const rest = problems.length > 5 ? [`… and ${problems.length - 5} more unknown conversations.`] : [];
    throw new ProjectError([...problems.slice(0, 5), ...rest]);
  }
  return found;
}
