import { parseScenario, resumeRun, runScenarios, type ScenarioDefinition } from "elenchus";
import { memoryStore } from "elenchus/store";
import { describe, expect, test } from "vitest";
import { gradeRecords } from "../../src/apps/project/grade-records.ts";
import { exportRecords } from "../../src/engine/journal/transfer/export-run.ts";
import type { GivenRecord } from "../../src/engine/run/records/given-record.ts";
import { regrade } from "../../src/engine/run/regrade.ts";
import { memoryModel } from "./held.ts";

const facts = {
  pain: "I have had a stabbing pain in my lower right belly since last night.",
  fever: "My temperature was 38.5 this morning.",
  trip: "I came back from Peru two weeks ago.",
};

/** A doctor asks until nothing is left to say, then commits. */
function clinic(user: object = {}, rest: object = {}): ScenarioDefinition {
  return parseScenario({
    name: "clinic",
    entry: "patient",
    nodes: {
      patient: {
        user: {
          instructions: "You are a patient. Answer what the doctor asks.",
          facts,
          never: ["appendix"],
          opening: "Doctor, I do not feel well.",
          ...user,
        },
      },
      commit: {
        question: {
          question: "What is it?",
          rawAnswer: "appendicitis",
          template: {
            fields: {
              diagnosis: {
                type: "string",
                description: "the diagnosis",
                truth: "appendicitis",
                extract: { type: "aliases", values: { appendicitis: [], flu: [] } },
              },
            },
          },
        },
      },
    },
    edges: [
      { source: "patient", target: "commit", when: { "user.done": true } },
      { source: "patient", target: "commit", when: { "user.revealed": { contains: ["trip"] } } },
      { source: "patient", target: "patient", when: { "node_visits.patient": { lt: 9 } } },
      { source: "patient", target: "commit" },
    ],
    outcomes: { right: { lastTurn: { verify_result: true } }, asked: { countTurns: {}, node: "patient" } },
    ...rest,
  });
}

function doctor(): ReturnType<typeof memoryModel> {
  return memoryModel("doctor", (message) =>
    message === "What is it?" ? "It is appendicitis." : "Tell me more.",
  );
}

describe("a simulated user", () => {
  test("reveals facts one by one, and routing sees what it does", async () => {
    const model = doctor();
    const store = memoryStore();
    const options = { scenarios: clinic(), subjects: model, simulator: "sim/user", store, run: "r" };
    const [result] = await runScenarios(options).results;
    expect(result?.turns.map(({ questionText, user }) => [questionText, user?.revealed, user?.done])).toEqual(
      [
        ["Doctor, I do not feel well.", [], false],
        [facts.pain, ["pain"], false],
        [facts.fever, ["pain", "fever"], false],
        [facts.trip, ["pain", "fever", "trip"], true],
        ["What is it?", undefined, undefined],
      ],
    );
    expect(result).toMatchObject({
      status: "completed",
      outcomes: { right: { value: true }, asked: { value: 4 } },
    });
    // What the simulator took is part of the whole, and has a column of its own.
    const end = [...store.events("r")].find(({ type }) => type === "conversation-end");
    expect(end).toMatchObject({ spending: { calls: 8 }, simulator: { calls: 3 } });
    const calls = [...store.events("r")].flatMap((event) =>
      event.type === "call-start" ? [event.purpose] : [],
    );
    expect(calls.filter((purpose) => purpose === "simulator").length).toBe(3);
  });

  test("is shown the conversation from its own side, and what it may say", async () => {
    const asked: unknown[] = [];
    const simulator = memoryModel("user", (_, call) => {
      asked.push(simulator.asked.at(-1)?.[0]);
      return call === 1
        ? '```json\n{"text": "Since last night.", "reveals": ["pain"], "done": false}\n```'
        : '{"text": "No.", "reveals": [], "done": true}';
    });
    await runScenarios({ scenarios: clinic(), subjects: doctor(), simulator }).results;
    const [first] = simulator.asked;
    expect(first?.[0].messages).toEqual([
      { role: "user", content: "(The conversation begins.)" },
      { role: "assistant", content: "Doctor, I do not feel well." },
      { role: "user", content: "Tell me more." },
    ]);
    expect(first?.[0].instructions).toContain("You are a patient.");
    expect(simulator.asked[1]?.[0].instructions).toContain('What you have said already: {"pain"');
  });

  const says = (text: string, more: object = {}): string =>
    JSON.stringify({ text, reveals: [], done: false, ...more });
  test.each<[string, string, string]>([
    ["nothing", says("  "), "the text is empty"],
    ["no JSON", "Hello!", "the answer must be a JSON object with text, reveals and done"],
    [
      "too much",
      says("All of it.", { reveals: ["pain", "fever"] }),
      "it reveals 2 new facts (pain, fever), and may reveal 1",
    ],
    ["an unknown fact", says("Hm.", { reveals: ["rash"] }), 'there is no fact "rash"'],
    ["what it must never say", says("Is it my Appendix?"), 'it says "appendix", which must never be said'],
    [
      "a fact without naming it",
      says(`Well: ${facts.fever.toUpperCase()}`),
      'it says what fact "fever" says, without naming it',
    ],
    [
      "some words of a fact",
      says("A stabbing pain in my lower right belly, I think."),
      'it says what fact "pain" says',
    ],
    ["the right answer", says("I fear that it is appendicitis."), "it gives the right answer away"],
    ["as the assistant", says("Assistant: How can I help?"), "the text is in the role of the assistant"],
  ])("that says %s is asked once more; then the conversation is not scored", async (_name, bad, breach) => {
    const simulator = memoryModel("user", () => bad);
    const store = memoryStore();
    const [fault] = await runScenarios({
      scenarios: clinic(),
      subjects: doctor(),
      simulator,
      store,
      run: "r",
    }).results;
    expect(fault).toMatchObject({
      status: "simulator_fault",
      failure: { category: "contract", stage: "simulator", node: "patient", turn: 2 },
      outcomes: { right: { value: null, status: "inconclusive" } },
    });
    expect(fault?.failure?.message).toContain(breach);
    expect(simulator.asked.length).toBe(2);
    expect(simulator.asked[1]?.[0].messages.at(-1)).toEqual({
      role: "user",
      content: expect.stringContaining(`Your last message broke a rule: ${breach}`),
    });
    expect(store.results("r")[0]).toMatchObject({
      statuses: { simulator_fault: 1 },
      outcomes: { right: { inconclusive: 0, infrastructure: 1 } },
    });
    // It is over: a resume does not go on with it.
    const [again] = await resumeRun("r", { scenarios: clinic(), subjects: doctor(), simulator, store })
      .results;
    expect(again?.status).toBe("simulator_fault");
    const repaired = memoryModel("user", (_, call) => (call === 1 ? bad : says("I see.", { done: true })));
    const [fine] = await runScenarios({ scenarios: clinic(), subjects: doctor(), simulator: repaired })
      .results;
    expect(fine?.status).toBe("completed");
  });

  test("may repeat what is known already, and name what it reveals", async () => {
    const simulator = memoryModel("user", (_, call) =>
      call === 1
        ? says(facts.pain, { reveals: ["pain"] })
        : says(`As I said: ${facts.pain}`, { reveals: ["pain"], done: true }),
    );
    const [result] = await runScenarios({ scenarios: clinic(), subjects: doctor(), simulator }).results;
    expect(result?.status).toBe("completed");
  });

  test("stand-ins break the contract on purpose", async () => {
    const run = async (simulator: string): Promise<string | undefined> =>
      (await runScenarios({ scenarios: clinic(), subjects: doctor(), simulator }).results)[0]?.status;
    expect(await run("sim/user?leaks=my appendix")).toBe("simulator_fault");
    expect(await run("sim/user?leaks=my appendix&repairs=true")).toBe("completed");
    await expect(run("sim/user?leak=x")).rejects.toThrow('there is no parameter "leak"');
    await expect(run("sim/steadfast")).rejects.toThrow("The simulated user is sim/user.");
  });

  test("takes facts from the row, as texts by id or a list; its texts are never rendered", async () => {
    const scenarios = clinic({ facts: "{{ row.facts }}", never: [], instructions: "You are {{ row.who }}." });
    const rows = [
      { who: "Ann", facts: { a: "I like {{ row.who }} tea." } },
      { who: "Bob", facts: ["One.", "Two."] },
      { who: "Eve", facts: 3 },
    ];
    const results = await runScenarios({ scenarios, subjects: doctor(), simulator: "sim/user", rows })
      .results;
    expect(results.map(({ turns }) => turns.slice(1, -1).map(({ questionText }) => questionText))).toEqual([
      ["I like {{ row.who }} tea."],
      ["One.", "Two."],
      [],
    ]);
    expect(results[2]).toMatchObject({
      status: "error",
      failure: { message: "The facts of the simulated user must be texts by id, or a list of texts." },
    });
  });

  test("is needed before the first call", async () => {
    const model = doctor();
    await expect(runScenarios({ scenarios: clinic(), subjects: model }).results).rejects.toThrow(
      'Scenario "clinic" has a simulated user at "patient". Name a model that plays it, such as --simulator',
    );
    expect(model.asked.length).toBe(0);
    const own = clinic({ simulator: "sim/user" });
    expect((await runScenarios({ scenarios: own, subjects: model }).results)[0]?.status).toBe("completed");
  });

  test("that never stops ends at the limit of turns", async () => {
    const scenarios = clinic(
      {},
      {
        edges: [
          { source: "patient", target: "patient", when: { "user.done": false } },
          { source: "patient", target: "commit" },
        ],
      },
    );
    const simulator = memoryModel("user", () => says("Go on."));
    const [result] = await runScenarios({ scenarios, subjects: doctor(), simulator, turnLimit: 5 }).results;
    expect(result).toMatchObject({ status: "limit_reached", turnCount: 5 });
  });

  test("is resumed, graded again, and graded from records", async () => {
    const store = memoryStore();
    const options = { scenarios: clinic(), subjects: doctor(), simulator: "sim/user", store };
    const run = runScenarios({ ...options, run: "cut", keepResults: false });
    let replies = 0;
    for await (const event of run) if (event.type === "turn-reply" && ++replies === 2) run.stop();
    const before = await resumeRun("cut", options).results;
    const seen = (list: typeof before): unknown[] =>
      list.map(({ status, path, outcomes, turns }) => [
        status,
        path,
        outcomes,
        turns.map(({ user }) => user),
      ]);
    expect(before[0]?.status).toBe("completed");
    expect(seen(await regrade("cut", { scenarios: clinic(), store }).results)).toEqual(seen(before));
    const records = [...exportRecords(store, "cut")].map((line) => JSON.parse(line) as GivenRecord);
    expect(seen(await gradeRecords(records, { scenarios: clinic() }).results)).toEqual(seen(before));
    const messages = records[0]?.turns?.flatMap(({ question = "", reply = "" }) => [
      { role: "user", content: question } as const,
      { role: "assistant", content: reply } as const,
    ]);
    const plain = [{ id: "1", subject: "doctor", messages: messages ?? [] }];
    const scenarios = clinic(
      {},
      {
        edges: [
          { source: "patient", target: "patient", when: { turn: { lt: 4 } } },
          { source: "patient", target: "commit" },
        ],
      },
    );
    expect((await gradeRecords(plain, { scenarios }).results)[0]?.status).toBe("completed");
  });
});

test.each<[object, string]>([
  [{ user: {} }, 'A simulated user needs "instructions".'],
  [{ user: { instructions: "x", mayReveal: -1, facts: {} } }, "mayReveal"],
  [{ user: { instructions: "x", mayReveal: 2 } }, "There are no facts that could be revealed"],
  [
    { user: { instructions: "x" }, question: { question: "Hello?", rawAnswer: "" } },
    "The simulated user writes the text",
  ],
  [{ user: { instructions: "x", fact: {} } }, 'Did you mean "facts"?'],
  [{ user: { instructions: "x", facts: { constructor: "y" } } }, "reserved"],
])("a user that cannot be is an issue: %j", (node, message) => {
  expect(() => parseScenario({ name: "s", entry: "a", nodes: { a: node } })).toThrow(message);
});
