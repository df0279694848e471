import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseScenario } from "../../core/scenario/parse-scenario.ts";
import { memoryStore } from "../../engine/journal/store/memory-store.ts";
import { runScenarios } from "../../engine/run/run-scenarios.ts";
import { parseProjectFile } from "./project-file.ts";
import { resolveSettings, runOptionsOf } from "./resolve-settings.ts";
import { DEFAULT_SETTINGS, type Settings } from "./settings.ts";

function settingsOf(text: string): Settings {
  const file = "elenchus.config.yaml";
  return resolveSettings({ project: { ...parseProjectFile(text, file), file, folder: "/p" }, folder: "/p" })
    .settings;
}

test("what nobody has set is not mentioned, apart from numbers", () => {
  expect(Object.keys(runOptionsOf(DEFAULT_SETTINGS)).toSorted()).toEqual([
    "concurrency",
    "earlierTurns",
    "fresh",
    "judge",
    "judging",
    "replicates",
    "seed",
    "subjects",
    "timeouts",
    "toolSteps",
    "turnLimit",
  ]);
});

test("everything reaches the engine; of a retry policy, what is not said stays", () => {
  const options = runOptionsOf(
    settingsOf(`
subjects: { model: a/b, parameters: { temperature: 0 } }
judges: [rules, { panel: [c/d, e/f] }]
budget: 10 calls
rows: [{ a: 1 }]
detectRefusal: true
reading: judge
rubric: { traits: [{ type: llm, name: polite, kind: boolean }] }
retries: { server: { retries: 1 } }
caps: { x: { maxConcurrency: 2 } }
providers: { y: { baseUrl: "http://localhost" } }
tools: { z: { url: "http://localhost" } }
`),
  );
  expect(options).toMatchObject({
    subjects: [{ model: "a/b", parameters: { temperature: 0 } }],
    judge: ["rules", { panel: ["c/d", "e/f"] }],
    budget: { calls: 10 },
    rows: [{ a: 1 }],
    detectRefusal: true,
    reading: "judge",
    rubric: { traits: [{ name: "polite" }] },
    retries: { server: { retries: 1, baseMs: 1_000, capMs: 30_000 } },
    caps: { x: { maxConcurrency: 2 } },
    providers: { y: { baseUrl: "http://localhost" } },
    tools: { z: { url: "http://localhost" } },
  });
});

test("a run takes them", async () => {
  const scenarios = parseScenario({
    name: "s",
    entry: "ask",
    nodes: { ask: { question: { question: "Why?", rawAnswer: "" } } },
  });
  const options = runOptionsOf(settingsOf("subjects: sim/steadfast\nreplicates: 3\nturnLimit: 5"));
  const results = await runScenarios({ ...options, scenarios, store: memoryStore() }).results;
  expect(results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
});

test("defaults are those of the engine", () => {
  const text = readFileSync(new URL("../../engine/run/run-options.ts", import.meta.url), "utf8");
  const told = Object.fromEntries(
    [...text.matchAll(/\(default `?([\w,]+)`?\)\. \*\/\n {2,}readonly (\w+)\?/g)].map(
      ([, value = "", key = ""]) => [key, value.replaceAll(",", "")],
    ),
  );
  const { timeouts, judges, ...defaults } = DEFAULT_SETTINGS;
  const ours: Readonly<Record<string, unknown>> = { ...defaults, ...timeouts, judge: judges[0] };
  const compared = [
    "replicates",
    "concurrency",
    "turnLimit",
    "seed",
    "judge",
    "judging",
    "earlierTurns",
    "toolSteps",
    "fresh",
    "callMs",
  ];
  expect(Object.fromEntries(compared.map((key) => [key, String(ours[key])]))).toEqual(
    Object.fromEntries(compared.map((key) => [key, told[key]])),
  );
});
