import { describe, expect, test } from "vitest";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { openRows } from "../../../engine/run/open-rows.ts";
import { ProjectError } from "../project-error.ts";
import type { LoadedScenario } from "./load-scenarios.ts";
import { type Selection, selectScenarios } from "./select-scenarios.ts";

function scenario(name: string, metadata: object): LoadedScenario {
  const nodes = { ask: { question: { question: "Why?", rawAnswer: "" } } };
  return {
    definition: parseScenario({ name, entry: "ask", nodes, metadata }),
    file: "x.yaml",
    isCode: false,
  };
}

const SCENARIOS = [
  scenario("pressure/capital", { tags: ["pressure", "geography"] }),
  scenario("pressure/aspirin", { tags: ["pressure", "medicine"] }),
  scenario("repair/capital", { tags: ["repair", "geography", 5] }),
  scenario("plain", { tags: "none" }),
];

async function select(selection: Selection): Promise<readonly string[]> {
  try {
    return (await selectScenarios(SCENARIOS, selection)).map(({ definition }) => definition.name);
  } catch (error) {
    if (error instanceof ProjectError) return error.problems;
    throw error;
  }
}

test.each<[Selection, readonly string[]]>([
  [{}, ["pressure/capital", "pressure/aspirin", "repair/capital", "plain"]],
  [{ only: [], tags: [] }, ["pressure/capital", "pressure/aspirin", "repair/capital", "plain"]],
  [{ only: ["plain"] }, ["plain"]],
  [{ only: ["plain", "pressure/*"] }, ["pressure/capital", "pressure/aspirin", "plain"]],
  [{ only: ["*capital"] }, ["pressure/capital", "repair/capital"]],
  [{ only: ["p*/*a*i*l"] }, ["pressure/capital"]],
  [{ only: ["plain*"] }, ["plain"]],
  [{ tags: ["geography"] }, ["pressure/capital", "repair/capital"]],
  [{ tags: ["medicine", "repair"] }, ["pressure/aspirin", "repair/capital"]],
  [{ only: ["pressure/*"], tags: ["geography"] }, ["pressure/capital"]],
])("%j", async (selection, names) => {
  expect(await select(selection)).toEqual(names);
});

test("a tag of rows: only the rows that have it", async () => {
  const rows = [
    { text: "a", tags: "geography", kind: "x" },
    { text: "b", tags: ["geo", "geography"], kind: "x" },
    { text: "c", tags: "geo", kind: "x" },
    { text: "d", tags: "geography", kind: "y" },
  ];
  const tagged = parseScenario({
    name: "rows",
    dataset: { rows, where: { kind: "x" } },
    nodes: { ask: "{{ row.text }}" },
  });
  const scenarios = [...SCENARIOS, { definition: tagged, file: "y.yaml", isCode: false }];
  const selected = await selectScenarios(scenarios, { tags: ["geography"] });
  expect(selected.map(({ definition }) => definition.name)).toEqual([
    "pressure/capital",
    "repair/capital",
    "rows",
  ]);
  const found = [];
  for await (const { values } of (await openRows(selected[2]?.definition as ScenarioDefinition, {})) ?? [])
    found.push(values.text);
  expect(found).toEqual(["a", "b"]);
});

describe("nothing is left", () => {
  test.each<[Selection, readonly string[]]>([
    [{ only: ["plian"] }, ['No scenario is called "plian". Did you mean "plain"?']],
    [
      { only: ["other*", "plain"] },
      [
        'No scenario is called "other*". There are pressure/capital, pressure/aspirin, repair/capital, plain.',
      ],
    ],
    [{ only: ["pla*in*n"] }, ['No scenario is called "pla*in*n".']],
    [
      { only: ["nope"], tags: ["geografy"] },
      ['No scenario is called "nope".', 'No scenario has the tag "geografy". Did you mean "geography"?'],
    ],
    [
      { only: ["plain"], tags: ["repair"] },
      ["No scenario is left: none that is called plain has the tag repair."],
    ],
  ])("%j", async (selection, problems) => {
    const found = await select(selection);
    expect(found).toHaveLength(problems.length);
    for (const [index, problem] of problems.entries()) expect(found[index]).toContain(problem);
  });

  test("no more names than a person reads", async () => {
    const many = Array.from({ length: 100 }, (_, index) => scenario(`s${index}`, {}));
    await expect(selectScenarios(many, { only: ["different"] })).rejects.toThrow(/s9 and 90 more\.$/);
    await expect(selectScenarios(many, { tags: ["different"] })).rejects.toThrow(
      'No scenario has the tag "different". There are none.',
    );
  });
});

test("of several scenarios, those that have the row", async () => {
  const withRows = (name: string, id: string): LoadedScenario => ({
    definition: parseScenario({
      name,
      question: "{{ row.q }}",
      dataset: { rows: [{ id, q: "Why?" }], id: "id" },
    }),
    file: "x.yaml",
    isCode: false,
  });
  const names = async (id: string): Promise<readonly string[]> => {
    const found = await selectScenarios([withRows("one", "a"), withRows("two", "b")], { onlyRows: [id] });
    return found.map(({ definition }) => definition.name);
  };
  expect([await names("b"), await names("c")]).toEqual([["two"], ["one", "two"]]);
});
