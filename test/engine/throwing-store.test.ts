import { type RunEvent, runScenarios } from "elenchus";
import { memoryStore, type RunJournal, type Store } from "elenchus/store";
import { describe, expect, test } from "vitest";
import { chainOf, memoryModel, yesJudge } from "./held.ts";

// A promise that rejects unhandled fails the test run by itself, so every test here also shows that the process survives.

const BROKEN = new Error("The disk is gone.");

/** A copy of an object in which some members are replaced. */
function replaced<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, key) {
      if (key in members) return members[key as keyof Target];
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A store in memory whose journals are made by `change`. */
function storeWith(change: (journal: RunJournal) => Partial<RunJournal>): Store {
  const store = memoryStore();
  return replaced(store, {
    begin: (start, options) => {
      const journal = store.begin(start, options);
      return replaced(journal, change(journal));
    },
  });
}

const options = () => ({
  scenarios: chainOf(2),
  subjects: memoryModel("subject", () => "yes"),
  judge: yesJudge(),
  replicates: 3,
});

async function expectFailure(store: Store): Promise<void> {
  await expect(runScenarios({ ...options(), store }).results).rejects.toBe(BROKEN);
  const iterated = async (): Promise<void> => {
    for await (const _ of runScenarios({ ...options(), store, run: "iterated" }));
  };
  await expect(iterated()).rejects.toBe(BROKEN);
}

const TYPES: readonly RunEvent["type"][] = [
  "scenario-define",
  "conversation-start",
  "turn-start",
  "call-start",
  "call-end",
  "turn-reply",
  "turn-judgement",
  "turn-end",
  "hop",
  "conversation-end",
  "progress",
  "run-end",
];

test.each(TYPES)("a journal that throws once, at %s, makes the run fail", async (type) => {
  const failing = (): Store => {
    let thrown = false;
    return storeWith((journal) => ({
      append(event) {
        if (event.type !== type || thrown) return journal.append(event);
        thrown = true;
        throw BROKEN;
      },
    }));
  };
  await expect(runScenarios({ ...options(), store: failing() }).results).rejects.toBe(BROKEN);
  const iterated = async (): Promise<void> => {
    for await (const _ of runScenarios({ ...options(), store: failing() }));
  };
  await expect(iterated()).rejects.toBe(BROKEN);
});

describe("a journal that is never durable makes the run fail", () => {
  test("it throws", () =>
    expectFailure(
      storeWith(() => ({
        durable: () => {
          throw BROKEN;
        },
      })),
    ));

  test("it rejects", () => expectFailure(storeWith(() => ({ durable: () => Promise.reject(BROKEN) }))));

  test("it rejects after some time", () => {
    let calls = 0;
    return expectFailure(
      storeWith(() => ({
        durable: () => (++calls < 5 ? Promise.resolve() : Promise.reject(BROKEN)),
      })),
    );
  });
});

test.each(["find", "keep"] as const)("a cache whose %s throws makes the run fail", async (method) => {
  const store = memoryStore();
  const calls = replaced(store.calls, {
    [method]: () => {
      throw BROKEN;
    },
  });
  await expectFailure(replaced(store, { calls }));
});

test("a store that cannot begin a run makes it fail", async () => {
  const store = replaced(memoryStore(), {
    begin: () => {
      throw BROKEN;
    },
  });
  await expectFailure(store);
});

test("a run that cannot be set up leaves no timer behind", async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const wrong = { ...options(), subjects: "unknown-provider/model", timeouts: { runMs: 3_600_000 } };
  await expect(runScenarios(wrong).results).rejects.toThrow();
  expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBe(before);
});
