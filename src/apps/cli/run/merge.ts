import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import { openStore } from "../../../engine/journal/store/open-store.ts";
import { isPostgresAddress, shownStore } from "../../../engine/journal/store/postgres/postgres-address.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { storedDefinitions } from "../../../engine/journal/transfer/stored-run.ts";
import { mergeRuns, type ShardStore } from "../../../engine/scale/merge-runs.ts";
import { runRates } from "../../../insight/report/data/run-rates.ts";
import { testThresholds } from "../../../insight/report/data/thresholds.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { MERGE } from "../commands/run-commands.ts";
import { runCoverage } from "../look/coverage.ts";
import { readSettings } from "../read-settings.ts";
import { countOpen, findRun, openToWrite } from "../stored-runs.ts";
import { refuseOutput } from "../write-output.ts";
import { gateCode, reportResults } from "./run-and-report.ts";
import { usableThresholds } from "./thresholds.ts";

/** Joins the shards of a run into one run in another store, and reports the results as `run` does. */
export async function merge(options: OptionsOf<typeof MERGE>, terminal: Terminal): Promise<ExitCode> {
  const { as, display } = options;
  const { settings } = await readSettings(options.settings, terminal);
  if (settings.junit !== undefined) await refuseOutput(settings.junit, terminal);
  refuseSame(options.stores, settings.store, terminal);
  const opened: ShardStore[] = [];
  let target: Store | undefined;
  try {
    for (const name of options.stores)
      opened.push({
        name: shownStore(name),
        store: await openStore(pathOf(name, terminal), { readOnly: true }),
      });
    const [first] = opened;
    // A threshold that cannot be reached is refused before anything is written.
    const latest = first?.store.runs().at(-1);
    const scenarios =
      first === undefined || latest === undefined
        ? []
        : [...storedDefinitions(first.store, latest.run).values()];
    const thresholds = await usableThresholds(
      settings,
      { chosen: scenarios, all: async () => scenarios },
      terminal.messages,
    );
    target = await openToWrite(settings.store);
    const { run } = await mergeRuns(target, opened, withoutUndefined({ as }));
    const summary = findRun(target, run);
    const rates = runRates(target, summary);
    const checked = testThresholds(rates, thresholds, settings.minDecided);
    const covered = await runCoverage(
      { scenarios, thresholds: [] },
      { store: target, run, settings, display },
    );
    await reportResults(
      { store: target, summary, rates, thresholds: checked, settings, display, covered },
      terminal,
    );
    const open = countOpen(target, summary);
    if (open > 0)
      terminal.messages.write(`${countedText(open, "conversation")} left: shards were not finished.\n`);
    return gateCode({ checked, summary, settings });
  } finally {
    for (const { store } of opened) await store.close();
    await target?.close();
  }
}

/** The address of a server stays as it is. */
function pathOf(name: string, { folder }: Terminal): string {
  return isPostgresAddress(name) ? name : resolve(folder, name);
}

/** Throws `ProjectError` for a store that is missing, given twice, or also the target. */
function refuseSame(names: readonly string[], target: string, terminal: Terminal): void {
  const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
  const seen = new Map<string, string>();
  const problems = names.flatMap((name) => {
    const path = pathOf(name, terminal);
    if (!isPostgresAddress(name) && !existsSync(path)) return [`There is no store ${name}.`];
    const before = seen.get(real(path));
    seen.set(real(path), name);
    if (before !== undefined) return [`The store ${shownStore(name)} is given twice.`];
    if (real(path) === real(pathOf(target, terminal)))
      return [
        `The store ${shownStore(name)} has a shard, so the merged run needs another one: --store all.db`,
      ];
    return [];
  });
  if (problems.length > 0) throw new ProjectError(problems);
}
