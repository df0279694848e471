import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Environment } from "../../../core/environment.ts";
import { withoutUndefined } from "../../../core/values/json.ts";
import type { TextOptions } from "../../../insight/report/text/text-blocks.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableText, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns, linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { packageFolder, packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { PROJECT_FILES } from "../../project/project-file.ts";
import type { ExitCode, OptionsOf } from "../command.ts";
import type { INIT } from "../commands/start-commands.ts";
import { giveConsent } from "../trust/consent.ts";
import { codeEffect } from "../trust/project-effects.ts";

/** Writes a small project that can be run at once, and prints what to type next. Existing files are never overwritten. */
export async function init(
  { folder: name = ".", from, map, example }: Partial<OptionsOf<typeof INIT>>,
  terminal: Terminal,
): Promise<ExitCode> {
  if (from !== undefined && example !== undefined)
    throw new ProjectError(["Either --from or --example: each writes one scenario."]);
  if (map !== undefined && from === undefined)
    throw new ProjectError(["--map has no effect here: add --from <file>."]);
  if (from !== undefined || example !== undefined) {
    const { initFromExample, initFromTable } = await import("./init-scenario.ts");
    return from === undefined
      ? initFromExample(example ?? "", name, terminal)
      : initFromTable(from, { folder: name, map: map ?? [] }, terminal);
  }
  const { output } = terminal;
  const folder = resolve(terminal.folder, name);
  const files = await initFiles();
  const { written, kept } = await writeNewFiles(files, folder);
  trustOwnFiles(folder, written, terminal.environment);
  const advice = ignoreAdvice(folder, kept);
  const shown = relative(terminal.folder, folder);
  output.write(initText({ folder: shown, written, kept, ...withoutUndefined({ advice }) }, output));
  return 0;
}

/** The modules that were just written come from this package, so the project file may run them without asking for consent. */
function trustOwnFiles(folder: string, written: readonly string[], environment: Environment): void {
  const projectFile = written.find((name) => PROJECT_FILES.includes(name));
  if (projectFile === undefined) return;
  const modules = written.filter(isCodeFile).map((name) => codeEffect(join(folder, name)));
  giveConsent(modules, join(folder, projectFile), environment);
}

const NEXT: readonly (readonly [command: string, about: string])[] = [
  ["npx elenchus check", "draws the scenarios"],
  ["npx elenchus run", "runs the conversations"],
  ["npx elenchus show", "shows the results"],
];

/** Commands are never wrapped; below this width, their descriptions are left out. */
const NARROW = 48;

const REAL: readonly string[] = [
  "export OPENAI_API_KEY=<your key>",
  "npx elenchus run --subject openai/gpt-5-mini",
];

/** What was written, and what to type next; `folder` is relative to that of the command, and empty if it is the same. */
function initText(
  { folder, written, kept, advice }: WrittenFiles & { readonly folder: string; readonly advice?: string },
  { style, width }: TextOptions,
): string {
  const where = folder === "" ? "here" : `to ${printableText(folder)}`;
  const listed = (title: string, names: readonly string[], paint: (text: string) => string) =>
    names.length === 0
      ? []
      : [...wrapText(title, width), ...names.map((name) => `  ${paint(printableText(name))}`)];
  const steps = NEXT.map(([command, about]) => [
    { text: command, paint: style.bold },
    ...(width < NARROW ? [] : [{ text: about, paint: style.dim }]),
  ]);
  const enter = `cd ${shellWord(folder.startsWith("-") ? `./${folder}` : folder)}`;
  const blocks: readonly (readonly string[])[] = [
    written.length === 0
      ? wrapText("Nothing was written: all files exist already.", width)
      : listed(`Written ${where}:`, written, style.green),
    listed("Not changed, because they exist already:", kept, style.dim),
    advice === undefined ? [] : wrapText(advice, width).map(style.yellow),
    [
      style.bold("Next steps:"),
      ...(folder === "" ? [] : [`  ${style.bold(enter)}`]),
      ...alignColumns(steps, ["<", "<"]).map((line) => `  ${line}`),
    ],
    [
      ...wrapText("To test a real model, set its key and name it:", width),
      ...REAL.map((line) => `  ${style.bold(line)}`),
      ...wrapText(
        "Or write it into elenchus.config.yaml. To see which models can be used: npx elenchus doctor",
        width,
      ),
    ],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map(linesText)
    .join("\n");
}

/** What is missing in a `.gitignore` that was kept; it is never changed. */
function ignoreAdvice(folder: string, kept: readonly string[]): string | undefined {
  if (!kept.includes(".gitignore")) return undefined;
  const { text } = readTextFile(join(folder, ".gitignore"), ".gitignore");
  if (text === undefined || /^\s*(?:\*\*)?\/?\.elenchus(?:\/\*{0,2})?\s*$/m.test(text)) return undefined;
  return "Add .elenchus/ to your .gitignore, so that runs are not committed.";
}

/** A file of a new project. */
interface InitFile {
  /** Its path in the project, with slashes. */
  readonly name: string;
  readonly text: string;
}

/** Template files by the name that they get. npm leaves `.gitignore` out of packages, so the template has no dot. */
const TEMPLATES: Readonly<Record<string, string>> = {
  "elenchus.config.yaml": "elenchus.config.yaml",
  "scenarios/capital.yaml": "scenarios/capital.yaml",
  "scenarios/repair.mts": "scenarios/repair.mts",
  "README.md": "README.md",
  ".gitignore": "gitignore",
};

/** Everything that a new project is made of. */
async function initFiles(): Promise<readonly InitFile[]> {
  const folder = join(packageFolder(), "templates", "init");
  const copied = Object.entries(TEMPLATES).map(async ([name, template]) => ({
    name,
    text: await readFile(join(folder, template), "utf8"),
  }));
  const settings = { private: true, type: "module", devDependencies: { elenchus: packageVersion() } };
  return [
    ...(await Promise.all(copied)),
    { name: "package.json", text: `${JSON.stringify(settings, null, 2)}\n` },
  ];
}

/**
 * An existing file with another name and the same purpose: a second project file would make both unusable, and a second README is not
 * needed.
 */
function equivalentFile(name: string, existing: readonly string[]): string | undefined {
  if (name === "elenchus.config.yaml") return existing.find((file) => PROJECT_FILES.includes(file));
  if (name === "README.md") return existing.find((file) => /^readme(?:\.\w+)?$/i.test(file));
  return undefined;
}

/** Which files of a new project were written. */
interface WrittenFiles {
  readonly written: readonly string[];
  /** Files that existed already, by their names. */
  readonly kept: readonly string[];
}

/** Writes files into a folder, which is created if necessary. Existing files stay as they are. */
async function writeNewFiles(files: readonly InitFile[], folder: string): Promise<WrittenFiles> {
  const written: string[] = [];
  const kept: string[] = [];
  // All folders before the first file: where one of them cannot be made, nothing is written.
  for (const parent of new Set(files.map((file) => dirname(file.name))))
    await mkdir(join(folder, parent), { recursive: true });
  const existing = await readdir(folder);
  for (const file of files) {
    const other = equivalentFile(file.name, existing);
    if (other !== undefined) kept.push(other);
    else {
      const isNew = await writeWholeFile(file.name, [file.text], { folder, keeps: true });
      (isNew ? written : kept).push(file.name);
    }
  }
  return { written, kept };
}
