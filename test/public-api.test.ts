import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** The entries of the package that are code, as `elenchus/<name>`; the root is `index`. */
const ENTRIES = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === "object" ? [path === "." ? "index" : path.slice(2)] : [],
);

async function namesOf(entry: string): Promise<readonly string[]> {
  return Object.keys((await import(`../src/public/${entry}.ts`)) as object).sort();
}

test.each(ENTRIES)("the names of %s are those that were meant", async (entry) => {
  expect(await namesOf(entry)).toMatchSnapshot();
});

test("the root has what an author needs, and not much more", async () => {
  expect((await namesOf("index")).length).toBeLessThanOrEqual(60);
});
