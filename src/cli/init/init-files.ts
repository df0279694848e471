import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROJECT_FILES } from "../../project/load-project.ts";
import { packageFolder, packageVersion } from "../../project/package-files.ts";

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
  "scenarios/repair.ts": "scenarios/repair.ts",
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
