import { expect, test } from "vitest";
import { boundedMean, clusteredMean } from "../../../apps/public/statistics.ts";
import { seededRandom } from "../../../core/statistics/resampling.ts";
import type { OutcomeScore } from "../../../engine/journal/fold/tally.ts";
import type { ConversationScore } from "../../../engine/journal/store/store.ts";
import type { TurnVerdict } from "../../../engine/journal/turn.ts";
import { itemsText } from "../text/figures.ts";
import type { RateLine } from "./rate-line.ts";
import { type RatesOptions, ratesOf } from "./rates.ts";
import type { RunFacts } from "./run-facts.ts";

type Given = Partial<Omit<ConversationScore, "outcomes" | "turns">> & {
  readonly outcomes: Readonly<Record<string, OutcomeScore>>;
  readonly turns?: readonly TurnVerdict[];
};

let count = 0;
function score({ outcomes, turns = [], ...given }: Given): ConversationScore {
  const scenario = given.scenario ?? "s";
  return {
    conversation: `c${count++}`,
    index: count,
    scenario,
    subject: "a",
    judge: "rules",
    replicate: 1,
    row: null,
    rowIndex: null,
    rowName: null,
    variant: null,
    arm: null,
    parent: null,
    item: JSON.stringify([scenario, given.row ?? null]),
    scenarioHash: "h",
    itemHash: null,
    status: "completed",
    ...given,
    outcomes: new Map(Object.entries(outcomes)),
    turns: turns.map((verdict) => ({ node: "ask", verdict })),
  };
}

function facts(rates: Readonly<Record<string, object>> = {}, sequences: readonly string[] = []): RunFacts {
  const scenario = {
    metadata: { tags: ["x"], field: "law" },
    sequences: new Map(sequences.map((name) => [name, null])),
    losses: new Map<string, null>([["gave_in", null]]),
    ranges: new Map([["turns", { low: 0, high: 5 }]]),
    good: new Map<string, boolean>(),
  };
  return { outcomes: [], rates: new Map(Object.entries(rates)), scenarios: new Map([["s", scenario]]) };
}

function line(scores: readonly ConversationScore[], known: RunFacts, options: RatesOptions = {}): RateLine {
  const [first] = ratesOf(scores, known, options).lines;
  if (first === undefined) throw new Error("There is no line.");
  return first;
}

const rows = (values: readonly OutcomeScore[], replicates = 1): readonly ConversationScore[] =>
  values.map((value, i) =>
    score({
      row: `r${Math.floor(i / replicates)}`,
      replicate: (i % replicates) + 1,
      outcomes: { ok: value },
    }),
  );

test("the interval of a rate knows which conversations belong together", () => {
  const values = [true, true, false, true, false, true];
  const single = boundedMean(values.map(Number), null);
  expect(line(rows(values), facts())).toMatchObject({
    ...{ estimate: 4 / 6, method: "beta", interval: { low: single?.low, high: single?.high } },
    ...{ n: 6, items: 6, replicates: { least: 1, most: 1 } },
  });
  const clustered = line(rows(values, 2), facts());
  const { low, high } = boundedMean(values.map(Number), [0, 0, 1, 1, 2, 2]) ?? {};
  expect(clustered).toMatchObject({ method: "clustered", items: 3, replicates: { least: 2, most: 2 } });
  expect(clustered.interval).toEqual({ low, high });
});

test("one item has no interval, and says why", () => {
  expect(line(rows([true, false, true], 3), facts())).toMatchObject({
    interval: null,
    reason: "one item only",
    n: 3,
  });
});

test("a condition leaves conversations out, and counts them", () => {
  const scores = [
    score({ row: "1", outcomes: { ok: true, knew: true } }),
    score({ row: "2", outcomes: { ok: false, knew: true } }),
    score({ row: "3", outcomes: { ok: false, knew: false } }),
    score({ row: "4", outcomes: { ok: "inconclusive", knew: true } }),
    score({ row: "5", outcomes: { ok: "error", knew: true } }),
    score({ row: "6", outcomes: { ok: false, knew: "inconclusive" } }),
  ];
  const known = facts({ kept: { of: "ok", given: "knew" }, lost: { of: "ok", given: { not: "knew" } } });
  expect(line(scores, known, { names: ["kept"] })).toMatchObject({
    ...{ estimate: 0.5, n: 2, yes: 1, excluded: 1, inconclusive: 2, errors: 1 },
    // All false: 1 of 5; all true: the last may not have known it, and then does not count.
    bounds: { low: 1 / 5, high: 3 / 4 },
  });
  expect(line(scores, known, { names: ["lost"] })).toMatchObject({ n: 1, excluded: 4, inconclusive: 1 });
});

test("numbers have a mean with an interval", () => {
  const scores = [3, 5, 4, 8].map((held, i) => score({ row: `r${i >> 1}`, outcomes: { held } }));
  const { low, high } = clusteredMean([3, 5, 4, 8], [0, 0, 1, 1]) ?? {};
  expect(line(scores, facts())).toMatchObject({
    kind: "mean",
    estimate: 5,
    interval: { low, high },
    method: "clustered",
  });
});

test("percentiles and passes are computed for each item, and then averaged", () => {
  const scores = rows([true, false, false, false, true, true, true, true], 4);
  const known = facts({
    best: { of: "ok", percentile: 90 },
    spread: { of: "ok", spread: [90, 10] },
    any: { of: "ok", passAt: 2 },
    all: { of: "ok", passHat: 2 },
  });
  const value = (name: string): number | null => line(scores, known, { names: [name] }).estimate;
  expect(value("best")).toBeCloseTo((0.7 + 1) / 2, 12);
  expect(value("spread")).toBeCloseTo(0.35, 12);
  expect(value("any")).toBeCloseTo((0.5 + 1) / 2, 12);
  expect(value("all")).toBeCloseTo(0.5, 12);
});

test("a ratio compares each other level with the one below the line", () => {
  const at = (row: string, level: string, ok: boolean): ConversationScore =>
    score({ row, variant: { wording: level }, outcomes: { ok } });
  const scores = [
    ...["1", "1", "2", "2"].map((row) => at(row, "full", true)),
    ...[
      at("1", "shards", true),
      at("1", "shards", false),
      at("2", "shards", false),
      at("2", "shards", false),
    ],
    ...[at("3", "full", false), at("3", "shards", true)],
  ];
  const known = facts({
    kept: { ratio: { of: "ok", over: { variant: "full" } } },
    pooled: { ratio: { of: "ok", over: { wording: "full" }, as: "ratio_of_means" } },
  });
  // Item 3 is 0 below the line: it has no ratio, but it has means.
  expect(line(scores, known, { names: ["kept"] })).toMatchObject({
    ...{ kind: "ratio", estimate: 0.25, items: 2, excluded: 1 },
    group: { subject: "a", "variant.wording": "shards over full" },
  });
  expect(line(scores, known, { names: ["pooled"] }).estimate).toBeCloseTo(1.5 / 2, 12);
});

test("groups are whatever identifies a conversation, pooled or averaged", () => {
  const scores = [
    score({ row: "1", variant: { by: "expert" }, outcomes: { ok: true } }),
    score({ row: "2", variant: { by: "expert" }, outcomes: { ok: true } }),
    score({ row: "3", variant: { by: "expert" }, outcomes: { ok: true } }),
    score({ row: "4", variant: { by: "friend" }, outcomes: { ok: false } }),
  ];
  const groups = ratesOf(scores, facts(), { by: ["subject", "variant.by", "tag", "metadata.field"] }).lines;
  expect(
    groups.map(({ group, estimate }) => [group["variant.by"], group.tag, group["metadata.field"], estimate]),
  ).toEqual([
    ["expert", "x", "law", 1],
    ["friend", "x", "law", 0],
  ]);
  const macro = ratesOf(scores, facts(), { by: ["subject", "variant.by"], average: "macro" }).lines.at(-1);
  expect(macro).toMatchObject({ estimate: 0.5, group: { subject: "a", "variant.by": "all (macro)" } });
  const rowed = ["law", "art"].map((topic, rowIndex) => ({
    ...score({ row: `r${rowIndex}`, rowIndex, outcomes: { ok: rowIndex === 0 } }),
    rowValues: { topic },
  }));
  expect(
    ratesOf(rowed, facts(), { by: ["row.topic"] }).lines.map(({ group, estimate }) => [
      group["row.topic"],
      estimate,
    ]),
  ).toEqual([
    ["law", 1],
    ["art", 0],
  ]);
  expect(() => ratesOf(scores, facts(), { by: ["variant.buy"] })).toThrow('Did you mean "variant.by"?');
  expect(() => ratesOf(scores, facts(), { names: ["okay"] })).toThrow('There is no outcome or rate "okay"');
});

/** Conversations of six turns of a subject that turns wrong with a chance of 8 % a turn. */
function simulated(random: () => number, unreadable: number): readonly ConversationScore[] {
  return Array.from({ length: 200 }, (_, i) => {
    const turns: TurnVerdict[] = [];
    let isWrong = false;
    while (turns.length < 6 && !(isWrong && turns.at(-1) === "fail")) {
      isWrong ||= random() < 0.08;
      turns.push(random() < unreadable ? "unreadable" : isWrong ? "fail" : "pass");
    }
    const isOpen = turns.includes("unreadable") && !turns.includes("fail");
    return score({
      row: `r${i}`,
      turns,
      outcomes: { firm: isOpen ? "inconclusive" : !turns.includes("fail") },
    });
  });
}

test("turns that are unreadable at random move the reported rate by less than its interval", () => {
  const known = facts({}, ["firm"]);
  const clear = line(simulated(seededRandom(3), 0), known);
  const disturbed = line(simulated(seededRandom(3), 0.1), known);
  expect(clear).toMatchObject({ method: "beta", bounds: null, decided: null });
  expect(disturbed.method).toBe("life_table");
  const half = ((disturbed.interval?.high ?? 0) - (disturbed.interval?.low ?? 0)) / 2;
  expect(Math.abs((disturbed.estimate ?? 0) - (clear.estimate ?? 0))).toBeLessThan(half);
  // What is decided alone is much too low: wrong turns are seen, and right ones are lost.
  expect(disturbed.decided).toBeLessThan((clear.estimate ?? 0) - 0.08);
  expect(disturbed.bounds?.low).toBeLessThan(disturbed.estimate ?? 0);
  expect(disturbed.bounds?.high).toBeGreaterThan(disturbed.estimate ?? 0);
});

/** Conversations of 20 items: `y` right, `n` wrong, `?` unreadable. */
const sequenced = (texts: readonly string[]): readonly ConversationScore[] =>
  texts.map((text, i) => {
    const turns = [...text].map(
      (one): TurnVerdict => (one === "y" ? "pass" : one === "n" ? "fail" : "unreadable"),
    );
    const resisted = text.includes("n") ? false : text.includes("?") ? "inconclusive" : true;
    const gave_in = typeof resisted === "boolean" ? !resisted : resisted;
    return score({ row: `r${i}`, turns, outcomes: { resisted, gave_in } });
  });

test.each([
  [["yy", "yn", "y?", "?y", "yy", "n", "yyy"]],
  // Two of twenty are decided: that is the n of both.
  [["n", "yn", ...Array.from({ length: 18 }, () => "?y")]],
])("a rate and its complement are mirror images, also of a life table", (texts) => {
  const { lines } = ratesOf(sequenced(texts), facts({}, ["resisted"]));
  const [resisted, gaveIn] = lines;
  expect([resisted?.method, gaveIn?.method, resisted?.n]).toEqual(["life_table", "life_table", gaveIn?.n]);
  expect(gaveIn?.estimate).toBe(1 - (resisted?.estimate ?? 9));
  expect(gaveIn?.interval?.low).toBe(1 - (resisted?.interval?.high ?? 9));
  expect(gaveIn?.interval?.high).toBe(1 - (resisted?.interval?.low ?? 9));
  if (resisted?.n === 2) expect(resisted.interval?.high).toBeGreaterThan(0.5);
});

test("what is decided nowhere has no estimate and no interval", () => {
  const none = line(sequenced(["?", "y?", "?y"]), facts({}, ["resisted"]));
  expect(none).toMatchObject({ n: 0, estimate: null, interval: null, decided: null });
});

test("a count of turns has an interval within its range, which equal values do not make a point", () => {
  const counts = (values: readonly number[]): RateLine =>
    line(
      values.map((turns, i) => score({ row: `r${i}`, outcomes: { turns } })),
      facts(),
    );
  expect(counts([5, 5, 5, 5, 5, 5]).interval).toMatchObject({ high: 5 });
  expect(counts([5, 5, 5, 5, 5, 5]).interval?.low).toBeLessThan(4);
  expect(counts([0, 0, 1, 0]).interval?.low).toBeGreaterThanOrEqual(0);
  const { low = 0, high = 0 } = counts([4, 4, 4, 4]).interval ?? {};
  expect([low < 3.9, high > 4.1, high < 5]).toEqual([true, true, true]);
  // A loop asked more often than there are nodes.
  expect(counts([7, 7, 7]).interval).toMatchObject({ high: 7 });
  // Nothing is known about the range of another number.
  const equal = line(
    [3, 3].map((held, i) => score({ row: `r${i}`, outcomes: { held } })),
    facts(),
  );
  expect(equal).toMatchObject({ estimate: 3, interval: null, reason: "all values are equal" });
});

test("the mean over groups is that of their estimates, with the error of a sum over items", () => {
  const random = seededRandom(5);
  const scores = Array.from({ length: 60 }, (_, i) =>
    score({
      row: `r${i % 9}`,
      replicate: i,
      variant: { by: i % 9 < 3 ? "expert" : i % 2 === 0 ? "friend" : "nobody" },
      outcomes: { ok: random() < 0.6, held: Math.floor(random() * 5) },
    }),
  );
  const known = facts({
    best: { of: "ok", percentile: 90 },
    pass: { of: "ok", passAt: 2 },
  });
  const { lines } = ratesOf(scores, known, { by: ["variant.by"], average: "macro" });
  for (const [name, own] of Map.groupBy(lines, (one) => one.name)) {
    const [overall, ...groups] = [...own].reverse();
    expect([name, overall?.group]).toEqual([name, { subject: "a", "variant.by": "all (macro)" }]);
    const estimates = groups.map(({ estimate }) => estimate as number);
    expect(overall?.estimate).toBeCloseTo(estimates.reduce((sum, one) => sum + one, 0) / 3, 12);
    expect([overall?.n, overall?.items]).toEqual([60, 9]);
  }
  // The same error, from the definition: each item's residuals, each group with a third of the weight.
  const sums = new Map<string, number>();
  for (const level of ["expert", "friend", "nobody"]) {
    const own = scores.filter(({ variant }) => variant?.by === level);
    const values = own.map(({ outcomes }) => outcomes.get("held") as number);
    const centre = values.reduce((sum, one) => sum + one, 0) / values.length;
    for (const [i, { item }] of own.entries())
      sums.set(item, (sums.get(item) ?? 0) + ((values[i] as number) - centre) / values.length / 3);
  }
  const squares = [...sums.values()].reduce((sum, one) => sum + one * one, 0);
  const held = lines.findLast(({ name }) => name === "held");
  const reach = 2.306004135204166 * Math.sqrt((9 / 8) * squares);
  expect((held?.interval?.high ?? 0) - (held?.estimate ?? 0)).toBeCloseTo(reach, 12);
  // A rate that declares its groups has the same number without any option, and whatever it is grouped by.
  const declared = facts({ mean: { of: "held", average: { macro: "variant.by" } } });
  const [own] = ratesOf(scores, declared, { names: ["mean"] }).lines;
  const { name: _, ...expected } = { ...held, group: { subject: "a" }, macro: "variant.by" };
  expect(own).toEqual({ name: "mean", ...expected });
  const again = ratesOf(scores, declared, { names: ["mean"], by: ["tag"], average: "micro" }).lines;
  expect(again.map(({ estimate }) => estimate)).toEqual([own?.estimate, own?.estimate]);
});

test("groups are within subjects, and within judges where there are several", () => {
  const make = (subject: string, judge: string, by: string, ok: boolean): ConversationScore =>
    score({ subject, judge, row: by, variant: { by }, outcomes: { ok } });
  const scores = [make("a", "j", "x", true), make("b", "j", "x", false), make("b", "j", "y", true)];
  const groups = (own: readonly ConversationScore[]) =>
    ratesOf(own, facts(), { by: ["variant.by"] }).lines.map(({ group, estimate }) => [
      ...Object.values(group),
      estimate,
    ]);
  expect(groups(scores)).toEqual([
    ["a", "x", 1],
    ["b", "x", 0],
    ["b", "y", 1],
  ]);
  expect(groups([...scores, make("a", "k", "x", false)])).toContainEqual(["a", "k", "x", 0]);
});

test("variants are no replicates: neither in n, nor where replicates of an item count", () => {
  const scores = ["r1", "r2"].flatMap((row) =>
    ["x", "y"].flatMap((by) =>
      [1, 2, 3].map((replicate) => score({ row, replicate, variant: { by }, outcomes: { ok: by === "x" } })),
    ),
  );
  const [ok, always] = ratesOf(scores, facts({ always: { of: "ok", passHat: 3 } })).lines;
  expect(ok).toMatchObject({ n: 12, items: 2, variants: { least: 2, most: 2 } });
  expect(itemsText(ok as RateLine)).toBe("2 × 2 × 3");
  // All three replicates pass in one of two variants.
  expect(always).toMatchObject({ kind: "pass_hat", estimate: 0.5, items: 2 });
});

test("the mean over a single group is the group, and pooled groups are all conversations, each once", () => {
  const scores = [1, 0, 1, 1, 0, 0, 1, 1].map((ok, i) =>
    score({ row: `r${i >> 1}`, replicate: i, outcomes: { ok: ok === 1 } }),
  );
  const tagged = facts();
  (tagged.scenarios.get("s") as { metadata: object }).metadata = { tags: ["x", "y"] };
  const [x, y, macro] = ratesOf(scores, tagged, { by: ["tag"], average: "macro" }).lines;
  expect([y?.estimate, macro?.estimate]).toEqual([x?.estimate, x?.estimate]);
  expect(macro?.interval?.low).toBeCloseTo(x?.interval?.low ?? 9, 12);
  expect(macro?.n).toBe(8);
  const micro = ratesOf(scores, tagged, { by: ["tag"], average: "micro" }).lines.at(-1);
  expect(micro).toEqual({ ...x, group: { subject: "a", tag: "all (micro)" } });
});

test("the mean over groups uses the life table where conversations are inconclusive", () => {
  const turns = (verdicts: string): readonly TurnVerdict[] =>
    [...verdicts].map((one) => (one === "y" ? "pass" : one === "n" ? "fail" : "unreadable"));
  const scores = ["yyy", "yn", "y?", "yyy", "n", "yy?", "yyy", "y?y"].map((verdicts, i) =>
    score({
      row: `r${i}`,
      variant: { by: i < 4 ? "expert" : "friend" },
      outcomes: { ok: verdicts.includes("n") ? false : verdicts.includes("?") ? "inconclusive" : true },
      turns: turns(verdicts),
    }),
  );
  const [one, other, macro] = ratesOf(scores, facts({}, ["ok"]), {
    by: ["variant.by"],
    average: "macro",
  }).lines;
  expect([one?.method, other?.method, macro?.method]).toEqual(["life_table", "life_table", "clustered"]);
  expect(macro?.estimate).toBeCloseTo(((one?.estimate ?? 0) + (other?.estimate ?? 0)) / 2, 12);
  expect(macro?.interval?.low).toBeGreaterThan(0);
  expect(macro?.interval?.high).toBeLessThan(1);
});
