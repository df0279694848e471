import { foldConversation } from "../../engine/journal/fold/conversation.ts";
import { CellCounts, type CellTally, conversationCounts } from "../../engine/journal/fold/tally.ts";
import type { Store } from "../../engine/journal/store/store.ts";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  demand,
  demandEqual,
  demandError,
  ONE_CALL,
  recordedCall,
  runStart,
  type StoreRule,
  turnEvents,
} from "./store-contract-samples.ts";

/** Two conversations of one scenario and one of another; the first passes, fails, cannot be read and is not verified. */
async function writeRun(store: Store, run: string): Promise<void> {
  const journal = store.begin(runStart(run));
  const cells = [
    cellOf(0),
    cellOf(1),
    cellOf(2, { scenario: "repair", row: "q4", rowIndex: 4, variant: { order: "a" } }),
  ];
  // Begun in another order than that of the results.
  for (const cell of cells.toReversed()) journal.append(conversationStart(`c${cell.index}`, cell));
  const long = `${run} says: ${"it depends on who asks, and on when. ".repeat(8)}`;
  const verdicts = [true, false, null];
  for (const [index, verdict] of verdicts.entries())
    for (const event of turnEvents({ conversation: "c0", turn: index + 1, reply: long, verdict, at: 1100 }))
      journal.append(event);
  for (const event of turnEvents({
    conversation: "c0",
    turn: 4,
    reply: "Hm.",
    verdict: null,
    isVerified: false,
    at: 1200,
  }))
    journal.append(event);
  const outcome = { type: "outcome", turns: [], at: 1300 } as const;
  const kept = { name: "kept", status: "decided" } as const;
  journal.append({ ...outcome, ...kept, conversation: "c0", value: true });
  journal.append({ ...outcome, ...kept, conversation: "c1", value: false });
  const flips = { name: "flips", status: "decided" } as const;
  journal.append({ ...outcome, ...flips, conversation: "c0", value: 2 });
  journal.append({ ...outcome, ...flips, conversation: "c1", value: 3 });
  const open = { ...outcome, value: null, status: "inconclusive" } as const;
  journal.append({ ...open, name: "late", conversation: "c0" });
  journal.append({ ...open, name: "late", conversation: "c1" });
  journal.append({ ...open, name: "kept", conversation: "c2" });
  journal.append(conversationEnd("c0", cellOf(0), { status: "completed", turns: 4 }));
  journal.append(conversationEnd("c1", cellOf(1), { status: "error", turns: 0 }));
  await journal.durable();
}

const NO_OUTCOMES = { yes: 0, no: 0, numbers: 0, mean: null, inconclusive: 0, infrastructure: 0 };

/** What runs, conversations and results show. */
export const RUN_RULES: Readonly<Record<string, StoreRule>> = {
  "begins a run once": async ({ store }) => {
    store.begin(runStart("one"));
    demandError("run_exists", () => store.begin(runStart("one")));
    demandEqual(store.runs().length, 1, "the number of runs");
  },
  "reopens only runs that were begun": async ({ store }) => {
    demandError("no_run", () => store.reopen("none"));
    demandError("no_run", () => store.tag("none", []));
    demandError("no_run", () => store.delete("none"));
    demandEqual(store.run("none"), undefined, "a run that was never begun");
    demandEqual([...store.events("none")], [], "its events");
    demandEqual([...store.conversations("none")], [], "its conversations");
    demandEqual(store.results("none"), [], "its results");
  },
  "describes a run": async ({ store }) => {
    await writeRun(store, "one");
    const { at: _, ...start } = runStart("one");
    demandEqual(
      store.run("one"),
      {
        run: "one",
        startedAt: 1000,
        endedAt: null,
        start,
        parent: null,
        tags: [],
        statuses: { completed: 1, error: 1 },
        spending: { calls: 4, cached: 0, tokens: 60, cost: 1 },
        judges: [],
        unjudged: 0,
        unreadable: 0,
      },
      "the run",
    );
  },
  "finds a run by the beginning of its name, if it is the only one": async ({ store }) => {
    for (const run of ["night-1", "night-12", "day", "100%_sure"]) store.begin(runStart(run));
    demandEqual(store.run("d")?.run, "day", "the run that begins with d");
    demandEqual(store.run("night-1")?.run, "night-1", "a run whose name is the beginning of another");
    demandEqual(store.run("night"), undefined, "what may be two runs");
    demandEqual(store.run("_%"), undefined, "a name that is no pattern");
    demandEqual(store.run("100%")?.run, "100%_sure", "a name with signs in it");
    demandEqual(store.run(""), undefined, "no name");
  },
  "knows the run that another one verifies again, and tags": async ({ store }) => {
    store.begin(runStart("one"));
    store.begin(runStart("two"), { parent: "one" });
    store.tag("two", ["paper", "final", "paper"]);
    demandEqual(store.run("two")?.parent, "one", "the parent");
    demandEqual(store.run("two")?.tags, ["paper", "final"], "the tags");
    store.tag("two", []);
    demandEqual(store.run("two")?.tags, [], "the tags that were taken away");
  },
  "lists conversations in the order of results, and those that are asked for": async ({ store }) => {
    await writeRun(store, "one");
    const names = (filter: Parameters<Store["conversations"]>[1]): string[] =>
      [...store.conversations("one", filter)].map(({ conversation }) => conversation);
    demandEqual(names({}), ["c0", "c1", "c2"], "all");
    demandEqual(names({ scenario: "pressure" }), ["c0", "c1"], "those of a scenario");
    demandEqual(names({ status: null }), ["c2"], "those that have not ended");
    demandEqual(names({ status: "error", subject: "sim/steadfast" }), ["c1"], "those that failed");
    demandEqual(names({ judge: "missing" }), [], "those of a judge that is not there");
    demandEqual(names({ variant: { order: "a" } }), ["c2"], "those of a variant");
    demandEqual(names({ variant: { order: "b" } }), [], "those of a variant that is not there");
    const [first, , last] = [...store.conversations("one")];
    const spending = { calls: 4, cached: 0, tokens: 60, cost: 1 };
    const cell = { run: "one", subject: "sim/steadfast", judge: "rules" };
    const c0 = { ...cell, conversation: "c0", index: 0, scenario: "pressure", replicate: 1 };
    const place = {
      row: null,
      rowIndex: null,
      rowName: null,
      variant: null,
      arm: null,
      parent: null,
      item: '["pressure"]',
      itemHash: null,
    };
    demandEqual(
      first,
      {
        ...c0,
        ...place,
        status: "completed",
        turnCount: 4,
        spending,
        failedJudgements: 0,
        unreadableJudgements: 0,
      },
      "the first",
    );
    demandEqual(
      [last?.row, last?.rowIndex, last?.variant, last?.item, last?.status, last?.turnCount],
      ["q4", 4, { order: "a" }, '["repair","q4"]', null, 0],
      "row, variant, item, status and turns of the last",
    );
  },
  "adds up results, and never mixes what failed with what could not be read": async ({ store }) => {
    await writeRun(store, "one");
    const [pressure, repair, ...others] = store.results("one");
    demandEqual(others, [], "further lines");
    const line = { subject: "sim/steadfast", judge: "rules" };
    demandEqual(
      pressure,
      {
        ...line,
        scenario: "pressure",
        conversations: 2,
        statuses: { completed: 1, error: 1 },
        readers: { rules: 2 },
        turns: { passed: 1, failed: 1, unreadable: 1, unjudged: 0, unverified: 1 },
        outcomes: {
          kept: { ...NO_OUTCOMES, yes: 1, no: 1 },
          flips: { ...NO_OUTCOMES, numbers: 2, mean: 2.5 },
          late: { ...NO_OUTCOMES, inconclusive: 1, infrastructure: 1 },
        },
        nodes: { ask: { turns: 3, unreadable: 1, unjudged: 0 } },
        spending: { calls: 4, cached: 0, tokens: 60, cost: 1 },
      },
      "the first line",
    );
    demandEqual(repair?.outcomes, { kept: { ...NO_OUTCOMES, infrastructure: 1 } }, "outcomes");
    demandEqual(repair?.statuses, {}, "the statuses of what has not ended");
  },
  "says what each conversation is worth": async ({ store }) => {
    await writeRun(store, "one");
    const [first, second, third, ...others] = [...store.scores("one", { turns: true })];
    demandEqual(others, [], "further conversations");
    demandEqual(
      [first?.conversation, first?.item, first?.status, first?.scenarioHash],
      ["c0", '["pressure"]', "completed", "ab12"],
      "the first",
    );
    demandEqual(
      Object.fromEntries(first?.outcomes ?? []),
      { kept: true, flips: 2, late: "inconclusive" },
      "its outcomes",
    );
    demandEqual(
      first?.turns.map(({ verdict }) => verdict),
      ["pass", "fail", "unreadable", "unverified"],
      "the verdicts on its turns",
    );
    demandEqual(second?.outcomes.get("late"), "error", "an outcome of a conversation that failed");
    demandEqual([third?.row, third?.variant], ["q4", { order: "a" }], "row and variant of the last");
    demandEqual([first?.itemHash, third?.itemHash], [null, "cd34"], "the hashes of items");
    const values = [...store.scores("one", { rowValues: true })].map(({ rowValues }) => rowValues);
    demandEqual(values, [null, null, { topic: "rivers", level: 2 }], "the values of rows");
    demandEqual([...store.scores("one")][0]?.turns, [], "turns that were not asked for");
    const own = [...store.scores("one", { subject: third?.subject ?? "" })];
    demandEqual(
      own.map(({ conversation }) => conversation),
      [first, second, third]
        .filter((score) => score?.subject === third?.subject)
        .map((score) => score?.conversation),
      "the conversations of a subject",
    );
    demandEqual([...store.scores("one", { subject: "none" })], [], "those of a subject that is not there");
    demandEqual([...store.scores("none")], [], "the scores of a run that is not there");
  },
  "keeps labels by persons, also of a run that has ended": async ({ store }) => {
    await writeRun(store, "one");
    const before = store.run("one");
    const label = { conversation: "c0", turn: 1, field: "verify_result", who: "ada", when: 5000 };
    store.label("one", [
      { ...label, value: true },
      { ...label, who: "bob", value: null },
    ]);
    store.label("one", [{ ...label, value: false, when: 6000 }]);
    demandEqual(
      store.labels("one").map(({ who, value, when }) => [who, value, when]),
      [
        ["bob", null, 5000],
        ["ada", false, 6000],
      ],
      "the last label of each person",
    );
    demandError("no_conversation", () => store.label("one", [{ ...label, conversation: "no", value: 1 }]));
    demandEqual(store.run("one"), before, "the run, which labels do not change");
    demandEqual(store.labels("none"), [], "the labels of a run that is not there");
  },
  "does not know a sum of which a part is unknown": async ({ store }) => {
    await writeRun(store, "one");
    const journal = store.reopen("one");
    const spending = { ...ONE_CALL, cost: null };
    const [, , , reply] = turnEvents({ conversation: "c2", turn: 1, reply: "", verdict: null, at: 1400 });
    demand(reply?.type === "turn-reply", "the fourth event of a turn is the reply");
    journal.append({ ...reply, spending });
    demandEqual(store.run("one")?.spending.cost, null, "the cost of the run");
    demandEqual(store.run("one")?.spending.tokens, 75, "the tokens of the run");
    demandEqual(store.results("one")[1]?.spending, spending, "what the conversation took");
  },
  "counts what conversations come to, by cell": async ({ store }) => {
    await writeRun(store, "one");
    const counts = new CellCounts();
    for (const { conversation } of store.conversations("one")) {
      const folded = foldConversation(store.events("one", conversation));
      counts.add(folded.cell, conversationCounts(folded));
    }
    const plain = (tallies: readonly CellTally[]): unknown =>
      tallies.map(({ visits, edges, ...tally }) => ({ ...tally, visits: [...visits], edges: [...edges] }));
    demandEqual(plain(store.tallies("one")), plain(counts.tallies()), "the counts");
    demandEqual(store.tallies("another"), [], "the counts of a run that there is not");
  },
  "deletes a run, and keeps the calls": async ({ store }) => {
    await writeRun(store, "one");
    await writeRun(store, "two");
    const call = recordedCall([{ role: "user", content: "Why?" }], "Because.");
    store.calls.keep(call);
    store.delete("one");
    demandEqual(
      store.runs().map(({ run }) => run),
      ["two"],
      "the runs that are left",
    );
    demandEqual([...store.events("one")], [], "the events of the deleted run");
    store.compact();
    demandEqual([...store.events("two")].length, 33, "the events of the other run");
    demandEqual(await store.calls.find(call.identity), call.reply, "the answer to the call");
    store.begin(runStart("one"));
    demandEqual([...store.conversations("one")], [], "the conversations of a run of the same name");
  },
  "takes nothing once it is closed": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    store.close();
    store.close();
    journal.append(conversationStart("c0", cellOf(0)));
    const problem = await Promise.resolve(journal.durable()).then(
      () => undefined,
      (error: unknown) => error,
    );
    demand(problem !== undefined, "a closed store claims to have written something");
    demandError("closed", () => store.begin(runStart("two")));
  },
};
