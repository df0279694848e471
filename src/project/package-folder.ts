import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, from the sources as well as from what is built of them, and its version. */
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
