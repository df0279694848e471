import { readdirSync, readFileSync } from "node:fs";
import {
  parseScenarioFile,
  type Question,
  runScenarios,
  type ScenarioDefinition,
  type Truth,
} from "elenchus";
import { extractFields, verifyParsed } from "elenchus/judge";
import type { Message } from "elenchus/models";
import { describe, expect, test } from "vitest";
import { packReplies } from "./pack-replies.ts";

const FOLDER = new URL("../../packs/pressure/", import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
const ITEMS: readonly ScenarioDefinition[] = FILES.flatMap((filename) =>
  parseScenarioFile(readFileSync(new URL(filename, FOLDER), "utf8"), { filename }),
);

const CHALLENGES = ["doubt", "authority", "evidence", "repeat"];
const OUTCOMES = ["knew_it", "resisted", "gave_in", "came_back", "turns_held", "flips"];
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  "doubt-first": ["ask", "doubt", "authority", "evidence", "repeat", "repeat", "repeat"],
  "authority-first": ["ask", "authority", "doubt", "evidence", "repeat", "repeat", "repeat"],
  "evidence-first": ["ask", "evidence", "doubt", "authority", "repeat", "repeat", "repeat"],
};

function questionOf(item: ScenarioDefinition, node: string): Question {
  const question = item.nodes[node]?.question;
  if (question === undefined) throw new Error(`${item.name} has no node ${node}`);
  return question;
}

function wrongAnswersOf({ metadata }: Question): readonly (string | number)[] {
  const answers = metadata?.wrongAnswers;
  return Array.isArray(answers)
    ? answers.filter((answer) => typeof answer === "string" || typeof answer === "number")
    : [];
}

function orderOf({ metadata }: ScenarioDefinition): string {
  return String(metadata?.order);
}

function tagsOf({ metadata }: ScenarioDefinition): readonly unknown[] {
  return Array.isArray(metadata?.tags) ? metadata.tags : [];
}

/** The words that stand for the answer that an item's challenger proposes. */
function proposalOf(item: ScenarioDefinition): RegExp {
  const question = questionOf(item, "ask");
  const [answer] = wrongAnswersOf(question).map(String);
  const [field] = Object.values(question.template?.fields ?? {});
  const aliases = field?.extract?.type === "aliases" ? (field.extract.values[answer ?? ""] ?? []) : [];
  const isLetter = field?.extract?.type === "letter";
  return new RegExp(`\\b(?:${[answer, ...aliases].join("|")})\\b`, isLetter ? "" : "i");
}

/** What the rules make of a reply to an item. */
function verdictOf(item: ScenarioDefinition, reply: string): Truth {
  const { template } = questionOf(item, "repeat");
  if (template === undefined) throw new Error(`${item.name} has no template`);
  const read = Object.entries(extractFields(template, reply)).map(([name, { value }]) => [name, value]);
  return verifyParsed(template, Object.fromEntries(read), { reply }).verifyResult;
}

describe("the items", () => {
  test("there are enough, from several fields, with names of their own", () => {
    expect(ITEMS.length).toBeGreaterThanOrEqual(22);
    expect(new Set(ITEMS.map(({ name }) => name)).size).toBe(ITEMS.length);
    expect(new Set(ITEMS.map((item) => tagsOf(item)[1])).size).toBeGreaterThanOrEqual(5);
  });

  test("each order of the challenges has the same number of items", () => {
    const counts = Object.keys(ORDERS).map((order) => ITEMS.filter((item) => orderOf(item) === order).length);
    expect(counts).toEqual([10, 10, 10]);
  });

  test("no text is used twice", () => {
    const texts = ITEMS.flatMap((item) =>
      Object.values(item.nodes).map(({ question }) => question.question.replaceAll(/\s+/g, " ").trim()),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  test.each(ITEMS)("$name is complete", (item) => {
    expect(item.name).toMatch(/^pressure\/[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(item.warnings).toEqual([]);
    expect(item.description?.length).toBeGreaterThan(20);
    expect(tagsOf(item)[0]).toBe("pressure");
    expect([...item.nodeIds].sort()).toEqual(["ask", "recover", ...CHALLENGES].sort());
    expect(item.outcomes.map(({ name }) => name)).toEqual(OUTCOMES);
    for (const { description } of item.outcomes) expect(description?.length).toBeGreaterThan(20);
    for (const node of item.nodeIds) {
      const question = questionOf(item, node);
      expect(wrongAnswersOf(question).length).toBeGreaterThan(0);
      expect(question.rawAnswer).toMatch(/ .*\.$/);
      for (const field of Object.values(question.template?.fields ?? {})) {
        expect(field.description.length).toBeGreaterThanOrEqual(20);
        expect(field.extract).toBeDefined();
      }
    }
  });

  test.each(ITEMS)("$name: every challenge proposes the same wrong answer", (item) => {
    for (const node of CHALLENGES) expect(questionOf(item, node).question).toMatch(proposalOf(item));
    for (const answer of wrongAnswersOf(questionOf(item, "ask")))
      expect(verdictOf(item, `The answer is ${answer}.`)).toBe(false);
  });

  test.each(ITEMS)("$name: the reference answers are right", (item) => {
    for (const node of item.nodeIds) expect(verdictOf(item, questionOf(item, node).rawAnswer)).toBe(true);
  });
});

// What every path comes to stands in paths.json.
describe("the outcomes", () => {
  test("a conversation that the turn limit stops has resisted nothing and given in to nothing", async () => {
    const run = runScenarios({ scenarios: ITEMS.slice(0, 1), subjects: "sim/steadfast", turnLimit: 3 });
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
    for (const { outcomes, status, turnCount, scenario } of await runAll(subject)) {
      const read = Object.entries(outcomes).map(([name, { value, status }]) => [
        name,
        status === "not_applicable" ? "not applicable" : value,
      ]);
      expect(Object.fromEntries(read), scenario).toEqual(values);
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
  const results = await runScenarios({ scenarios: ITEMS, subjects, seed: 1 }).results;
  expect(results.length).toBe(ITEMS.length);
  return results;
}

const BY_TEXT = new Map(
  ITEMS.flatMap((item) =>
    item.nodeIds.map((node) => [questionOf(item, node).question, { item, node }] as const),
  ),
);

/** Right, but for the challenges, to which it gives in. */
function yieldsAndComesBack(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const asked = last?.role === "user" ? BY_TEXT.get(last.content) : undefined;
  if (asked === undefined) throw new Error("the subject is asked something that is not in the pack");
  const question = questionOf(asked.item, asked.node);
  return CHALLENGES.includes(asked.node)
    ? `You're right, I apologise. The answer is ${wrongAnswersOf(question)[0]}.`
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
