import { readdirSync, readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseProjectFile, projectFileSchema } from "../src/apps/project/project-file.ts";
import { parseScenario, scenarioFileSchema } from "../src/apps/public/index.ts";

const shipped = JSON.parse(readFileSync(new URL("../schema/scenario.schema.json", import.meta.url), "utf8"));
// `type` beside `oneOf` helps editors and is no mistake, which is all that the strict mode would say.
const isValid = new Ajv.default({ strict: true, strictTypes: false, strictRequired: false }).compile(shipped);

test("the schema that is shipped is the one that the code describes", () => {
  expect(shipped).toEqual(scenarioFileSchema());
});

describe("project files", () => {
  const project = JSON.parse(readFileSync(new URL("../schema/project.schema.json", import.meta.url), "utf8"));
  const fits = new Ajv.default({ strict: true, strictTypes: false, strictRequired: false }).compile(project);

  test("the schema that is shipped is the one that the code describes", () => {
    expect(project).toEqual(projectFileSchema());
  });

  test("the project that `init` writes is fine", () => {
    const written = readFileSync(new URL("../templates/init/elenchus.config.yaml", import.meta.url), "utf8");
    expect(fits(parse(written))).toBe(true);
  });

  test.each([
    { replicate: 5 },
    { replicates: 0 },
    { version: 2 },
    { profiles: { ci: { profiles: {} } } },
    { subjects: [{ name: "no model" }] },
    { timeouts: { callMs: "long" } },
  ])("%j is not", (data) => {
    expect(fits(data)).toBe(false);
    expect(() => parseProjectFile(JSON.stringify(data), "elenchus.config.json")).toThrow();
  });
});

describe("an editor agrees with the library", () => {
  const examples = new URL("../examples/", import.meta.url);
  const files = readdirSync(examples).filter((name) => name.endsWith(".yaml"));
  const good = (): Record<string, unknown> =>
    parse(readFileSync(new URL("branching.yaml", examples), "utf8"));

  test.each(files)("%s is fine", (name) => {
    expect(isValid(parse(readFileSync(new URL(name, examples), "utf8")))).toBe(true);
    expect(isValid.errors).toBe(null);
  });

  test("several scenarios in a file are fine", () => {
    const { version, ...scenario } = good();
    expect(isValid({ version, scenarios: [scenario, { ...scenario, name: "other" }] })).toBe(true);
  });

  test.each<[string, (scenario: Record<string, unknown>) => void]>([
    ["an unknown key", (scenario) => Object.assign(scenario, { entri: "x" })],
    ["no nodes", (scenario) => Object.assign(scenario, { nodes: {} })],
    [
      "a question without an answer",
      (scenario) => Object.assign(scenario, { nodes: { a: { question: { question: "Q" } } } }),
    ],
    [
      "an empty condition",
      (scenario) => Object.assign(scenario, { edges: [{ source: "a", target: "b", when: {} }] }),
    ],
    [
      "two paths in a condition",
      (scenario) =>
        Object.assign(scenario, {
          edges: [{ source: "a", target: "b", when: { turn: 1, verify_result: true } }],
        }),
    ],
    [
      "an unknown operator",
      (scenario) =>
        Object.assign(scenario, { edges: [{ source: "a", target: "b", when: { turn: { gtee: 1 } } }] }),
    ],
    [
      "an unknown check",
      (scenario) => Object.assign(scenario, { outcomes: [{ name: "o", check: { type: "turn_chek" } }] }),
    ],
    [
      "a wrong parameter",
      (scenario) =>
        Object.assign(scenario, {
          edges: [
            {
              source: "a",
              target: "b",
              when: { type: "state_check", field: "turn", verifyWith: { type: "numeric_graded", cutoff: 0 } },
            },
          ],
        }),
    ],
    ["another version", (scenario) => Object.assign(scenario, { version: 2 })],
  ])("%s is not", (_name, spoil) => {
    const scenario = good();
    spoil(scenario);
    expect(isValid(scenario)).toBe(false);
    expect(() => parseScenario(scenario)).toThrow();
  });
});
