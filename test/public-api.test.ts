import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** The entries of the package that are code, as `elenchus/<name>`; the root is `index`. */
const ENTRIES = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === "object" ? [path === "." ? "index" : path.slice(2)] : [],
);

async function namesOf(entry: string): Promise<readonly string[]> {
  return Object.keys((await import(`../src/apps/public/${entry}.ts`)) as object).sort();
}

test.each(ENTRIES)("the names of %s are those that were meant", async (entry) => {
  expect(await namesOf(entry)).toMatchSnapshot();
});

test("the root has what an author needs, and not much more", async () => {
  expect((await namesOf("index")).length).toBeLessThanOrEqual(63);
});

test("its types need no types of other packages, so that a project without types of Node compiles", () => {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const follow = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    const text = readFileSync(fileURLToPath(file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/g))
      if (specifier.startsWith(".")) follow(new URL(specifier.replace(/\.ts$/, ".d.ts"), file));
      else packages.add(specifier);
  };
  follow(new URL("../dist/apps/public/index.d.ts", import.meta.url));
  expect([...packages].sort()).toEqual([]);
});
