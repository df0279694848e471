import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder and the version of this package, found from the sources as well as from the built files. */
function findPackage(): { readonly folder: string; readonly version: string } {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (; ; folder = dirname(folder)) {
    const found = readPackage(join(folder, "package.json"));
    if (found?.name === "elenchus") return { folder, version: found.version };
    if (dirname(folder) === folder)
      throw new Error("The package of elenchus is not complete: install it again.");
  }
}

function readPackage(path: string): { readonly name: string; readonly version: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Where this package is installed. */
export function packageFolder(): string {
  return findPackage().folder;
}

/** The version of this release. */
export function packageVersion(): string {
  return findPackage().version;
}

/** The names of the bundled packs, or of those in another folder. */
export async function bundledPacks(packs?: string): Promise<readonly string[]> {
  const { readdir } = await import("node:fs/promises");
  const items = await readdir(packs ?? packsFolder(), { withFileTypes: true }).catch(() => []);
  return items
    .filter((item) => item.isDirectory() && !item.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

/** The names of the examples in YAML, such as `cookbook/rule`, and their folder. */
export function bundledExamples(): { readonly folder: string; readonly names: readonly string[] } {
  const folder = `${packageFolder()}/examples`;
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length).replaceAll("\\", "/"));
  return { folder, names: names.sort() };
}

/** The folder of the bundled packs. */
export function packsFolder(): string {
  return `${packageFolder()}/packs`;
}
