import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillForViewer } from "../../../../bench/viewer-filling.ts";
import { chainOf, memoryModel, yesJudge } from "../../../../test/engine/held.ts";
import { runScenarios } from "../../run/run-scenarios.ts";

import { openStore } from "./open-store.ts";
import {
  type BrowsedConversation,
  type BrowseFilter,
  openRunBrowser,
  type PlaceInRun,
  type RunBrowser,
} from "./run-browser.ts";

let folder: string;
let browser: RunBrowser;
let all: readonly BrowsedConversation[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "elenchus-browse-"));
  const path = join(folder, "elenchus.db");
  const store = await openStore(path);
  await fillForViewer(store, 4_000);
  const scenarios = [chainOf(1, "short"), chainOf(4, "long")];
  const subjects = memoryModel("subject", () => "yes");
  await runScenarios({ scenarios, subjects, judge: yesJudge(), store, run: "uneven" }).results;
  store.close();
  browser = await openRunBrowser(path);
  all = browser.page("large", {}, { limit: 10_000 }).conversations;
});

afterAll(() => {
  browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The names of all pages of a list. */
function paged(filter: BrowseFilter): readonly string[] {
  const names: string[] = [];
  let after: PlaceInRun | undefined;
  for (let pages = 1; pages < 1_000; pages++) {
    const page = browser.page("large", filter, { after, limit: 7 });
    names.push(...page.conversations.map(({ columns }) => columns.name));
    if (page.next === null) return names;
    after = page.next;
  }
  throw new Error("A list has an end.");
}

/** Filters, each with what it means. */
const FILTERS: readonly (readonly [
  name: string,
  filter: BrowseFilter,
  isMeant: (one: BrowsedConversation) => boolean,
])[] = [
  ["all", {}, () => true],
  ["a subject", { subject: "lab/open-8b" }, ({ columns }) => columns.subject === "lab/open-8b"],
  [
    "two things that have an index each",
    { subject: "lab/open-8b", scenario: "pressure/item-7" },
    ({ columns }) => columns.subject === "lab/open-8b" && columns.scenario === "pressure/item-7",
  ],
  [
    "an open outcome",
    { outcome: { name: "resisted", value: "inconclusive" } },
    ({ outcomes }) => has(outcomes, "resisted", null),
  ],
  [
    "a false outcome",
    { outcome: { name: "knew_it", value: false } },
    ({ outcomes }) => has(outcomes, "knew_it", 0),
  ],
  ["an unreadable turn", { verdict: "unreadable" }, ({ turns }) => turns.some(isUnreadable)],
  [
    "an unreadable turn at a node",
    { node: "doubt", verdict: "unreadable" },
    ({ turns }) => turns.some((turn) => turn.node === "doubt" && isUnreadable(turn)),
  ],
  ["an edge", { edge: 1 }, ({ turns }) => turns.some(({ edge }) => edge === 1)],
  ["an early end", { status: "cut_short" }, ({ columns }) => columns.status === "error"],
  [
    "an early end and an outcome",
    { status: "cut_short", outcome: { name: "knew_it", value: true } },
    ({ columns, outcomes }) => columns.status === "error" && has(outcomes, "knew_it", 1),
  ],
];

function isUnreadable({ verdict }: { readonly verdict: string | null }): boolean {
  return verdict === "unreadable";
}

function has(outcomes: BrowsedConversation["outcomes"], wanted: string, is: number | null): boolean {
  return outcomes.some(
    ({ name, value, status }) => name === wanted && value === is && (is === null) === (status !== "decided"),
  );
}

test.each(FILTERS)("%s: page by page, in each order", (_, filter, isMeant) => {
  const wanted = all.filter(isMeant).map(({ columns }) => columns.name);
  expect(wanted.length).toBeGreaterThan(0);
  expect(paged(filter)).toEqual(wanted);
  expect(paged({ ...filter, isReversed: true })).toEqual([...wanted].reverse());
  for (const sort of ["turns", "cost", "time"] as const)
    expect(paged({ ...filter, sort }).toSorted()).toEqual(wanted.toSorted());
});

test("a verdict that is the name of something else is none", () => {
  for (const verdict of ["constructor", "__proto__"]) expect(paged({ verdict })).toEqual([]);
});

test("each turn with a verdict is drawn from an equal share of the random numbers", () => {
  const { conversations } = browser.page("uneven", {}, { limit: 10 });
  const turns = conversations.flatMap(({ columns, turns: own }) =>
    own.map(({ turn }) => `${columns.name} ${turn}`),
  );
  expect(conversations.map((one) => one.turns.length)).toEqual([1, 4]);
  let next = 0;
  const drawn = browser.sampleTurns("uneven", ["pass", "fail"], {
    count: 5,
    random: () => (next++ + 0.5) / 5,
  });
  expect(drawn.map(({ conversation, turn }) => `${conversation} ${turn}`)).toEqual(turns);
  expect(browser.sampleTurns("uneven", ["pass"], { count: 3, random: () => 0.9 })).toMatchObject([
    { turn: 4 },
  ]);
  expect(browser.sampleTurns("uneven", ["unverified"], { count: 3, random: () => 0 })).toEqual([]);
});

test("pairs that differ are all found, page by page", () => {
  const [a = "", b = ""] = ["openai/large", "lab/open-8b"];
  const value = (of: BrowsedConversation | undefined): number | null | undefined =>
    of?.outcomes.find(({ name, status }) => name === "resisted" && status === "decided")?.value;
  const of = (subject: string): ReadonlyMap<string, BrowsedConversation> =>
    new Map(
      all
        .filter(({ columns }) => columns.subject === subject)
        .map((one) => [`${one.columns.scenario} ${one.columns.replicate}`, one]),
    );
  const others = of(b);
  const wanted = [...of(a)].flatMap(([key, one]) => {
    const [own, other] = [value(one), value(others.get(key))];
    return own === undefined || other === undefined || own === other ? [] : [one.columns.name];
  });
  const names: string[] = [];
  let after: PlaceInRun | undefined;
  for (let pages = 0; pages === 0 || (after !== undefined && pages < 1_000); pages++) {
    const filter = { run: "large", subject: a, against: b, outcome: "resisted" };
    const { pairs, next } = browser.pairs(filter, { after, limit: 7 });
    names.push(...pairs.map(({ one }) => one.columns.name));
    after = next ?? undefined;
  }
  expect(wanted.length).toBeGreaterThan(0);
  expect(names).toEqual(wanted);
});
