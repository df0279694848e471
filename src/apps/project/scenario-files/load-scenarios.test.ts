import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { fileProblem } from "../../../system/files/read-text-file.ts";
import { loadScenarios } from "./load-scenarios.ts";

const folder = mkdtempSync(join(tmpdir(), "elenchus-scenarios-"));
afterAll(() => rmSync(folder, { recursive: true }));

const index = fileURLToPath(new URL("../../public/index.ts", import.meta.url));

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function yaml(name: string, target = "END"): string {
  return `name: ${name}
entry: ask
nodes:
  ask: { question: { question: Why?, rawAnswer: "" } }
edges:
  - { source: ask, target: ${target} }
`;
}

const NOTHING = (): Promise<string> => Promise.reject(new Error("nobody is there"));

async function load(
  names: readonly string[],
  stdin: () => Promise<string> = NOTHING,
): Promise<{ readonly scenarios: readonly string[]; readonly problems: readonly string[] }> {
  const { scenarios, problems } = await loadScenarios(names, { folder, stdin });
  return {
    scenarios: scenarios.map(
      ({ definition, file, isCode }) => `${definition.name} in ${isCode ? "code " : ""}${file}`,
    ),
    problems: problems.map(({ message }) => message),
  };
}

test("files and standard input", async () => {
  write({ "good/a.yaml": yaml("a"), "good/b.yml": yaml("b"), "good/other.json": "{}" });
  expect(await load(["good", "-"], async () => yaml("c"))).toEqual({
    scenarios: ["a in good/a.yaml", "b in good/b.yml", "c in standard input"],
    problems: [],
  });
  const asJson = JSON.stringify(
    { name: "d", entry: "ask", nodes: { ask: { question: { question: "Why?", rawAnswer: "" } } } },
    null,
    "\t",
  );
  expect((await load(["-"], async () => asJson)).scenarios).toEqual(["d in standard input"]);
});

test("every file is read before anybody complains, and issues keep their places", async () => {
  write({
    "bad/1.yaml": yaml("one", "aks"),
    "bad/2.yaml": "nodes: [",
    "bad/3.yaml": yaml("three"),
    "bad/4.json": "{}}",
    "bad/5.yaml": new Uint8Array([0x6e, 0xff]),
  });
  const loaded = await loadScenarios(["bad"], { folder, stdin: NOTHING });
  expect(loaded.scenarios.map(({ definition }) => definition.name)).toEqual(["three"]);
  expect(loaded.problems.map(({ message }) => message)).toEqual([
    "bad/5.yaml is not UTF-8 text; save it as UTF-8.",
    'bad/1.yaml:6:28 (edges[0].target): The target of an edge names "aks", which is not a node. Did you mean "ask"?',
    expect.stringMatching(/^bad\/2\.yaml:1:8: The file cannot be read: /),
    expect.stringMatching(/^bad\/4\.json:1:3: The file cannot be read: /),
  ]);
  expect(loaded.problems[1]).toMatchObject({ file: "bad/1.yaml", issue: { code: "unknown_node" } });
});

test("one name, one scenario", async () => {
  write({ "same/a.yaml": yaml("x"), "same/b.yaml": yaml("x"), "same/c.yaml": yaml("y") });
  expect(await load(["same"])).toEqual({
    scenarios: ["x in same/a.yaml", "y in same/c.yaml"],
    problems: ['Scenario "x" is in both same/a.yaml and same/b.yaml; give one of them another name.'],
  });
});

describe("what cannot be read", () => {
  test("too large, gone, locked, silent", async () => {
    write({ "large.json": "" });
    truncateSync(join(folder, "large.json"), 50_000_001);
    expect((await load(["large.json"])).problems).toEqual([
      "large.json has 51 MB, and no more than 50 MB are read. Split it into several files, or set ELENCHUS_LARGEST_FILE_MB.",
    ]);
    expect((await load(["-"])).problems).toEqual(["standard input cannot be read: nobody is there."]);
    expect((await load([])).problems).toEqual([
      'Name a file, a folder or a pack with scenarios, or set "scenarios" in elenchus.config.yaml.',
    ]);
    const denied = Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: "EACCES" });
    expect(fileProblem(denied, "x.yaml")).toBe(
      "x.yaml cannot be read: permission denied. Change its permissions, or leave it out.",
    );
  });

  test("a file that is named, but is no scenario", async () => {
    write({ "notes.yaml": "todo: write" });
    const { problems } = await load(["notes.yaml"]);
    expect(problems).toContain('notes.yaml:1:1 (todo): A scenario has no "todo".');
  });
});

describe("modules", () => {
  const head = `import { END, Scenario } from ${JSON.stringify(index)};
const make = (name: string) =>
  new Scenario(name).addNode("ask", { question: { question: "Why?", rawAnswer: "" } }).addEdge("ask", END).setEntry("ask");
`;

  test("definitions, builders and lists of them; each once", async () => {
    write({
      "code/good.ts": `${head}
export const builder = make("a");
export const definition = builder.validate();
export const several = [make("b"), definition, make("c").validate()];
export const unrelated = 5;
export default make("d");
`,
    });
    const { scenarios, problems } = await load(["code/good.ts"]);
    expect(problems).toEqual([]);
    expect(scenarios.toSorted()).toEqual(["a", "b", "c", "d"].map((name) => `${name} in code code/good.ts`));
  });

  test("issues name the export", async () => {
    write({ "code/bad.ts": `${head}\nexport const broken = new Scenario("broken");\n` });
    expect((await load(["code/bad.ts"])).problems).toEqual([
      "code/bad.ts (broken): nodes: The scenario has no nodes; add at least one.",
      "code/bad.ts (broken): The scenario has no entry; name the node where conversations start.",
    ]);
  });

  test("nothing in it, or an exception", async () => {
    write({
      "code/empty.mjs": "export const x = 1;",
      "code/throws.mjs": "throw new Error('no luck.\\nmore');",
    });
    expect((await load(["code/empty.mjs"])).problems).toEqual([
      "code/empty.mjs exports no scenario; export a Scenario, what its validate() gives, or a list of them.",
    ]);
    const { problems } = await loadScenarios(["code/throws.mjs"], { folder, stdin: NOTHING });
    expect(problems).toMatchObject([
      {
        file: "code/throws.mjs",
        message: expect.stringMatching(/^code\/throws\.mjs:1:7 cannot be loaded: no luck\.$/),
      },
    ]);
    expect(problems[0]?.cause).toBeInstanceOf(Error);
  });
});
