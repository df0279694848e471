import { describe, expect, test } from "vitest";
import {
  allTurns,
  END,
  firstTurn,
  lastTurn,
  parseScenario,
  type Question,
  question,
  Scenario,
  type ScenarioDefinition,
} from "../../../apps/public/index.ts";
import { provideLiquid } from "../../../core/liquid/liquid-engine.ts";
import { loadLiquid } from "../../../engine/run/liquid-library.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { rehearse } from "./rehearse.ts";
import { replayWitness } from "./replay-witness.ts";

provideLiquid(loadLiquid);

const yes = { type: "boolean", description: "whether it agrees", truth: true } as const;

function asks(text = "Is it so?", template: object = { fields: { yes } }): Question {
  return question({ question: text, rawAnswer: "yes", template: template as never });
}

function verdicts({ outcomes }: Rehearsal): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(outcomes.map(({ name, values }) => [name, values.map(({ value }) => value)]));
}

function edgesOf({ edges }: Rehearsal): readonly string[] {
  return edges.map(({ isTaken, never }) => never?.reason ?? isTaken);
}

describe("what never happens has a reason", () => {
  test("an edge before it, a condition that never holds, a source that is never asked", async () => {
    const definition = new Scenario("never")
      .addNode("ask", { question: asks() })
      .addNode("more", { question: asks() })
      .addEdge("ask", END, { when: { turn: { gte: 1 } } })
      .addEdge("ask", "more", { when: { verify_result: true } })
      .addEdge("ask", END, { when: [{ verify_result: true }, { verify_result: false }] })
      .addEdge("ask", "more")
      .addEdge("more", END)
      .setEntry("ask")
      .validate();
    const rehearsal = await rehearse(definition);
    expect(edgesOf(rehearsal)).toEqual([
      "yes",
      "taken_before",
      "never_holds",
      "taken_before",
      "source_not_reached",
    ]);
    expect(rehearsal.edges[1]?.never).toEqual({ reason: "taken_before", by: [0] });
    expect(rehearsal.nodes[1]).toMatchObject({
      id: "more",
      isReached: "no",
      reason: "no_path",
      witness: null,
    });
  });

  test("the turn limit comes first", async () => {
    const scenario: Scenario = new Scenario("long");
    for (let index = 0; index < 6; index++) scenario.addNode(`n${index}`, { question: asks() });
    for (let index = 0; index < 6; index++) scenario.addEdge(`n${index}`, index < 5 ? `n${index + 1}` : END);
    const { nodes, paths, longest } = await rehearse(scenario.setEntry("n0").validate(), { turnLimit: 4 });
    expect(nodes.map(({ isReached }) => isReached)).toEqual(["yes", "yes", "yes", "yes", "no", "no"]);
    expect(nodes.at(-1)?.reason).toBe("turn_limit");
    expect({ ...paths, listed: 0 }).toEqual({ count: 1n, limited: 1n, routes: 1n, listed: 0 });
    expect(longest).toMatchObject({ status: "limit_reached" });
  });

  test("a loop that only the turn limit ends, and one that a reply ends", async () => {
    const build = (when: object): ScenarioDefinition =>
      new Scenario("loop")
        .addNode("ask", { question: asks() })
        .addNode("again", { question: asks() })
        .addEdge("ask", "again")
        .addEdge("again", "ask", { when: when as never })
        .addEdge("again", END)
        .setEntry("ask")
        .validate();
    const endless = await rehearse(build({ turn: { gte: 1 } }), { turnLimit: 7 });
    expect(endless.loops).toMatchObject([{ nodes: ["ask", "again"], trap: { status: "limit_reached" } }]);
    const open = await rehearse(build({ verify_result: true }), { turnLimit: 7 });
    expect(open.loops).toMatchObject([
      { nodes: ["ask", "again"], trap: null, untilLimit: { status: "limit_reached" } },
    ]);
  });
});

describe("code", () => {
  const built = (when: unknown): ScenarioDefinition =>
    new Scenario("code")
      .addNode("ask", { question: asks() })
      .addNode("more", { question: asks() })
      .addEdge("ask", "more", { when: when as never })
      .addEdge("ask", END)
      .addEdge("more", END)
      .addOutcome("right", lastTurn({ verify_result: true }))
      .setEntry("ask")
      .validate();

  test("a function that uses nothing but its arguments is run, as is a source string", async () => {
    const code = (_: unknown, parsed: { yes?: boolean }): boolean => parsed.yes === false;
    for (const when of [code, "(accumulated, parsed) => parsed.yes === false"]) {
      const rehearsal = await rehearse(built(when));
      expect(rehearsal.undecided).toEqual([]);
      expect(rehearsal.nodes[1]).toMatchObject({ isReached: "yes", after: 1 });
      expect(rehearsal.nodes[1]?.witness?.turns[0]).toMatchObject({
        parsed: { yes: false },
        verifyResult: false,
      });
    }
  });

  test("a function that uses something else is never called: both answers may be", async () => {
    let calls = 0;
    const rehearsal = await rehearse(built(() => ++calls > 0));
    expect(calls).toBe(0);
    expect(rehearsal.nodes[1]).toMatchObject({ isReached: "maybe", witness: { isAssumed: true } });
    expect(edgesOf(rehearsal)).toEqual(["maybe", "maybe", "maybe"]);
    expect(rehearsal.undecided).toMatchObject([
      { kind: "opaque_function", place: 'the condition of the edge from "ask" to "more"' },
    ]);
  });

  test("code that throws or never ends is named, and does as in a run: it does not match", async () => {
    for (const when of ["() => { throw new Error('boom'); }", "() => { for (;;) {} }"]) {
      const rehearsal = await rehearse(built(when));
      expect(edgesOf(rehearsal)).toEqual(["never_holds", "yes", "source_not_reached"]);
      expect(rehearsal.undecided).toMatchObject([{ kind: "code_failed" }]);
    }
  });

  test("what an update accumulates is followed; one that cannot be run makes what reads it unknown", async () => {
    const counting = (update: unknown): ScenarioDefinition =>
      new Scenario("counting")
        .addNode("ask", { question: asks(), stateUpdate: update as never })
        .addEdge("ask", END, { when: { "accumulated.n": { gte: 2 } } as never })
        .addEdge("ask", "ask")
        .addOutcome("n", { type: "result_check", field: "accumulated.n", expected: 2 })
        .setEntry("ask")
        .validate();
    const known = await rehearse(counting("(accumulated) => ({ n: (accumulated.n ?? 0) + 1 })"));
    expect(known).toMatchObject({ undecided: [], longest: { turns: { length: 2 } } });
    expect(verdicts(known)).toEqual({ n: [true] });
    let outside = 1;
    const opaque = await rehearse(
      counting(() => ({ n: outside++ })),
      { turnLimit: 3 },
    );
    expect(outside).toBe(1);
    expect(opaque.outcomes).toEqual([{ name: "n", values: [], isComplete: false }]);
    expect(opaque.undecided.map(({ place }) => place)).toEqual([
      'the state update of node "ask"',
      'the outcome "n"',
    ]);
  });

  test("a verdict by a function that cannot be run is tried in all three ways", async () => {
    let calls = 0;
    const definition = new Scenario("opaque verdict")
      .addNode("ask", { question: asks("Is it so?", { fields: { yes }, verify: () => ++calls > 0 }) })
      .addEdge("ask", END)
      .addOutcome("right", firstTurn({ verify_result: true }))
      .setEntry("ask")
      .validate();
    const { outcomes } = await rehearse(definition);
    expect(calls).toBe(0);
    expect(outcomes[0]?.values.map(({ value, isPossible }) => [value, isPossible])).toEqual([
      [true, "maybe"],
      [false, "maybe"],
      ["inconclusive", "maybe"],
    ]);
  });
});

describe("what conditions tell apart", () => {
  test("numbers between compared numbers, named values, and something else", async () => {
    const definition = new Scenario("numbers")
      .addNode("ask", {
        question: asks("How many?", { fields: { n: { type: "integer", description: "n", truth: 5 } } }),
      })
      .addNode("low", { question: asks() })
      .addNode("middle", { question: asks() })
      .addEdge("ask", "low", { when: { "parsed.n": { lt: 3 } } as never })
      .addEdge("ask", "middle", { when: { "parsed.n": { lte: 5 } } as never })
      .addEdge("ask", END)
      .addEdge("low", END)
      .addEdge("middle", END)
      .setEntry("ask")
      .validate();
    const rehearsal = await rehearse(definition);
    expect(edgesOf(rehearsal)).toEqual(["yes", "yes", "yes", "yes", "yes"]);
    // Below 3, from 3 to 5, above, and unreadable.
    expect(rehearsal.nodes[0]?.replies).toBe(4);
  });

  test("a reply that nothing looks at is one reply", async () => {
    const definition = new Scenario("unseen").addNode("ask", { question: asks() }).setEntry("ask").validate();
    const { nodes, paths } = await rehearse(definition);
    expect({ replies: nodes[0]?.replies, count: paths.count }).toEqual({ replies: 1, count: 1n });
  });

  test("refusals, where a condition asks for them", async () => {
    const definition = new Scenario("refusal")
      .addNode("ask", { question: asks() })
      .addNode("why", { question: asks() })
      .addEdge("ask", "why", { when: { refused: true } })
      .addEdge("ask", END)
      .addEdge("why", END)
      .addOutcome("right", firstTurn({ verify_result: true }))
      .setEntry("ask")
      .validate();
    const { nodes } = await rehearse(definition);
    const witness = nodes[1]?.witness;
    expect(witness?.turns[0]).toMatchObject({ refused: true, verifyResult: false });
    const replayed = await replayWitness(definition, witness as NonNullable<typeof witness>);
    expect(replayed).toMatchObject({
      path: ["ask", "why"],
      turns: [{ refused: true, verifyResult: false }, {}],
    });
  });

  test("a check on the words of the reply passes and fails", async () => {
    const definition = new Scenario("words")
      .addNode("ask", {
        question: asks("Cite a source.", {
          fields: {
            cites: {
              type: "boolean",
              description: "cites",
              truth: true,
              check: { type: "trace_regex", pattern: "\\[\\d+\\]" },
            },
          },
        }),
      })
      .addEdge("ask", END)
      .addOutcome("cited", firstTurn({ verify_result: true }))
      .setEntry("ask")
      .validate();
    const rehearsal = await rehearse(definition);
    expect(verdicts(rehearsal).cited).toEqual(expect.arrayContaining([true, false]));
    for (const { value, witness } of rehearsal.outcomes[0]?.values ?? [])
      if (typeof value === "boolean")
        expect((await replayWitness(definition, witness)).outcomes.cited?.value).toBe(value);
  });
});

describe("rows, variants, arms and simulated users", () => {
  const parse = (data: object): ScenarioDefinition => parseScenario({ version: 1, ...data });
  const letter = { type: "enum", values: ["A", "B"], description: "the letter", truth: "{{ row.answer }}" };

  test("rows that differ in truths are rehearsed, those that differ in questions are one", async () => {
    const rows = ["A", "A", "B"].map((answer, index) => ({
      id: `r${index}`,
      text: `Question ${index}`,
      answer,
    }));
    const definition = parse({
      name: "rows",
      entry: "ask",
      dataset: { rows, id: "id" },
      nodes: {
        ask: {
          question: {
            question: "{{ row.text }}",
            rawAnswer: "{{ row.answer }}",
            template: { fields: { letter } },
          },
        },
      },
      edges: [{ source: "ask", target: "END" }],
      outcomes: [
        {
          name: "right",
          check: {
            type: "turn_check",
            scope: { type: "first_turn" },
            field: "verify_result",
            expected: true,
          },
        },
      ],
    });
    const rehearsal = await rehearse(definition);
    expect(rehearsal.places).toEqual([
      { row: "r0", rowName: 'r0 "Question 0"' },
      { row: "r2", rowName: 'r2 "Question 2"' },
    ]);
    expect(verdicts(rehearsal)).toEqual({ right: [true, false, "inconclusive"] });
    const few = await rehearse(definition, { maxPlaces: 1 });
    expect(few.undecided).toMatchObject([{ kind: "not_all_tried", place: "the rows and variants" }]);
    expect(few.isComplete).toBe(false);
  });

  test("answers whose values come from the row can be right and wrong", async () => {
    const definition = parse({
      name: "short",
      question: "{{ row.question }}",
      answer: "{{ row.answer }}",
      wrong: "{{ row.wrong }}",
      dataset: { rows: [{ question: "Capital?", answer: "Canberra", wrong: [["Sydney", "SYD"], "Perth"] }] },
    });
    expect(verdicts(await rehearse(definition))).toEqual({ knew_it: [true, false, "inconclusive"] });
  });

  test("a condition that depends on the variant holds in one of them", async () => {
    const definition = parse({
      name: "variants",
      entry: "ask",
      variants: { limit: [1, 2] },
      nodes: { ask: { question: { question: "Well?", rawAnswer: "yes", template: { fields: { yes } } } } },
      edges: [
        { source: "ask", target: "ask", when: { "node_visits.ask": { lt: "{{ variant.limit }}" } } },
        { source: "ask", target: "END" },
      ],
    });
    const rehearsal = await rehearse(definition);
    expect(rehearsal.edges[0]).toMatchObject({
      isTaken: "yes",
      witness: { place: { variant: { limit: "2" } } },
    });
    expect(rehearsal.longest?.turns).toHaveLength(2);
  });

  test("arms of a fork are conversations of their own, and witnesses end in them", async () => {
    const definition = new Scenario("arms")
      .addNode("ask", { question: asks() })
      .addNode("kind", { question: asks() })
      .addNode("harsh", { question: asks() })
      .addFork("ask", ["kind", "harsh"])
      .addEdge("kind", END)
      .addEdge("harsh", END)
      .addOutcome("held", allTurns({ verify_result: true }))
      .setEntry("ask")
      .validate();
    const rehearsal = await rehearse(definition);
    expect(rehearsal.paths).toMatchObject({ count: 18n, routes: 2n });
    const witness = rehearsal.nodes[2]?.witness as NonNullable<Rehearsal["shortest"]>;
    expect(witness.arm).toBe("harsh");
    expect(await replayWitness(definition, witness)).toMatchObject({ arm: "harsh", path: ["ask", "harsh"] });
  });

  test("a simulated user is done, or not, and reveals what it may", async () => {
    const definition = parse({
      name: "user",
      entry: "patient",
      nodes: {
        patient: {
          user: {
            instructions: "You are a patient.",
            facts: { fever: "I have had a fever for a week." },
            opening: "Hello.",
          },
        },
        end: { question: { question: "So?", rawAnswer: "yes", template: { fields: { yes } } } },
      },
      edges: [
        { source: "patient", target: "end", when: { "user.done": true } },
        { source: "patient", target: "END", when: { "user.revealed": { contains: "fever" } } },
        { source: "patient", target: "patient" },
        { source: "end", target: "END" },
      ],
    });
    const rehearsal = await rehearse(definition, { turnLimit: 4 });
    expect(edgesOf(rehearsal)).toEqual(["yes", "yes", "yes", "yes"]);
    const witness = rehearsal.edges[1]?.witness as NonNullable<Rehearsal["shortest"]>;
    expect(witness.turns.at(-1)?.user).toEqual({ reveals: ["fever"], done: false });
    expect((await replayWitness(definition, witness, { turnLimit: 4 })).path).toEqual(["patient", "patient"]);
  });
});

describe("limits", () => {
  test("paths are counted, not listed: three verdicts at 25 nodes", async () => {
    const scenario: Scenario = new Scenario("many");
    for (let index = 0; index < 25; index++) scenario.addNode(`n${index}`, { question: asks() });
    for (let index = 0; index < 25; index++)
      scenario.addEdge(`n${index}`, index < 24 ? `n${index + 1}` : END);
    scenario.addOutcome("all", allTurns({ verify_result: true }));
    const { paths, states } = await rehearse(scenario.setEntry("n0").validate(), { turnLimit: 30, list: 4 });
    expect(paths).toMatchObject({ count: 3n ** 25n, limited: 0n, routes: 1n });
    expect(paths.listed).toHaveLength(4);
    expect(states).toBeLessThan(200);
  });

  function exploding(outcome: unknown, loops = false): ScenarioDefinition {
    const scenario: Scenario = new Scenario("exploding");
    for (let index = 0; index < 12; index++) scenario.addNode(`n${index}`, { question: asks() });
    for (let index = 0; index < 12; index++)
      scenario.addEdge(`n${index}`, index < 11 ? `n${index + 1}` : END);
    for (let index = 0; loops && index < 6; index++)
      scenario.addEdge("n11", "n0", { when: { [`node_results.n${index}.verify_result`]: true } as never });
    scenario.addOutcome("any", outcome as never);
    return scenario.setEntry("n0").validate();
  }

  test("an outcome that reads too much is not decided, and everything else is", async () => {
    const code = ({ turns }: { turns: readonly unknown[] }): boolean => turns.length > 3;
    const { outcomes, paths, undecided, nodes, isComplete } = await rehearse(exploding(code), {
      maxStates: 50,
    });
    expect(outcomes).toMatchObject([{ isComplete: false }]);
    expect(undecided).toMatchObject([{ kind: "not_all_tried", place: "the outcomes" }]);
    expect(isComplete).toBe(true);
    expect({ isComplete, count: paths.count }).toEqual({ isComplete: true, count: 5n ** 12n });
    expect(nodes.map(({ isReached }) => isReached)).not.toContain("maybe");
  });

  test("a scenario with too many states says so, and nothing is called impossible", async () => {
    const rehearsal = await rehearse(exploding(lastTurn({ verify_result: true }), true), { maxStates: 50 });
    expect(rehearsal.isComplete).toBe(false);
    expect(rehearsal.paths.count).toBe(null);
    expect(rehearsal.undecided).toMatchObject([
      { kind: "not_all_tried", message: expect.stringContaining("more than 50 states") },
    ]);
    expect(rehearsal.nodes.map(({ isReached }) => isReached)).not.toContain("no");
  });

  test("options are checked at the door", async () => {
    const definition = new Scenario("one").addNode("ask", { question: asks() }).setEntry("ask").validate();
    await expect(rehearse(definition, { turnLimit: 0 })).rejects.toThrow(
      "Expected `turnLimit` to be an integer from 1 and up, got `0` (number)",
    );
  });

  test("a text that cannot be rendered is a failure with its conversation", async () => {
    const word = { type: "string", description: "the word", truth: "yes" };
    const definition = new Scenario("text")
      .addNode("ask", { question: asks("Which word?", { fields: { word } }) })
      .addNode("then", { question: asks("{{ nodes.ask.parsed.word }}") })
      .addEdge("ask", "then")
      .addEdge("then", END)
      .setEntry("ask")
      .validate();
    const { failures } = await rehearse(definition);
    expect(failures).toMatchObject([
      {
        message: 'A text of node "then" cannot be rendered: the question comes to an empty text.',
        witness: { status: "error", turns: [{ node: "ask", parsed: { word: null } }] },
      },
    ]);
  });
});
