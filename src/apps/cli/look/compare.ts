import { setFlagsFromString } from "node:v8";
import { withoutUndefined } from "../../../core/values/json.ts";
import { toCsv } from "../../../engine/journal/transfer/table-text.ts";
import { type Comparison, compareAll } from "../../../insight/report/data/compare-sides.ts";
import { comparisonRows } from "../../../insight/report/data/table-rows.ts";
import {
  comparisonMarkdown,
  comparisonText,
  discordantText,
} from "../../../insight/report/text/comparison-text.ts";
import { safeJson } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { COMPARE } from "../commands/look-commands.ts";
import { readSettings } from "../read-settings.ts";
import { openStoreIfAny } from "../stored-runs.ts";
import { writeOutput } from "../write-output.ts";
import { comparedRun, sidePairs } from "./find-sides.ts";
import { AVERAGE_ALONE } from "./show-statistics.ts";

/** As many differing pairs as a screen shows. */
const SHOWN = 20;

/** Compares runs, or subjects of runs, pair by pair. */
export async function compare(options: OptionsOf<typeof COMPARE>, terminal: Terminal): Promise<ExitCode> {
  const { average, baseline, subject: subjects = [], outcome: names = [], by = [], acrossVersions } = options;
  if (average !== undefined && by.length === 0) throw new ProjectError([AVERAGE_ALONE]);
  // Objects live briefly here: young-generation memory that does not grow saves a third of the memory, at no cost in time.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { settings } = await readSettings(options.settings, terminal);
  const store = await openStoreIfAny(settings.store);
  try {
    const given = options.runs.length === 0 ? [undefined] : options.runs;
    const runs = await Promise.all(given.map((name) => comparedRun(store, name, terminal.folder)));
    const comparisons = compareAll(sidePairs(runs, { subjects, baseline }), {
      by,
      acrossVersions,
      ...withoutUndefined({ average }),
      ...(names.length === 0 ? {} : { names }),
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
  { format, json, discordant }: OptionsOf<typeof COMPARE>,
  { output }: Terminal,
): Generator<string> {
  switch (json ? "json" : format) {
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
