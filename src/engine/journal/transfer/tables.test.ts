import { END, question, Scenario } from "elenchus";
import { expect, test } from "vitest";
import { judgedQuestion, letterQuestion, memoryModel } from "../../../../test/engine/held.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { ModelError } from "../../models/model-error.ts";
import { runScenarios, startRun } from "../../run/run-scenarios.ts";
import { memoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { toCsv } from "./table-text.ts";
import { conversationTable, outcomeTable, turnTable } from "./tables.ts";

/** A run in which every kind of turn occurs: right, wrong, unreadable by rule and by judge, not verified, and failed. */
async function heldRun(): Promise<Store> {
  const store = memoryStore();
  const scenario = new Scenario("kinds")
    .addNode("right", { question: letterQuestion("A or B? {{row.hint}}") })
    .addNode("wrong", { question: letterQuestion("And now?") })
    .addNode("open", { question: question({ question: "Why?", rawAnswer: "" }) })
    .addNode("mumbled", { question: letterQuestion("Sure?") })
    .addNode("judged", { question: judgedQuestion("Yes?") })
    .addNode("last", { question: question({ question: "Bye.", rawAnswer: "" }) })
    .addEdge("right", "wrong")
    .addEdge("wrong", "open")
    .addEdge("open", "mumbled")
    .addEdge("mumbled", "judged")
    .addEdge("judged", "last")
    .addEdge("last", END)
    .addOutcome("firstRight", {
      type: "turn_check",
      scope: { type: "first_turn" },
      field: "verify_result",
      expected: true,
    })
    .addOutcome("passes", { type: "count_turns", verifyResult: true })
    .setEntry("right")
    .validate();
  const replies: Readonly<Record<string, string>> = {
    "And now?": "A",
    "Why?": "=because",
    "Sure?": "Hm.",
    "Yes?": "yes",
  };
  const subject = memoryModel("subject", (message) => {
    if (message === "Bye.") throw new ModelError("authentication", "The key is wrong.", { statusCode: 401 });
    return replies[message] ?? "B";
  });
  const judge = memoryModel("judge", () => {
    throw new ModelError("permission", "The judge is not for you.");
  });
  const rows = [{ hint: "x" }, { hint: "y" }];
  const clock = new VirtualClock();
  await clock.runUntil(
    startRun(
      { scenarios: scenario, subjects: subject, judge, reading: "rules", rows, store, run: "r" },
      { clock },
    ).results,
  );
  return store;
}

test("the table of turns keeps verdicts and failures apart", async () => {
  const table = turnTable(await heldRun(), "r");
  const rows = [...table];
  expect(
    rows.map(({ row_index: row, turn, node, verdict, failure_category, failure_stage, status }) =>
      [row, turn, node, verdict, failure_category, failure_stage, status].join(" "),
    ),
  ).toEqual(
    [0, 1].flatMap((row) => [
      `${row} 1 right right   error`,
      `${row} 2 wrong wrong   error`,
      `${row} 3 open not verified   error`,
      `${row} 4 mumbled unread   error`,
      `${row} 5 judged error permission judge error`,
      `${row} 6 last error authentication subject error`,
    ]),
  );
  expect(rows[0]).toEqual({
    run: "r",
    conversation: expect.any(String),
    scenario: "kinds",
    row: "row-a8d8535ac01dcce5",
    row_index: 0,
    "row.hint": "x",
    variant: null,
    arm: null,
    parent: null,
    item: '["kinds","row-a8d8535ac01dcce5"]',
    item_hash: "a8d8535ac01dcce5",
    subject: "subject",
    judge: "judge",
    replicate: 1,
    status: "error",
    turn: 1,
    node: "right",
    agent: null,
    verdict: "right",
    score: 1,
    refused: null,
    failure_category: null,
    failure_stage: null,
    failure_message: null,
    question: "A or B? x",
    reply: "B",
    finish: "stop",
    next: "wrong",
    parsed: '{"letter":"B"}',
    fields: '{"letter":true}',
    rubric: "{}",
    tool_calls: 0,
    calls: 1,
    cached: 0,
    tokens: 15,
    cost: 0,
  });
  for (const row of rows) expect(Object.keys(row).sort()).toEqual([...table.columns].sort());
  // Types do not depend on what a run holds: all scores are null here but one.
  expect(table.types).toMatchObject({ turn: "INT32", score: "DOUBLE", refused: "BOOLEAN", reply: "STRING" });
  // A table can be read again.
  expect([...table]).toEqual(rows);
});

test("the table of conversations counts each kind of turn, and says what failed", async () => {
  const table = conversationTable(await heldRun(), "r");
  const [first, second, ...others] = table;
  expect(others).toEqual([]);
  expect(second?.row_index).toBe(1);
  expect(first).toMatchObject({
    status: "error",
    failure_category: "authentication",
    failure_stage: "subject",
    failure_message: "The key is wrong.",
    failure_node: "last",
    failure_turn: 6,
    turns: 5,
    passed: 1,
    failed: 1,
    unreadable: 1,
    unjudged: 1,
    unverified: 1,
    path: "right wrong open mumbled judged",
    attempts: 1,
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    ended_at: expect.stringMatching(/Z$/),
    calls: 5,
    tokens: 75,
    cost: 0,
  });
  expect(Object.keys(first ?? {}).sort()).toEqual([...table.columns].sort());
});

test("the table of outcomes says what is decided and what is not", async () => {
  const store = await heldRun();
  const scenario = new Scenario("whole")
    .addNode("right", { question: letterQuestion("A or B?") })
    .addNode("mumbled", { question: letterQuestion("Sure?") })
    .addEdge("right", "mumbled")
    .addEdge("mumbled", END)
    .addOutcome("firstRight", {
      type: "turn_check",
      scope: { type: "first_turn" },
      field: "verify_result",
      expected: true,
    })
    .addOutcome("passes", { type: "count_turns", verifyResult: true })
    .setEntry("right")
    .validate();
  const subjects = memoryModel("subject", (message) => (message === "Sure?" ? "Hm." : "B"));
  await runScenarios({ scenarios: scenario, subjects, store, run: "whole" }).results;
  expect(
    [...outcomeTable(store, "whole")].map(({ outcome, value, certainty, status, failure_category }) => [
      outcome,
      value,
      certainty,
      status,
      failure_category,
    ]),
  ).toEqual([
    ["firstRight", true, "decided", "completed", null],
    ["passes", 1, "inconclusive", "completed", null],
  ]);
  const table = outcomeTable(store, "r");
  const rows = [...table];
  expect(
    rows.map(({ row_index: row, outcome, value, certainty, failure_category }) => [
      row,
      outcome,
      value,
      certainty,
      failure_category,
    ]),
  ).toEqual(
    [0, 1].flatMap((row) => [
      [row, "firstRight", null, "inconclusive", "authentication"],
      [row, "passes", null, "inconclusive", "authentication"],
    ]),
  );
  for (const row of rows) expect(Object.keys(row).sort()).toEqual([...table.columns].sort());
});

test("a table as CSV begins with what tells conversations apart, and has no formulas", async () => {
  const store = await heldRun();
  const [header, ...lines] = toCsv(turnTable(store, "r"));
  expect(header).toMatch(
    /^run,conversation,scenario,row,row_index,variant,arm,parent,item,item_hash,subject,judge,replicate,status,row\.hint,turn,node,agent,verdict,/,
  );
  expect(lines).toHaveLength(12);
  expect(lines[2]).toContain(",'=because,");
});

test("the table of conversations has a column for each factor, column of the rows and outcome", async () => {
  const store = memoryStore();
  const scenario = new Scenario("asked", { variants: { tone: ["soft", "firm"] } })
    .addNode("ask", { question: letterQuestion("A or B? {{ variant.tone }} {{ row.hint }}") })
    .addEdge("ask", END)
    .addOutcome("right", {
      type: "turn_check",
      scope: { type: "first_turn" },
      field: "verify_result",
      expected: true,
    })
    .setEntry("ask")
    .validate();
  const subjects = memoryModel("subject", (message) => (message.includes("soft") ? "B" : "Hm."));
  await runScenarios({ scenarios: scenario, subjects, store, run: "r", rows: [{ hint: "x", level: 2 }] })
    .results;
  const table = conversationTable(store, "r");
  expect(
    [...table].map((row) => [row["variant.tone"], row["row.hint"], row["row.level"], row["outcome.right"]]),
  ).toEqual([
    ["soft", "x", 2, true],
    ["firm", "x", 2, null],
  ]);
  expect(table.columns.slice(13, 18)).toEqual([
    "status",
    "variant.tone",
    "row.hint",
    "row.level",
    "outcome.right",
  ]);
});

test("a conversation that is under way has no status, and its turns are there", async () => {
  const store = memoryStore();
  const journal = store.begin({
    ...((await heldRun()).run("r") ?? expect.fail("no run")).start,
    at: 0,
  });
  const full = await heldRun();
  for (const event of full.events("r")) {
    if (event.type === "run-start") continue;
    if (event.type === "turn-start" && event.turn === 3) break;
    if ("conversation" in event && event.conversation !== undefined) journal.append(event);
  }
  const [row] = conversationTable(store, "r");
  expect(row).toMatchObject({ status: null, ended_at: null, turns: 2, passed: 1, failed: 1, cost: null });
  expect([...outcomeTable(store, "r")]).toEqual([]);
});
