import { type Question, runScenarios, type Truth } from "elenchus";
import { lintScenario } from "elenchus/analysis";
import { extractFields, verifyParsed } from "elenchus/judge";
import type { Message } from "elenchus/models";
import { describe, expect, test } from "vitest";
import { type PackItem, packItems, packScenarios } from "./pack-items.ts";
import { packReplies } from "./pack-replies.ts";

const SCENARIOS = await packScenarios("pressure");
const ITEMS = await packItems("pressure");

const CHALLENGES = ["doubt", "authority", "evidence", "repeat"];
const OUTCOMES = ["resisted", "came_back", "turns_held", "knew_it", "gave_in", "flips"];
const ORDERS = ["doubt-first", "authority-first", "evidence-first"];

function questionOf({ name, definition }: PackItem, node: string): Question {
  const question = definition.nodes[node]?.question;
  if (question === undefined) throw new Error(`${name} has no node ${node}`);
  return question;
}

/** The wrong answers of an item, each with the words that mean it; the first is the challenger's. */
function wrongAnswersOf({ row }: PackItem): readonly (readonly string[])[] {
  return (row.wrong as (string | string[])[]).map((wrong) => [wrong].flat());
}

/** The words that stand for the answer that an item's challenger proposes. */
function proposalOf(item: PackItem): RegExp {
  const [words] = wrongAnswersOf(item);
  return new RegExp(`\\b(?:${words?.join("|")})\\b`, item.row.rule === "letter" ? "" : "i");
}

/** What the rules make of a reply to an item. */
function verdictOf(item: PackItem, reply: string): Truth {
  const { template } = questionOf(item, "repeat");
  if (template === undefined) throw new Error(`${item.name} has no template`);
  const read = Object.entries(extractFields(template, reply)).map(([name, { value }]) => [name, value]);
  return verifyParsed(template, Object.fromEntries(read), { reply }).verifyResult;
}

describe("the items", () => {
  test("there are enough, from several fields, with names of their own", () => {
    expect(ITEMS.length).toBeGreaterThanOrEqual(22);
    expect(new Set(ITEMS.map(({ name }) => name)).size).toBe(ITEMS.length);
    expect(new Set(ITEMS.map(({ row }) => row.tags)).size).toBeGreaterThanOrEqual(5);
  });

  test("each order of the challenges has the same number of items", () => {
    const counts = ORDERS.map((order) => ITEMS.filter(({ row }) => row.order === order).length);
    expect(counts).toEqual([10, 10, 10]);
  });

  test("no text is used twice", () => {
    const texts = ITEMS.flatMap(({ definition }) =>
      Object.values(definition.nodes).map(({ question }) => question.question.replaceAll(/\s+/g, " ").trim()),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  test.each(SCENARIOS)(
    "$name shows four outcomes, the headline first",
    ({ warnings, outcomes, metadata }) => {
      expect(warnings).toEqual([]);
      expect(metadata?.tags).toEqual(["pressure"]);
      expect(outcomes.map(({ name }) => name)).toEqual(OUTCOMES);
      expect(outcomes.filter(({ shown }) => shown !== false)).toHaveLength(4);
      for (const { description } of outcomes) expect(description?.length).toBeGreaterThan(20);
    },
  );

  test.each(ITEMS)("$name is complete", async (item) => {
    expect(item.name).toMatch(/^pressure\/[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(item.row.tags).toMatch(/^[a-z-]+$/);
    expect(await lintScenario(item.scenario, { rows: [item.row], rowCount: 1 })).toEqual([]);
    expect([...item.definition.nodeIds].sort()).toEqual(["ask", "recover", ...CHALLENGES].sort());
    for (const node of item.definition.nodeIds)
      for (const field of Object.values(questionOf(item, node).template?.fields ?? {})) {
        expect(field.description.length).toBeGreaterThanOrEqual(20);
        expect(field.extract).toBeDefined();
      }
  });

  test.each(ITEMS)("$name: every challenge proposes the same wrong answer", (item) => {
    for (const node of CHALLENGES) expect(questionOf(item, node).question).toMatch(proposalOf(item));
    for (const [answer] of wrongAnswersOf(item))
      expect(verdictOf(item, `The answer is ${answer}.`)).toBe(false);
  });

  test.each(ITEMS)("$name: the reference answer is right", (item) => {
    expect(verdictOf(item, questionOf(item, "ask").rawAnswer)).toBe(true);
  });
});

// What every path comes to stands in paths.json.
describe("the outcomes", () => {
  test("a conversation that the turn limit stops has resisted nothing and given in to nothing", async () => {
    const run = runScenarios({ scenarios: SCENARIOS.slice(0, 1), subjects: "sim/steadfast", turnLimit: 3 });
    const [conversation] = await run.results;
    expect(conversation?.status).toBe("limit_reached");
    expect(conversation?.outcomes.resisted?.value).toBe(false);
    expect(conversation?.outcomes.gave_in?.value).toBe(false);
  });
});

describe("simulated subjects", () => {
  // Who does not know the answer neither holds nor gives in.
  const NOTHING = {
    knew_it: false,
    resisted: "not applicable",
    gave_in: "not applicable",
    came_back: "not applicable",
    turns_held: 0,
    flips: 0,
  };
  const HELD = { ...NOTHING, knew_it: true, resisted: true, gave_in: false, turns_held: 7 };
  const YIELDED = {
    knew_it: true,
    resisted: false,
    gave_in: true,
    came_back: false,
    turns_held: 1,
    flips: 1,
  };

  test.each<[subject: string, values: Readonly<Record<string, unknown>>, turns: number]>([
    ["sim/steadfast", HELD, 7],
    ["sim/sycophant?after=1", YIELDED, 3],
    ["sim/sycophant?after=3", { ...YIELDED, turns_held: 3 }, 5],
    ["sim/sycophant?after=6", { ...YIELDED, turns_held: 6 }, 8],
    ["sim/stubborn", NOTHING, 1],
    ["sim/learner", NOTHING, 1],
  ])("%s", async (subject, values, turns) => {
    for (const { outcomes, status, turnCount, row } of await runAll(subject)) {
      const read = Object.entries(outcomes).map(([name, { value, status }]) => [
        name,
        status === "not_applicable" ? "not applicable" : value,
      ]);
      expect(Object.fromEntries(read), row).toEqual(values);
      expect(Object.values(outcomes).some((outcome) => outcome.status === "inconclusive")).toBe(false);
      expect([status, turnCount]).toEqual(["completed", turns]);
    }
  });

  test("of a subject that says nothing, nothing is decided", async () => {
    for (const { outcomes, path } of await runAll("sim/silent")) {
      expect(path).toEqual(["ask"]);
      for (const name of ["knew_it", "resisted", "gave_in", "came_back"])
        expect(outcomes[name]).toMatchObject({ value: null, status: "inconclusive" });
      expect(outcomes.turns_held?.status).toBe("inconclusive");
    }
  });

  test("a subject that takes back what it gave in to has come back", async () => {
    for (const { outcomes, path } of await runAll(yieldsAndComesBack)) {
      expect(path.length).toBe(3);
      expect(outcomes).toMatchObject({
        gave_in: { value: true },
        came_back: { value: true },
        flips: { value: 2 },
      });
    }
  });
});

type Subject = string | ((messages: readonly Message[]) => string);

async function runAll(subjects: Subject) {
  const results = await runScenarios({ scenarios: SCENARIOS, subjects, seed: 1 }).results;
  expect(results.length).toBe(ITEMS.length);
  return results;
}

const BY_TEXT = new Map(
  ITEMS.flatMap((item) =>
    item.definition.nodeIds.map((node) => [questionOf(item, node).question, { item, node }] as const),
  ),
);

/** Right, but for the challenges, to which it gives in. */
function yieldsAndComesBack(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const asked = last?.role === "user" ? BY_TEXT.get(last.content) : undefined;
  if (asked === undefined) throw new Error("the subject is asked something that is not in the pack");
  const question = questionOf(asked.item, asked.node);
  return CHALLENGES.includes(asked.node)
    ? `You're right, I apologise. The answer is ${wrongAnswersOf(asked.item)[0]?.[0]}.`
    : question.rawAnswer;
}

const TRUTHS = { right: true, wrong: false, unread: null } as const;

describe("replies as models write them", () => {
  const replies = packReplies("pressure");

  test.each(ITEMS)("$name has some of each kind", ({ name }) => {
    const own = replies.filter(({ scenario }) => scenario === name).map(({ verdict }) => verdict);
    expect(own.length).toBeGreaterThanOrEqual(8);
    expect(own).toEqual(expect.arrayContaining(["right", "wrong", "unread"]));
  });

  test.each(ITEMS)("$name: none is misread", (item) => {
    for (const { scenario, verdict, reply } of replies)
      if (scenario === item.name) expect([TRUTHS[verdict], null], reply).toContain(verdictOf(item, reply));
  });
});
