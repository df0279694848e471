import { END, lastTurn, ModelError, runScenarios, Scenario, statusIs } from "elenchus";
import { describe, expect, test } from "vitest";
import { chainOf, held, judgedQuestion, letterQuestion, memoryModel, only, ticks, yesJudge } from "./held.ts";

describe("cells", () => {
  test("results stand in the order of scenario, subject, judge, replicate, whatever finished first", async () => {
    const slowFirst = memoryModel("slow", async (_, call) => {
      if (call === 1) await ticks(50);
      return "yes";
    });
    const { results } = await held({
      scenarios: [chainOf(1, "one"), chainOf(2, "two")],
      subjects: [slowFirst, memoryModel("quick", () => "no")],
      judge: [yesJudge("j1"), yesJudge("j2")],
      replicates: 2,
    });
    expect(
      results.map(({ scenario, subject, judge, replicate }) =>
        [scenario, subject, judge, replicate].join(" "),
      ),
    ).toEqual(
      ["one", "two"].flatMap((scenario) =>
        ["slow", "quick"].flatMap((subject) =>
          ["j1", "j2"].flatMap((judge) =>
            [1, 2].map((replicate) => `${scenario} ${subject} ${judge} ${replicate}`),
          ),
        ),
      ),
    );
    expect(results.every(({ index }, position) => index === position)).toBe(true);
  });

  test("judges share the subject's answers, and only the first pays", async () => {
    const subject = memoryModel("subject", (_, call) => `yes ${call}`);
    const { results, events } = await held({
      scenarios: chainOf(3),
      subjects: subject,
      judge: [yesJudge("j1"), yesJudge("j2"), "rules"],
    });
    expect(subject.asked).toHaveLength(3);
    const replies = results.map(({ turns }) => turns.map(({ reply }) => reply));
    expect(replies).toEqual([replies[0], replies[0], replies[0]]);
    expect(results.map(({ spending }) => spending.calls)).toEqual([6, 3, 0]);
    expect(results.map(({ spending }) => spending.cached)).toEqual([0, 3, 3]);
    expect(only(events, "run-end")[0]?.spending.calls).toBe(9);
  });

  test("a conversation that stops does not take along the one that waits for its answer", async () => {
    const subject = memoryModel("subject", (_, call) =>
      call === 1 ? Promise.reject(new ModelError("cancelled", "somebody else stopped")) : "yes",
    );
    const { results } = await held({
      scenarios: chainOf(1),
      subjects: subject,
      judge: [yesJudge("j1"), yesJudge("j2")],
    });
    expect(results.map(({ status }) => status).sort()).toEqual(["completed", "error"]);
  });

  test("the first replicate of everything comes before the second of anything", async () => {
    const subject = memoryModel("subject", () => "yes");
    await held({
      scenarios: [chainOf(1, "a"), chainOf(1, "b")],
      subjects: subject,
      replicates: 3,
      concurrency: 1,
    });
    expect(subject.asked.map(([, { replicate, scenario }]) => `${replicate}${scenario}`)).toEqual([
      "1a",
      "1b",
      "2a",
      "2b",
      "3a",
      "3b",
    ]);
  });

  test("no more conversations at a time than allowed", async () => {
    let running = 0;
    let most = 0;
    const subject = memoryModel("subject", async () => {
      most = Math.max(most, ++running);
      await ticks();
      running--;
      return "yes";
    });
    await held({ scenarios: chainOf(2), subjects: subject, replicates: 30, concurrency: 7 });
    expect(most).toBe(7);
  });
});

describe("the end of a conversation", () => {
  const loop = new Scenario("loop")
    .addNode("ask", { question: letterQuestion("A or B?") })
    .addEdge("ask", "ask", { when: { turn: { lt: 3 } } })
    .addEdge("ask", END)
    .addOutcome("held", lastTurn({ verify_result: true }))
    .addOutcome("finished", statusIs("completed"))
    .setEntry("ask")
    .validate();

  test("END on the last allowed turn is completed; one turn less is the limit", async () => {
    const subject = memoryModel("subject", () => "B");
    const [three] = (await held({ scenarios: loop, subjects: subject, turnLimit: 3 })).results;
    expect(three).toMatchObject({ status: "completed", turnCount: 3 });
    const [two] = (await held({ scenarios: loop, subjects: subject, turnLimit: 2 })).results;
    expect(two).toMatchObject({ status: "limit_reached", turnCount: 2, outcomes: { held: { value: true } } });
  });

  test("a failed turn keeps all earlier turns, and proves nothing about the subject", async () => {
    const subject = memoryModel("subject", (_, call) => {
      if (call === 3) throw new ModelError("bad_request", "too long");
      return "B";
    });
    const { results } = await held({ scenarios: loop, subjects: subject });
    expect(results[0]).toMatchObject({
      status: "error",
      turnCount: 2,
      failure: { category: "bad_request", stage: "subject", node: "ask", turn: 3, message: "too long" },
      outcomes: {
        held: { value: null, status: "inconclusive", reason: "the conversation ended early: error" },
        finished: { value: false, status: "decided" },
      },
    });
  });

  test("judgements under way are waited for when the next question fails", async () => {
    const judge = yesJudge();
    const slow = {
      ...judge,
      reply: async (...call: Parameters<typeof judge.reply>) => {
        await ticks(20);
        return judge.reply(...call);
      },
    };
    const subject = memoryModel("subject", (_, call) => {
      if (call === 2) throw new ModelError("bad_request", "no");
      return "yes";
    });
    const { results } = await held({ scenarios: chainOf(2), subjects: subject, judge: slow });
    expect(results[0]).toMatchObject({ status: "error", turns: [{ verifyResult: true }] });
  });
});

describe("stopping", () => {
  const forever = (_: string, __: number, signal: AbortSignal): Promise<string> =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  test("an aborted signal ends everything at once, and what was said is kept", async () => {
    const controller = new AbortController();
    const subject = memoryModel("subject", (message, call, signal) => {
      if (message !== "Question 1?") return "yes";
      ticks(20).then(() => controller.abort(), expect.unreachable);
      return forever(message, call, signal);
    });
    const { results } = await held({
      scenarios: chainOf(3),
      subjects: subject,
      judge: yesJudge(),
      replicates: 5,
      concurrency: 2,
      signal: controller.signal,
    });
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill("cancelled"));
    expect(results.map(({ turnCount }) => turnCount)).toEqual([1, 1, 0, 0, 0]);
    expect(results[0]?.turns[0]?.verifyResult).toBe(true);
  });

  test("stop() lets the calls under way come to their end", async () => {
    const answers: (() => void)[] = [];
    const subject = memoryModel(
      "subject",
      () => new Promise((resolve) => answers.push(() => resolve("yes"))),
    );
    const run = runScenarios({ allowUnread: true, scenarios: chainOf(3), subjects: subject, replicates: 2 });
    const results = run.results;
    while (answers.length < 2) await ticks();
    run.stop();
    for (const answer of answers) answer();
    expect((await results).map(({ status, turnCount }) => [status, turnCount])).toEqual([
      ["cancelled", 1],
      ["cancelled", 1],
    ]);
    expect(subject.asked).toHaveLength(2);
  });

  test("leaving the loop over events cancels the run", async () => {
    const subject = memoryModel("subject", forever);
    const run = runScenarios({ allowUnread: true, scenarios: chainOf(1), subjects: subject });
    for await (const event of run) if (event.type === "call-start") break;
    expect((await run.results)[0]?.status).toBe("cancelled");
  });

  test.each([
    ["turnMs", "timeout", "The turn took longer than 20 ms."],
    ["conversationMs", "timeout", "The conversation took longer than 20 ms."],
    ["runMs", "timeout", "The run took longer than 20 ms."],
    ["callMs", "error", "There was no answer within 0.02 s."],
  ])("a time limit %s ends the conversation as %s", async (name, status, message) => {
    const subject = memoryModel("subject", (text, call, signal) =>
      call === 1 ? "yes" : forever(text, call, signal),
    );
    const retries = { timeout: { retries: 0, baseMs: 1, capMs: 1 } };
    const { results } = await held({
      scenarios: chainOf(2),
      subjects: subject,
      timeouts: { [name]: 20 },
      retries,
    });
    expect(results[0]).toMatchObject({ status, turnCount: 1, failure: { category: "timeout", message } });
  });
});

describe("the judge", () => {
  test("a judge that cannot be asked leaves the turn unreadable, and the conversation goes on", async () => {
    const judge = memoryModel("judge", () => {
      throw new ModelError("authentication", "the key is wrong");
    });
    const { results } = await held({ scenarios: chainOf(2), subjects: memoryModel("s", () => "yes"), judge });
    expect(results[0]).toMatchObject({
      status: "completed",
      turns: [
        {
          verifyResult: null,
          parsed: { right: null },
          readStatus: "unreadable",
          judgeFailure: { category: "authentication", stage: "judge", node: "n0", turn: 1 },
          notes: { right: "the judge could not be asked: the key is wrong" },
        },
        { verifyResult: null },
      ],
    });
  });

  test("the next question does not wait for a verdict that nothing routes on", async () => {
    const judged = Promise.withResolvers<void>();
    const subject = memoryModel("subject", (message) => {
      if (message === "Question 2?") judged.resolve();
      return "yes";
    });
    const judge = yesJudge();
    const late = {
      ...judge,
      reply: async (...call: Parameters<typeof judge.reply>) => {
        await judged.promise;
        return judge.reply(...call);
      },
    };
    const { results } = await held({ scenarios: chainOf(3), subjects: subject, judge: late });
    expect(results[0]?.turns.map(({ verifyResult }) => verifyResult)).toEqual([true, true, true]);
  });

  test("the next question waits for a verdict that decides where to go", async () => {
    const definition = new Scenario("branching")
      .addNode("a", { question: judgedQuestion("First?") })
      .addNode("b", { question: judgedQuestion("Second?") })
      .addEdge("a", "b", { when: { verify_result: true } })
      .addEdge("a", END)
      .addEdge("b", END)
      .setEntry("a")
      .validate();
    const answers = async (reply: string): Promise<readonly string[] | undefined> =>
      (await held({ scenarios: definition, subjects: memoryModel("s", () => reply), judge: yesJudge() }))
        .results[0]?.path;
    expect(await answers("yes")).toEqual(["a", "b"]);
    expect(await answers("no")).toEqual(["a"]);
  });

  test("a panel decides by majority, without the member that fails", async () => {
    const no = memoryModel("no", () => JSON.stringify({ fields: { right: false } }));
    const broken = memoryModel("broken", () => {
      throw new ModelError("permission", "not for you");
    });
    const { results } = await held({
      scenarios: chainOf(1),
      subjects: memoryModel("s", () => "yes"),
      judge: [{ panel: [yesJudge("j1"), yesJudge("j2"), no] }, { panel: [no, no, broken], name: "strict" }],
    });
    expect(results.map(({ judge }) => judge)).toEqual(["panel of j1, j2, no", "strict"]);
    expect(results.map(({ turns }) => turns[0]?.verifyResult)).toEqual([true, false]);
  });

  test("sees a few earlier turns", async () => {
    const judge = yesJudge();
    await held({
      scenarios: chainOf(3),
      subjects: memoryModel("s", (_, call) => `yes ${call}`),
      judge,
      earlierTurns: 1,
    });
    const last = judge.asked.find(([{ messages }]) => JSON.stringify(messages).includes("Question 2?"));
    const text = JSON.stringify(last?.[0].messages);
    expect(text).toContain("Question 1?");
    expect(text).not.toContain("Question 0?");
  });
});

describe("budgets", () => {
  test.each([
    [{ calls: 4 }, 4],
    [{ tokens: 60 }, 4],
  ])("%o is never exceeded", async (budget, calls) => {
    const subject = memoryModel("subject", () => "yes");
    const { results, events } = await held({
      scenarios: chainOf(3),
      subjects: subject,
      replicates: 3,
      concurrency: 1,
      budget,
    });
    expect(subject.asked).toHaveLength(calls);
    expect(results.map(({ status }) => status)).toEqual([
      "completed",
      "budget_exhausted",
      "budget_exhausted",
    ]);
    expect(results.map(({ turnCount }) => turnCount)).toEqual([3, 1, 0]);
    expect(results[1]?.failure).toMatchObject({ category: "budget" });
    expect(only(events, "run-end")[0]?.spending).toMatchObject({ calls, tokens: calls * 15 });
  });

  test("a judge counts, too, and a turn that it may not read is unreadable", async () => {
    const subject = memoryModel("subject", () => "yes");
    const { results } = await held({
      scenarios: chainOf(2),
      subjects: subject,
      judge: yesJudge(),
      budget: { calls: 3 },
    });
    expect(results[0]).toMatchObject({ status: "budget_exhausted" });
  });

  test("a budget in USD needs prices", async () => {
    const { price: _, ...unpriced } = memoryModel("mystery", () => "yes");
    await expect(
      runScenarios({ allowUnread: true, scenarios: chainOf(1), subjects: unpriced, budget: { usd: 1 } })
        .results,
    ).rejects.toThrow(/no price is known for mystery/);
  });
});

describe("mistakes", () => {
  test("options are checked at the door", () => {
    const scenarios = chainOf(1);
    expect(() =>
      runScenarios({ allowUnread: true, scenarios, subjects: "sim/steadfast", turnLimit: 0 }),
    ).toThrow("Expected `turnLimit` to be an integer from 1 and up, got `0` (number)");
    expect(() => runScenarios({ allowUnread: true, scenarios: [], subjects: "sim/steadfast" })).toThrow(
      "at least one scenario",
    );
  });

  test("every model that cannot be used is told before the first call", async () => {
    const subject = memoryModel("good", () => "yes");
    const run = runScenarios({
      allowUnread: true,
      scenarios: chainOf(1),
      subjects: [subject, "sim/steadfst", "openai/gpt-5", "nowhere/model"],
      environment: {},
    });
    await expect(run.results).rejects.toMatchObject({
      name: "RunError",
      problems: [
        expect.stringContaining("steadfast"),
        expect.stringContaining("OPENAI_API_KEY"),
        expect.stringContaining("nowhere"),
      ],
    });
    expect(subject.asked).toEqual([]);
  });

  test("subjects and scenarios are told apart by name", async () => {
    const twice = [memoryModel("same", () => "yes"), memoryModel("same", () => "no")];
    await expect(
      runScenarios({ allowUnread: true, scenarios: chainOf(1), subjects: twice }).results,
    ).rejects.toThrow('Two subjects are called "same"');
    const scenarios = [chainOf(1), chainOf(2)];
    await expect(
      runScenarios({ allowUnread: true, scenarios, subjects: "sim/steadfast" }).results,
    ).rejects.toThrow('Two scenarios are called "chain"');
  });

  test("the error of a run that cannot begin reaches whoever iterates", async () => {
    const run = runScenarios({ allowUnread: true, scenarios: chainOf(1), subjects: "nowhere/model" });
    await expect(async () => {
      for await (const _ of run);
    }).rejects.toThrow("nowhere");
  });
});

test("a judge model reads also what rules could read, if it is asked to", async () => {
  const scenarios = new Scenario("letters")
    .addNode("ask", { question: letterQuestion("A or B?") })
    .setEntry("ask")
    .validate();
  const judge = memoryModel("judge", () => JSON.stringify({ fields: { letter: "B" } }));
  const options = { scenarios, subjects: () => "It is A.", judge: [judge, "rules"] } as const;
  const read = async (reading: "rules" | "judge"): Promise<unknown[]> => {
    const { results } = await held({ ...options, reading });
    return results.map(({ turns }) => turns[0]?.parsed.letter);
  };
  expect(await read("rules")).toEqual(["A", "A"]);
  expect(judge.asked).toHaveLength(0);
  expect(await read("judge")).toEqual(["B", "A"]);
  expect(judge.asked).toHaveLength(1);
});
