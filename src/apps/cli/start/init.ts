import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Environment } from "../../../core/environment.ts";
import { errorMessage } from "../../../core/error-message.ts";
import { isRecord } from "../../../core/values/json.ts";
import { readTextFile } from "../../../system/files/read-text-file.ts";
import { FileError, writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { printableText, shellWord } from "../../../system/terminal/printable-text.ts";
import type { Style, Terminal } from "../../../system/terminal/terminal.ts";
import { alignColumns, linesText, wrapText } from "../../../system/terminal/text-layout.ts";
import { isCodeFile } from "../../project/import-module.ts";
import { packageFolder, packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { PROJECT_FILES } from "../../project/project-file.ts";
import type { ExitCode } from "../command.ts";
import { giveConsent } from "../trust/consent.ts";
import { codeEffect } from "../trust/project-effects.ts";

/** The options of `init`. */
interface InitOptions {
  /** A new or an existing folder, relative to that of the command. */
  readonly folder: string;
}

/** Writes a small project that can be run at once, and prints what to type next. Existing files are never overwritten. */
export async function init({ folder: name }: InitOptions, terminal: Terminal): Promise<ExitCode> {
  const { output } = terminal;
  const folder = resolve(terminal.folder, name);
  const files = await initFiles();
  const { written, kept } = await writeNewFiles(files, { folder, name });
  trustOwnFiles(folder, written, terminal.environment);
  const advice = await initAdvice(folder, kept, files);
  const shown = relative(terminal.folder, folder);
  output.write(initText({ folder: shown, written, kept, advice }, output));
  return 0;
}

/** The modules that were just written come from this package, so the project file may run them without asking for consent. */
function trustOwnFiles(folder: string, written: readonly string[], environment: Environment): void {
  const projectFile = written.find((name) => PROJECT_FILES.includes(name));
  if (projectFile === undefined) return;
  const modules = written.filter(isCodeFile).map((name) => codeEffect(join(folder, name)));
  giveConsent(modules, join(folder, projectFile), environment);
}

/** What `init` reports. */
interface InitReport extends WrittenFiles {
  /** The folder, relative to that of the command; empty if it is the same. */
  readonly folder: string;
  readonly advice: readonly InitAdvice[];
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

/** What was written, and what to type next. */
function initText(report: InitReport, { style, width }: { style: Style; width: number }): string {
  const { folder, written, kept, advice } = report;
  const where = folder === "" ? "here" : `to ${printableText(folder)}`;
  const files = (names: readonly string[], paint: (text: string) => string): readonly string[] =>
    names.map((name) => `  ${paint(printableText(name))}`);
  const wrapped = (text: string): readonly string[] => wrapText(text, width);
  const steps = alignColumns(
    NEXT.map(([command, about]) => [
      { text: command, paint: style.bold },
      ...(width < NARROW ? [] : [{ text: about, paint: style.dim }]),
    ]),
    ["<", "<"],
  );
  const blocks: readonly (readonly string[])[] = [
    written.length === 0
      ? wrapped("Nothing was written: all files exist already.")
      : [...wrapped(`Written ${where}:`), ...files(written, style.green)],
    kept.length === 0
      ? []
      : [...wrapped("Not changed, because they exist already:"), ...files(kept, style.dim)],
    ...advice.map(({ sentence, lines }) => [
      ...wrapped(sentence).map(style.yellow),
      ...lines.map((line) => (line === "" ? "" : `  ${line}`)),
    ]),
    [
      style.bold("Next steps:"),
      ...(folder === ""
        ? []
        : [`  ${style.bold(`cd ${shellWord(folder.startsWith("-") ? `./${folder}` : folder)}`)}`]),
      ...steps.map((line) => `  ${line}`),
    ],
    [
      ...wrapped("To test a real model, set its key and name it:"),
      ...REAL.map((line) => `  ${style.bold(line)}`),
      ...wrapped(
        "Or write it into elenchus.config.yaml. To see which models can be used: npx elenchus doctor",
      ),
    ],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => linesText(lines))
    .join("\n");
}

/** Lines to add to a file that was kept. */
interface InitAdvice {
  /** Ends in a colon. */
  readonly sentence: string;
  readonly lines: readonly string[];
}

/** What is missing in files that were kept; they are never changed. */
async function initAdvice(
  folder: string,
  kept: readonly string[],
  files: readonly InitFile[],
): Promise<readonly InitAdvice[]> {
  const advice = kept.map(async (name): Promise<InitAdvice | undefined> => {
    const { text } = await readTextFile(join(folder, name), name);
    if (text === undefined) return undefined;
    if (name === ".gitignore") return ignoreAdvice(text);
    const readme = files.find((file) => file.name === "README.md");
    return /^readme/i.test(name) && readme !== undefined ? readmeAdvice(name, text, readme) : undefined;
  });
  return (await Promise.all(advice)).filter((one) => one !== undefined);
}

function ignoreAdvice(text: string): InitAdvice | undefined {
  if (/^\s*(?:\*\*)?\/?\.elenchus(?:\/\*{0,2})?\s*$/m.test(text)) return undefined;
  return {
    sentence: "Add this line to your .gitignore, so that runs are not committed:",
    lines: [".elenchus/"],
  };
}

function readmeAdvice(name: string, text: string, readme: InitFile): InitAdvice | undefined {
  if (/elenchus/i.test(text)) return undefined;
  return { sentence: `Add these lines to your ${name}:`, lines: readme.text.trimEnd().split("\n").slice(2) };
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

/** Writes files into a folder, which is created if necessary. Existing files stay as they are. Throws a `ProjectError`. */
async function writeNewFiles(
  files: readonly InitFile[],
  { folder, name }: { readonly folder: string /** What sentences call the folder. */; readonly name: string },
): Promise<WrittenFiles> {
  const written: string[] = [];
  const kept: string[] = [];
  const inFolder = (file: string): string => (name === "." ? file : `${name.replace(/\/+$/, "")}/${file}`);
  await orProjectError(name, () => mkdir(folder, { recursive: true }));
  const existing = await orProjectError(name, () => readdir(folder));
  // All folders before the first file: where one of them cannot be made, nothing is written.
  for (const parent of new Set(files.map((file) => dirname(file.name))))
    await orProjectError(inFolder(parent), () => mkdir(join(folder, parent), { recursive: true }));
  const inside = { folder, keeps: true };
  for (const file of files) {
    const other = equivalentFile(file.name, existing);
    if (other !== undefined) kept.push(other);
    else if (await orProjectError(inFolder(file.name), () => writeWholeFile(file.name, [file.text], inside)))
      written.push(file.name);
    else kept.push(file.name);
  }
  return { written, kept };
}

async function orProjectError<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    // A link that leads out of the folder is not an error of the system.
    if (error instanceof FileError && error.cause === undefined)
      throw new ProjectError([printableText(error.message)]);
    const cause = error instanceof FileError ? error.cause : error;
    throw new ProjectError([sentence(codeOf(cause), errorMessage(cause), printableText(name))], { cause });
  }
}

function sentence(code: string, message: string, name: string): string {
  if (code === "EEXIST" || code === "ENOTDIR")
    return `The folder ${name} cannot be created, because there is a file of that name. Choose another folder.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `${name} may not be written: permission denied. Choose another folder, or change its permissions.`;
  if (code === "ENOSPC" || code === "EDQUOT")
    return `${name} cannot be written: no space is left on the disk.`;
  return `${name} cannot be written: ${message.replace(/\.$/, "")}.`;
}

function codeOf(error: unknown): string {
  return isRecord(error) && typeof error.code === "string" ? error.code : "";
}
