import { setFlagsFromString } from "node:v8";
import { toCsv } from "../../../engine/journal/transfer/table-text.ts";
import { type Comparison, compareAll } from "../../../insight/report/data/compare-sides.ts";
import type { Average } from "../../../insight/report/data/rates.ts";
import { comparisonRows } from "../../../insight/report/data/table-rows.ts";
import {
  comparisonMarkdown,
  comparisonText,
  discordantText,
} from "../../../insight/report/text/comparison-text.ts";
import { safeJson } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { openStoreIfAny } from "../stored-runs.ts";
import { writeOutput } from "../write-output.ts";
import { comparedRun, type SideChoice, sidePairs } from "./find-sides.ts";
import { AVERAGE_ALONE } from "./show-statistics.ts";

/** How a comparison is written. */
export type CompareFormat = "text" | "json" | "csv" | "markdown";

/** The options of `compare`. */
interface CompareCommandOptions extends SideChoice {
  readonly settings: SettingsRequest;
  /** Runs of the store, or files. Default: the latest run. */
  readonly runs: readonly string[];
  readonly names: readonly string[];
  readonly by: readonly string[];
  readonly average: Average | undefined;
  readonly acrossVersions: boolean;
  /** True to name the conversations that differ. */
  readonly discordant: boolean;
  readonly format: CompareFormat;
  /** Default: standard output. */
  readonly output: string | undefined;
}

/** As many differing pairs as a screen shows. */
const SHOWN = 20;

/** Compares runs, or subjects of runs, pair by pair. */
export async function compare(options: CompareCommandOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.average !== undefined && options.by.length === 0) throw new ProjectError([AVERAGE_ALONE]);
  // Objects live briefly here: young-generation memory that does not grow saves a third of the memory, at no cost in time.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { settings } = await readSettings(options.settings, terminal);
  const store = await openStoreIfAny(settings.store);
  try {
    const names = options.runs.length === 0 ? [undefined] : options.runs;
    const runs = await Promise.all(names.map((name) => comparedRun(store, name, terminal.folder)));
    const comparisons = compareAll(sidePairs(runs, options), {
      by: options.by,
      ...(options.average === undefined ? {} : { average: options.average }),
      acrossVersions: options.acrossVersions,
      ...(options.names.length === 0 ? {} : { names: options.names }),
    });
    const pieces = formatted(comparisons, options, terminal);
    if (await writeOutput(options.output ?? "-", pieces, terminal))
      terminal.messages.write(`Wrote the comparison to ${options.output}\n`);
    return 0;
  } finally {
    await store?.close();
  }
}

function* formatted(
  comparisons: readonly Comparison[],
  { format, discordant }: CompareCommandOptions,
  { output }: Terminal,
): Generator<string> {
  switch (format) {
    case "json":
      yield `${safeJson(comparisons, 2)}\n`;
      return;
    case "csv":
      yield* toCsv(comparisonRows(comparisons));
      return;
    case "markdown":
      yield comparisonMarkdown(comparisons);
      return;
    case "text":
      for (const [i, comparison] of comparisons.entries()) {
        if (i > 0) yield "\n";
        yield comparisonText(comparison, output);
        const differing = discordant ? discordantText(comparison, SHOWN) : [];
        if (differing.length > 0) yield `\n${differing.join("\n")}\n`;
      }
  }
}
