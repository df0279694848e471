import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage } from "../../core/error-message.ts";
import { isRecord } from "../../core/values/json.ts";
import { FileError, writeWholeFile } from "../../files/write-whole-file.ts";
import { PROJECT_FILES } from "../../project/load-project.ts";
import { packageFolder, packageVersion } from "../../project/package-files.ts";
import { ProjectError } from "../../project/project-error.ts";
import { printableText } from "../../terminal/printable-text.ts";

/** A file of a new project. */
export interface InitFile {
  /** Its path in the project, with slashes. */
  readonly name: string;
  readonly text: string;
}

/** Where the texts are, by the name that they get. npm leaves out a `.gitignore` of a package, so there it has no dot. */
const TEMPLATES: Readonly<Record<string, string>> = {
  "elenchus.config.yaml": "elenchus.config.yaml",
  "scenarios/capital.yaml": "scenarios/capital.yaml",
  "scenarios/repair.mts": "scenarios/repair.mts",
  "README.md": "README.md",
  ".gitignore": "gitignore",
};

/** Everything that a new project is made of. */
export async function initFiles(): Promise<readonly InitFile[]> {
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
 * The file that a folder already has in place of a new one, other than one of the very name: a second project file would make
 * both unusable, and a second README is one too many.
 */
export function standIn(name: string, existing: readonly string[]): string | undefined {
  if (name === "elenchus.config.yaml") return existing.find((file) => PROJECT_FILES.includes(file));
  if (name === "README.md") return existing.find((file) => /^readme(?:\.\w+)?$/i.test(file));
  return undefined;
}

/** What became of the files of a new project. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** Those that were there already, as they are called there. */
  readonly kept: readonly string[];
}

/** Writes files into a folder, which is made if it is not there. What is there stays as it is. Throws a `ProjectError`. */
export async function writeNewFiles(
  files: readonly InitFile[],
  { folder, name }: { readonly folder: string /** What sentences call the folder. */; readonly name: string },
): Promise<WrittenFiles> {
  const written: string[] = [];
  const kept: string[] = [];
  const inFolder = (file: string): string => (name === "." ? file : `${name.replace(/\/+$/, "")}/${file}`);
  await orSay(name, () => mkdir(folder, { recursive: true }));
  const existing = await orSay(name, () => readdir(folder));
  // All folders before the first file: where one of them cannot be made, nothing is written.
  for (const parent of new Set(files.map((file) => dirname(file.name))))
    await orSay(inFolder(parent), () => mkdir(join(folder, parent), { recursive: true }));
  const inside = { folder, keeps: true };
  for (const file of files) {
    const other = standIn(file.name, existing);
    if (other !== undefined) kept.push(other);
    else if (await orSay(inFolder(file.name), () => writeWholeFile(file.name, [file.text], inside)))
      written.push(file.name);
    else kept.push(file.name);
  }
  return { written, kept };
}

async function orSay<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    // A link that leads elsewhere is no error of the system.
    if (error instanceof FileError && error.cause === undefined)
      throw new ProjectError([printableText(error.message)]);
    const cause = error instanceof FileError ? error.cause : error;
    throw new ProjectError([sentence(codeOf(cause), errorMessage(cause), printableText(name))], { cause });
  }
}

function sentence(code: string, message: string, name: string): string {
  if (code === "EEXIST" || code === "ENOTDIR")
    return `${name} cannot be made a folder, for there is a file of that name. Choose another folder.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `${name} may not be written: permission denied. Choose another folder, or change its permissions.`;
  if (code === "ENOSPC" || code === "EDQUOT")
    return `${name} cannot be written: no space is left on the disk.`;
  return `${name} cannot be written: ${message.replace(/\.$/, "")}.`;
}

function codeOf(error: unknown): string {
  return isRecord(error) && typeof error.code === "string" ? error.code : "";
}
