import { describe, expect, test } from "vitest";
import { ProjectError } from "./project-error.ts";
import { type Project, parseProjectFile } from "./project-file.ts";
import {
  parseSetFlag,
  type ResolvedSettings,
  resolveSettings,
  type SettingSources,
} from "./resolve-settings.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";

const FOLDER = "/home/ada/bench";

function project(text: string, file = "elenchus.config.yaml"): Project {
  return { ...parseProjectFile(text, file), file, folder: FOLDER };
}

const NO_PROJECT: Project = {
  file: null,
  folder: FOLDER,
  settings: {},
  profiles: {},
  profile: null,
  lineOf: () => null,
};

function resolve(text: string, more: Partial<SettingSources> = {}): ResolvedSettings {
  return resolveSettings({ project: project(text), folder: FOLDER, ...more });
}

function problemsOf(sources: () => unknown): readonly string[] {
  try {
    sources();
  } catch (error) {
    if (error instanceof ProjectError) return error.problems;
    throw error;
  }
  return [];
}

function originsOf({ entries }: ResolvedSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...entries].filter(([, { origin }]) => origin !== "default").map(([path, { origin }]) => [path, origin]),
  );
}

test("without anything, all is at its default", () => {
  const resolved = resolveSettings({ project: NO_PROJECT, folder: FOLDER });
  expect(resolved.settings).toEqual(DEFAULT_SETTINGS);
  expect(originsOf(resolved)).toEqual({});
  expect(resolved.profile).toBeNull();
});

const FILE = `version: 1
subjects: sim/steadfast
replicates: 2
seed: 7
budget: 5usd
timeouts:
  callMs: 60000
profile: ci
profiles:
  ci:
    replicates: 5
    budget: { calls: 100 }
    timeouts: { runMs: 1000 }
  nightly: { replicates: 50 }
`;

describe("precedence", () => {
  test("flag before profile before file before default, each with its origin", () => {
    const resolved = resolve(FILE, {
      flags: [{ flag: "--seed", path: ["seed"], value: "9" }],
      sets: ["timeouts.callMs=1"],
    });
    expect(resolved.profile).toBe("ci");
    expect(resolved.settings).toMatchObject({
      subjects: ["sim/steadfast"],
      replicates: 5,
      seed: 9,
      concurrency: 256,
      budget: { usd: 5, calls: 100 },
      timeouts: { callMs: 1, runMs: 1_000 },
    });
    expect(originsOf(resolved)).toEqual({
      subjects: "elenchus.config.yaml:2",
      replicates: "profile ci in elenchus.config.yaml:11",
      seed: "flag --seed",
      "budget.usd": "elenchus.config.yaml:5",
      "budget.calls": "profile ci in elenchus.config.yaml:12",
      "timeouts.callMs": "flag --set timeouts.callMs",
      "timeouts.runMs": "profile ci in elenchus.config.yaml:13",
    });
  });

  test("the command's profile counts, not the file's", () => {
    expect(resolve(FILE, { profile: "nightly" }).settings).toMatchObject({
      replicates: 50,
      budget: { usd: 5 },
    });
  });

  test("of two flags the later counts", () => {
    const resolved = resolve("", {
      flags: [{ flag: "--budget", path: ["budget"], value: "5usd" }],
      sets: ["budget=10 calls", "budget.usd=6"],
    });
    expect(resolved.settings.budget).toEqual({ usd: 6, calls: 10 });
  });

  test("lists are replaced, tool servers too, providers are merged key by key", () => {
    const text = `
subjects: [a/b, c/d]
tools: { files: { command: run, args: [x] }, web: { url: "http://localhost" } }
providers: { mine: { baseUrl: "http://localhost", headers: { a: b } } }
failUnder: { resisted: 0.9, repaired: "0.5:lower" }
profiles:
  p:
    subjects: e/f
    tools: { files: { url: "http://elsewhere" } }
    providers: { mine: { apiKeyVariable: MY_KEY } }
    failUnder: [resisted=80%]
`;
    expect(resolve(text, { profile: "p" }).settings).toMatchObject({
      subjects: ["e/f"],
      tools: { files: { url: "http://elsewhere" }, web: { url: "http://localhost" } },
      providers: { mine: { baseUrl: "http://localhost", headers: { a: "b" }, apiKeyVariable: "MY_KEY" } },
      failUnder: { resisted: "80%", repaired: "0.5:lower" },
    });
  });
});

describe("--set", () => {
  test("reaches into lists; a subject that is only a name gets parameters", () => {
    const resolved = resolve("subjects: [a/b, { model: c/d, name: other }]", {
      sets: ["subjects[0].parameters.temperature=0", "subjects[1].name=third", "subjects[2]=e/f"],
    });
    expect(resolved.settings.subjects).toEqual([
      { model: "a/b", parameters: { temperature: 0 } },
      { model: "c/d", name: "third" },
      "e/f",
    ]);
    expect(resolved.entries.get("subjects")?.origin).toMatch(
      /^flag --set subjects\[2\] over flag .* over elenchus\.config\.yaml:1$/,
    );
  });

  test("keeps functions", () => {
    const subject = (): string => "Hello.";
    const code: Project = { ...NO_PROJECT, file: "elenchus.config.ts", settings: { subjects: [subject] } };
    const resolved = resolveSettings({ project: code, folder: FOLDER, sets: ["subjects[0].name=mine"] });
    expect(resolved.settings.subjects).toEqual([{ model: subject, name: "mine" }]);
    expect(originsOf(resolved)).toEqual({ subjects: "flag --set subjects[0].name over elenchus.config.ts" });
  });

  test("names with dots and spaces", () => {
    const { settings } = resolve("", { sets: ['caps["openai https://a.b/v1"].maxConcurrency=3'] });
    expect(settings.caps).toEqual({ "openai https://a.b/v1": { maxConcurrency: 3 } });
  });
});

describe("what is wrong is told at once, each with its flag", () => {
  test("sentences", () => {
    const wrong = (): unknown =>
      resolve("subjects: [a/b]", {
        flags: [
          { flag: "--replicates", path: ["replicates"], value: "0" },
          { flag: "--budget", path: ["budget"], value: "5 eur" },
          { flag: "--concurrency", path: ["concurrency"], value: "many" },
        ],
        sets: [
          "timeout.callMs=1",
          "timeouts.calMs=1",
          "timeouts.callMs=soon",
          "subjects[3].name=x",
          "subjects.name=x",
          "judges[0].cache=maybe",
          "seed",
          "store.path=x",
          "failUnder.resisted=high",
        ],
      });
    expect(problemsOf(wrong)).toEqual([
      "--replicates: Expected an integer from 1 and up, got the number 0.",
      '--budget: "5 eur" is not a budget. Write it like "5usd", "100k tokens" or "200 calls", several with commas between.',
      '--concurrency: Expected an integer from 1 and up, got the text "many".',
      '--set timeout.callMs: A project has no "timeout". Did you mean "timeouts"?',
      '--set timeouts.calMs: An object of timeouts has no "calMs". Did you mean "callMs"?',
      '--set timeouts.callMs: Expected a number above 0 or null, got the text "soon".',
      "--set subjects[3].name: There is no subjects[3]: subjects has 1 so far, and the next is subjects[1].",
      "--set subjects.name: subjects is a list; say which entry is meant, like subjects[0].name.",
      '--set judges[0].cache: Expected true or false, got the text "maybe".',
      '--set takes a key, "=" and a value, like "timeouts.callMs=60000"; got "seed".',
      "--set store.path: Expected text, got an object.",
      '--set failUnder.resisted: The threshold "resisted=high" must be an outcome and what it must reach: resisted=0.9, resisted=90% or resisted=0.9:lower.',
    ]);
  });

  test("profiles", () => {
    expect(problemsOf(() => resolve(FILE, { profile: "nihgtly" }))).toEqual([
      'There is no profile "nihgtly" in elenchus.config.yaml. Did you mean "nightly"?',
    ]);
    expect(problemsOf(() => resolve(FILE, { profile: "something" }))).toEqual([
      'There is no profile "something" in elenchus.config.yaml. There are ci, nightly.',
    ]);
    expect(problemsOf(() => resolve("profile: __proto__"))).toEqual([
      'There is no profile "__proto__" in elenchus.config.yaml. There are none.',
    ]);
    expect(problemsOf(() => resolveSettings({ project: NO_PROJECT, folder: FOLDER, profile: "ci" }))).toEqual(
      ['There is no profile "ci", for there is no project file; write one called elenchus.config.yaml.'],
    );
  });
});

test("paths of the file are written as from where the command is given, those of flags are left alone", () => {
  const text = `
scenarios: [./scenarios, "more/**/*.yaml", pack:pressure, /absolute, "-"]
junit: out/junit.xml
tools: { files: { command: node, args: [server.js] }, web: { url: "http://localhost" }, own: { command: x, cwd: y } }
`;
  const given = { project: project(text), folder: `${FOLDER}/deep/er` };
  const { settings } = resolveSettings({
    ...given,
    flags: [{ flag: "--store", path: ["store"], value: "here.db" }],
  });
  expect(settings).toMatchObject({
    scenarios: ["../../scenarios", "../../more/**/*.yaml", "pack:pressure", "/absolute", "-"],
    junit: "../../out/junit.xml",
    store: "here.db",
    tools: { files: { cwd: "../.." }, own: { cwd: "../../y" } },
  });
  expect(settings.tools.web).toEqual({ url: "http://localhost" });
  expect(resolveSettings(given).settings.store).toBe("../../.elenchus/elenchus.db");
});

test("hostile names stay names", () => {
  const { settings } = resolve(`{ "providers": { "__proto__": { "baseUrl": "http://x" } } }`);
  expect(Object.keys(settings.providers)).toEqual(["__proto__"]);
  expect(({} as { baseUrl?: string }).baseUrl).toBeUndefined();
});

test.each<[string, readonly (string | number)[], unknown]>([
  ["replicates=3", ["replicates"], 3],
  ["timeouts.callMs=60000", ["timeouts", "callMs"], 60_000],
  ["timeouts.runMs=null", ["timeouts", "runMs"], null],
  ["subjects[0].parameters.temperature=0", ["subjects", 0, "parameters", "temperature"], 0],
  ["subjects=[sim/steadfast, { model: a/b }]", ["subjects"], ["sim/steadfast", { model: "a/b" }]],
  ['caps["openai https://a.b/v1"].maxConcurrency=4', ["caps", "openai https://a.b/v1", "maxConcurrency"], 4],
  ['failUnder["a=\\"b"]=0.5', ["failUnder", 'a="b'], 0.5],
  ["budget=$5", ["budget"], "$5"],
  ["subjects[0].systemPrompt=a=b", ["subjects", 0, "systemPrompt"], "a=b"],
  ["fresh=true", ["fresh"], true],
  ["junit=", ["junit"], null],
])("%s", (text, path, value) => {
  expect(parseSetFlag(text)).toMatchObject({ path, value });
});

test("sentences call it by its path", () => {
  expect(parseSetFlag("subjects[0].name=x")).toMatchObject({ flag: "--set subjects[0].name" });
});

describe("what cannot be read gets a sentence", () => {
  test.each([
    ["replicates", 'got "replicates".'],
    ["=3", 'got "=3".'],
    ["[0]=3", 'got "[0]=3".'],
    [".seed=3", 'got ".seed=3".'],
    ["a[b]=3", 'got "a[b]=3".'],
    ["a b=3", 'got "a b=3".'],
    ["subjects=[a", "--set subjects: the value"],
    ["only=*", 'the value "*" cannot be read'],
    ["__proto__.x=1", '"__proto__" is a reserved name'],
    ["tools.constructor=1", '"constructor" is a reserved name'],
  ])("%s", (text, part) => {
    expect(parseSetFlag(text)).toContain(part);
  });
});
