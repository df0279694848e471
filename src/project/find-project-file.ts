import { ProjectError } from "./project-error.ts";

/** The names under which a project file is looked for; the last three are code, which runs when it is read. */
export const PROJECT_FILES: readonly string[] = ["yaml", "yml", "json", "ts", "js", "mjs"].map(
  (extension) => `elenchus.config.${extension}`,
);

/**
 * The project file that holds for a folder: in the folder itself or the nearest one above it. The search ends at the first
 * folder that has a `.git`, or else at the root of the file system, so that nothing outside of a repository is ever run.
 * Null if there is none; throws a `ProjectError` if a folder has several.
 */
export async function findProjectFile(folder: string): Promise<string | null> {
  const { resolve, dirname, join } = await import("node:path");
  const { existsSync, statSync } = await import("node:fs");
  for (let current = resolve(folder); ; current = dirname(current)) {
    const found = PROJECT_FILES.filter((name) =>
      statSync(join(current, name), { throwIfNoEntry: false })?.isFile(),
    );
    if (found.length > 1) {
      const names = `${found.slice(0, -1).join(", ")} and ${found.at(-1)}`;
      throw new ProjectError([`${current} has ${names}; keep one of them.`]);
    }
    if (found[0] !== undefined) return join(current, found[0]);
    if (existsSync(join(current, ".git")) || dirname(current) === current) return null;
  }
}
