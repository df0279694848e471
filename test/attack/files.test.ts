// Files of strangers, changed at random: each is read, or refused in a sentence by the error that its reader names. Nothing crashes, hangs,
// changes a prototype, or gets in by halves.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { parseProjectFile } from "../../src/apps/project/project-file.ts";
import { parseScenarioFile } from "../../src/apps/project/scenario-files/parse-scenario-file.ts";
import { memoryStore } from "../../src/engine/journal/store/memory-store.ts";
import { exportRun } from "../../src/engine/journal/transfer/export-run.ts";
import { importRun } from "../../src/engine/journal/transfer/import-run.ts";
import { cassetteFromRun } from "../../src/engine/journal/transfer/stored-run.ts";
import { Cassette } from "../../src/engine/models/cassette/cassette.ts";
import { runScenarios } from "../../src/engine/run/run-scenarios.ts";
import { chainOf, memoryModel, yesJudge } from "../engine/held.ts";
import { mutated, TRIES } from "./mutations.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

/** What fell: attacks that ended in anything else than data or one of these errors. */
async function fallen(
  texts: readonly string[],
  read: (text: string, seed: string) => unknown,
  allowed: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  let refused = 0;
  for (let index = 0; index < TRIES; index++) {
    const seed = `attack ${index}`;
    const text = mutated(texts[index % texts.length] ?? "", seed);
    try {
      await read(text, seed);
    } catch (error) {
      refused++;
      const { name, message } = error as Error;
      // A sentence says what is wrong, and never shows a stack or a value that is none.
      if (!allowed.includes(name) || /\bundefined\b|\[object|\bat \w+ \(/.test(message.slice(0, 200)))
        found.push(`${seed}: ${name}: ${message.slice(0, 300)}`);
    }
  }
  expect(refused).toBeGreaterThan(TRIES / 20);
  return found;
}

function filesIn(folder: string, ending: string): readonly string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(ROOT, folder, name), "utf8"));
}

test(`${TRIES} mutated scenario files`, async () => {
  const texts = [...filesIn("examples", ".yaml"), ...filesIn("packs", ".yaml").slice(0, 5)];
  expect(await fallen(texts, (text) => parseScenarioFile(text), ["DefinitionError"])).toEqual([]);
}, 600_000);

test(`${TRIES} mutated scenario files in JSON`, async () => {
  const texts = filesIn("examples", ".yaml").flatMap((text) => {
    try {
      return [JSON.stringify(parseScenarioFile(text)[0], null, 1)];
    } catch {
      return [];
    }
  });
  const read = (text: string): unknown => parseScenarioFile(text, { filename: "s.json" });
  expect(await fallen(texts, read, ["DefinitionError"])).toEqual([]);
}, 600_000);

const PROJECT = `version: 1
scenarios: [scenarios]
subjects:
  - openai/gpt-5-mini
  - { name: local, model: mine/llama, parameters: { temperature: 0 }, systemPrompt: Be brief. }
judges: [{ name: both, panel: [openai/a, openai/b] }]
providers: { mine: { kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1", apiKeyVariable: MINE_KEY } }
tools: { files: { command: node, arguments: [server.js], environment: { A: b } } }
budget: 5usd
timeouts: { callMs: 1000 }
failUnder: { held_firm: 0.9 }
profiles: { ci: { replicates: 2, concurrency: 4 } }
`;

test(`${TRIES} mutated project files`, async () => {
  const read = (text: string): unknown => parseProjectFile(text, "elenchus.config.yaml");
  expect(await fallen([PROJECT], read, ["ProjectError"])).toEqual([]);
}, 600_000);

async function heldRun(): Promise<ReturnType<typeof memoryStore>> {
  const store = memoryStore();
  const subjects = memoryModel("subject", (message) => `yes ${message.repeat(40)}`);
  await runScenarios({ scenarios: chainOf(2), subjects, judge: yesJudge(), replicates: 2, store, run: "r" })
    .results;
  return store;
}

test(`${TRIES} mutated run files`, async () => {
  const lines = [...exportRun(await heldRun(), "r")].join("");
  const read = async (text: string): Promise<void> => {
    const store = memoryStore();
    try {
      await importRun(store, [text]);
    } catch (error) {
      // Nothing of a file that is refused is left.
      expect(store.runs()).toEqual([]);
      expect(store.calls.size).toBe(0);
      throw error;
    }
    // What was imported can be shown and exported again.
    for (const { run } of store.runs()) {
      store.results(run);
      for (const _ of exportRun(store, run));
    }
  };
  expect(await fallen([lines], read, ["RunFileError", "RunError"])).toEqual([]);
}, 600_000);

test(`${TRIES} mutated cassettes`, async () => {
  const text = cassetteFromRun(await heldRun(), "r").toJsonLines();
  const read = (changed: string): unknown => [...Cassette.parse(changed)];
  expect(await fallen([text], read, ["ModelError"])).toEqual([]);
}, 600_000);
