import {
  END,
  type JsonObject,
  type JsonValue,
  question,
  type RunEvent,
  runScenarios,
  Scenario,
  type ScenarioDefinition,
  type ToolFilter,
} from "elenchus";
import { expect, test } from "vitest";
import type { Clock } from "../../src/core/environment.ts";
import { sleepBy, systemClock } from "../../src/engine/run/calls/clock.ts";
import { startRun } from "../../src/engine/run/run-scenarios.ts";
import { openaiServer } from "../model-servers/openai-server.ts";
import { serveTools } from "../tool-servers/http-server.ts";
import { isRunning, program } from "../tool-servers/program.ts";
import { held, memoryModel, only } from "./held.ts";

/** What a scripted model knows when it is asked. */
interface Seen {
  readonly question: string;
  /** What the tools of this turn gave back so far. */
  readonly outputs: readonly JsonValue[];
  readonly tools: readonly string[];
  readonly replicate: number;
}

/** The tools to call, or what to say. */
type Decision = string | readonly (readonly [tool: string, input: JsonObject])[];

/** A model in memory that calls tools. */
function toolUser(decide: (seen: Seen) => Decision | Promise<Decision>): ReturnType<typeof memoryModel> {
  const model = memoryModel("subject", async (_, call) => {
    const [{ messages, tools = [] }, { replicate }] = model.asked[call - 1] as (typeof model.asked)[number];
    const start = messages.findLastIndex(({ role }) => role === "user");
    const asked = messages[start];
    const decision = await decide({
      question: asked?.role === "user" ? asked.content : "",
      outputs: messages
        .slice(start)
        .flatMap((message) => (message.role === "tool" ? message.results.map(({ output }) => output) : [])),
      tools: tools.map(({ name }) => name),
      replicate,
    });
    if (typeof decision === "string") return decision;
    const toolCalls = decision.map(([name, input], index) => ({ id: `${call}-${index}`, name, input }));
    return { toolCalls, finish: "tool_calls" };
  });
  return model;
}

/** Nodes one after the other, each with its question and what it takes away. */
function nodes(
  texts: readonly (readonly [text: string, remove?: ToolFilter["remove"]])[],
  name = "tools",
): ScenarioDefinition {
  const scenario: Scenario = new Scenario(name);
  for (const [index, [text, remove]] of texts.entries())
    scenario.addNode(`n${index}`, {
      question: question({ question: text, rawAnswer: "" }),
      ...(remove === undefined ? {} : { toolFilter: { remove } }),
    });
  for (const index of texts.keys())
    scenario.addEdge(`n${index}`, index + 1 < texts.length ? `n${index + 1}` : END);
  return scenario.setEntry("n0").validate();
}

/** Time in which nothing but a turn can run out of time, and that when the test says so. */
function turnClock(): Clock & { endTurns(): void } {
  const turns = new Set<() => void>();
  return {
    now: systemClock.now,
    sleep: (milliseconds, signal) => sleepBy(systemClock, milliseconds, signal),
    after(milliseconds, action) {
      if (milliseconds !== TURN_MS) return systemClock.after(milliseconds, action);
      turns.add(action);
      return () => turns.delete(action);
    },
    endTurns() {
      for (const action of turns) action();
    },
  };
}

const TURN_MS = 77_000;
const files = program("stdio-server", "files");
const web = program("stdio-server", "web");

function toolCalls(events: readonly RunEvent[]): readonly Extract<RunEvent, { type: "call-start" }>[] {
  return only(events, "call-start").filter(({ purpose }) => purpose === "tool");
}

test("the model gets what tools give, over stdio and HTTP, and all of it is part of the turn", async () => {
  await using remote = await serveTools("secret-token");
  const subject = toolUser(({ outputs }) => {
    if (outputs.length === 0)
      return [
        ["files__add", { a: 1, b: 2 }],
        ["remote__search", { query: "cats" }],
      ];
    if (outputs.length === 2) return [["remote__fail", {}]];
    return outputs.join(" | ");
  });
  const { results, events } = await held({
    scenarios: nodes([["First?"], ["Second?"]]),
    subjects: subject,
    tools: { files, remote: { url: remote.url, headers: { authorization: "$TOKEN" } } },
    environment: { ...process.env, TOKEN: "Bearer secret-token" },
  });
  const reply = "3 | sample found cats | the disk is full";
  expect(results[0]?.turns.map((turn) => turn.reply)).toEqual([reply, reply]);
  const replies = only(events, "turn-reply");
  expect(replies[0]?.messages).toEqual([
    {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "1-0", name: "files__add", input: { a: 1, b: 2 } },
        { id: "1-1", name: "remote__search", input: { query: "cats" } },
      ],
    },
    {
      role: "tool",
      results: [
        { id: "1-0", name: "files__add", output: "3", isError: false },
        { id: "1-1", name: "remote__search", output: "sample found cats", isError: false },
      ],
    },
    { role: "assistant", content: "", toolCalls: [{ id: "2-0", name: "remote__fail", input: {} }] },
    {
      role: "tool",
      results: [{ id: "2-0", name: "remote__fail", output: "the disk is full", isError: true }],
    },
    { role: "assistant", content: reply },
  ]);
  expect(results[0]?.turns[0]?.toolCalls?.map(({ name }) => name)).toEqual([
    "files__add",
    "remote__search",
    "remote__fail",
  ]);
  // The next turn sees the tools of the one before.
  const last = subject.asked.at(-1)?.[0].messages;
  expect(last?.slice(1, 6)).toEqual(replies[0]?.messages);
  expect(toolCalls(events).map(({ turn, call, model }) => [turn, call, model])).toEqual([
    [1, "1.tool.2", "files/add"],
    [1, "1.tool.3", "remote/search"],
    [1, "1.tool.5", "remote/fail"],
    [2, "2.tool.2", "files/add"],
    [2, "2.tool.3", "remote/search"],
    [2, "2.tool.5", "remote/fail"],
  ]);
  const ended = new Set(only(events, "call-end").map(({ call }) => call));
  for (const { call } of only(events, "call-start")) expect(ended).toContain(call);
  expect(only(events, "call-end").filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(JSON.stringify([events, results])).not.toContain("secret-token");
});

test("a model behind HTTP is offered the tools, and sent their results", async () => {
  const server = await openaiServer();
  server.next(
    { toolCalls: [{ id: "call_1", name: "add", input: { a: 20, b: 22 } }] },
    { text: "It is 42." },
    { toolCalls: [{ id: "call_2", name: "nothing", input: {} }] },
    { toolCalls: [{ id: "call_3", name: "add", input: "{broken" }] },
    { text: "I give up." },
  );
  const { results } = await held({
    scenarios: nodes([["How much?"], ["And now?"]]),
    subjects: "openai-compatible/local",
    environment: { ...process.env, OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` },
    tools: { files },
  });
  await server.close();
  expect(results[0]).toMatchObject({ status: "completed", turnCount: 2 });
  expect(results[0]?.turns.map(({ reply }) => reply)).toEqual(["It is 42.", "I give up."]);
  const bodies = server.requests.map(
    ({ body }) => body as { messages: JsonObject[]; tools: { function: { name: string } }[] },
  );
  expect(bodies[0]?.tools.map(({ function: { name } }) => name)).toContain("add");
  expect(bodies[1]?.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "call_1", content: "42" });
  // A model that calls what is not there, or cannot write JSON, is told so and may go on.
  expect(bodies[3]?.messages.at(-1)?.content).toContain('There is no tool "nothing"');
  expect(bodies[4]?.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_3" });
  expect(bodies[4]?.messages.length).toBe(9);
});

test("a filter takes tools away for its turn only, and the journal shows it", async () => {
  const subject = toolUser(({ tools, outputs }) => {
    if (outputs.length > 0) return String(outputs[0]);
    return [[tools.includes("web__search") ? "web__search" : "search", { query: "it" }]];
  });
  const { results, events } = await held({
    scenarios: [
      nodes(
        [
          ["All?"],
          ["No web?", [{ server: "web" }]],
          ["No search of the web?", [{ server: "web", tool: "search" }]],
          ["All again?"],
        ],
        "filtered",
      ),
      nodes([["All?"], ["All?"]], "unfiltered"),
    ],
    subjects: subject,
    replicates: 3,
    tools: { files, web },
  });
  const starts = only(events, "turn-start");
  for (const { conversation, scenario, turns } of results) {
    const own = starts.filter((start) => start.conversation === conversation);
    const removed = own.map(({ removedTools }) => removedTools);
    if (scenario === "unfiltered") {
      expect(removed).toEqual([[], []]);
      expect(turns.map(({ reply }) => reply)).toEqual(["web found it", "web found it"]);
      continue;
    }
    expect(removed).toEqual([[], ["web"], ["web/search"], []]);
    const [all, noWeb, noSearch, again] = own.map(({ tools = [] }) => tools);
    expect(again).toEqual(all);
    expect(noWeb).toHaveLength((all?.length ?? 0) / 2);
    expect(noWeb).toContain("search");
    expect(noSearch).toEqual(all?.filter((name) => name !== "web__search"));
    // What was taken away is not there if it is called all the same.
    expect(turns.map(({ reply }) => reply)).toEqual([
      "web found it",
      "files found it",
      expect.stringContaining('There is no tool "search"'),
      "web found it",
    ]);
  }
  // What the journal says is what the model was offered.
  for (const [{ tools = [], messages }, { conversation, turn }] of subject.asked) {
    if (messages.at(-1)?.role !== "user") continue;
    const start = starts.find((one) => one.conversation === conversation && one.turn === turn);
    expect(tools.map(({ name }) => name)).toEqual(start?.tools);
  }
});

test("a model that never stops calling tools is stopped, and the conversation goes on", async () => {
  const subject = toolUser(({ question: asked }) => (asked === "Stop?" ? "yes" : [["pid", {}]]));
  const { results, events } = await held({
    scenarios: nodes([["Go?"], ["Stop?"]]),
    subjects: subject,
    tools: { files },
    toolSteps: 3,
  });
  expect(results[0]).toMatchObject({ status: "completed", turnCount: 2 });
  expect(only(events, "turn-reply").map(({ stepLimit }) => stepLimit)).toEqual([true, undefined]);
  expect(results[0]?.turns[0]?.toolCalls).toHaveLength(3);
  expect(subject.asked).toHaveLength(4);
  // The last call was not made, and its result says so: no provider takes a call without a result.
  expect(toolCalls(events)).toHaveLength(2);
  expect(JSON.stringify(only(events, "turn-reply")[0]?.messages.at(-1))).toContain("limit of 3 steps");
});

test("a server that is killed in a call fails that conversation only", async () => {
  const killed = Promise.withResolvers<void>();
  const pids: number[] = [];
  const subject = toolUser(async ({ question: asked, outputs, replicate }) => {
    if (asked === "Who?") {
      if (outputs.length === 0) return [["pid", {}]];
      pids.push(Number(outputs[0]));
      return "fine";
    }
    if (outputs.length > 0) return String(outputs[0]);
    if (replicate === 1) return [["hang", {}]];
    // It has been offered its tools while the first server lived.
    await killed.promise;
    return [["add", { a: replicate, b: 1 }]];
  });
  const run = runScenarios({
    scenarios: nodes([["Who?"], ["How much?"]]),
    subjects: subject,
    replicates: 6,
    concurrency: 3,
    tools: { files },
  });
  const events: RunEvent[] = [];
  let isKilled = false;
  for await (const event of run) {
    events.push(event);
    const begun = only(events, "turn-start").filter(({ turn }) => turn === 2).length;
    const hanging = toolCalls(events).some(({ model }) => model === "files/hang");
    if (hanging && begun === 3 && !isKilled) {
      isKilled = true;
      // Not before the call is under way.
      setImmediate(() => process.kill(pids[0] as number, "SIGKILL"));
    }
    if (event.type === "call-end" && event.failure !== undefined) killed.resolve();
  }
  const results = await run.results;
  expect(results.map(({ status }) => status)).toEqual(["error", ...Array(5).fill("completed")]);
  expect(results[0]).toMatchObject({
    turnCount: 1,
    failure: { category: "tool", stage: "tool", node: "n1", turn: 2 },
  });
  expect(results[0]?.failure?.message).toMatch(/tool server "files".*SIGKILL/);
  expect(results[0]?.turns[0]?.reply).toBe("fine");
  expect(results.slice(1).map(({ turns }) => turns[1]?.reply)).toEqual(["3", "4", "5", "6", "7"]);
  expect(new Set(pids).size).toBe(2);
  const ends = only(events, "call-end").filter(({ failure }) => failure !== undefined);
  expect(ends).toMatchObject([{ conversation: results[0]?.conversation, failure: { stage: "tool" } }]);
  // A second server took the place of the first, and neither is left.
  expect(pids.filter(isRunning)).toEqual([]);
});

test.each([
  ["cannot be found", { command: "no-such-command-anywhere" }, /"broken".*no-such-command-anywhere/],
  ["ends at once", program("hostile-server", "exits"), /"broken".*cannot open/s],
  ["is not there", { url: "http://127.0.0.1:9/mcp" }, /"broken".*127\.0\.0\.1:9/],
])("a server that %s fails only the turns that need it", async (_, broken, message) => {
  const subject = toolUser(({ outputs }) =>
    outputs.length > 0 ? String(outputs[0]) : [["add", { a: 1, b: 1 }]],
  );
  const without: ToolFilter["remove"] = [{ server: "broken" }];
  const { results } = await held({
    scenarios: [
      nodes(
        [
          ["First?", without],
          ["Second?", without],
        ],
        "without",
      ),
      nodes([["First?", without], ["Second?"]], "with"),
    ],
    subjects: subject,
    tools: { files, broken },
  });
  expect(results.map(({ status }) => status)).toEqual(["completed", "error"]);
  expect(results[0]?.turns.map(({ reply }) => reply)).toEqual(["2", "2"]);
  expect(results[1]).toMatchObject({
    turnCount: 1,
    failure: { category: "tool", stage: "tool", node: "n1", turn: 2 },
  });
  expect(results[1]?.failure?.message).toMatch(message);
  expect(results[1]?.turns[0]?.reply).toBe("2");
});

test("a tool that hangs runs into the time limit of its turn, and its server serves on", async () => {
  const clock = turnClock();
  const pids: unknown[] = [];
  const subject = toolUser(({ outputs, replicate }) => {
    if (outputs.length > 0) pids.push(outputs[0]);
    if (outputs.length === 0) return [["pid", {}]];
    return replicate === 2 && outputs.length === 1 ? [["hang", {}]] : "fine";
  });
  const run = startRun(
    {
      scenarios: nodes([["Go?"]]),
      subjects: subject,
      replicates: 3,
      concurrency: 1,
      tools: { files },
      timeouts: { turnMs: TURN_MS },
    },
    { clock },
  );
  const events: RunEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (event.type === "call-start" && event.model === "files/hang") setImmediate(() => clock.endTurns());
  }
  const results = await run.results;
  expect(results.map(({ status }) => status)).toEqual(["completed", "timeout", "completed"]);
  expect(results[1]?.failure).toMatchObject({
    category: "timeout",
    node: "n0",
    turn: 1,
    message: `The turn took longer than ${TURN_MS} ms.`,
  });
  expect(new Set(pids).size).toBe(1);
  expect(only(events, "warning")).toEqual([]);
});

test("nothing of the servers is left when a run is over, nor when it is aborted in a call", async () => {
  for (const aborted of [false, true]) {
    const controller = new AbortController();
    const pids: number[] = [];
    const subject = toolUser(({ outputs, replicate }) => {
      if (outputs.length === 0)
        return [
          ["files__pid", {}],
          ["web__pid", {}],
        ];
      if (outputs.length === 2) pids.push(...outputs.map(Number));
      return aborted && replicate === 2 ? [["files__hang", {}]] : "fine";
    });
    const run = runScenarios({
      scenarios: nodes([["Go?"]]),
      subjects: subject,
      replicates: 3,
      concurrency: 1,
      tools: { files, web },
      signal: controller.signal,
    });
    for await (const event of run)
      if (event.type === "call-start" && event.model === "files/hang") setImmediate(() => controller.abort());
    const results = await run.results;
    const other = aborted ? "cancelled" : "completed";
    expect(results.map(({ status }) => status)).toEqual(["completed", other, other]);
    expect(new Set(pids).size).toBe(2);
    expect(pids.filter(isRunning)).toEqual([]);
  }
});

test("calls of tools are calls of the budget", async () => {
  const subject = toolUser(({ outputs }) => (outputs.length > 0 ? "fine" : [["pid", {}]]));
  const options = {
    scenarios: nodes([["Go?"]]),
    subjects: subject,
    replicates: 2,
    concurrency: 1,
    tools: { files },
  };
  const enough = await held({ ...options, budget: { calls: 6 } });
  expect(enough.results.map(({ status }) => status)).toEqual(["completed", "completed"]);
  // The second conversation may ask, but not call.
  const scarce = await held({ ...options, budget: { calls: 4 } });
  expect(scarce.results.map(({ status }) => status)).toEqual(["completed", "budget_exhausted"]);
  expect(scarce.results[1]?.failure).toMatchObject({ category: "budget", node: "n0", turn: 1 });
  expect(toolCalls(scarce.events)).toHaveLength(2);
  expect(only(scarce.events, "call-end").at(-1)).toMatchObject({ failure: { category: "budget" } });
});

test("a filter of tools in a run without tools is a warning", async () => {
  const subject = memoryModel("subject", () => "ok");
  const { events } = await held({ scenarios: nodes([["Ok?", [{ server: "web" }]]]), subjects: subject });
  expect(only(events, "warning").map(({ code, message }) => [code, message])).toEqual([
    [
      "tools",
      'In scenario "tools", node "n0" has a toolFilter, but the run has no tools: it removes nothing. Give the run tools (`tools`).',
    ],
  ]);
});
