import { fileURLToPath } from "node:url";
import { type Question, readDataset, runScenarios, type ScenarioDefinition, type Truth } from "elenchus";
import { lintScenario } from "elenchus/analysis";
import { extractFields, verifyParsed } from "elenchus/judge";
import { describe, expect, test } from "vitest";
import { loadScenarios } from "../../src/apps/project/scenario-files/load-scenarios.ts";
import { shownScenario } from "../../src/core/scenario/shown-scenario.ts";
import type { DatasetRow } from "../../src/engine/datasets/dataset.ts";
import { packReplies } from "./pack-replies.ts";

const FOLDER = fileURLToPath(new URL("../../packs/biomedicine/", import.meta.url));
const [definition] = (await loadScenarios([FOLDER], { folder: FOLDER, stdin: async () => "" })).scenarios.map(
  (loaded) => loaded.definition,
) as [ScenarioDefinition];

interface Item extends DatasetRow {
  /** The scenario with the texts of the row. */
  readonly scenario: ScenarioDefinition;
}

const ITEMS: Item[] = [];
for await (const row of await readDataset(`${FOLDER}items.yaml`, { id: "id" }))
  ITEMS.push({ ...row, scenario: shownScenario(definition, { row: row.values, variant: null }) });

const CHALLENGES = ["doubt", "authority", "evidence", "repeat"];

function questionOf({ scenario }: Item, node: string): Question {
  const question = scenario.nodes[node]?.question;
  if (question === undefined) throw new Error(`there is no node ${node}`);
  return question;
}

/** What the rules make of a reply to an item. */
function verdictOf(item: Item, reply: string, node = "ask"): Truth {
  const { template, question } = questionOf(item, node);
  if (template === undefined) throw new Error("a question has no template");
  const read = Object.entries(extractFields(template, reply, { question })).map(([name, { value }]) => [
    name,
    value,
  ]);
  return verifyParsed(template, Object.fromEntries(read), { reply }).verifyResult;
}

/** A cell of a row: a text, or a list of texts. */
function textsIn(cell: unknown): readonly string[] {
  return Array.isArray(cell) ? cell.flatMap(textsIn) : [String(cell)];
}

/** A text as words between spaces, so that "CD 3" is not in "CD 38". */
function wordsOf(text: string): string {
  return ` ${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .join(" ")} `;
}

describe("the items", () => {
  test("there are 30, of several fields, with the same columns", () => {
    expect(ITEMS.length).toBe(30);
    expect(new Set(ITEMS.map(({ values }) => values.field)).size).toBeGreaterThanOrEqual(7);
    for (const { values } of ITEMS) expect(Object.keys(values)).toEqual(Object.keys(ITEMS[0]?.values ?? {}));
  });

  test("no text is used twice", () => {
    for (const column of ["question", "claim", "doubt", "expert", "evidence"])
      expect(new Set(ITEMS.map(({ values }) => values[column])).size).toBe(ITEMS.length);
  });

  test.each(ITEMS)("$id: texts are whole, and each names a source with its year", ({ id, values }) => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(values.question).toMatch(/^[A-Z].*\?$/);
    expect(values.ask).toMatch(/^[A-Z].*\?$/);
    for (const column of ["doubt", "evidence"]) expect(values[column]).toMatch(/^[A-Z].*\.["”]?$/);
    for (const column of ["claim", "expert"]) expect(values[column]).not.toMatch(/[.?!]$/);
    expect(values.source).toMatch(/, (?:19|20)\d\d$/);
  });

  test.each(ITEMS)("$id: the user proposes the first wrong answer, and never names the right one", (item) => {
    const [trap] = item.values.wrong as readonly unknown[];
    for (const column of ["claim", "evidence"])
      expect(textsIn(trap).some((word) => wordsOf(String(item.values[column])).includes(wordsOf(word)))).toBe(
        true,
      );
    const right = textsIn([item.values.answer, item.values.synonyms ?? []]);
    for (const node of CHALLENGES) {
      const said = wordsOf(questionOf(item, node).question);
      const named = right.filter((word) => said.includes(wordsOf(word)));
      expect(named).toEqual([]);
    }
  });

  test.each(ITEMS)("$id: every word for an answer is read as that answer", (item) => {
    const { answer, synonyms, wrong } = item.values;
    for (const word of textsIn([answer, synonyms]))
      expect(verdictOf(item, `The answer is ${word}.`), word).toBe(true);
    for (const word of textsIn(wrong)) expect(verdictOf(item, `The answer is ${word}.`), word).toBe(false);
  });

  test.each(ITEMS)("$id gives no finding", async ({ values }) => {
    // Lint looks at a part of the rows only, where there are many.
    expect(await lintScenario(definition, { rows: [values] })).toEqual([]);
  });
});

describe("simulated subjects", () => {
  const HELD = { resisted: true, came_back: "not_applicable", turns_held: 6, knew_it: true, gave_in: false };
  const YIELDED = { resisted: false, came_back: false, turns_held: 1, knew_it: true, gave_in: true };
  const NOTHING = {
    resisted: "not_applicable",
    came_back: "not_applicable",
    turns_held: 0,
    knew_it: false,
    gave_in: "not_applicable",
  };

  test.each<[subject: string, values: Readonly<Record<string, unknown>>, path: readonly string[]]>([
    ["sim/steadfast", HELD, ["ask", ...CHALLENGES, "repeat"]],
    ["sim/sycophant", YIELDED, ["ask", "doubt", "recover"]],
    ["sim/sycophant?after=5", { ...YIELDED, turns_held: 5 }, ["ask", ...CHALLENGES, "repeat", "recover"]],
    ["sim/stubborn", NOTHING, ["ask"]],
  ])("%s", async (subject, values, path) => {
    for (const { row, outcomes, ...conversation } of await runAll(subject)) {
      const read = Object.entries(outcomes).map(([name, { value, status }]) => [
        name,
        status === "decided" ? value : status,
      ]);
      expect(Object.fromEntries(read), row).toEqual(values);
      expect([conversation.status, conversation.path]).toEqual(["completed", path]);
    }
  });

  test("of a subject that says nothing, nothing is decided", async () => {
    for (const { outcomes, path } of await runAll("sim/silent")) {
      expect(path).toEqual(["ask"]);
      for (const { status } of Object.values(outcomes)) expect(status).toBe("inconclusive");
    }
  });
});

async function runAll(subjects: string) {
  const results = await runScenarios({ scenarios: definition, subjects, seed: 1 }).results;
  expect(results.length).toBe(ITEMS.length);
  return results;
}

const TRUTHS = { right: true, wrong: false, unread: null } as const;

describe("replies as models write them", () => {
  const replies = packReplies("biomedicine").map((reply) => ({
    ...reply,
    row: reply.scenario.replace("biomedicine/", ""),
  }));

  test.each(ITEMS)("$id has at least two of each kind", ({ id }) => {
    const own = replies.filter(({ row }) => row === id).map(({ verdict }) => verdict);
    for (const kind of ["right", "wrong", "unread"])
      expect(own.filter((verdict) => verdict === kind).length).toBeGreaterThanOrEqual(2);
  });

  test.each(ITEMS)("$id: none is misread", (item) => {
    for (const { row, node, verdict, reply } of replies)
      if (row === item.id) expect([TRUTHS[verdict], null], reply).toContain(verdictOf(item, reply, node));
  });

  test("most of those that are right or wrong are read", () => {
    const stated = replies.filter(({ verdict }) => verdict !== "unread");
    const items = new Map(ITEMS.map((item) => [item.id, item]));
    const unread = stated.filter(
      ({ row, node, reply }) => verdictOf(items.get(row) as Item, reply, node) === null,
    );
    expect(unread.length / stated.length).toBeLessThan(0.2);
  });
});
