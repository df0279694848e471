import { expect, test } from "vitest";
import { VirtualClock } from "../../../test/virtual-clock.ts";
import { END, question } from "../../core/scenario/definition.ts";
import { Scenario } from "../../core/scenario/scenario.ts";
import { AccountLanes, groupsByAccount } from "./account-lanes.ts";
import { runScenarios } from "./run-scenarios.ts";

const definition = new Scenario("short")
  .addNode("ask", { question: question({ question: "Well?", rawAnswer: "Yes" }) })
  .addEdge("ask", END)
  .setEntry("ask")
  .validate();

test("a subject that does not answer holds no place of another one", async () => {
  const healthy = Promise.withResolvers<void>();
  let answered = 0;
  const run = runScenarios({
    scenarios: definition,
    subjects: [
      { name: "stuck", model: () => healthy.promise.then(() => "at last") },
      {
        name: "healthy",
        model: async () => {
          if (++answered === 40) healthy.resolve();
          return "Yes";
        },
      },
    ],
    replicates: 40,
    concurrency: 4,
  });
  // With places for all together, the stuck ones would take them, and this would never end.
  const results = await run.results;
  expect(results.filter(({ status }) => status === "completed")).toHaveLength(80);
});

function lanes(lead: number) {
  const clock = new VirtualClock();
  const factors = {
    scenarios: [{ name: "s" }],
    seed: 0,
    subjects: ["a", "b", "c"],
    judges: ["j"],
    replicates: 100,
  };
  const accountOf = (subject: string): string => (subject === "c" ? "two" : "one");
  const all = new AccountLanes(groupsByAccount(factors, accountOf), { lead, clock });
  return { clock, all };
}

test("each account has its own conversations, in the order of the run", async () => {
  const { all } = lanes(Number.POSITIVE_INFINITY);
  const [one, two] = all.all;
  const taken = (lane = one, count = 4) =>
    Promise.all(Array.from({ length: count }, async () => (await lane?.groups.next())?.value?.cells[0]));
  expect((await taken()).map((cell) => [cell?.subject, cell?.replicate])).toEqual([
    ["a", 1],
    ["b", 1],
    ["a", 2],
    ["b", 2],
  ]);
  expect((await taken(two, 2)).map((cell) => [cell?.subject, cell?.replicate])).toEqual([
    ["c", 1],
    ["c", 2],
  ]);
  await taken(two, 98);
  expect((await two?.groups.next())?.done).toBe(true);
});

test("with a budget an account waits for one that is behind, unless that one is stuck", async () => {
  const { clock, all } = lanes(3);
  const [fast, slow] = all.all;
  if (fast === undefined || slow === undefined) throw new Error("There are two accounts.");
  for (let count = 0; count < 3; count++) await all.turn(fast);
  let isFourth = false;
  const fourth = all.turn(fast).then(() => {
    isFourth = true;
  });
  await clock.advance(2_000);
  expect(isFourth).toBe(false);
  await all.turn(slow);
  all.progress(slow);
  await fourth;
  expect(isFourth).toBe(true);
  // From now on the slow one finishes nothing.
  await clock.runUntil(all.turn(fast));
  expect(clock.now()).toBeGreaterThan(5_000);
});
