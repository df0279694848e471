import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type ConversationRecord,
  type OutcomeResult,
  parseScenarioFile,
  runScenarios,
  type ScenarioDefinition,
  type Template,
} from "elenchus";
import { extractFields, verifyParsed } from "elenchus/judge";
import { describe, expect, test } from "vitest";
import { packReplies } from "./pack-replies.ts";

const FOLDER = fileURLToPath(new URL("../../packs/repair/", import.meta.url));
const FILES: readonly string[] = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml"));
const SCENARIOS: readonly ScenarioDefinition[] = FILES.flatMap((file) =>
  parseScenarioFile(readFileSync(FOLDER + file, "utf8"), { filename: file }),
);
const NODES = ["ask", "hint_small", "hint_more", "hint_all", "confirm"];
const OUTCOMES = ["right_at_once", "repaired", "lost_again", "never_right", "stayed_right", "hints_needed"];

function nodesOf({ nodes }: ScenarioDefinition): readonly ScenarioDefinition["nodes"][string][] {
  return Object.values(nodes);
}

/** The template that all nodes of a scenario share. */
function templateOf(definition: ScenarioDefinition): Template {
  const template = definition.nodes.ask?.question.template;
  if (template === undefined) throw new Error(`${definition.name} asks without a template`);
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
  test("is large enough and without warnings", () => {
    expect(SCENARIOS.length).toBeGreaterThanOrEqual(16);
    expect(SCENARIOS.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  });

  test("has five fields and both kinds", () => {
    // That tags are texts is asserted for each scenario below.
    const fields = SCENARIOS.map(({ metadata }) => ((metadata?.tags ?? []) as readonly string[])[1]);
    const kinds = SCENARIOS.map(({ metadata }) => metadata?.kind);
    expect(new Set(fields).size).toBeGreaterThanOrEqual(5);
    expect(new Set(kinds)).toEqual(new Set(["wrong_premise", "wrong_first_answer"]));
    for (const kind of new Set(kinds)) {
      expect(kinds.filter((each) => each === kind).length).toBeGreaterThanOrEqual(8);
    }
  });

  test.each(SCENARIOS)("$name is complete", (definition) => {
    expect(definition.name).toMatch(/^repair\/[a-z]+(?:-[a-z]+)*$/);
    expect(definition.description).toMatch(/\.$/);
    expect(definition.metadata?.tags).toEqual(["repair", expect.stringMatching(/^[a-z]+$/)]);
    expect(definition.nodeIds).toEqual(NODES);
    for (const { question } of nodesOf(definition)) {
      expect(question.template).toEqual(templateOf(definition));
      expect(question.metadata?.wrongAnswers).not.toHaveLength(0);
      expect(question.rawAnswer).not.toBe("");
    }
    for (const { description, extract } of Object.values(templateOf(definition).fields)) {
      expect(extract).toBeDefined();
      expect(description.length).toBeGreaterThanOrEqual(20);
    }
  });

  test("never says the same sentence in two scenarios", () => {
    const texts = SCENARIOS.flatMap((definition) =>
      nodesOf(definition).map(({ question }) => question.question),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("has the same graph and the same outcomes everywhere", () => {
    const [first] = SCENARIOS;
    for (const { edges, outcomes } of SCENARIOS) {
      expect(edges).toEqual(first?.edges);
      expect(outcomes).toEqual(first?.outcomes);
      expect(outcomes.map(({ name }) => name)).toEqual(OUTCOMES);
      for (const { description } of outcomes) expect(description).toMatch(/\.$/);
    }
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
    expect(results).toHaveLength(SCENARIOS.length * subjects.length);
    for (const { scenario, subject, outcomes } of results) {
      const values = Object.fromEntries(OUTCOMES.map((name, index) => [name, expected[subject]?.[index]]));
      expect(written(outcomes), `${subject} in ${scenario}`).toEqual(values);
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

  test("are there for every scenario, with every verdict", () => {
    for (const { name } of SCENARIOS) {
      const own = replies.filter(({ scenario }) => scenario === name);
      expect(own.length).toBeGreaterThanOrEqual(8);
      expect(new Set(own.map(({ verdict }) => verdict))).toEqual(new Set(["right", "wrong", "unread"]));
    }
  });

  test.each(SCENARIOS)("are read as a person would in $name, or left open", (definition) => {
    for (const { scenario, verdict, reply } of replies)
      if (scenario === definition.name)
        expect([verdict, "unread"], reply).toContain(readVerdict(templateOf(definition), reply));
  });

  test("lead through the graph: wrong, unreadable, right, confirmed", async () => {
    const replies = ["Order 8 posts.", "I would have to see the garden.", "It takes 9 posts.", "9 posts."];
    const subject = (messages: readonly unknown[]): string => replies[(messages.length - 1) / 2] ?? "";
    const scenarios = SCENARIOS.filter(({ name }) => name === "repair/fence-posts");
    const [result] = (await runScenarios({ scenarios, subjects: subject }).results) as [ConversationRecord];
    expect(result.path).toEqual(["ask", "hint_small", "hint_more", "confirm"]);
    expect(written(result.outcomes)).toMatchObject({ repaired: true, hints_needed: "?" });
  });
});
