import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bundledPacks } from "../package-files.ts";
import { findFiles } from "./find-files.ts";

const folder = mkdtempSync(join(tmpdir(), "elenchus-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const SCENARIO = "name: x\nnodes: {}\n";

write({
  "set/b.yaml": SCENARIO,
  "set/a.yml": "scenarios:\n  - name: x\n",
  "set/deep/er/c.json": '{ "nodes": {} }',
  "set/flow.yaml": "{ name: x, nodes: {} }",
  "set/short.yaml": "name: x\nquestion: Which?\nanswer: A\n",
  "set/row.yaml": "question: Which?\nanswer: A\n",
  "set/broken.yaml": "a: [",
  "set/module.ts": "throw new Error('this must not run');",
  "set/notes.yaml": "todo: write\n",
  "set/data.json": "[1, 2]",
  "set/readme.md": "nodes:",
  "set/package.json": '{ "nodes": 1 }',
  "set/tsconfig.build.json": "// a comment",
  "set/elenchus.config.yaml": "scenarios: .",
  "set/node_modules/x/d.yaml": SCENARIO,
  "set/.hidden/e.yaml": SCENARIO,
  "empty/notes.yaml": "todo: write",
  "code/one.ts": "",
  "code/two.mjs": "",
  "code/three.yaml": SCENARIO,
  "odd/[x].yaml": SCENARIO,
  "packs/pressure/one.yaml": SCENARIO,
  "packs/repair/two.yaml": SCENARIO,
});
symlinkSync(join(folder, "set/b.yaml"), join(folder, "code/link.yaml"));

async function find(
  ...names: readonly string[]
): Promise<{ readonly files: readonly string[]; readonly problems: readonly string[] }> {
  const { files, problems } = await findFiles(names, { folder, packs: join(folder, "packs") });
  return {
    files: files.map(({ name, isCode }) => (isCode ? `code ${name}` : name)),
    problems: problems.map(({ message }) => message),
  };
}

test("a folder: scenario files, in order, and broken ones; never code, nor what belongs to tools", async () => {
  const files = [
    "set/a.yml",
    "set/b.yaml",
    "set/broken.yaml",
    "set/deep/er/c.json",
    "set/flow.yaml",
    "set/short.yaml",
  ];
  expect(await find("set")).toEqual({ files, problems: [] });
  expect(await find("./set/")).toEqual({ files: files.map((name) => name), problems: [] });
});

test("a folder from within, and one that was named as a whole path", async () => {
  const inside = await findFiles(["."], { folder: join(folder, "packs") });
  expect(inside.files.map(({ name }) => name)).toEqual(["pressure/one.yaml", "repair/two.yaml"]);
  const whole = join(folder, "packs");
  expect((await find(whole)).files).toEqual([`${whole}/pressure/one.yaml`, `${whole}/repair/two.yaml`]);
});

test("files, patterns, standard input: in the order of the names, each once", async () => {
  expect(await find("-", "set/b.yaml", "set/*.yaml", "code/link.yaml", "-", "set/b.yaml")).toEqual({
    files: [
      "standard input",
      "set/b.yaml",
      "set/broken.yaml",
      "set/flow.yaml",
      "set/notes.yaml",
      "set/row.yaml",
      "set/short.yaml",
    ],
    problems: [],
  });
  expect((await find("**/{c,three}.{json,yaml}")).files).toEqual(["code/three.yaml", "set/deep/er/c.json"]);
  expect((await find("pack*")).files).toEqual(["packs/pressure/one.yaml", "packs/repair/two.yaml"]);
  expect((await find("s?t/[ab].y*")).files).toEqual(["set/a.yml", "set/b.yaml"]);
});

test("a file whose name looks like a pattern", async () => {
  expect(await find("odd/[x].yaml")).toEqual({ files: ["odd/[x].yaml"], problems: [] });
});

test("code only if it is named as code", async () => {
  expect((await find("code/one.ts")).files).toEqual(["code code/one.ts"]);
  expect((await find("code/*.ts")).files).toEqual(["code code/one.ts"]);
  expect((await find("code/*")).files).toEqual(["code/link.yaml", "code/three.yaml"]);
});

test("packs", async () => {
  expect(await find("pack:pressure")).toEqual({ files: ["pack:pressure/one.yaml"], problems: [] });
  expect((await find("pack:presure")).problems).toEqual([
    'There is no pack "presure". Did you mean pack:pressure?',
  ]);
  expect((await find("pack:../set")).problems).toEqual([
    'There is no pack "../set". There are pressure, repair.',
  ]);
  expect(await bundledPacks()).toContain("pressure");
  expect((await findFiles(["pack:pressure"], { folder })).files.length).toBeGreaterThan(0);
});

describe("what is wrong", () => {
  test.each([
    ["set/nothing.yaml", "There is no file or folder set/nothing.yaml; check how it is written."],
    ["set/b.yaml/x", "There is no file or folder set/b.yaml/x; check how it is written."],
    [
      "empty",
      'The folder empty has no scenario files (.yaml, .yml or .json with "nodes", "scenarios", or "name" and "question"). Modules must be named one by one.',
    ],
    ["set/*.txt", "No scenario file matches set/*.txt; check the pattern, and put quotes around it."],
    [
      "set/readme.md",
      "set/readme.md is not a file with scenarios; name a .yaml, .yml or .json file, or a .ts, .mts, .js or .mjs module.",
    ],
  ])("%s", async (name, problem) => {
    expect(await find(name)).toEqual({ files: [], problems: [problem] });
  });

  // The administrator may read everything.
  test.skipIf(process.getuid?.() === 0)("a folder that may not be read", async () => {
    write({ "locked/x.yaml": SCENARIO });
    chmodSync(join(folder, "locked"), 0);
    const { problems } = await find("locked");
    chmodSync(join(folder, "locked"), 0o700);
    expect(problems).toEqual([
      "locked cannot be read: permission denied. Change its permissions, or leave it out.",
    ]);
  });
});

test("an example of the package that is not in the folder is found there, and said", async () => {
  const { files, skipped } = await findFiles(["examples/cookbook/rule.yaml"], { folder });
  expect(files).toMatchObject([{ name: "examples/cookbook/rule.yaml", isCode: false }]);
  expect(skipped).toEqual([
    expect.stringContaining("the example of this name in the elenchus package is used"),
  ]);
  for (const name of ["examples/none.yaml", "examples/../package.json", "examples"]) {
    const { problems } = await findFiles([name], { folder });
    expect(problems).toHaveLength(1);
  }
});
