import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scenarioToJson } from "../../../apps/project/scenario-files/write-scenario.ts";
import { allOf, not } from "../../../core/logic/composition.ts";
import { evaluateOutcome } from "../../../core/outcomes/evaluate-outcome.ts";
import { END, question, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { Scenario } from "../../../core/scenario/scenario.ts";
import { advanceState } from "../../../core/state/advance-state.ts";
import { resolveNextNode } from "../../../core/state/routing.ts";
import { INITIAL_STATE, type TurnRecord } from "../../../core/state/state.ts";
import { template } from "../../../core/templates/template.ts";
import type { UnknownRecord } from "../../../core/values/json.ts";
import { evaluateCodeTraits } from "../../grading/verify/trait-value.ts";
import { verifyParsed } from "../../grading/verify/verify-parsed.ts";
import { hasSources, linkSources } from "./link-sources.ts";
import { openSandbox, type Sandbox } from "./open-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = openSandbox({ seed: 1, timeoutMs: 2000 });
});
afterAll(() => sandbox.dispose());

const link = (definition: ScenarioDefinition) => linkSources(definition, (source) => sandbox.compile(source));

const city = template(
  { city: { type: "string", description: "the capital", truth: "Canberra" } },
  {
    verify: (parsed, { results, reply }) =>
      reply === "?" ? null : results.city === true || parsed.city === "C.",
  },
);

/** Functions in every place that takes one. */
function withFunctions(): ScenarioDefinition {
  return new Scenario("functions everywhere")
    .addNode("ask", {
      question: question({
        question: "What is the capital of Australia?",
        rawAnswer: "Canberra",
        template: city,
        rubric: { traits: [{ type: "function", name: "length", evaluate: (reply) => reply.length }] },
      }),
      rubric: { traits: [{ type: "function", name: "calm", evaluate: (reply) => !/!/.test(reply) }] },
      stateUpdate: (accumulated, parsed, { turn, reply, node }) => ({
        ...accumulated,
        [`${node} ${turn}`]: [parsed.city, reply.toUpperCase()],
        count: Number(accumulated.count ?? 0) + 1,
      }),
    })
    .addNode("push", {
      question: question({ question: "Really?", rawAnswer: "Yes" }),
      stateUpdate: (accumulated) => {
        if (accumulated.count === 1) throw new Error("one question was enough");
        return accumulated;
      },
    })
    .addEdge("ask", END, {
      when: allOf(
        { turn: { gte: 2 } },
        not((accumulated: UnknownRecord) => accumulated.count === 1),
      ),
    })
    .addEdge("ask", "push", {
      when: (accumulated, parsed, state) =>
        state.verifyResult === true && accumulated.count === 1 && parsed !== null,
      handover: (turns, text) => `${turns.map(({ reply }) => `> ${reply}`).join("\n")}\n${text}`,
    })
    .addEdge("ask", "ask")
    .addEdge("push", "ask", {
      when: (_accumulated, parsed) => (parsed as { missing: { deep: boolean } }).missing.deep,
    })
    .addEdge("push", "ask")
    .addOutcome(
      "share",
      ({ turns }) => turns.filter((turn) => turn.verifyResult === true).length / turns.length,
    )
    .addOutcome("stayed", ({ path }) => path.includes("push"))
    .addOutcome("odd", () => "neither" as unknown as boolean)
    .setEntry("ask")
    .validate();
}

/** Plays replies through a scenario and keeps everything that is decided on the way. */
function play(definition: ScenarioDefinition, replies: readonly string[]): unknown {
  const log: unknown[] = [];
  const turns: TurnRecord[] = [];
  let state = INITIAL_STATE;
  let node: string | null = definition.entryNode;
  for (const reply of replies) {
    const found = node === null ? undefined : definition.nodes[node];
    if (node === null || found === undefined) break;
    const { question: asked, rubric, stateUpdate } = found;
    const parsed = { city: reply === "?" ? null : reply };
    const verification =
      asked.template === undefined ? undefined : verifyParsed(asked.template, parsed, { reply });
    const verifyResult = verification?.verifyResult ?? null;
    const traits = evaluateCodeTraits([...(rubric?.traits ?? []), ...(asked.rubric?.traits ?? [])], reply);
    const advanced = advanceState(state, { node, verifyResult, reply, parsed, rubric: traits }, stateUpdate);
    state = advanced.state;
    turns.push({ node, verifyResult, reply, questionText: asked.question, parsed, rubric: traits });
    const decision = resolveNextNode(definition.edges, state);
    const { handover } = definition.edges[decision.edge ?? -1] ?? {};
    const text = typeof handover === "function" ? handover(turns, "And now?") : handover;
    log.push({ verification, traits, advanced, decision, text });
    node = decision.target;
  }
  const path = turns.map(({ node }) => node);
  const result = {
    status: "completed",
    path,
    turnCount: path.length,
    turns,
    accumulated: state.accumulated,
  } as const;
  return { log, outcomes: definition.outcomes.map(({ check }) => evaluateOutcome(check, result)) };
}

describe("a scenario with functions everywhere", () => {
  const written = withFunctions();
  const read = parseScenario(JSON.parse(JSON.stringify(scenarioToJson(written))));

  test.each([[["Canberra", "Yes", "Canberra", "more"]], [["Sydney!", "?", "C.", "no"]], [["?", "?", "?"]]])(
    "decides the same when its functions are source strings (%j)",
    async (replies) => {
      const { definition, problems } = await link(read);
      expect(problems).toEqual([]);
      expect(hasSources(definition)).toBe(false);
      // Engines word their own errors differently.
      const own = /cannot read propert[^"]*/gi;
      const text = (value: unknown) => JSON.stringify(value, null, 1).replaceAll(own, "cannot read");
      expect(text(await sandbox.evaluate(() => play(definition, replies)))).toBe(
        text(play(written, replies)),
      );
    },
  );

  test("comes by everything that the test above compares", async () => {
    const { definition } = await link(read);
    const replies = ["Canberra", "Yes", "Canberra", "more"];
    const text = JSON.stringify(await sandbox.evaluate(() => play(definition, replies)));
    for (const part of [
      '"ask 1":["Canberra","CANBERRA"]',
      '"calm":{"value":true}',
      '"length":{"value":8}',
      '"text":"> Canberra\\nAnd now?"',
      "threw: one question was enough",
      "the function threw: cannot read property",
      '"target":"__end__"',
      '"value":0.6666666666666666',
      "the function returned neither true or false nor a number",
    ])
      expect(text).toContain(part);
  });

  test("keeps its hash, is frozen, and shares what has no source", async () => {
    const { definition } = await link(read);
    expect(definition.hash).toBe(read.hash);
    expect(definition.edges[2]).toBe(read.edges[2]);
    expect(definition.nodes.ask?.question.template?.fields).toBe(read.nodes.ask?.question.template?.fields);
    const parts = [definition, definition.nodes, definition.nodes.ask, definition.edges, definition.edges[0]];
    expect(parts.every(Object.isFrozen)).toBe(true);
    expect(Object.keys(definition).sort()).toEqual(Object.keys(read).sort());
  });

  test("is known to need a sandbox", async () => {
    expect(hasSources(read)).toBe(true);
    expect(hasSources(written)).toBe(false);
    expect((await link(written)).definition).toBe(written);
  });
});

function conditional(when: string, rest: object = {}): ScenarioDefinition {
  return parseScenario({
    name: "sources",
    entry: "a",
    nodes: { a: { question: { question: "?", rawAnswer: "!" }, ...rest } },
    edges: [
      { source: "a", target: "a", when },
      { source: "a", target: "END" },
    ],
  });
}

test.each([
  ["() => { throw new Error('no'); }", "the function threw: no"],
  ["() => { for (;;); }", "the function threw: ran longer than 30 ms"],
  ["() => new Map()", "the function threw: its result is a Map, not plain data"],
  ["() => undefined", "the function answered false"],
])("a condition that cannot be evaluated does not match and says why: %s", async (source, reason) => {
  const own = openSandbox({ seed: 1, timeoutMs: 30 });
  const { definition } = await linkSources(conditional(source), (text) => own.compile(text));
  const state = { ...INITIAL_STATE, turn: 1, currentNode: "a" };
  const decision = await own.evaluate(() => resolveNextNode(definition.edges, state));
  own.dispose();
  expect(decision).toMatchObject({ target: END, tested: [{ matched: false, reason }] });
});

test("a state update that fails keeps the old value and says so", async () => {
  const { definition } = await link(conditional("() => true", { stateUpdate: "() => 5n" }));
  const turn = { node: "a", verifyResult: null, reply: "", parsed: {}, rubric: {} };
  const before = { ...INITIAL_STATE, accumulated: { kept: true } };
  const { stateUpdate } = definition.nodes.a ?? {};
  expect(await sandbox.evaluate(() => advanceState(before, turn, stateUpdate))).toMatchObject({
    state: { accumulated: { kept: true } },
    updateProblem: 'the state update of "a" threw: its result is a bigint, not plain data',
  });
});

test("what does not compile is a problem with its place, never an exception", async () => {
  const broken = parseScenario({
    name: "broken",
    entry: "a",
    nodes: {
      a: {
        question: {
          question: "?",
          rawAnswer: "!",
          template: { fields: { x: { type: "string", description: "x", truth: "x" } }, verify: "() => 1; 2" },
          rubric: { traits: [{ type: "function", name: "t", evaluate: "() => 1; 2" }] },
        },
        stateUpdate: "async () => ({})",
      },
    },
    edges: [
      { source: "a", target: "a", when: { type: "not", condition: "() => {" }, handover: "(a) => (" },
      { source: "a", target: "END" },
    ],
    outcomes: [{ name: "o", check: "() => 1, () => 2" }],
  });
  const { definition, problems } = await link(broken);
  expect(problems.map(({ place }) => place).sort()).toEqual([
    'the condition of the edge from "a" to "a"',
    'the handover of the edge from "a" to "a"',
    'the outcome "o"',
    'the state update of node "a"',
    'the trait "t" of node "a"',
    'the verification of node "a"',
  ]);
  expect(problems.every(({ message }) => message.startsWith("this is not the source of"))).toBe(true);
  const update = advanceState(
    INITIAL_STATE,
    { node: "a", verifyResult: null, reply: "", parsed: {}, rubric: {} },
    definition.nodes.a?.stateUpdate,
  );
  expect(update.updateProblem).toContain("it is async, but must return its result at once");
});
