import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changedFiles, fileTimes } from "./watch.ts";

test("pipes and devices among watched files are not read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-watched-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.yaml"), "name: a\nentry: a\ndataset: rows.csv\nnodes: {}\nedges: []\n");
  for (const name of ["pipe.yaml", "rows.csv", "elenchus.config.yaml"])
    execFileSync("mkfifo", [join(folder, name)]);
  symlinkSync("/dev/zero", join(folder, "zero.yaml"));
  const watched = { folder, names: ["."], config: "elenchus.config.yaml", dataset: "/dev/zero" } as never;
  const contents = await fileTimes(watched);
  expect(contents.get(join(folder, "rows.csv"))).toBeNull();
  expect(contents.get(join(folder, "elenchus.config.yaml"))).toBeNull();
  expect(contents.get(join(folder, "a.yaml"))).toEqual(expect.any(String));
});

test("modules that a scenario imports are watched, wherever they are; what it does not load is not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-watched-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write(
    "scenarios/capital.ts",
    'import { Scenario } from "elenchus";\nimport { asked } from "../shared/asked.ts";\n',
  );
  write("scenarios/other.ts", "");
  write(
    "shared/asked.ts",
    `export * from './words.js';
     const rows = new URL("../data/rows.json", import.meta.url);
     const late = await import("./late.mjs");
     import "../scenarios/capital.ts";`,
  );
  const names = { folder, names: ["scenarios/capital.ts"], dataset: undefined } as never;
  const before = await fileTimes(names);
  expect([...before.keys()].map((path) => relative(folder, path)).sort()).toEqual([
    "data/rows.json",
    "scenarios/capital.ts",
    "shared/asked.ts",
    "shared/late.mjs",
    "shared/words.js",
  ]);
  write("shared/words.js", "export const words = 2;");
  expect(before.get(join(folder, "scenarios/capital.ts"))).not.toBeNull();
  write("scenarios/other.ts", "changed");
  expect(changedFiles(before, await fileTimes(names), folder)).toEqual(["shared/words.js"]);
});
