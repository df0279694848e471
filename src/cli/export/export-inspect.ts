import { join } from "node:path";
import { writeWholeFile } from "../../files/write-whole-file.ts";
import { inspectLogs } from "../../interchange/inspect/inspect-log.ts";
import { packageVersion } from "../../project/package-files.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";

/** Which run becomes logs, and where they go. */
export interface ExportInspectOptions {
  readonly settings: SettingsRequest;
  /** The latest if it is undefined. */
  readonly run: string | undefined;
  readonly folder: string;
  /** True for `.eval`, false for `.json`. */
  readonly isArchive: boolean;
  readonly byScenario: boolean;
}

/** Writes a run as logs for Inspect, one per subject. */
export async function exportInspect(options: ExportInspectOptions, terminal: Terminal): Promise<ExitCode> {
  const { folder, isArchive, byScenario } = options;
  const { settings } = await readSettings(options.settings, terminal);
  await withRuns(settings.store, async (store) => {
    const { run } = findRun(store, options.run);
    for (const log of inspectLogs(store, run, { byScenario, version: packageVersion() })) {
      const path = join(folder, `${log.name}.${isArchive ? "eval" : "json"}`);
      await writeWholeFile(path, isArchive ? log.eval() : log.json(), { folder: terminal.folder });
      terminal.messages.write(`Wrote ${path}\n`);
    }
    terminal.messages.write(`Look at them: inspect view --log-dir ${folder}\n`);
  });
  return 0;
}
