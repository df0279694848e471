import { END, parseScenario, resumeRun, runScenarios, Scenario, type ScenarioDefinition } from "elenchus";
import { memoryStore } from "elenchus/store";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gradeRecords } from "../../src/apps/project/grade-records.ts";
import { exportRecords } from "../../src/engine/journal/transfer/export-run.ts";
import type { GivenRecord } from "../../src/engine/run/records/given-record.ts";
import { regrade } from "../../src/engine/run/regrade.ts";
import { letterQuestion, memoryModel } from "./held.ts";

type Nodes = Readonly<Record<string, object>>;

function letters(...names: readonly string[]): Nodes {
  return Object.fromEntries(names.map((name) => [name, { question: letterQuestion(`${name}?`) }]));
}

/** Talk twice, then ask in three ways. */
const probes = parseScenario({
  name: "probes",
  entry: "talk",
  history: [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Hello, how can I help?" },
  ],
  nodes: letters("talk", "more", "mcq", "free", "why"),
  edges: [
    { source: "talk", target: "more" },
    { source: "more", fork: ["mcq", "free", "END"], when: { verify_result: true } },
    { source: "more", target: "END" },
    { source: "free", target: "why" },
  ],
  outcomes: {
    right: { lastTurn: { verify_result: true } },
    turns: { countTurns: {} },
    in_mcq: { resultIs: { arm: "mcq" } },
    mcq_right: { lastTurn: { verify_result: true }, when: "in_mcq" },
  },
});

const say = (letter: string): string => `The answer is ${letter}.`;

/** Right everywhere, but wrong in the free arm. */
function subject(): ReturnType<typeof memoryModel> {
  return memoryModel("subject", (message) => say(message.startsWith("free") ? "A" : "B"));
}

describe("a fork", () => {
  test("continues from the same turns, which are asked and counted once", async () => {
    const store = memoryStore();
    const model = subject();
    const results = await runScenarios({ scenarios: probes, subjects: model, store, run: "r" }).results;
    expect(
      results.map(({ arm, parent, path, status, arms }) => [arm, parent, path.join(" "), status, arms]),
    ).toEqual([
      [undefined, undefined, "talk more", "completed", ["mcq", "free", "END"]],
      ["mcq", 0, "talk more mcq", "completed", undefined],
      ["free", 0, "talk more free why", "completed", undefined],
      ["END", 0, "talk more", "completed", undefined],
    ]);
    expect(model.asked.length).toBe(5);
    // Each arm sees what came before, and nothing of the others.
    const [mcq] = model.asked.filter(([{ messages }]) => JSON.stringify(messages.at(-1)).includes("mcq?"));
    expect(mcq?.[0].messages.map((message) => ("content" in message ? message.content : ""))).toEqual([
      "Hello.",
      "Hello, how can I help?",
      "talk?",
      say("B"),
      "more?",
      say("B"),
      "mcq?",
    ]);
    expect(results.map(({ spending }) => spending.calls)).toEqual([2, 1, 2, 0]);
    expect(results[1]?.turns.map(({ turn, ofParent }) => [turn, ofParent])).toEqual([
      [1, true],
      [2, true],
      [3, undefined],
    ]);
    const values = (name: string): unknown[] => results.map(({ outcomes }) => outcomes[name]?.value);
    expect(values("right")).toEqual([null, true, true, true]);
    expect(values("mcq_right")).toEqual([null, true, null, null]);
    expect(values("turns")).toEqual([null, 3, 4, 2]);
    expect(results[0]?.outcomes.right?.status).toBe("not_applicable");
    // Turns, visits and money of the prefix are those of the parent alone.
    expect(store.results("r")).toMatchObject([
      { conversations: 4, arms: 3, turns: { passed: 4, failed: 1 }, spending: { calls: 5 } },
    ]);
    expect(store.run("r")).toMatchObject({ arms: 3, statuses: { completed: 4 } });
    expect([...store.conversations("r")].map(({ arm, parent, item }) => [arm, parent, item])).toEqual([
      [null, null, '["probes"]'],
      ["mcq", 0, '["probes"]'],
      ["free", 0, '["probes"]'],
      ["END", 0, '["probes"]'],
    ]);
  });

  test("is not taken where its condition does not hold", async () => {
    const model = memoryModel("subject", () => say("A"));
    const results = await runScenarios({ scenarios: probes, subjects: model }).results;
    expect(results.map(({ arm, outcomes }) => [arm, outcomes.right?.value])).toEqual([[undefined, false]]);
  });

  test("may be nested, and come back as long as a condition lets it", async () => {
    const scenario = parseScenario({
      name: "loop",
      entry: "talk",
      nodes: letters("talk", "probe", "deep", "deeper"),
      edges: [
        { source: "talk", fork: ["probe", "talk"], when: { "node_visits.talk": { lt: 3 } } },
        { source: "talk", target: "END" },
        { source: "probe", fork: ["deep", "deeper"] },
      ],
    });
    const model = subject();
    const results = await runScenarios({ scenarios: scenario, subjects: model, replicates: 2 }).results;
    const first = results.filter(({ replicate }) => replicate === 1);
    expect(first.map(({ arm = "", path }) => `${arm}: ${path.join(" ")}`).sort()).toEqual([
      ": talk",
      "probe/deep: talk probe deep",
      "probe/deeper: talk probe deeper",
      "probe: talk probe",
      "talk/probe/deep: talk talk probe deep",
      "talk/probe/deeper: talk talk probe deeper",
      "talk/probe: talk talk probe",
      "talk/talk: talk talk talk",
      "talk: talk talk",
    ]);
    expect(new Set(results.map(({ index }) => index)).size).toBe(18);
    expect(new Set(results.map(({ conversation }) => conversation)).size).toBe(18);
  });

  test("is written in TypeScript and in files alike", () => {
    const built = new Scenario("probes", { history: [{ role: "user", content: "Hello." }] })
      .addNode("talk", { question: letterQuestion("talk?") })
      .addNode("mcq", { question: letterQuestion("mcq?") })
      .addFork("talk", ["mcq", END], { when: { verify_result: true } })
      .addEdge("talk", END)
      .setEntry("talk")
      .validate();
    const read = parseScenario({
      name: "probes",
      history: [{ role: "user", content: "Hello." }],
      entry: "talk",
      nodes: letters("talk", "mcq"),
      edges: [
        { source: "talk", fork: ["mcq", "END"], when: { verify_result: true } },
        { source: "talk", target: "END" },
      ],
    });
    expect(read.hash).toBe(built.hash);
    expect(built.edges.map(({ target }) => target)).toEqual(["mcq", END, END]);
  });
});

describe("forks that cannot work are issues", () => {
  test.each<[string, object[], string]>([
    ["one arm", [{ source: "a", fork: ["b"] }], "A fork needs at least two arms."],
    ["no arm", [{ source: "a", fork: [] }], "This must not be empty."],
    [
      "END only",
      [
        { source: "a", fork: ["END"] },
        { source: "a", target: "b" },
      ],
      "A fork needs at least two arms.",
    ],
    ["the same twice", [{ source: "a", fork: ["b", "b"] }], 'The arm "b" is there twice'],
    [
      "END twice",
      [
        { source: "a", fork: ["END", "__end__"] },
        { source: "a", target: "b" },
      ],
      "is there twice",
    ],
    ["both", [{ source: "a", fork: ["b", "END"], target: "b" }], "An edge needs either a target, or a fork"],
    ["neither", [{ source: "a" }, { source: "a", target: "b" }], "An edge needs either a target, or a fork"],
    [
      "an unknown arm",
      [{ source: "a", fork: ["b", "bb"] }],
      'names "bb", which is not a node. Did you mean "b"?',
    ],
    [
      "back to itself",
      [{ source: "a", fork: ["b", "a"] }],
      'The fork after "a" comes back to itself through "a"',
    ],
    [
      "back to itself on a way",
      [
        { source: "a", fork: ["b", "END"] },
        { source: "b", target: "a" },
      ],
      "comes back to itself",
    ],
  ])("%s", (_name, edges, message) => {
    expect(() => parseScenario({ name: "s", entry: "a", nodes: letters("a", "b"), edges })).toThrow(message);
  });
});

/** The path through arms as one scenario without forks. */
function straightened(definition: ScenarioDefinition, path: readonly string[]): ScenarioDefinition {
  const ids = path.map((node, index) => `${index}.${node}`.replace(".", "_"));
  return parseScenario({
    name: definition.name,
    entry: ids[0],
    nodes: Object.fromEntries(ids.map((id, index) => [id, definition.nodes[path[index] as string]])),
    edges: ids.map((id, index) => ({ source: id, target: ids[index + 1] ?? "END" })),
    outcomes: [...definition.outcomes].filter(({ name }) => name === "right" || name === "turns") as never,
  });
}

test("the arms of any fork equal separate conversations with the same replies", async () => {
  const tree = fc.letrec<{ tree: { readonly arms: readonly unknown[]; readonly length: number } }>((tie) => ({
    tree: fc.record({
      length: fc.integer({ min: 1, max: 2 }),
      arms: fc.oneof({ maxDepth: 2 }, fc.constant([]), fc.array(tie("tree"), { minLength: 2, maxLength: 3 })),
    }),
  })).tree;
  interface Tree {
    readonly arms: readonly Tree[];
    readonly length: number;
  }
  await fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 0, max: 2 }), async (given, seed) => {
      const names: string[] = [];
      const edges: object[] = [];
      const grow = ({ length, arms }: Tree): string => {
        const own = Array.from({ length }, () => `n${names.push("") - 1}`);
        own.forEach((id, index) => {
          const next = own[index + 1];
          if (next !== undefined) edges.push({ source: id, target: next });
        });
        const targets = arms.map(grow);
        if (targets.length > 0) edges.push({ source: own.at(-1), fork: targets });
        return own[0] as string;
      };
      const entry = grow(given as Tree);
      const scenario = parseScenario({
        name: "tree",
        entry,
        nodes: letters(...names.map((_, index) => `n${index}`)),
        edges,
        outcomes: { right: { allTurns: { verify_result: true } }, turns: { countTurns: {} } },
      });
      const reply = (message: string): string =>
        say((message.length + message.charCodeAt(1) + seed) % 3 === 0 ? "A" : "B");
      const model = memoryModel("subject", reply);
      const results = await runScenarios({ scenarios: scenario, subjects: model }).results;
      // Every node is asked once.
      expect(model.asked.length).toBe(names.length);
      for (const { arms, path, turns, outcomes } of results) {
        if (arms !== undefined) continue;
        const [alone] = await runScenarios({
          scenarios: straightened(scenario, path),
          subjects: memoryModel("subject", reply),
        }).results;
        expect(turns.map((turn) => [turn.reply, turn.verifyResult, turn.parsed, turn.questionText])).toEqual(
          alone?.turns.map((turn) => [turn.reply, turn.verifyResult, turn.parsed, turn.questionText]),
        );
        expect(outcomes).toEqual(alone?.outcomes);
      }
    }),
    { numRuns: 40 },
  );
});

test("a run that stops anywhere is resumed to the same results, and asks nothing twice", async () => {
  const whole = await runScenarios({ scenarios: probes, subjects: subject(), replicates: 2 }).results;
  for (let stopAt = 1; stopAt <= 10; stopAt++) {
    const store = memoryStore();
    const model = subject();
    const options = { scenarios: probes, subjects: model, replicates: 2, store, concurrency: 1 };
    const run = runScenarios({ ...options, run: "cut", keepResults: false });
    let replies = 0;
    for await (const event of run) if (event.type === "turn-reply" && ++replies === stopAt) run.stop();
    const results = await resumeRun("cut", options).results;
    const seen = (list: typeof whole): unknown[] =>
      list.map(({ index, arm, path, outcomes, status }) => [index, arm, path, outcomes, status]);
    expect(seen(results)).toEqual(seen(whole));
    expect(model.asked.length).toBe(10);
    expect(store.run("cut")).toMatchObject({ arms: 6, statuses: { completed: 8 } });
  }
});

test("forks are graded again, and their records grade back to the same results", async () => {
  const store = memoryStore();
  const options = { scenarios: probes, store };
  const before = await runScenarios({ ...options, subjects: subject(), replicates: 2, run: "before" })
    .results;
  const seen = (list: typeof before): unknown[] =>
    list.map(({ arm, parent, replicate, path, outcomes, status, turns }) => [
      [arm, parent, replicate, path, status, turns.map(({ parsed, ofParent }) => [parsed, ofParent])],
      outcomes,
    ]);
  const again = regrade("before", options);
  expect(seen(await again.results)).toEqual(seen(before));
  expect(await again.divergences).toEqual([]);
  const records = [...exportRecords(store, "before")].map((line) => JSON.parse(line) as GivenRecord);
  const graded = await gradeRecords(records, { ...options, run: "graded" }).results;
  const sorted = (list: readonly unknown[]): unknown[] => list.map((item) => JSON.stringify(item)).sort();
  expect(sorted(seen(graded).map(String))).toEqual(sorted(seen(before).map(String)));
  expect(seen(await regrade("graded", options).results)).toEqual(seen(graded));
  const [parent, arm] = records;
  await expect(gradeRecords([arm as GivenRecord, parent as GivenRecord], options).results).rejects.toThrow(
    'the arm "mcq" must come right after the record of the conversation that it continues',
  );
  const alone = await gradeRecords([parent as GivenRecord], options).results;
  expect(alone.map(({ status }) => status)).toEqual([
    "completed",
    "record_mismatch",
    "record_mismatch",
    "completed",
  ]);
});

test("a run that was killed after any event is resumed to the same results", async () => {
  const scenario = parseScenario({
    name: "killed",
    entry: "user",
    nodes: {
      user: {
        user: {
          instructions: "You know two things.",
          facts: ["One thing.", "Another thing."],
          opening: "Hello.",
        },
      },
      ...letters("mcq", "free", "why"),
    },
    edges: [
      { source: "user", fork: ["mcq", "free"], when: { "user.done": true } },
      { source: "user", target: "user", when: { "node_visits.user": { lt: 5 } } },
      { source: "user", target: "END" },
      { source: "free", fork: ["why", "END"] },
    ],
    outcomes: { right: { lastTurn: { verify_result: true } }, turns: { countTurns: {} } },
  });
  const whole = memoryStore();
  const options = { scenarios: scenario, simulator: "sim/user" };
  const before = await runScenarios({
    ...options,
    subjects: subject(),
    store: whole,
    run: "r",
    replicates: 2,
  }).results;
  const seen = (list: typeof before): unknown[] =>
    list.map(({ index, arm, parent, path, outcomes, status, turns }) => [
      [index, arm, parent, path, status],
      outcomes,
      turns.map(({ reply, user, ofParent }) => [reply, user, ofParent]),
    ]);
  expect(before.map(({ arm }) => arm ?? "").filter((_, index) => index % 2 === 0)).toEqual([
    "",
    "mcq",
    "free",
    "free/why",
    "free/END",
  ]);
  const [start, ...events] = [...whole.events("r")];
  if (start?.type !== "run-start") throw new Error("a run begins with its start");
  for (let kept = 1; kept < events.length; kept++) {
    const store = memoryStore();
    const journal = store.begin(start);
    for (const event of events.slice(0, kept)) journal.append(event);
    const model = subject();
    const after = await resumeRun("r", { ...options, subjects: model, store }).results;
    expect(seen(after)).toEqual(seen(before));
    // What was answered is not asked again, except for a call that was in flight.
    const answered = events.slice(0, kept).filter(({ type }) => type === "turn-reply").length;
    expect(model.asked.length).toBe(events.filter(({ type }) => type === "turn-reply").length - answered);
    expect(store.run("r")).toMatchObject({ arms: 8, statuses: { completed: 10 } });
  }
});
