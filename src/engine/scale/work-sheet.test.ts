import { expect, test } from "vitest";
import { chainOf } from "../../../test/engine/held.ts";
import { END, question } from "../../core/scenario/definition.ts";
import { parseScenario } from "../../core/scenario/parse-scenario.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import type { RunOptions } from "../run/run-options.ts";
import {
  type OwnParts,
  optionsOf,
  refuseAddresses,
  WORK_FORMAT,
  type WorkSheet,
  workSheet,
} from "./work-sheet.ts";

const NAMES = { subjects: ["one", "two"], judges: ["rules"] };
const OWN: OwnParts = { subjects: [], judges: [], scenarios: async () => [] };

function sheetOf(options: Partial<RunOptions>, project?: string): WorkSheet {
  return workSheet(
    { scenarios: chainOf(1), subjects: ["sim/steadfast", "openai/m"], ...options },
    { names: NAMES, project },
  );
}

test("what workers are told is data, without addresses, programs and keys", () => {
  const sheet = sheetOf({
    subjects: [
      "https://agent.example/chat",
      { model: "openai/m", name: "two", parameters: { temperature: 0 }, systemPrompt: "Be brief." },
    ],
    tools: { files: { command: "secret-program", env: { KEY: "value" } } },
    providers: { openai: { baseUrl: "https://proxy.example", headers: { authorization: "Bearer x" } } },
    environment: { OPENAI_API_KEY: "sk-secret" },
    replicates: 3,
  });
  expect(sheet).toMatchObject({
    format: WORK_FORMAT,
    tools: ["files"],
    code: [],
    coded: [],
    options: { replicates: 3, subjects: [{ ofProject: "one" }, { model: "openai/m", name: "two" }] },
  });
  expect(JSON.stringify(sheet)).not.toMatch(/example|secret|Bearer/);
});

test("code is refused with its place, unless there is a project file", () => {
  const scenario = new Scenario("coded")
    .addNode("ask", {
      question: question({ question: "Well?", rawAnswer: "Yes" }),
      stateUpdate: () => ({ here: import.meta.url }),
    })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
  const options = { scenarios: scenario, subjects: [() => "Yes", "sim/steadfast"] };
  expect(() => sheetOf(options)).toThrow(/nodes\.ask\.stateUpdate/);
  expect(() => sheetOf(options)).toThrow('The subject "one" is a function.');
  const sheet = sheetOf(options, "hash");
  expect(sheet).toMatchObject({
    project: "hash",
    coded: ["coded"],
    options: { subjects: [{ ofProject: "one" }, "sim/steadfast"] },
  });
  expect(() => optionsOf(sheet, OWN)).toThrow("a worker needs the project file that it was begun with");
  expect(() => optionsOf(sheet, { ...OWN, project: "other" })).toThrow("the one of this worker is another");
  const one = (): string => "Yes";
  const found = optionsOf(sheet, { ...OWN, project: "hash", subjects: [one] });
  expect(found.subjects).toEqual([one, "sim/steadfast"]);
});

test("a worker takes addresses and tools only from its own project file, whatever a run says", () => {
  const forged = (options: object, tools: readonly string[] = []): WorkSheet => ({
    format: WORK_FORMAT,
    tools,
    code: [],
    coded: [],
    options: { subjects: ["sim/steadfast"], judge: ["rules"], ...options },
  });
  for (const model of ["https://evil.example", "http://evil.example", "person"])
    for (const options of [
      { subjects: [model] },
      { judge: [{ model }] },
      { judge: [{ panel: [model] }] },
      { simulator: model },
    ])
      expect(() => optionsOf(forged(options), OWN)).toThrow("in a way that workers do not use");
  expect(() => optionsOf(forged({}, ["shell"]), OWN)).toThrow(
    'the tool server "shell", which is not in the project file',
  );
  expect(() => optionsOf(forged({ subjects: [{ ofProject: "agent" }] }), OWN)).toThrow(
    "only from its own project file",
  );
  const more = {
    providers: { openai: { baseUrl: "https://evil.example" } },
    environment: { A: "b" },
    dataset: "/etc/passwd",
  };
  const found = optionsOf(
    forged({ ...more, tools: { x: { command: "evil" } }, workspace: "/", replicates: 2 }),
    OWN,
  );
  expect(Object.keys(found).sort()).toEqual(["judge", "replicates", "subjects"]);
});

test("a scenario that comes as data names no address for its nodes", () => {
  const scenario = parseScenario({
    name: "far",
    entry: "ask",
    nodes: {
      ask: {
        question: { question: "Well?", rawAnswer: "Yes" },
        modelOverride: { judge: "https://evil.example" },
      },
    },
  });
  expect(() => refuseAddresses([scenario], OWN)).toThrow(
    'In scenario "far", node "ask" names https://evil.example',
  );
  refuseAddresses([scenario], { ...OWN, judges: ["https://evil.example"] });
});
