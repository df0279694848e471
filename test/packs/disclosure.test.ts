import { type Question, runScenarios, type Template } from "elenchus";
import { lintScenario } from "elenchus/analysis";
import { extractFields, verifyParsed } from "elenchus/judge";
import { describe, expect, it } from "vitest";
import { type PackItem, packItems, packScenarios } from "./pack-items.ts";
import { packReplies } from "./pack-replies.ts";

const SCENARIOS = await packScenarios("disclosure");
const ITEMS = await packItems("disclosure");
const OUTCOMES = ["solved_cleanly", "waited", "solved", "stuck", "jumped", "too_early", "still_waiting"];

function itemOf(slug: string): PackItem {
  const found = ITEMS.find(({ name }) => name === `disclosure/${slug}`);
  if (found === undefined) throw new Error(`there is no item ${slug}`);
  return found;
}

function questionOf({ name, definition }: PackItem, node: string): Question {
  const question = definition.nodes[node]?.question;
  if (question === undefined) throw new Error(`${name} has no node ${node}`);
  return question;
}

function templateOf(item: PackItem, node: string): Template {
  const { template } = questionOf(item, node);
  if (template === undefined) throw new Error(`${item.name} has no template at ${node}`);
  return template;
}

function truthOf(slug: string, node: string): unknown {
  return templateOf(itemOf(slug), node).fields.answer?.truth;
}

/** The trap: the first of the wrong answers. */
function trapOf({ row }: PackItem): string {
  return [(row.wrong as (string | string[])[])[0]].flat()[0] ?? "";
}

describe("the pack", () => {
  it("has at least 16 items of at least 5 fields, with names of their own", () => {
    expect(ITEMS.length).toBeGreaterThanOrEqual(16);
    expect(new Set(ITEMS.map(({ name }) => name)).size).toBe(ITEMS.length);
    expect(new Set(ITEMS.map(({ row }) => row.tags)).size).toBeGreaterThanOrEqual(5);
  });

  it("asks nothing twice in the same words", () => {
    const texts = ITEMS.flatMap(({ definition }) =>
      Object.values(definition.nodes).map(({ question }) => question.question),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  it.each(SCENARIOS)("$name shows four outcomes, the headline first", ({ nodeIds, outcomes, ...rest }) => {
    expect(rest.warnings).toEqual([]);
    expect(rest.metadata?.tags).toEqual(["disclosure"]);
    expect(rest.edges.filter(({ when }) => when !== undefined)).toEqual([]);
    expect(nodeIds.filter((id) => id !== "fact_4")).toEqual(["opening", "fact_2", "fact_3", "confirm"]);
    expect(outcomes.map(({ name }) => name)).toEqual(OUTCOMES);
    expect(outcomes.filter(({ shown }) => shown !== false)).toHaveLength(4);
    for (const { description } of outcomes) expect(description).toBeTruthy();
  });

  it.each(ITEMS)("$name is whole", async (item) => {
    expect(item.name).toMatch(/^disclosure\/[a-z]+(?:-[a-z]+)*$/);
    expect(item.row.tags).toMatch(/^[a-z]+$/);
    expect(await lintScenario(item.scenario, { rows: [item.row], rowCount: 1 })).toEqual([]);
    for (const node of item.definition.nodeIds) {
      const { answer, ...others } = templateOf(item, node).fields;
      expect(others).toEqual({});
      expect(answer?.extract).toBeDefined();
      expect(answer?.description.length).toBeGreaterThanOrEqual(20);
      const isEarly = node === "opening" || node === "fact_2";
      expect(answer?.truth).toBe(templateOf(item, isEarly ? "opening" : "confirm").fields.answer?.truth);
    }
    const truths = ["opening", "confirm"].map((node) => templateOf(item, node).fields.answer?.truth);
    expect(new Set([...truths, trapOf(item)]).size).toBe(3);
  });
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
    expect(Number(trapOf(itemOf(slug)))).toBeCloseTo(trap, 9);
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
    expect(thirdWorkingDay(["Saturday", "Sunday"])).toBe(trapOf(itemOf("parcel-and-holiday")));
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
    expect(questionOf(itemOf("transatlantic-call"), "opening").question).toContain("C) 11:00");
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
  const COLUMNS = ["waited", "jumped", "too_early", "solved", "solved_cleanly", "stuck", "still_waiting"];

  it.each<[subject: string, status: string, values: Values]>([
    ["sim/steadfast", "decided", [true, false, 0, true, true, false, false]],
    ["sim/stubborn", "decided", [false, true, 2, false, false, true, false]],
    ["sim/learner", "decided", [false, true, 1, true, false, false, false]],
    ["sim/learner?after=2", "decided", [false, true, 2, true, false, false, false]],
    ["sim/sycophant?after=1", "decided", [false, true, 1, false, false, true, false]],
    ["sim/silent", "inconclusive", [null, null, 0, null, null, null, null]],
  ])("%s: all outcomes %s", async (subjects, status, values) => {
    const results = await runScenarios({ scenarios: SCENARIOS, subjects, seed: 1 }).results;
    expect(results).toHaveLength(ITEMS.length);
    for (const { row, outcomes } of results) {
      expect(
        COLUMNS.map((name) => outcomes[name]?.value),
        row,
      ).toEqual(values);
      expect(new Set(COLUMNS.map((name) => outcomes[name]?.status)), row).toEqual(new Set([status]));
    }
  });

  it("a subject that never commits itself waits, and solves nothing", async () => {
    for (const item of ITEMS) {
      const word = String(templateOf(item, "opening").fields.answer?.truth);
      const { scenario, row } = item;
      const [result] = await runScenarios({
        scenarios: scenario,
        rows: [row],
        subjects: () => `Answer: ${word}`,
        seed: 1,
      }).results;
      expect(
        COLUMNS.map((name) => result?.outcomes[name]?.value),
        item.name,
      ).toEqual([true, false, 0, false, false, false, true]);
    }
  });
});

describe("replies as models write them", () => {
  const replies = packReplies("disclosure");

  it.each(ITEMS.map(({ name }) => name))("%s has all kinds of them", (name) => {
    for (const nodes of [
      ["opening", "fact_2"],
      ["fact_3", "fact_4", "confirm"],
    ]) {
      const own = replies.filter(({ scenario, node }) => scenario === name && nodes.includes(node));
      expect(new Set(own.map(({ verdict }) => verdict))).toEqual(new Set(["right", "wrong", "unread"]));
      expect(own.length).toBeGreaterThanOrEqual(4);
    }
  });

  it.each(ITEMS)("$name: none is misread", (item) => {
    for (const { scenario, node, verdict, reply } of replies) {
      if (scenario !== item.name) continue;
      const template = templateOf(item, node);
      const { answer } = extractFields(template, reply);
      const { verifyResult } = verifyParsed(template, { answer: answer?.value }, { reply });
      expect([{ right: true, wrong: false, unread: null }[verdict], null], reply).toContain(verifyResult);
    }
  });
});
