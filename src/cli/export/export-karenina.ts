import { KareninaError } from "../../interchange/karenina/read-karenina.ts";
import { grouped, type KareninaExport, toKarenina } from "../../interchange/karenina/write-karenina.ts";
import { ProjectError } from "../../project/project-error.ts";
import { printableLines } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import { readScenarios } from "../read-scenarios.ts";
import { readSettings, type SettingsRequest } from "../read-settings.ts";
import { refuseOutput, writeOutput } from "../write-output.ts";

/** Which scenarios are written, and where. */
export interface ExportKareninaOptions {
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
