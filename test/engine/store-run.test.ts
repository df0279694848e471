import {
  END,
  ModelError,
  question,
  regrade,
  resumeRun,
  runScenarios,
  Scenario,
  type ScenarioDefinition,
} from "elenchus";
import { callRequest } from "elenchus/models";
import { memoryStore, whyMiss } from "elenchus/store";
import { describe, expect, test } from "vitest";
import { startResume } from "../../src/engine/run/run-scenarios.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { chainOf, held, judgedQuestion, memoryModel, only, ticks, yesJudge } from "./held.ts";

/** Three questions in a row; the second can be asked in other words. */
function three(second = "Second?", truth = true): ScenarioDefinition {
  return new Scenario("three")
    .addNode("a", { question: judgedQuestion("First?") })
    .addNode("b", {
      question: question({
        question: second,
        rawAnswer: "yes",
        template: { fields: { right: { type: "boolean", description: "whether it says yes", truth } } },
      }),
    })
    .addNode("c", { question: judgedQuestion("Third?") })
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .addOutcome("turns", (result) => result.turnCount)
    .setEntry("a")
    .validate();
}

/** Goes to a second question only if the first answer is right. */
function branching(truth: boolean): ScenarioDefinition {
  return new Scenario("branching")
    .addNode("a", {
      question: question({
        question: "First?",
        rawAnswer: "yes",
        template: { fields: { right: { type: "boolean", description: "whether it says yes", truth } } },
      }),
    })
    .addNode("good", { question: judgedQuestion("Good. Second?") })
    .addNode("bad", { question: judgedQuestion("Bad. Second?") })
    .addEdge("a", "good", { when: { verify_result: true } })
    .addEdge("a", "bad")
    .addEdge("good", END)
    .addEdge("bad", END)
    .setEntry("a")
    .validate();
}

describe("with a store", () => {
  test("change nothing: no calls; hits are marked and cost nothing", async () => {
    const store = memoryStore();
    const options = { scenarios: three(), store, replicates: 2 };
    const [subject, judge] = [memoryModel("s", () => "yes"), yesJudge()];
    const first = await held({ ...options, subjects: subject, judge, run: "one" });
    expect([subject.asked.length, judge.asked.length]).toEqual([6, 6]);
    const second = await held({ ...options, subjects: subject, judge, run: "two" });
    expect([subject.asked.length, judge.asked.length]).toEqual([6, 6]);
    expect(
      second.results.map(({ turns }) => turns.map(({ reply, verifyResult }) => [reply, verifyResult])),
    ).toEqual(
      first.results.map(({ turns }) => turns.map(({ reply, verifyResult }) => [reply, verifyResult])),
    );
    expect(second.results[0]?.spending).toEqual({ calls: 0, cached: 6, tokens: 0, cost: 0 });
    expect(only(second.events, "call-end").every(({ cached }) => cached)).toBe(true);
    store.close();
  });

  test("change one node's text: only the turns from that node on", async () => {
    const store = memoryStore();
    const [subject, judge] = [memoryModel("s", () => "yes"), yesJudge()];
    await held({ scenarios: three(), store, subjects: subject, judge, run: "one" });
    await held({ scenarios: three("Second, please?"), store, subjects: subject, judge, run: "two" });
    expect(subject.asked).toHaveLength(3 + 2);
    store.close();
  });

  test("change a template or the judge: only judge calls; change outcomes: none", async () => {
    const store = memoryStore();
    const [subject, judge] = [memoryModel("s", () => "yes"), yesJudge()];
    const options = { store, subjects: subject };
    await held({ ...options, scenarios: three(), judge, run: "one" });
    const other = yesJudge("other");
    await held({ ...options, scenarios: three(), judge: other, run: "two" });
    expect([subject.asked.length, other.asked.length]).toEqual([3, 3]);
    const { nodes, edges } = three();
    expect([Object.keys(nodes).length, edges.length]).toEqual([3, 3]);
    const described = new Scenario("three")
      .addNode("a", { question: judgedQuestion("First?") })
      .addNode("b", {
        question: question({
          question: "Second?",
          rawAnswer: "yes",
          template: { fields: { right: { type: "boolean", description: "whether it agrees", truth: true } } },
        }),
      })
      .addNode("c", { question: judgedQuestion("Third?") })
      .addEdge("a", "b")
      .addEdge("b", "c")
      .addEdge("c", END)
      .setEntry("a")
      .validate();
    await held({ ...options, scenarios: described, judge, run: "three" });
    expect([subject.asked.length, judge.asked.length]).toEqual([3, 3 + 1]);
    store.close();
  });

  test("fresh asks anew and keeps; `cache: false` does neither; failed and truncated calls are never kept", async () => {
    const store = memoryStore();
    const subject = memoryModel("s", () => "yes");
    const options = { scenarios: three(), store };
    await held({ ...options, subjects: { model: subject, cache: false }, run: "uncached" });
    await held({ ...options, subjects: subject, run: "one" });
    expect(subject.asked).toHaveLength(6);
    await held({ ...options, subjects: subject, fresh: true, run: "fresh" });
    expect(subject.asked).toHaveLength(9);
    const cut = memoryModel("cut", () => ({ text: "ye", finish: "length" }));
    await held({ ...options, subjects: cut, run: "cut" });
    await held({ ...options, subjects: cut, run: "cut again" });
    expect(cut.asked).toHaveLength(6);
    store.close();
  });

  test("identical calls in flight are asked once", async () => {
    const store = memoryStore();
    const subject = memoryModel("s", async () => {
      await ticks(5);
      return "yes";
    });
    const same = [1, 2, 3].map((number) =>
      new Scenario(`scenario ${number}`)
        .addNode("a", { question: judgedQuestion("First?") })
        .setEntry("a")
        .validate(),
    );
    const { results } = await held({ scenarios: same, store, subjects: subject, run: "one" });
    expect(subject.asked).toHaveLength(1);
    expect(results.map(({ spending }) => spending.calls + spending.cached)).toEqual([1, 1, 1]);
    store.close();
  });

  test("a miss explains itself", async () => {
    const store = memoryStore();
    const subject = memoryModel("s", () => "yes");
    await held({ scenarios: three(), store, subjects: subject, run: "one" });
    const [request, context] = subject.asked[1] as (typeof subject.asked)[number];
    expect(whyMiss(store, callRequest(subject, request, context))).toBe(
      "The answer to this call is in the store.",
    );
    const changed = {
      ...request,
      messages: [...request.messages.slice(0, -1), { role: "user", content: "Second, please?" }],
    } as const;
    expect(whyMiss(store, callRequest(subject, changed, context))).toMatch(/message 3/i);
    expect(whyMiss(store, callRequest(subject, request, { ...context, replicate: 2 }))).toMatch(/replicate/);
    store.close();
  });

  test("a run that was cancelled goes on where it was, and asks nothing twice", async () => {
    const store = memoryStore();
    const whole = await held({
      scenarios: three(),
      subjects: memoryModel("s", () => "yes"),
      judge: yesJudge(),
      replicates: 3,
    });
    const controller = new AbortController();
    const asked: string[] = [];
    const subject = (isSlow: boolean): ReturnType<typeof memoryModel> =>
      memoryModel("s", async (message, call, signal) => {
        if (isSlow && call === 5) {
          controller.abort();
          await new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
        }
        asked.push(message);
        return "yes";
      });
    const options = { scenarios: three(), store, judge: yesJudge(), replicates: 3, concurrency: 1 };
    const first = await runScenarios({
      allowUnread: true,
      ...options,
      subjects: subject(true),
      run: "one",
      signal: controller.signal,
      fresh: true,
    }).results;
    expect(first.map(({ status }) => status)).toEqual(["completed", "cancelled", "cancelled"]);
    const resumed = await resumeRun("one", { ...options, subjects: subject(false), fresh: true }).results;
    expect(JSON.stringify(resumed.map(told))).toBe(JSON.stringify(whole.results.map(told)));
    expect(asked).toHaveLength(9);
    expect(store.run("one")?.statuses).toEqual({ completed: 3 });
    store.close();
  });

  test("errors are tried again on request, and earlier attempts are kept", async () => {
    const store = memoryStore();
    let isBroken = true;
    const subject = memoryModel("s", (message) => {
      if (isBroken && message === "Second?") throw new ModelError("bad_request", "not today");
      return "yes";
    });
    const options = { scenarios: three(), store, subjects: subject };
    const [failed] = await runScenarios({ allowUnread: true, ...options, run: "one" }).results;
    expect(failed?.status).toBe("error");
    isBroken = false;
    const [still] = await resumeRun("one", options).results;
    expect(still).toMatchObject({ status: "error", turnCount: 1 });
    const [again] = await resumeRun("one", { ...options, retryErrors: true }).results;
    expect(again).toMatchObject({ status: "completed", turnCount: 3 });
    const types = [...store.events("one", again?.conversation)].map(({ type }) => type);
    expect(types.filter((type) => type === "conversation-stop" || type === "conversation-resume")).toEqual([
      "conversation-stop",
      "conversation-resume",
    ]);
    store.close();
  });

  test("what has changed since is told, not mixed", async () => {
    const store = memoryStore();
    const subject = memoryModel("s", () => "yes");
    await held({ scenarios: three(), store, subjects: subject, run: "one" });
    await expect(
      resumeRun("one", { scenarios: three("Other?"), store, subjects: subject, turnLimit: 7 }).results,
    ).rejects.toMatchObject({
      problems: [
        expect.stringContaining('The run "one" cannot be resumed'),
        'The scenario "three" has changed: its content has another hash.',
        "`turnLimit` was 20 and is 7.",
      ],
    });
    expect(() => resumeRun("two", { scenarios: three(), store, subjects: subject })).toThrow(
      'There is no run "two"',
    );
    store.close();
  });

  test("nobody takes up a run that is still going on", async () => {
    const store = memoryStore();
    const release = Promise.withResolvers<void>();
    const subject = memoryModel("s", async () => {
      await release.promise;
      return "yes";
    });
    const options = { scenarios: three(), store, subjects: subject };
    const first = runScenarios({ allowUnread: true, ...options, run: "one" }).results;
    while (subject.asked.length === 0) await ticks();
    await expect(resumeRun("one", options).results).rejects.toThrow('The run "one" is in progress already.');
    release.resolve();
    expect((await first)[0]?.status).toBe("completed");
    expect((await resumeRun("one", options).results)[0]?.status).toBe("completed");
    store.close();
  });

  test("stored replies are verified again, without a subject", async () => {
    const store = memoryStore();
    const [subject, judge] = [memoryModel("s", () => "yes"), yesJudge()];
    await held({ scenarios: three(), store, subjects: subject, judge, run: "one" });
    const again = regrade("one", { scenarios: three("Second?", false), store, judge, run: "again" });
    const [result] = await again.results;
    expect(result?.turns.map(({ verifyResult }) => verifyResult)).toEqual([true, false, true]);
    expect(await again.divergences).toEqual([]);
    expect([subject.asked.length, judge.asked.length]).toEqual([3, 3]);
    expect(store.run("again")?.parent).toBe("one");
    store.close();
  });

  test("a conversation that would now take another edge is listed, and held again from there if asked", async () => {
    const store = memoryStore();
    const [subject, judge] = [memoryModel("s", () => "yes"), yesJudge()];
    await held({ scenarios: branching(true), store, subjects: subject, judge, run: "one" });
    const listed = regrade("one", { scenarios: branching(false), store, judge, run: "listed" });
    expect(await listed.divergences).toMatchObject([
      { turn: 1, from: "a", before: "good", now: "bad", subject: "s" },
    ]);
    expect((await listed.results)[0]).toMatchObject({ status: "cancelled", path: ["a"] });
    expect(subject.asked).toHaveLength(2);
    const rerun = regrade("one", {
      scenarios: branching(false),
      store,
      judge,
      subjects: subject,
      rerun: true,
      run: "rerun",
    });
    expect((await rerun.results)[0]).toMatchObject({ status: "completed", path: ["a", "bad"] });
    expect(subject.asked).toHaveLength(3);
    expect(await rerun.divergences).toHaveLength(1);
    store.close();
  });
});

function told({ status, turns, outcomes }: Awaited<ReturnType<typeof held>>["results"][number]): unknown {
  return [status, turns.map(({ spending: _, ...turn }) => turn), outcomes];
}

test("a run that is stopped does not begin what nobody will look at, and is finished by a resume", async () => {
  const store = memoryStore();
  const options = {
    scenarios: chainOf(2),
    subjects: memoryModel("subject", () => "yes"),
    replicates: 500,
    concurrency: 2,
    keepResults: false,
    store,
  } as const;
  const run = runScenarios({ allowUnread: true, ...options, run: "r" });
  for await (const event of run) if (event.type === "conversation-end") run.stop();
  const begun = [...store.conversations("r")].length;
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThan(400);
  for await (const _ of resumeRun("r", options)) void _;
  expect(store.run("r")?.statuses).toEqual({ completed: 500 });
});

test("a run that is stopped does not wait for calls that wait, of subjects or judges, and a resume makes them", async () => {
  for (const waits of ["subject", "judge"] as const) {
    const store = memoryStore();
    let isOpen = false;
    const refuse = (): void => {
      if (!isOpen) throw new ModelError("rate_limit", "Not now.", { retryAfterMs: 500_000 });
    };
    const judge = memoryModel("judge", () => {
      if (waits === "judge") refuse();
      return JSON.stringify({ fields: { right: true } });
    });
    const subject = memoryModel("subject", (_message, call) => {
      if (waits === "subject" && call > 20) refuse();
      return "yes";
    });
    const options = { scenarios: chainOf(3), subjects: subject, judge, replicates: 30, store } as const;
    const run = runScenarios({ allowUnread: true, ...options, run: "r", keepResults: false });
    // Nobody turns a clock: if the run waited for a retry, this would not end.
    for await (const event of run) if (event.type === "retry") run.stop();
    expect(store.run("r")?.statuses.cancelled).toBeGreaterThan(0);
    expect(store.run("r")?.statuses.error).toBeUndefined();
    isOpen = true;
    const results = await startResume("r", options, { clock: new VirtualClock() }).results;
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => "completed"));
    expect(results.flatMap(({ turns }) => turns.map(({ verifyResult }) => verifyResult))).toEqual(
      Array.from({ length: 90 }, () => true),
    );
  }
});
