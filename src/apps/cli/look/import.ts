import { createReadStream, existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { withoutUndefined } from "../../../core/values/json.ts";
import { importRun } from "../../../engine/journal/transfer/import-run.ts";
import { fileProblem, readTextFile, specialKind } from "../../../system/files/read-text-file.ts";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableLines, printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";
import {
  type ImportedScenario,
  KareninaError,
  type KareninaImport,
  readKarenina,
} from "../../interchange/karenina/checkpoint.ts";
import { ProjectError } from "../../project/project-error.ts";
import { scenarioFileText } from "../../project/scenario-files/write-scenario.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { IMPORT } from "../commands/look-commands.ts";
import { readSettings } from "../read-settings.ts";
import { openToWrite } from "../stored-runs.ts";

type ImportOptions = OptionsOf<typeof IMPORT>;

/** Imports a run from a file into the store, or the scenarios of a karenina checkpoint, which is known by its name. */
export async function importFile(options: ImportOptions, terminal: Terminal): Promise<ExitCode> {
  const { file, as, useCalls, output } = options;
  if (file.toLowerCase().endsWith(".jsonld") || output !== undefined)
    return importKarenina(options, terminal);
  const { settings } = await readSettings(options.settings, terminal);
  // A misspelt name should not leave a store behind.
  if (file !== "-") await refuseSpecial(file, terminal);
  const store = await openToWrite(settings.store);
  try {
    const { run } = await importRun(store, piecesOf(file, terminal), {
      useCalls,
      ...withoutUndefined({ as }),
    });
    terminal.output.write(`Imported run ${printableText(run)}. Look at it: elenchus show ${runWord(run)}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

/** Refuses devices, which may have no end. A pipe that a person names is fine. */
async function refuseSpecial(file: string, { folder }: Terminal): Promise<void> {
  const stats = await stat(resolve(folder, file)).catch(cannotRead(file));
  const kind = stats.isFIFO() ? undefined : specialKind(stats);
  if (kind !== undefined)
    throw new ProjectError([`${file} is ${kind}, not a file. Name a file that export wrote.`]);
}

const PIECE = 250_000;

async function* piecesOf(file: string, { input, folder }: Terminal): AsyncGenerator<string | Uint8Array> {
  const stream = file === "-" ? input : createReadStream(resolve(folder, file), { highWaterMark: PIECE });
  try {
    yield* stream as AsyncIterable<string | Uint8Array>;
  } catch (error) {
    cannotRead(file)(error);
  }
}

function cannotRead(file: string): (error: unknown) => never {
  return (cause) => {
    throw new ProjectError([`${fileProblem(cause, file)} Name a file that export wrote.`], { cause });
  };
}

/** Writes every scenario of a karenina checkpoint as a scenario file. */
async function importKarenina(options: ImportOptions, terminal: Terminal): Promise<ExitCode> {
  const { file, output, partial } = options;
  if (output === undefined)
    throw new ProjectError([
      `${file} is a karenina checkpoint; its scenarios become files. Say where: elenchus import ${file} --output scenarios`,
    ]);
  const imported = readCheckpoint(options, terminal);
  const { scenarios, refused, notes } = imported;
  const folder = resolve(terminal.folder, output);
  const names = fileNames(scenarios);
  const taken = names.filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0)
    throw new ProjectError([
      `${output} already has ${taken.slice(0, 3).join(", ")}${taken.length > 3 ? ` and ${taken.length - 3} more` : ""}. Remove them, or name another folder.`,
    ]);
  await mkdir(folder, { recursive: true });
  const lines: string[] = notes.map(({ place, message }) => `${place}: ${message}`);
  for (const [index, scenario] of scenarios.entries()) {
    const name = names[index] as string;
    const text = scenarioFileText(scenario.file, origin(scenario, imported));
    await writeWholeFile(join(folder, name), [text], { folder: terminal.folder });
    lines.push(`✓ ${scenario.name} → ${join(output, name)}`);
    lines.push(...scenario.holes.map((hole) => `    missing: ${sentence(hole)}`));
    lines.push(...scenario.notes.map((note) => `    ${sentence(note)}`));
  }
  for (const { name, reasons } of refused)
    lines.push(`✗ ${name} was not imported`, ...reasons.map((reason) => `    ${sentence(reason)}`));
  const all = scenarios.length + refused.length;
  lines.push("", `${scenarios.length} of ${all} scenarios of "${imported.name}" were imported.`);
  if (refused.length > 0 && !partial)
    lines.push("--partial imports the others, too, without what cannot be translated.");
  if (scenarios.length > 0) lines.push(`Look at them: elenchus check ${output}`);
  terminal.output.write(linesText(lines.map(printableLines)));
  return refused.length > 0 ? 2 : 0;
}

/** A benchmark of thousands of scenarios is larger than a scenario file may be. */
const LARGEST_MB = 200;

function readCheckpoint({ file, partial }: ImportOptions, { folder }: Terminal): KareninaImport {
  const content = readTextFile(resolve(folder, file), file, { largestMb: LARGEST_MB });
  if ("problem" in content) throw new ProjectError([content.problem]);
  try {
    return readKarenina(content.text, { partial });
  } catch (error) {
    if (error instanceof KareninaError)
      throw new ProjectError([`${file}: ${error.message}`], { cause: error });
    throw error;
  }
}

/** Names that people can type, each once. */
function fileNames(scenarios: readonly ImportedScenario[]): readonly string[] {
  const taken = new Set<string>();
  return scenarios.map(({ name }) => {
    const plain = name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 80);
    const base = plain === "" ? "scenario" : plain;
    let free = base;
    for (let count = 2; taken.has(free); count++) free = `${base}-${count}`;
    taken.add(free);
    return `${free}.yaml`;
  });
}

/** The comment at the top of a file. */
function origin(scenario: ImportedScenario, { name }: KareninaImport): string {
  const notes = [
    ...scenario.holes.map((hole) => `MISSING: ${sentence(hole)}`),
    ...scenario.notes.map(sentence),
  ];
  const lines = [
    `From the karenina benchmark "${name}", scenario "${scenario.name}". Its Python was translated, never run.`,
    ...(notes.length > 0 ? ["What differs from upstream:", ...notes.map((note) => `- ${note}`)] : []),
  ];
  return printableLines(lines.map((line) => line.replaceAll(/\s+/g, " ")).join("\n"));
}

function sentence({ place, message }: { readonly place: string; readonly message: string }): string {
  return place === "" ? message : `${place}: ${message}`;
}
