import { packageFolder } from "./package-folder.ts";

/** The names of the packs that come with this release, or that are in a folder. */
export async function bundledPacks(packs?: string): Promise<readonly string[]> {
  const { readdir } = await import("node:fs/promises");
  const items = await readdir(packs ?? packsFolder(), { withFileTypes: true }).catch(() => []);
  return items
    .filter((item) => item.isDirectory() && !item.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

/** Where this package has its packs. */
export function packsFolder(): string {
  return `${packageFolder()}/packs`;
}
