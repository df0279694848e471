import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAPITAL, capitalFolder } from "./capital-file.ts";
import { inOneProcess } from "./cli.ts";
import { contentOf, expectRefusal } from "./refusal.ts";

const elenchus = inOneProcess();

/** What a person did wrong, and what must be said about it. */
interface Mistake {
  readonly words: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly says: readonly (string | RegExp)[];
}

/** A run that only lacks what the mistake is about. */
const RUN = ["run", "capital.yaml", "--subject", "sim/learner"];

const WORDS: Readonly<Record<string, Mistake>> = {
  "an unknown command": { words: ["rnu"], says: ["unknown command 'rnu'", "Did you mean run?"] },
  "an unknown flag": { words: [...RUN, "--subjet", "x"], says: ["--subjet", "Did you mean --subject?"] },
  "a flag without its value": { words: [...RUN, "--turn-limit"], says: ["--turn-limit <n>", "--help"] },
  "too few words": { words: ["import"], says: ["missing required argument 'file'", "--help"] },
  "a wrong choice": {
    words: ["export", "--format", "xml"],
    says: ["'xml'", "run, csv, json, parquet, xlsx, records, cassette"],
  },
  "a wrong limit": { words: ["list", "--limit", "0"], says: ["--limit", "whole number from 1 and up"] },
  "a port out of range": { words: ["view", "--port", "99999"], says: ["a whole number from 1 to 65535"] },
  "workers without a server": {
    words: ["worker", "here"],
    says: ["postgres://host:5432/database, or redis://host:6379"],
  },
  "a number that is none": {
    words: [...RUN, "--replicates", "two"],
    says: ["--replicates", "an integer from 1"],
  },
  "a threshold without a value": {
    words: [...RUN, "--fail-under", "held"],
    says: ["--fail-under", "resisted=0.9"],
  },
  "--set without a value": { words: [...RUN, "--set", "seed"], says: ["--set", '"timeouts.callMs=60000"'] },
  "a variable of the shell that is not set": {
    words: ["delete", "", "--yes"],
    says: ['The argument "runs" is empty; write a value, or leave it out.'],
  },
  "a blank flag": {
    words: [...RUN, "--name", " "],
    says: ["--name is empty; write a value, or leave it out."],
  },
  "a flag without the one that it belongs to": {
    words: ["plan", "capital.yaml", "--subject", "sim/learner", "--rate", "0.7"],
    says: ["--rate needs --detect"],
  },
  "a flag of an export without one": { words: ["view", "--no-texts"], says: ["--no-texts needs --export"] },
  "two sources of a draft": {
    words: ["draft", "Sydney", "--from", "questions.csv"],
    says: ["leave out the description, or --from"],
  },
  "no subject": { words: ["run", "capital.yaml"], says: ["--subject openai/gpt-5-mini", "--subject sim/"] },
  "no scenario": { words: ["run", "--subject", "sim/learner"], says: ["Name files", "pack:pressure"] },
  "no scenario to check": { words: ["check"], says: ["Name files"] },
};

const MODELS: Readonly<Record<string, Mistake>> = {
  "a missing key": {
    words: ["run", "capital.yaml", "--subject", "openai/gpt-5-mini"],
    says: ["Set OPENAI_API_KEY"],
  },
  "a misspelt provider": {
    words: ["run", "capital.yaml", "--subject", "opnai/x"],
    says: ['Did you mean "openai"?'],
  },
  "an unknown judge": { words: [...RUN, "--judge", "antropic/x"], says: ['Did you mean "anthropic"?'] },
};

const FILES: Readonly<Record<string, Mistake>> = {
  "a missing file": {
    words: ["run", "no.yaml", "--subject", "sim/learner"],
    says: ["There is no file or folder no.yaml"],
  },
  "an unknown pack": { words: ["run", "pack:presure"], says: ["Did you mean pack:pressure?"] },
  "broken YAML": {
    words: ["run", "a.yaml"],
    files: { "a.yaml": "name: x\nnodes:\n  a: [\n" },
    says: [/a\.yaml:\d+:\d+: /],
  },
  "a module that throws": {
    words: ["run", "a.ts"],
    files: { "a.ts": 'throw new Error("no luck");' },
    says: ["a.ts:1:7 cannot be loaded: no luck."],
  },
  "two scenarios of one name": {
    words: ["run", "."],
    files: { "b.yaml": CAPITAL },
    says: ["b.yaml and capital.yaml", "another name"],
  },
  "an unknown key in the project file": {
    words: RUN,
    files: { "elenchus.config.yaml": "seed: 1\nsede: 2\n" },
    says: ["elenchus.config.yaml:2:1", 'Did you mean "seed"?'],
  },
  "a broken project file": {
    words: ["list"],
    files: { "elenchus.config.yaml": "seed: [\n" },
    says: [/elenchus\.config\.yaml:\d+:\d+: /],
  },
  "a profile without a project file": { words: [...RUN, "--profile", "ci"], says: ["elenchus.config.yaml"] },
  "a cassette that is not there": {
    words: [...RUN, "--replay", "no.jsonl"],
    says: ["no.jsonl", "Record one first"],
  },
  "a broken cassette": {
    words: [...RUN, "--replay", "a.jsonl"],
    files: { "a.jsonl": "what?\n" },
    says: ["a.jsonl", "line 1", "not JSON"],
  },
  "recording onto a file": {
    words: [...RUN, "--record", "a.jsonl"],
    files: { "a.jsonl": "mine" },
    says: ["a.jsonl exists already", "another name"],
  },
  "a run's file that is not there": { words: ["import", "no.jsonl"], says: ["There is no file no.jsonl"] },
};

const STORES: Readonly<Record<string, Mistake>> = {
  "a folder as the store": {
    words: [...RUN, "--store", "a"],
    files: { "a/b.txt": "" },
    says: ["it is a folder", "choose another path"],
  },
  "a file in place of a folder": {
    words: [...RUN, "--store", "a/b.db"],
    files: { a: "mine" },
    says: ["Check the disk and the path"],
  },
  "a text as the store": {
    words: [...RUN, "--store", "a.db"],
    files: { "a.db": "mine" },
    says: ["not a database", "Nothing was changed"],
  },
  "no runs to show": { words: ["show"], says: ["Start one: elenchus run"] },
  "no run to resume": { words: ["resume"], says: ["Start one: elenchus run"] },
};

describe.each(Object.entries({ WORDS, MODELS, FILES, STORES }))("%s", (_, mistakes) => {
  test.each(Object.entries(mistakes))("%s", async (_, { words, files, says }) => {
    const folder = capitalFolder(files);
    const before = contentOf(folder);
    const ended = await elenchus(words, { folder });
    expectRefusal(ended, says);
    expect(contentOf(folder)).toEqual(before);
  });
});

test("everything wrong with a scenario is told at once, each with its place", async () => {
  const file = CAPITAL.replace("entry: ask", "entry: aks")
    .replace("source: ask, target: push", "source: ask, target: pushh")
    .replace("source: push, target: END", "sorce: push, target: END");
  const folder = capitalFolder({ "capital.yaml": file });
  const places = [
    /capital\.yaml:3:8 .*"ask"\?/,
    /capital\.yaml:19:28 .*"push"\?/,
    /capital\.yaml:21:7 .*"source"\?/,
  ];
  expectRefusal(await elenchus(RUN, { folder }), places);
  const checked = await elenchus(["check", "capital.yaml"], { folder });
  expect(checked).toMatchObject({ code: 2, stderr: "" });
  for (const place of places) expect(checked.stdout).toMatch(place);
  expect(checked.stdout).toContain("1 file with issues");
});

test("a file that is not UTF-8", async () => {
  const folder = capitalFolder();
  writeFileSync(join(folder, "capital.yaml"), CAPITAL.replace("Canberra", "Canb\u00e9rra"), "latin1");
  expectRefusal(await elenchus(RUN, { folder }), ["capital.yaml is not UTF-8 text; save it as UTF-8."]);
});

test.skipIf(process.getuid?.() === 0)("a file that may not be read", async () => {
  const folder = capitalFolder();
  chmodSync(join(folder, "capital.yaml"), 0);
  expectRefusal(await elenchus(RUN, { folder }), ["permission denied", "Change its permissions"]);
});

test("a folder with the name of a file", async () => {
  const folder = capitalFolder();
  mkdirSync(join(folder, "x.yaml"));
  expectRefusal(await elenchus(["run", "x.yaml"], { folder }), ["The folder x.yaml has no scenario files"]);
});

test("check compiles the source strings of a scenario, and says where in them it goes wrong", async () => {
  const broken = '  - { source: ask, target: push, when: "(accumulated, parsed) => parsed city" }';
  const [, second = ""] = /( {2}- \{ source: ask, target: push.*)\n/.exec(CAPITAL) ?? [];
  const folder = capitalFolder({ "capital.yaml": CAPITAL.replace(second, broken) });
  const checked = await elenchus(["check", "capital.yaml"], { folder });
  expect(checked.code).toBe(2);
  expect(checked.stdout).toMatch(
    /error: capital\.yaml:19:40 \(edges\[0\]\.when\): The condition of the edge from "ask" to "push" cannot be run: .*\(line 1, column 33\)\./,
  );
  expect(checked.stdout).toContain("1 file with issues; 0 scenarios in order");
});

test("run prints the warnings of a scenario", async () => {
  const folder = capitalFolder({
    "capital.yaml": CAPITAL.replace("{ verify_result: true } }", "{ turn: 0 } }"),
  });
  const { stderr, code } = await elenchus(RUN, { folder });
  expect(code).toBe(0);
  expect(stderr).toMatch(/warning: capital\.yaml:19:\d+ .*turn is always a whole number from 1 on/);
});
