import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  END,
  type JsonObject,
  question,
  readDataset,
  regrade,
  resumeRun,
  runScenarios,
  Scenario,
} from "elenchus";
import { memoryStore } from "elenchus/store";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { conversationTable } from "../../src/engine/journal/transfer/tables.ts";
import { held, memoryModel } from "./held.ts";

const ask = {
  question: question({
    question: "{{ row.q }}",
    rawAnswer: "{{ row.a }}",
    template: {
      fields: { n: { type: "integer", description: "n", truth: "{{ row.a }}", extract: { type: "number" } } },
    },
  }),
} as const;

const scenario = new Scenario("sums").addNode("ask", ask).addEdge("ask", END).setEntry("ask").validate();

function file(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-datasets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test("inserting, deleting and moving rows changes no other conversation, and asks nothing again", async () => {
  const key = fc.integer({ min: 0, max: 30 });
  const dataset = fc.uniqueArray(key, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(dataset, dataset, fc.boolean(), async (before, after, named) => {
      const store = memoryStore();
      const rows = (keys: readonly number[]): readonly { readonly q: string; readonly a: number }[] =>
        keys.map((n) => ({ id: `k${n}`, q: `What is ${n}?`, a: n }));
      const subject = memoryModel("subject", (message) => `It is ${message}`);
      const run = async (keys: readonly number[], name: string): Promise<ReadonlyMap<string, string>> => {
        const source = { rows: rows(keys), ...(named ? { id: "id" } : {}) };
        const options = { scenarios: scenario, subjects: subject, dataset: source, store, run: name };
        const results = await runScenarios(options).results;
        return new Map(results.map(({ row = "", conversation }) => [row, conversation]));
      };
      const first = await run(before, "one");
      const asked = subject.asked.length;
      expect(asked).toBe(before.length);
      const second = await run(after, "two");
      const fresh = after.filter((n) => !before.includes(n)).length;
      expect(subject.asked.length - asked).toBe(fresh);
      for (const [row, conversation] of second) if (first.has(row)) expect(first.get(row)).toBe(conversation);
      expect([...second.keys()].filter((row) => !first.has(row))).toHaveLength(fresh);
      const items = [...conversationTable(store, "two")].map(({ item }) => item);
      expect(new Set(items).size).toBe(after.length);
    }),
    { numRuns: 40 },
  );
});

test("a run is resumed by the ids of rows, wherever they stand by then", async () => {
  const store = memoryStore();
  const rows = [1, 2, 3].map((n) => ({ id: `k${n}`, q: `What is ${n}?`, a: n }));
  const subject = memoryModel("subject", (message, call) => {
    if (call === 2) throw new Error("not now");
    return message.replace("What is", "It is").replace("?", ".");
  });
  const options = { scenarios: scenario, subjects: subject, store, concurrency: 1 };
  const first = await runScenarios({ ...options, dataset: { rows, id: "id" }, run: "r" }).results;
  expect(first.map(({ status }) => status)).toEqual(["completed", "error", "completed"]);
  const inserted = [{ id: "k0", q: "What is 0?", a: 0 }, ...rows.toReversed()];
  const dataset = { rows: inserted, id: "id" };
  const results = await resumeRun("r", { ...options, dataset, retryErrors: true }).results;
  expect(results.map(({ row, rowIndex, index, status }) => [row, rowIndex, index, status])).toEqual([
    ["k0", 0, 0, "completed"],
    ["k3", 1, 1, "completed"],
    ["k2", 2, 2, "completed"],
    ["k1", 3, 3, "completed"],
  ]);
  // The one that failed, and the one that is new.
  expect(subject.asked).toHaveLength(5);
  const graded = await regrade("r", { store, scenarios: scenario, dataset, run: "again" }).results;
  expect(graded.map(({ row, turns }) => [row, turns[0]?.verifyResult])).toEqual([
    ["k0", true],
    ["k3", true],
    ["k2", true],
    ["k1", true],
  ]);
});

test("a run whose rows have changed is not resumed; of rows, runs keep hashes of what is used", async () => {
  const store = memoryStore();
  const subject = memoryModel("subject", () => "It is 1.");
  const options = { scenarios: scenario, subjects: subject, store };
  const rows = (a: number, note: string): { rows: JsonObject[]; id: string } => ({
    rows: [1, 2].map((n) => ({ id: `k${n}`, q: `What is ${n}?`, a: n === 2 ? a : n, note })),
    id: "id",
  });
  await runScenarios({ ...options, dataset: rows(2, "x"), run: "r" }).results;
  const hashes = (run: string): readonly unknown[] => [
    ...[...store.conversations(run)].map(({ itemHash }) => itemHash),
    store.run(run)?.start.datasets?.sums,
  ];
  await expect(resumeRun("r", { ...options, dataset: rows(3, "x") }).results).rejects.toMatchObject({
    problems: [
      expect.stringContaining('The run "r" cannot be resumed'),
      '1 row has changed (sums row k2 "What is 2?"), since the run was started.',
    ],
  });
  await resumeRun("r", { ...options, dataset: rows(2, "y") }).results;
  await runScenarios({ ...options, dataset: rows(2, "y"), run: "same" }).results;
  await runScenarios({ ...options, dataset: rows(3, "x"), run: "other" }).results;
  expect(hashes("same")).toEqual(hashes("r"));
  const [was, is] = [hashes("r"), hashes("other")];
  expect(was.map((hash, at) => hash === is[at])).toEqual([true, false, false]);
});

test("rows come from files, with their types; what is wrong with them is told before any call", async () => {
  const path = file("rows.csv", "id,q,a\nx,What?,3\ny,Why?,x\n");
  const subject = memoryModel("subject", () => "3");
  const run = (dataset: object): Promise<readonly unknown[]> =>
    runScenarios({ scenarios: scenario, subjects: subject, dataset }).results;
  await expect(run({ file: path, id: "id" })).rejects.toThrow(
    `${path}:3, column "a": field "n" of node "ask" has a wrong truth: "x" can never match a field of type integer.`,
  );
  expect(subject.asked).toEqual([]);
  const { results } = await held({
    scenarios: scenario,
    subjects: subject,
    dataset: await readDataset(path, { id: "id", skipBadRows: true }),
  });
  expect(results.map(({ row, turns }) => [row, turns[0]?.verifyResult])).toEqual([["x", true]]);
  await expect(run({ file: file("other.csv", "id,question\nx,What?\n") })).rejects.toThrow(
    '"row.q" (line 1, column 4 of the text) is not known: the rows have the columns id, question.',
  );
});

const VARIANTS = {
  challenger: { aus: "Are you sure?", row: "{{ row.q }} Really?" },
  order: ["a", "b"],
} as const;

function withVariants(variants: object): ReturnType<typeof buildVariants> {
  return buildVariants(variants as never);
}

function buildVariants(variants: never) {
  return new Scenario("pressure", {
    dataset: [
      { q: "One?", a: 1 },
      { q: "Two? {{ row.q }}", a: 2 },
    ],
    variants,
  })
    .addNode("ask", ask)
    .addNode("push", {
      question: question({ question: "{{ variant.challenger }} ({{ variant.order }})", rawAnswer: "" }),
    })
    .addEdge("ask", "push")
    .addEdge("push", END)
    .setEntry("ask")
    .validate();
}

test("variants are crossed, recorded and columns; levels may use the row", async () => {
  const store = memoryStore();
  const { results } = await held({
    scenarios: withVariants(VARIANTS),
    subjects: memoryModel("subject", () => "1"),
    store,
    run: "r",
  });
  expect(results.map(({ rowIndex, variant, turns }) => [rowIndex, variant, turns[1]?.questionText])).toEqual(
    [0, 1].flatMap((rowIndex) => [
      [rowIndex, { challenger: "aus", order: "a" }, "Are you sure? (a)"],
      [rowIndex, { challenger: "aus", order: "b" }, "Are you sure? (b)"],
      [
        rowIndex,
        { challenger: "row", order: "a" },
        `${rowIndex === 0 ? "One?" : "Two? {{ row.q }}"} Really? (a)`,
      ],
      [
        rowIndex,
        { challenger: "row", order: "b" },
        `${rowIndex === 0 ? "One?" : "Two? {{ row.q }}"} Really? (b)`,
      ],
    ]),
  );
  expect([...conversationTable(store, "r")].map(({ variant }) => variant).slice(0, 2)).toEqual([
    "challenger=aus, order=a",
    "challenger=aus, order=b",
  ]);
  const wanted = [...store.conversations("r", { variant: { challenger: "aus", order: "b" } })];
  expect(wanted.map(({ index }) => index)).toEqual([1, 5]);
  expect(new Set(results.map(({ conversation }) => conversation)).size).toBe(8);
});

test("cells lists combinations, a filter takes some, and assign draws one", async () => {
  const subjects = [memoryModel("one", () => "1"), memoryModel("two", () => "2")];
  const cells = [
    { challenger: "aus", order: "b" },
    { challenger: "row", order: "a" },
  ];
  const listed = withVariants({ ...VARIANTS, cells });
  const { results } = await held({ scenarios: listed, subjects, variant: { order: "b" } });
  expect(results.map(({ rowIndex, variant, subject }) => [rowIndex, variant?.challenger, subject])).toEqual([
    [0, "aus", "one"],
    [0, "aus", "two"],
    [1, "aus", "one"],
    [1, "aus", "two"],
  ]);
  const drawing = withVariants({ ...VARIANTS, assign: "one" });
  const drawn = await held({ scenarios: drawing, subjects, replicates: 20, seed: 3 });
  expect(drawn.results).toHaveLength(2 * 2 * 20);
  const bySubject = (name: string) =>
    drawn.results.filter(({ subject }) => subject === name).map(({ variant }) => JSON.stringify(variant));
  // Subjects are compared on the same variant.
  expect(bySubject("one")).toEqual(bySubject("two"));
  expect(new Set(bySubject("one")).size).toBe(4);
  const again = await held({
    scenarios: drawing,
    subjects,
    replicates: 20,
    seed: 3,
    variant: { order: "a" },
  });
  expect(again.results.map(({ conversation }) => conversation)).toEqual(
    drawn.results.filter(({ variant }) => variant?.order === "a").map(({ conversation }) => conversation),
  );
  const run = runScenarios({ scenarios: listed, subjects, variant: { ordre: "b" } });
  await expect(run.results).rejects.toThrow('There is no factor "ordre". Did you mean "order"?');
});

test.each([
  [{ order: [] }, "This must not be empty"],
  [{ order: ["a", "a"] }, 'The level "a" stands twice'],
  [{ order: ["a"], cells: [{ order: "b" }] }, '"b" is not one of "a"'],
  [{ order: ["a"], cells: [{}] }, 'A cell needs "order"'],
  [{ order: ["a"], assign: "two" }, 'assign is "one"'],
  [{ order: { a: "{{ turns[-1].reply }}" } }, "The text of a level may use row, not turns"],
  [{ constructor: ["a"] }, "is a reserved name"],
  [{ other: ["a"] }, '"variant.challenger" (line 1, column 4 of the text) is not known'],
])("variants %j are refused", (variants, message) => {
  expect(() => withVariants(variants)).toThrow(message);
});
