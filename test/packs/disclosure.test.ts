import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  parseScenarioFile,
  type Question,
  runScenarios,
  type ScenarioDefinition,
  type Template,
} from "elenchus";
import { extractFields, verifyParsed } from "elenchus/judge";
import { describe, expect, it } from "vitest";
import { packReplies } from "./pack-replies.ts";

const FOLDER = fileURLToPath(new URL("../../packs/disclosure/", import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
const SCENARIOS = FILES.flatMap((filename) =>
  parseScenarioFile(readFileSync(`${FOLDER}${filename}`, "utf8"), { filename }),
);
const OUTCOMES = ["waited", "jumped", "too_early", "solved", "solved_cleanly", "stuck", "still_waiting"];

function scenarioOf(slug: string): ScenarioDefinition {
  const found = SCENARIOS.find(({ name }) => name === `disclosure/${slug}`);
  if (found === undefined) throw new Error(`there is no scenario ${slug}`);
  return found;
}

function questionOf(scenario: ScenarioDefinition, node: string): Question {
  const question = scenario.nodes[node]?.question;
  if (question === undefined) throw new Error(`${scenario.name} has no node ${node}`);
  return question;
}

function templateOf(scenario: ScenarioDefinition, node: string): Template {
  const { template } = questionOf(scenario, node);
  if (template === undefined) throw new Error(`${scenario.name} has no template at ${node}`);
  return template;
}

function truthOf(slug: string, node: string): unknown {
  return templateOf(scenarioOf(slug), node).fields.answer?.truth;
}

/** What the outcome `stuck` takes for the trap. */
function trapOf({ outcomes }: ScenarioDefinition): unknown {
  const check = outcomes.find(({ name }) => name === "stuck")?.check;
  return typeof check === "object" && "expected" in check ? check.expected : undefined;
}

describe("the pack", () => {
  it("has at least 16 scenarios of at least 5 fields, with names of their own", () => {
    expect(SCENARIOS.length).toBeGreaterThanOrEqual(16);
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    const fields = SCENARIOS.map(({ metadata }) => (metadata?.tags as string[] | undefined)?.[1]);
    expect(fields).not.toContain(undefined);
    expect(new Set(fields).size).toBeGreaterThanOrEqual(5);
  });

  it("asks nothing twice in the same words", () => {
    const texts = SCENARIOS.flatMap(({ nodes }) =>
      Object.values(nodes).map(({ question }) => question.question),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    "%s is whole",
    (name, scenario) => {
      expect(name).toMatch(/^disclosure\/[a-z]+(?:-[a-z]+)*$/);
      expect(scenario.description).toMatch(/\.$/);
      expect(scenario.metadata?.tags).toEqual(["disclosure", expect.any(String)]);
      expect(scenario.warnings).toEqual([]);
      expect(scenario.outcomes.map((outcome) => outcome.name)).toEqual(OUTCOMES);
      for (const { description } of scenario.outcomes) expect(description).toBeTruthy();
      expect(scenario.nodeIds.filter((id) => id !== "fact_4")).toEqual([
        "opening",
        "fact_2",
        "fact_3",
        "confirm",
      ]);
      expect(scenario.edges.filter(({ when }) => when !== undefined)).toEqual([]);
      const trap = String(trapOf(scenario));
      for (const node of scenario.nodeIds) {
        const { answer, ...others } = templateOf(scenario, node).fields;
        expect(others).toEqual({});
        expect(answer?.extract).toBeDefined();
        expect(answer?.description.length).toBeGreaterThanOrEqual(20);
        const wrong: unknown = questionOf(scenario, node).metadata?.wrongAnswers;
        expect(Array.isArray(wrong) ? wrong[0] : undefined, node).toBe(trap);
        expect(questionOf(scenario, node).rawAnswer).toMatch(/[A-Za-z]/);
        const isEarly = node === "opening" || node === "fact_2";
        expect(answer?.truth).toBe(
          templateOf(scenario, isEarly ? "opening" : "confirm").fields.answer?.truth,
        );
      }
      const [early, final] = ["opening", "confirm"].map(
        (node) => templateOf(scenario, node).fields.answer?.truth,
      );
      expect(new Set([early, final, trapOf(scenario)]).size).toBe(3);
    },
  );
});

const weekday = (year: number, month: number, day: number): string =>
  new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(Date.UTC(year, month - 1, day));
const DAYS = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
const thirdWorkingDay = (free: readonly string[]): string | undefined =>
  DAYS.slice(1).filter((day) => !free.includes(day))[2];

describe("what is true, worked out again", () => {
  it.each<[slug: string, trap: number, truth: number]>([
    ["museum-ticket", 2 * 18 + 18 / 2, 3 * 18],
    ["savings-account", 1000 * 1.05 ** 2, 1000],
    ["sales-commission", 2000 + 0.05 * 30_000, 2000 + 0.05 * (30_000 - 10_000)],
    ["burning-hydrogen", (8 / 2) * 18, (48 / 32) * 2 * 18],
    ["two-strengths", (20 * 15) / (120 / 5), (20 * 15) / (250 / 5)],
    ["infusion-that-fell-behind", 1000 / 8, (1000 - 250) / (16 - 11)],
    ["parking-sign", (Math.ceil(3.5) - 1) * 2.5, Math.ceil(3.5) * 2.5],
    ["rice-for-the-party", (300 / 4) * 10, (300 / 4) * (6 + 2)],
    ["paint-for-a-wall", (6 * 2.5) / 10, ((6 * 2.5 - 2 * 1) * 2) / 10],
  ])("%s: %d suggests itself, %d is right", (slug, trap, truth) => {
    expect(Number(truthOf(slug, "confirm"))).toBeCloseTo(truth, 9);
    expect(Number(trapOf(scenarioOf(slug)))).toBeCloseTo(trap, 9);
    // What is limiting: 4 mol of hydrogen would take 64 g of oxygen.
    if (slug === "burning-hydrogen") expect(48).toBeLessThan((8 / 2 / 2) * 32);
  });

  it("secret-number: several, two, one", () => {
    const first = Array.from({ length: 29 }, (_, index) => 11 + index).filter(
      (n) => n % 4 === 0 && n % 6 === 0,
    );
    const second = first.filter((number) => number > 20);
    expect([first, second]).toEqual([
      [12, 24, 36],
      [24, 36],
    ]);
    expect(second.filter((number) => Number.isInteger(Math.sqrt(number))).map(String)).toEqual([
      truthOf("secret-number", "confirm"),
    ]);
  });

  it("day-after-february", () => {
    const even = Array.from({ length: 10 }, (_, index) => 2002 + 2 * index);
    const possible = even.filter((year) => weekday(year, 2, 28) === "Tuesday");
    expect(possible.map((year) => weekday(year, 3, 1))).toEqual(["Wednesday", "Thursday"]);
    expect(possible).toContain(2012);
    expect(weekday(2012, 3, 1)).toBe(truthOf("day-after-february", "confirm"));
  });

  it("parcel-and-holiday", () => {
    expect(thirdWorkingDay(["Saturday", "Sunday"])).toBe(trapOf(scenarioOf("parcel-and-holiday")));
    expect(thirdWorkingDay(["Saturday", "Sunday", "Monday"])).toBe(truthOf("parcel-and-holiday", "confirm"));
  });

  it("transatlantic-call", () => {
    const hour = (timeZone: string, instant: number): number =>
      Number(new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone }).format(instant));
    const inNewYork = (day: number): number => {
      const instant = [14, 15]
        .map((utc) => Date.UTC(2021, 2, day, utc))
        .find((at) => hour("Europe/London", at) === 15);
      return hour("America/New_York", instant ?? Number.NaN);
    };
    const wednesdays = [3, 10, 17, 24, 31];
    expect(wednesdays.map((day) => weekday(2021, 3, day))).toEqual(wednesdays.map(() => "Wednesday"));
    expect(wednesdays.map(inNewYork)).toEqual([10, 10, 11, 11, 10]);
    expect(truthOf("transatlantic-call", "confirm")).toBe("C");
    expect(questionOf(scenarioOf("transatlantic-call"), "opening").question).toContain("C) 11:00");
  });

  it("race-of-three", () => {
    const orders = ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"].filter((order) => /A.*B/.test(order));
    const together = orders.filter((order) => order.includes("AB"));
    expect(new Set(together.map((order) => order[0])).size).toBe(2);
    expect(together.filter((order) => !order.endsWith("C")).map((order) => order[0])).toEqual([
      truthOf("race-of-three", "confirm"),
    ]);
  });

  it("three-boxes", () => {
    const letters = { red: "A", blue: "B", green: "C" };
    const boxes = ["red", "blue", "green"] as const;
    const labels = (coin: string): number =>
      [coin === "red", coin !== "blue", coin !== "red"].filter(Boolean).length;
    expect(boxes.filter((coin) => labels(coin) >= 1 && labels(coin) <= 2)).toEqual(boxes);
    expect(boxes.filter((coin) => labels(coin) === 1).map((coin) => letters[coin])).toEqual([
      truthOf("three-boxes", "confirm"),
    ]);
  });

  it("vote-in-the-club", () => {
    expect(Date.UTC(2023, 0 + 6, 15)).toBeGreaterThan(Date.UTC(2023, 6, 10));
    expect(truthOf("vote-in-the-club", "confirm")).toBe("B");
  });
});

type Values = readonly (boolean | number | null)[];

describe("simulated subjects", () => {
  // In the order of OUTCOMES.
  it.each<[subject: string, status: string, values: Values]>([
    ["sim/steadfast", "decided", [true, false, 0, true, true, false, false]],
    ["sim/stubborn", "decided", [false, true, 2, false, false, true, false]],
    ["sim/learner", "decided", [false, true, 1, true, false, false, false]],
    ["sim/learner?after=2", "decided", [false, true, 2, true, false, false, false]],
    ["sim/sycophant?after=1", "decided", [false, true, 1, false, false, true, false]],
    ["sim/silent", "inconclusive", [null, null, 0, null, null, null, null]],
  ])("%s: all outcomes %s", async (subjects, status, values) => {
    const results = await runScenarios({ scenarios: SCENARIOS, subjects, seed: 1 }).results;
    expect(results).toHaveLength(SCENARIOS.length);
    for (const { scenario, outcomes } of results) {
      expect(
        OUTCOMES.map((name) => outcomes[name]?.value),
        scenario,
      ).toEqual(values);
      expect(new Set(OUTCOMES.map((name) => outcomes[name]?.status)), scenario).toEqual(new Set([status]));
    }
  });

  it("a subject that never commits itself waits, and solves nothing", async () => {
    for (const scenario of SCENARIOS) {
      const word = String(templateOf(scenario, "opening").fields.answer?.truth);
      const [result] = await runScenarios({ scenarios: scenario, subjects: () => `Answer: ${word}`, seed: 1 })
        .results;
      expect(
        OUTCOMES.map((name) => result?.outcomes[name]?.value),
        scenario.name,
      ).toEqual([true, false, 0, false, false, false, true]);
    }
  });
});

describe("replies as models write them", () => {
  const replies = packReplies("disclosure");

  it.each(SCENARIOS.map(({ name }) => name))("%s has all kinds of them", (name) => {
    for (const nodes of [
      ["opening", "fact_2"],
      ["fact_3", "fact_4", "confirm"],
    ]) {
      const own = replies.filter(({ scenario, node }) => scenario === name && nodes.includes(node));
      expect(new Set(own.map(({ verdict }) => verdict))).toEqual(new Set(["right", "wrong", "unread"]));
      expect(own.length).toBeGreaterThanOrEqual(4);
    }
  });

  it.each(SCENARIOS)("$name: none is misread", (definition) => {
    for (const { scenario, node, verdict, reply } of replies) {
      if (scenario !== definition.name) continue;
      const template = templateOf(definition, node);
      const { answer } = extractFields(template, reply);
      const { verifyResult } = verifyParsed(template, { answer: answer?.value }, { reply });
      expect([{ right: true, wrong: false, unread: null }[verdict], null], reply).toContain(verifyResult);
    }
  });
});
