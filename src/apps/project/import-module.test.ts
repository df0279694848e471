import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { packageFolder } from "./package-files.ts";

const root = mkdtempSync(join(tmpdir(), "elenchus-resolve-"));
afterAll(() => rmSync(root, { recursive: true }));

const NODE = join(packageFolder(), "node_modules/.bin/node");
const LOADER = pathToFileURL(join(packageFolder(), "src/apps/project/scenario-files/load-scenarios.ts")).href;

let made = 0;
/** Loads files of a new folder in a process of its own, for the test runner resolves modules in its own way. */
function loaded(files: Readonly<Record<string, string>>, ...names: readonly string[]): unknown {
  const folder = join(root, `${++made}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const program = `
    import { loadScenarios } from ${JSON.stringify(LOADER)};
    const { scenarios, problems } = await loadScenarios(${JSON.stringify(names)}, { folder: ${JSON.stringify(folder)} });
    const told = [scenarios.map(({ definition }) => definition.name), problems.map(({ message }) => message)];
    console.log(JSON.stringify(told));`;
  const { stdout, stderr } = spawnSync(NODE, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    cwd: folder,
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const MANIFEST = { "package.json": '{ "type": "module" }' };

function scenario(name: string, load: string): string {
  return `${load}
export const scenario = new Scenario("${name}")
  .addNode("ask", { question: question({ question: "Who are you?", rawAnswer: "" }) })
  .setEntry("ask");`;
}

test("a module can import the package although nobody has installed it", () => {
  const load = 'import { question, Scenario, type ScenarioDefinition } from "elenchus";';
  expect(loaded({ ...MANIFEST, "a.ts": scenario("a", load) }, "a.ts")).toEqual([["a"], []]);
});

test("its other entries, too, and with require", () => {
  const entries = `import { question, Scenario } from "elenchus";
import { storeContract } from "elenchus/contracts";
import manifest from "elenchus/package.json" with { type: "json" };
if (typeof storeContract !== "function" || manifest.name !== "elenchus") throw new Error("something else");`;
  const old = scenario("old", 'const { question, Scenario } = require("elenchus");');
  const files = {
    ...MANIFEST,
    "a.ts": scenario("entries", entries),
    "old/package.json": '{ "type": "commonjs" }',
    "old/b.js": old.replace("export const scenario", "exports.scenario"),
  };
  expect(loaded(files, "a.ts", "old/b.js")).toEqual([["entries", "old"], []]);
});

test("what is installed goes first, and its mistakes stay its own", () => {
  const files = {
    ...MANIFEST,
    "node_modules/elenchus/package.json": '{ "name": "elenchus", "type": "module", "exports": "./index.js" }',
    "node_modules/elenchus/index.js": `
      const definition = { name: "theirs", hash: "0", entryNode: "ask", nodes: {}, nodeIds: [], edges: [] };
      export const theirs = definition;`,
    "a.js": 'export { theirs } from "elenchus";',
    "b.js": 'import "elenchus/contracts";',
  };
  expect(loaded(files, "a.js", "b.js")).toEqual([
    ["theirs"],
    [expect.stringContaining("b.js cannot be loaded: Package subpath './contracts' is not defined")],
  ]);
});

test("nothing else is found that was not there before", () => {
  const files = {
    ...MANIFEST,
    "a.js": 'import "elenchus-extras";',
    "b.js": 'import "elenchus/nothing";',
    "c.js": 'import "commander";',
  };
  expect(loaded(files, "a.js", "b.js", "c.js")).toEqual([
    [],
    [
      expect.stringContaining("a.js cannot be loaded: Cannot find package 'elenchus-extras'"),
      expect.stringContaining("b.js cannot be loaded: Package subpath './nothing' is not defined"),
      expect.stringContaining("c.js cannot be loaded: Cannot find package 'commander'"),
    ],
  ]);
});

test("all issues of a scenario that validates itself are reported, at its line", () => {
  const wrong = `${scenario("a", 'import { question, Scenario } from "elenchus";').slice(0, -1)}
  .addEdge("ask", "nowhere")
  .addEdge("nix", "ask")
  .validate();`;
  const atOnce = wrong
    .replaceAll('"ask")', '"aks")')
    .replace(".setEntry", '.addNode("ask", { question: question({ question: "?" }) }).setEntry');
  const [names, messages] = loaded({ ...MANIFEST, "a.ts": wrong, "b.ts": atOnce }, "a.ts", "b.ts") as [
    [],
    [],
  ];
  expect(names).toEqual([]);
  expect(messages.slice(0, 2)).toEqual([
    expect.stringMatching(/^a\.ts:7:4: .*"nowhere", which is not a node/),
    expect.stringMatching(/^a\.ts:7:4: .*"nix", which is not a node/),
  ]);
  // In code, setEntry and addNode throw at once; for a command, what they find is one issue among the others.
  const told = messages.slice(2).join("\n");
  for (const part of [
    '"nowhere"',
    '"nix"',
    'Node "ask" already exists',
    '"aks", which is not a node. Did you mean "ask"?',
  ])
    expect(told).toContain(part);
});

test("an error shows the file, and the line of the author", () => {
  const files = {
    ...MANIFEST,
    "a.ts": "const nothing: any = undefined;\nfunction inner() { return nothing.foo; }\ninner();",
    "b.ts": "export const a = {\n  x: 1\n  y: 2\n};",
    "c.js": "export const a = {\n  x: 1\n  y: 2\n};",
    "d.ts": 'import "./b.ts";',
    "old/package.json": '{ "type": "commonjs" }',
    "old/e.ts": 'import { Scenario } from "elenchus";',
    "old/f.js": "export const a = 1;",
    "g.ts": 'import "./a";',
    "h.ts": 'import "./a.js";',
  };
  const names = ["a.ts", "b.ts", "c.js", "d.ts", "old/e.ts", "old/f.js", "g.ts", "h.ts"];
  const [, messages] = loaded(files, ...names) as [unknown, readonly string[]];
  expect(messages).toEqual([
    "a.ts:2:35 cannot be loaded: Cannot read properties of undefined (reading 'foo').",
    "b.ts:3 cannot be loaded: Expected ',', got 'ident'.",
    "c.js:3:3 cannot be loaded: Unexpected identifier 'y'.",
    "d.ts cannot be loaded: b.ts:3: Expected ',', got 'ident'.",
    'old/e.ts cannot be loaded: its package has no "type": "module", so import and export are not understood. Rename it to old/e.mts, or set "type": "module" in package.json.',
    'old/f.js cannot be loaded: its package has no "type": "module", so import and export are not understood. Rename it to old/f.mjs, or set "type": "module" in package.json.',
    expect.stringMatching(/^g\.ts cannot be loaded: Cannot find module .*/),
    expect.stringMatching(/^h\.ts cannot be loaded: Cannot find module .*/),
  ]);
});

test("the code of this package is readable where it is shipped", () => {
  const files = readdirSync(join(packageFolder(), "dist")).filter((name) =>
    /^(?:library|commands|command-line)\.js$/.test(name),
  );
  expect(files).toHaveLength(3);
  for (const name of files) {
    const text = readFileSync(join(packageFolder(), "dist", name), "utf8");
    expect(text.length / text.split("\n").length, name).toBeLessThan(200);
  }
});
