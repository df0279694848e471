import { join } from "node:path";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableLines } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { inspectLogs } from "../../interchange/inspect/inspect-log.ts";
import {
  grouped,
  KareninaError,
  type KareninaExport,
  toKarenina,
} from "../../interchange/karenina/checkpoint.ts";
import { packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { findRun, withRuns } from "../stored-runs.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";

/** Which run becomes logs, and where they go. */
interface ExportInspectOptions {
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

/** Which scenarios are written, and where. */
interface ExportKareninaOptions {
  readonly settings: SettingsRequest;
  /** Files, folders and packs; those of the project if there are none. */
  readonly names: readonly string[];
  readonly output: string;
  readonly lossy: boolean;
}

/** Writes scenarios as a karenina checkpoint. */
export async function exportKarenina(options: ExportKareninaOptions, terminal: Terminal): Promise<ExitCode> {
  const { names, output, lossy } = options;
  await refuseOutput(output, terminal);
  const { settings } = await readSettings(options.settings, terminal);
  const definitions = await readScenarios(names, settings, terminal);
  let written: KareninaExport;
  try {
    written = toKarenina(definitions, { lossy });
  } catch (error) {
    if (error instanceof KareninaError) throw new ProjectError([error.message], { cause: error });
    throw error;
  }
  const isFile = await writeOutput(output, [written.text], terminal);
  const lines = [
    ...grouped(written.losses).map((line) => `left out: ${line}`),
    ...grouped(written.notes),
    ...(isFile
      ? [`Wrote ${definitions.length} scenario${definitions.length === 1 ? "" : "s"} to ${output}`]
      : []),
  ];
  terminal.messages.write(`${printableLines(lines.join("\n"))}\n`);
  return 0;
}
