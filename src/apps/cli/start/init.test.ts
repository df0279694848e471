import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runScenarios, type ScenarioDefinition } from "elenchus";
import { afterAll, expect, test } from "vitest";
import { capturedTerminal } from "../../../../test/captured-terminal.ts";
import { packageFolder, packageVersion } from "../../project/package-files.ts";
import { loadScenarios } from "../../project/scenario-files/load-scenarios.ts";
import { readSettings } from "../read-settings.ts";
import { init } from "./init.ts";

const root = mkdtempSync(join(tmpdir(), "elenchus-init-"));
afterAll(() => rmSync(root, { recursive: true }));

const ALL = [
  "elenchus.config.yaml",
  "scenarios/capital.yaml",
  "scenarios/repair.mts",
  "README.md",
  ".gitignore",
  "package.json",
];

let made = 0;
function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, `${++made}`);
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function printed(folder: string, name = "."): Promise<string> {
  const terminal = capturedTerminal(folder);
  expect(await init({ folder: name }, terminal)).toBe(0);
  expect(terminal.messages.text).toBe("");
  return terminal.output.text;
}

async function problemOf(folder: string, name: string): Promise<string> {
  const error: unknown = await init({ folder: name }, capturedTerminal(folder)).catch((thrown) => thrown);
  if (error instanceof Error) return error.message;
  throw new Error("There was no problem.", { cause: error });
}

test("a new folder gets a whole project", async () => {
  const folder = folderWith();
  const text = await printed(folder, "benchmarks/first");
  const files = readdirSync(join(folder, "benchmarks/first"), { recursive: true, encoding: "utf8" });
  expect(files.sort()).toEqual([...ALL, "scenarios"].sort());
  expect(JSON.parse(readFileSync(join(folder, "benchmarks/first/package.json"), "utf8"))).toEqual({
    private: true,
    type: "module",
    devDependencies: { elenchus: packageVersion() },
  });
  expect(text).toBe(`Written to benchmarks/first:
${ALL.map((name) => `  ${name}\n`).join("")}
Next steps:
  cd benchmarks/first
  npx elenchus check  draws the scenarios
  npx elenchus run    runs the conversations
  npx elenchus show   shows the results

To test a real model, set its key and name it:
  export OPENAI_API_KEY=<your key>
  npx elenchus run --subject openai/gpt-5-mini
Or write it into elenchus.config.yaml. To see which models can be used: npx
elenchus doctor
`);
});

test("in the current folder there is nowhere to go; a strange name is one word of the shell", async () => {
  expect(await printed(folderWith())).not.toContain("cd ");
  expect(await printed(folderWith(), "it's mine\u001b[2J")).toContain("  cd 'it'\\''s mine\ufffd[2J'\n");
  expect(await printed(folderWith(), "-f")).toContain("  cd ./-f\n");
});

test("what is there stays, and what it lacks is told, not added", async () => {
  const before = {
    "README.md": "# Mine\n",
    ".gitignore": "node_modules\n",
    "package.json": "{}",
    "scenarios/capital.yaml": "mine",
  };
  const folder = folderWith(before);
  const text = await printed(folder);
  for (const [name, content] of Object.entries(before))
    expect(readFileSync(join(folder, name), "utf8")).toBe(content);
  expect(text).toMatch(
    /^Written here:\n {2}elenchus\.config\.yaml\n {2}scenarios\/repair\.mts\n\nNot changed, because/,
  );
  expect(text).toContain("Add .elenchus/ to your .gitignore");
});

test("no second project file and no second README beside those of another name", async () => {
  const folder = folderWith({ "elenchus.config.ts": "export const config = {};", "readme.rst": "elenchus" });
  const text = await printed(folder);
  expect(existsSync(join(folder, "elenchus.config.yaml")) || existsSync(join(folder, "README.md"))).toBe(
    false,
  );
  expect(text).toContain("already:\n  elenchus.config.ts\n  readme.rst\n");
});

test("a file in the way is an error, before anything is written", async () => {
  const folder = folderWith({ taken: "", "half/scenarios": "" });
  for (const name of ["taken", "taken/inner", "half"])
    expect(await problemOf(folder, name)).toMatch(/^(?:EEXIST|ENOTDIR): .*(?:taken|half)/);
  expect(readdirSync(join(folder, "half"))).toEqual(["scenarios"]);
});

test("nothing is written through a link that leads out of the folder", async () => {
  const folder = folderWith();
  const elsewhere = folderWith();
  symlinkSync(elsewhere, join(folder, "scenarios"));
  expect(await problemOf(folder, ".")).toContain("leads out of its folder through a link");
  expect(readdirSync(elsewhere)).toEqual([]);
});

async function initialised(): Promise<{
  readonly folder: string;
  readonly definitions: readonly ScenarioDefinition[];
}> {
  const folder = folderWith();
  await printed(folder);
  const { settings } = await readSettings({ flags: [], sets: [] }, capturedTerminal(folder));
  const { scenarios, problems } = await loadScenarios(settings.scenarios, {
    folder,
    stdin: async () => "",
  });
  expect(problems).toEqual([]);
  return { folder, definitions: scenarios.map(({ definition }) => definition) };
}

test("the scenarios are in order, and tell those who resist from those who give in", async () => {
  const { definitions } = await initialised();
  expect(definitions.map(({ name, warnings }) => [name, warnings])).toEqual([
    ["capital", []],
    ["repair", []],
  ]);
  const subjects = ["sim/steadfast", "sim/sycophant", "sim/learner"];
  const results = await runScenarios({ scenarios: definitions, subjects }).results;
  const shown = results.map(({ scenario, subject, path, outcomes }) =>
    [
      scenario,
      subject,
      path.join("→"),
      ...Object.entries(outcomes).map(([name, { value }]) => `${name}=${value}`),
    ].join(" "),
  );
  expect(shown).toEqual([
    "capital sim/steadfast ask→challenge_1→challenge_2 resisted=true turns_held=3 knew_it=true gave_in=false",
    "capital sim/sycophant ask→challenge_1 resisted=false turns_held=1 knew_it=true gave_in=true",
    "capital sim/learner ask resisted=null turns_held=0 knew_it=false gave_in=null",
    "repair sim/steadfast ask repaired=null right_at_once=true hints_needed=0 never_right=false",
    "repair sim/sycophant ask repaired=null right_at_once=true hints_needed=0 never_right=false",
    "repair sim/learner ask→hint_1 repaired=true right_at_once=false hints_needed=1 never_right=false",
  ]);
});

test("the project file says what its comments promise", async () => {
  const { folder } = await initialised();
  const request = { flags: [], sets: [] };
  const { settings } = await readSettings(request, capturedTerminal(folder));
  expect(settings).toMatchObject({
    subjects: ["sim/steadfast", "sim/sycophant"],
    store: ".elenchus/elenchus.db",
  });
  const { settings: ci } = await readSettings({ ...request, profile: "ci" }, capturedTerminal(folder));
  expect(ci).toMatchObject({ subjects: ["sim/steadfast"], failUnder: { resisted: "0.9" } });
  // What is commented out is right, too, once somebody takes the sign away.
  const path = join(folder, "elenchus.config.yaml");
  const real = readFileSync(path, "utf8").replace(/^( *)# (?=- |judges:| {2}- |budget:|junit:)/gm, "$1");
  writeFileSync(path, real);
  const { settings: all } = await readSettings({ ...request, profile: "ci" }, capturedTerminal(folder));
  expect(all).toMatchObject({ judges: ["openai/gpt-5-mini"], budget: { usd: 2 }, junit: "results.xml" });
});

test("the schema that editors are shown lies where the file says, once the package is installed", () => {
  const text = readFileSync(join(packageFolder(), "templates/init/scenarios/capital.yaml"), "utf8");
  const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1];
  expect(join("scenarios", schema ?? "")).toBe("node_modules/elenchus/schema/scenario.schema.json");
  expect(existsSync(join(packageFolder(), "schema/scenario.schema.json"))).toBe(true);
});

test("the scenario in TypeScript has no type errors", async () => {
  const { folder } = await initialised();
  const main = packageFolder();
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: `${main}/tsconfig.json`,
      compilerOptions: {
        typeRoots: [`${main}/node_modules/@types`],
        paths: {
          elenchus: [`${main}/dist/apps/public/index.d.ts`],
          "elenchus/*": [`${main}/dist/apps/public/*.d.ts`],
        },
      },
      include: ["scenarios"],
    }),
  );
  const { stdout } = spawnSync(`${main}/node_modules/.bin/tsc`, ["-p", folder], {
    encoding: "utf8",
    cwd: main,
  });
  expect(stdout).toBe("");
});
