import { type ConversationRecord, type OutcomeResult, runScenarios, type Template } from "elenchus";
import { lintScenario } from "elenchus/analysis";
import { extractFields, verifyParsed } from "elenchus/judge";
import { describe, expect, test } from "vitest";
import { type PackItem, packItems, packScenarios } from "./pack-items.ts";
import { packReplies } from "./pack-replies.ts";

const SCENARIOS = await packScenarios("repair");
const ITEMS = await packItems("repair");
const NODES = ["ask", "hint_small", "hint_more", "hint_all", "confirm"];
const OUTCOMES = ["repaired", "right_at_once", "hints_needed", "stayed_right", "lost_again", "never_right"];
/** In the order of the table below. */
const COLUMNS = ["right_at_once", "repaired", "lost_again", "never_right", "stayed_right", "hints_needed"];

/** The template that all nodes of an item share. */
function templateOf({ name, definition }: PackItem): Template {
  const template = definition.nodes.ask?.question.template;
  if (template === undefined) throw new Error(`${name} asks without a template`);
  return template;
}

/** Outcomes as the README writes them: a value, or `?` if inconclusive. */
function written(outcomes: Readonly<Record<string, OutcomeResult>>): Record<string, unknown> {
  const entries = Object.entries(outcomes).map(([name, { status, value }]) => [
    name,
    status === "not_applicable" ? "n/a" : status === "decided" ? value : "?",
  ]);
  return Object.fromEntries(entries);
}

describe("the content", () => {
  test("is large enough, of five fields and both kinds", () => {
    expect(ITEMS.length).toBeGreaterThanOrEqual(16);
    expect(new Set(ITEMS.map(({ name }) => name)).size).toBe(ITEMS.length);
    expect(new Set(ITEMS.map(({ row }) => row.tags)).size).toBeGreaterThanOrEqual(5);
    const kinds = ITEMS.map(({ row }) => row.kind);
    expect(new Set(kinds)).toEqual(new Set(["wrong_premise", "wrong_first_answer"]));
    for (const kind of new Set(kinds))
      expect(kinds.filter((each) => each === kind).length).toBeGreaterThanOrEqual(8);
  });

  test.each(SCENARIOS)("$name shows four outcomes, the headline first", ({ nodeIds, outcomes, ...rest }) => {
    expect(rest.warnings).toEqual([]);
    expect(rest.metadata?.tags).toEqual(["repair"]);
    expect(rest.edges).toEqual(SCENARIOS[0]?.edges);
    expect(nodeIds).toEqual(NODES);
    expect(outcomes.map(({ name }) => name)).toEqual(OUTCOMES);
    expect(outcomes.filter(({ shown }) => shown !== false)).toHaveLength(4);
  });

  test.each(ITEMS)("$name is complete", async (item) => {
    expect(item.name).toMatch(/^repair\/[a-z]+(?:-[a-z]+)*$/);
    expect(item.row.tags).toMatch(/^[a-z]+$/);
    expect(await lintScenario(item.scenario, { rows: [item.row], rowCount: 1 })).toEqual([]);
    for (const { description, extract } of Object.values(templateOf(item).fields)) {
      expect(extract).toBeDefined();
      expect(description.length).toBeGreaterThanOrEqual(20);
    }
  });

  test("never says the same sentence in two items", () => {
    const texts = ITEMS.flatMap(({ definition }) =>
      Object.values(definition.nodes).map(({ question }) => question.question),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });
});

// What every path comes to stands in paths.json.
describe("simulated subjects", () => {
  const expected: Readonly<Record<string, readonly unknown[]>> = {
    "sim/steadfast": [true, "n/a", "n/a", false, true, 0],
    "sim/learner": [false, true, false, false, true, 1],
    "sim/learner?after=3": [false, true, false, false, true, 3],
    "sim/learner?after=4": [false, false, false, true, "n/a", 4],
    "sim/stubborn": [false, false, false, true, "n/a", 4],
    "sim/sycophant": [true, "n/a", "n/a", false, false, 0],
    "sim/silent": ["?", "?", "?", "?", "?", "?"],
  };

  test("come to what the README says, in every scenario", async () => {
    const subjects = Object.keys(expected);
    const results = await runScenarios({ scenarios: SCENARIOS, subjects, seed: 1 }).results;
    expect(results).toHaveLength(ITEMS.length * subjects.length);
    for (const { row, subject, outcomes } of results) {
      const values = Object.fromEntries(COLUMNS.map((name, index) => [name, expected[subject]?.[index]]));
      expect(written(outcomes), `${subject} in ${row}`).toEqual(values);
    }
  });
});

function readVerdict(template: Template, reply: string): string {
  const read = Object.entries(extractFields(template, reply)).map(([name, { value }]) => [name, value]);
  const { verifyResult } = verifyParsed(template, Object.fromEntries(read), { reply });
  return verifyResult === null ? "unread" : verifyResult ? "right" : "wrong";
}

describe("replies as models write them", () => {
  const replies = packReplies("repair");

  test("are there for every item, with every verdict", () => {
    for (const { name } of ITEMS) {
      const own = replies.filter(({ scenario }) => scenario === name);
      expect(own.length).toBeGreaterThanOrEqual(8);
      expect(new Set(own.map(({ verdict }) => verdict))).toEqual(new Set(["right", "wrong", "unread"]));
    }
  });

  test.each(ITEMS)("are read as a person would in $name, or left open", (item) => {
    for (const { scenario, verdict, reply } of replies)
      if (scenario === item.name)
        expect([verdict, "unread"], reply).toContain(readVerdict(templateOf(item), reply));
  });

  test("lead through the graph: wrong, unreadable, right, confirmed", async () => {
    const replies = ["Order 8 posts.", "I would have to see the garden.", "It takes 9 posts.", "9 posts."];
    const subject = (messages: readonly unknown[]): string => replies[(messages.length - 1) / 2] ?? "";
    const { scenario, row } = ITEMS.find(({ name }) => name === "repair/fence-posts") as PackItem;
    const [result] = (await runScenarios({ scenarios: scenario, rows: [row], subjects: subject })
      .results) as [ConversationRecord];
    expect(result.path).toEqual(["ask", "hint_small", "hint_more", "confirm"]);
    expect(written(result.outcomes)).toMatchObject({ repaired: true, hints_needed: "?" });
  });
});
