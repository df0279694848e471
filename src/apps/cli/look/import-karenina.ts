import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableLines } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import {
  type ImportedScenario,
  KareninaError,
  type KareninaImport,
  readKarenina,
} from "../../interchange/karenina/checkpoint.ts";
import { ProjectError } from "../../project/project-error.ts";
import { scenarioFileText } from "../../project/scenario-files/write-scenario.ts";
import type { ExitCode } from "../command.ts";

/** Where a checkpoint is, and where its scenarios go. */
interface ImportKareninaOptions {
  readonly file: string;
  readonly output: string | undefined;
  readonly partial: boolean;
}

/** Writes every scenario of a karenina checkpoint as a scenario file. */
export async function importKarenina(options: ImportKareninaOptions, terminal: Terminal): Promise<ExitCode> {
  const { file, output, partial } = options;
  if (output === undefined)
    throw new ProjectError([
      `${file} is a karenina checkpoint; its scenarios become files. Say where: elenchus import ${file} --output scenarios`,
    ]);
  const imported = read(file, partial, terminal);
  const folder = resolve(terminal.folder, output);
  const names = fileNames(imported.scenarios);
  const taken = names.filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0)
    throw new ProjectError([
      `${output} already has ${taken.slice(0, 3).join(", ")}${taken.length > 3 ? ` and ${taken.length - 3} more` : ""}. Remove them, or name another folder.`,
    ]);
  await mkdir(folder, { recursive: true });
  const lines: string[] = imported.notes.map(({ place, message }) => `${place}: ${message}`);
  for (const [index, scenario] of imported.scenarios.entries()) {
    const name = names[index] as string;
    await writeWholeFile(join(folder, name), [scenarioFileText(scenario.file, origin(scenario, imported))], {
      folder: terminal.folder,
    });
    lines.push(`✓ ${scenario.name} → ${join(output, name)}`, ...described(scenario));
  }
  for (const { name, reasons } of imported.refused)
    lines.push(`✗ ${name} was not imported`, ...reasons.map((reason) => `    ${sentence(reason)}`));
  const { scenarios, refused } = imported;
  terminal.output.write(
    `${printableLines(
      [
        ...lines,
        "",
        `${scenarios.length} of ${scenarios.length + refused.length} scenarios of "${imported.name}" were imported.`,
        ...(refused.length > 0 && !partial
          ? ["--partial imports the others, too, without what cannot be translated."]
          : []),
        ...(scenarios.length > 0 ? [`Look at them: elenchus check ${output}`] : []),
      ].join("\n"),
    )}\n`,
  );
  return refused.length > 0 ? 2 : 0;
}

function read(file: string, partial: boolean, { folder }: Terminal): KareninaImport {
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

/** A benchmark of thousands of scenarios is larger than a scenario file may be. */
const LARGEST_MB = 200;

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
    ...scenario.notes.map((note) => sentence(note)),
  ];
  return printableLines(
    [
      `From the karenina benchmark "${name}", scenario "${scenario.name}". Its Python was translated, never run.`,
      ...(notes.length > 0 ? ["What differs from upstream:", ...notes.map((note) => `- ${note}`)] : []),
    ]
      .map((line) => line.replaceAll(/\s+/g, " "))
      .join("\n"),
  );
}

function described({ notes, holes }: ImportedScenario): readonly string[] {
  return [
    ...holes.map((hole) => `    missing: ${sentence(hole)}`),
    ...notes.map((note) => `    ${sentence(note)}`),
  ];
}

function sentence({ place, message }: { readonly place: string; readonly message: string }): string {
  return place === "" ? message : `${place}: ${message}`;
}
