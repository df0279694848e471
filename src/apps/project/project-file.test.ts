import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ProjectError } from "./project-error.ts";
import { loadProject } from "./project-file.ts";

const root = mkdtempSync(join(tmpdir(), "elenchus-project-"));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
/** A new folder with these files; it looks like a repository, so that nothing is looked for above it. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(root, `${++made}`);
  for (const [name, text] of Object.entries({ ".git/HEAD": "", ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function problemsOf(folder: string, file?: string): Promise<readonly string[]> {
  const error: unknown = await loadProject({ folder, file, runsCode: true }).catch(
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProjectError) return error.problems;
  throw new Error("There was no problem.", { cause: error });
}

describe("where it is found", () => {
  test("in the folder, or in the nearest above", async () => {
    const folder = folderWith({ "elenchus.config.yaml": "seed: 1", "a/b/x.txt": "" });
    expect(await loadProject({ folder })).toMatchObject({ file: "elenchus.config.yaml", folder });
    const inside = await loadProject({ folder: join(folder, "a", "b") });
    expect(inside).toMatchObject({ file: "../../elenchus.config.yaml", folder, settings: { seed: 1 } });
  });

  test("not above a repository", async () => {
    const folder = folderWith({ "elenchus.config.yaml": "seed: 1", "inner/.git": "gitdir: elsewhere" });
    const inner = join(folder, "inner");
    expect(await loadProject({ folder: inner })).toMatchObject({ file: null, folder: inner, settings: {} });
  });

  test("two in one folder are one too many", async () => {
    const folder = folderWith({ "elenchus.config.yaml": "", "elenchus.config.json": "{}" });
    expect(await problemsOf(folder)).toEqual([
      `${folder} has elenchus.config.yaml and elenchus.config.json; keep one of them.`,
    ]);
  });

  test("or under the name that the person gives", async () => {
    const folder = folderWith({ "other.json": '{ "replicates": 4 }' });
    expect(await loadProject({ folder, file: "other.json" })).toMatchObject({ settings: { replicates: 4 } });
    expect(await problemsOf(folder, "nothing.yaml")).toEqual(["There is no file nothing.yaml."]);
  });
});

describe("what it says", () => {
  test("settings, profiles, and on which lines they stand; a key without a value is absent", async () => {
    const folder = folderWith({
      "elenchus.config.yaml":
        "version: 1\nseed: 1\njunit:\nprofile: ci\nprofiles:\n  ci:\n    seed: 2\n  empty:\n",
    });
    const project = await loadProject({ folder });
    expect(project).toMatchObject({ profile: "ci", profiles: { ci: { seed: 2 }, empty: {} } });
    expect(project.settings).toEqual({ seed: 1 });
    expect(project.lineOf(["seed"])).toBe(2);
    expect(project.lineOf(["profiles", "ci", "seed"])).toBe(7);
  });

  test("an empty file leaves everything at its default", async () => {
    const folder = folderWith({ "elenchus.config.yml": "# nothing yet\n" });
    expect((await loadProject({ folder })).settings).toEqual({});
  });

  test("all mistakes at once, with line and column and what was meant", async () => {
    const folder = folderWith({
      "elenchus.config.yaml": `version: 2
replicate: 3
subjects:
  - { model: sim/steadfast, temperature: 0 }
timeouts: { callMs: 0 }
judges: [{ panel: [rules], model: x/y }]
tools: { files: { args: [] } }
profiles:
  ci: { version: 1, budgt: 5usd }
`,
    });
    expect(await problemsOf(folder)).toEqual([
      "elenchus.config.yaml:1:10 (version): Format version 2 is not supported; this release reads version 1.",
      'elenchus.config.yaml:2:1 (replicate): A project has no "replicate". Did you mean "replicates"?',
      'elenchus.config.yaml:4:29 (subjects[0].temperature): A subject has no "temperature"; it has "model", "name", "parameters", "systemPrompt", "version" and "cache".',
      "elenchus.config.yaml:5:21 (timeouts.callMs): Expected a number above 0, got the number 0.",
      "elenchus.config.yaml:6:10 (judges[0]): A panel has members and a name, nothing else; give models and parameters to its members.",
      'elenchus.config.yaml:7:10 (tools.files): A tool server needs either a "command" to start or the "url" of one that runs.',
      'elenchus.config.yaml:9:9 (profiles.ci.version): A profile has no "version".',
      'elenchus.config.yaml:9:21 (profiles.ci.budgt): A profile has no "budgt". Did you mean "budget"?',
    ]);
  });

  test.each([
    ["budget: 5 eur", 'elenchus.config.yaml:1:9 (budget): "5 eur" is not a budget'],
    ["failUnder: [resisted]", 'elenchus.config.yaml:1:1 (failUnder): The threshold "resisted" must be'],
    ["seed: 9007199254740993", "(seed): The seed is too large to be exact."],
    ["- a", "elenchus.config.yaml:1:1: Expected a project, got a list."],
    ["budget: 5", "Expected an amount of something, such as 5usd or 200 calls, got the number 5."],
    ["failUnder: 0.9", "Expected an outcome and what it must reach, such as { resisted: 0.9 }, got"],
    ["a: [", "elenchus.config.yaml:1:4: The file cannot be read: "],
    ["seed: 1\nseed: 2", 'the key "seed" occurs twice in the same object'],
    [
      "providers: { x: { apiKeyVariable: sk-abcdefabcdef123 } }",
      "(providers.x.apiKeyVariable): This looks like a key.",
    ],
    ["subjects: []", "(subjects): This must not be empty."],
  ])("%s", async (text, sentence) => {
    const [problem] = await problemsOf(folderWith({ "elenchus.config.yaml": text }));
    expect(problem).toContain(sentence);
  });

  test("a file that is no UTF-8", async () => {
    const folder = folderWith({ "elenchus.config.yaml": new Uint8Array([0x73, 0xff, 0xfe]) });
    expect(await problemsOf(folder)).toEqual(["elenchus.config.yaml is not UTF-8 text; save it as UTF-8."]);
  });
});

describe("code", () => {
  test("is run only by who may run it, or if it is named", async () => {
    const folder = folderWith({
      "elenchus.config.mjs": "globalThis.wasRun = true; export const config = { seed: 5 };",
    });
    const found = await loadProject({ folder });
    expect(found).toMatchObject({ file: null, settings: {}, unread: "elenchus.config.mjs" });
    expect(globalThis).not.toHaveProperty("wasRun");
    const named = await loadProject({ folder, file: "elenchus.config.mjs" });
    expect(named).toMatchObject({ file: "elenchus.config.mjs", settings: { seed: 5 } });
    expect(named).not.toHaveProperty("unread");
  });

  test("may hold functions and models", async () => {
    const folder = folderWith({
      "package.json": '{ "type": "module" }',
      "elenchus.config.ts": `
const model = { name: "mine", identity: {}, account: "mine", reply: async () => ({ text: "", finish: "stop" }) };
export const config: object = {
  subjects: [() => "Hello.", model, { model: () => "Yes.", name: "yes" }, "sim/steadfast"],
  judges: { panel: ["rules", { model }] },
  junit: undefined,
  profiles: { ci: { subjects: () => "No." } },
};`,
    });
    const { settings, lineOf } = await loadProject({ folder, runsCode: true });
    expect(Object.keys(settings)).toEqual(["subjects", "judges"]);
    expect(settings.subjects).toMatchObject([
      expect.any(Function),
      { name: "mine" },
      { name: "yes" },
      "sim/steadfast",
    ]);
    expect(lineOf(["subjects"])).toBeNull();
  });

  test.each([
    [
      "export const settings = {};",
      'elenchus.config.mjs exports no "config"; write: export const config = { … }',
    ],
    ["throw new Error('no luck');", "elenchus.config.mjs:1:7 cannot be loaded: no luck."],
    [
      "export const config = { sed: 1 };",
      'elenchus.config.mjs: sed: A project has no "sed". Did you mean "seed"?',
    ],
    ["export const config = 5;", "elenchus.config.mjs: Expected a project, got the number 5."],
  ])("%s", async (text, problem) => {
    expect(await problemsOf(folderWith({ "elenchus.config.mjs": text }))).toEqual([problem]);
  });
});
