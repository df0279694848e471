import { parseScenario, resumeRun, runScenarios } from "elenchus";
import { memoryStore } from "elenchus/store";
import { expect, test } from "vitest";
import { memoryModel } from "./held.ts";

const draw = "(accumulated) => ({ ...accumulated, draws: [...(accumulated.draws ?? []), Math.random()] })";
const drawn = (place: number): string => `(result) => result.accumulated.draws[${place}]`;

/** Every turn draws, and so does an outcome. */
const lottery = parseScenario({
  name: "lottery",
  entry: "first",
  nodes: {
    first: { question: { question: "{{ row.text }}", rawAnswer: "" }, stateUpdate: draw },
    again: { question: { question: "Again.", rawAnswer: "" }, stateUpdate: draw },
  },
  edges: [
    { source: "first", target: "again" },
    { source: "again", target: "END" },
  ],
  outcomes: { first: drawn(0), second: drawn(1), last: "() => Math.random()" },
});

const rows = (count: number): { id: string; text: string }[] =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, text: "Say ok." }));
const dataset = (count: number) => ({ rows: rows(count), id: "id" });
const subject = (name = "subject") => memoryModel(name, () => "ok");

async function draws(options: Partial<Parameters<typeof runScenarios>[0]>): Promise<readonly unknown[]> {
  const run = runScenarios({ scenarios: lottery, subjects: subject(), ...options });
  return (await run.results).flatMap(({ outcomes }) => Object.values(outcomes).map(({ value }) => value));
}

test("every conversation, turn and place has random numbers of its own", async () => {
  const found = await draws({ dataset: dataset(200), replicates: 2 });
  expect(found.length).toBe(1_200);
  expect(new Set(found).size).toBe(1_200);
  // The same on another day; another seed gives others.
  expect(await draws({ dataset: dataset(2), replicates: 2 })).toEqual(found.slice(0, 12));
  expect((await draws({ dataset: dataset(1), seed: 1 }))[0]).not.toBe(found[0]);
});

test("subjects and judges of an item see the same numbers", async () => {
  const found = await draws({ dataset: dataset(1), subjects: [subject("a"), subject("b")] });
  expect(found.slice(0, 3)).toEqual(found.slice(3));
});

test("a run that was stopped and resumed, and one from the cache, give the same numbers", async () => {
  const whole = await draws({ dataset: dataset(3) });
  const store = memoryStore();
  const options = { scenarios: lottery, dataset: dataset(3), store };
  const run = runScenarios({
    ...options,
    subjects: memoryModel("subject", (_message, call) => {
      if (call === 1) run.stop();
      return "ok";
    }),
    run: "r",
    concurrency: 1,
  });
  const stopped = await run.results;
  expect(stopped.map(({ status }) => status)).toContain("cancelled");
  const values = async (results: typeof run.results): Promise<unknown> =>
    (await results).flatMap(({ outcomes }) => Object.values(outcomes).map(({ value }) => value));
  expect(await values(resumeRun("r", { ...options, subjects: subject() }).results)).toEqual(whole);
  expect(await values(runScenarios({ ...options, subjects: subject() }).results)).toEqual(whole);
});

test("arms of a fork share the numbers before it, and have their own after it", async () => {
  const forked = parseScenario({
    name: "forked",
    entry: "talk",
    nodes: Object.fromEntries(
      ["talk", "left", "right"].map((name) => [
        name,
        { question: { question: "Go on.", rawAnswer: "" }, stateUpdate: draw },
      ]),
    ),
    edges: [{ source: "talk", fork: ["left", "right"] }],
    outcomes: { before: drawn(0), after: drawn(1) },
  });
  const results = await runScenarios({ scenarios: forked, subjects: subject() }).results;
  const [, left, right] = results.map(({ outcomes }) => Object.values(outcomes).map(({ value }) => value));
  expect(left?.[0]).toBe(right?.[0]);
  expect(left?.[1]).not.toBe(right?.[1]);
});
