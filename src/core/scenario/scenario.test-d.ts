import { describe, expectTypeOf, test } from "vitest";
import { exactMatch } from "../checks/check-factories.ts";
import { allOf, anyOf, not } from "../logic/composition.ts";
import type { OutcomeCheck } from "../outcomes/outcome-check.ts";
import {
  allTurns,
  anyTurn,
  countTurns,
  crossTurn,
  firstTurn,
  lastTurn,
  measureIs,
  minOverTurns,
  statusIs,
  turnAt,
  turnOfFlip,
} from "../outcomes/outcome-helpers.ts";
import { stateCheck } from "../state/condition.ts";
import { template } from "../templates/template.ts";
import {
  END,
  type NodesOf,
  type OutcomesOf,
  type Question,
  question,
  type ScenarioDefinition,
} from "./definition.ts";
import { Scenario } from "./scenario.ts";

const plain = question({ question: "Q?", rawAnswer: "A" });
const asked = question({
  question: "A or B?",
  rawAnswer: "B",
  template: template({
    letter: { type: "enum", values: ["A", "B"], description: "the option", truth: "B" },
    count: { type: "integer", description: "how many", truth: 3 },
    sure: { type: "boolean", description: "certain or not", truth: true },
    drug: { type: "string", description: "the drug", truth: "venetoclax" },
    tags: { type: "array", items: { type: "string" }, description: "labels", truth: [] },
  }),
});
const chain = new Scenario("chain").addNode("ask", { question: asked }).addNode("push", { question: plain });

test("the fields of a template are known", () => {
  expectTypeOf(asked).toEqualTypeOf<
    Question<{
      readonly letter: "A" | "B" | null;
      readonly count: number | null;
      readonly sure: boolean | null;
      readonly drug: string | null;
      readonly tags: readonly string[] | null;
    }>
  >();
});

describe("node ids", () => {
  test("an edge to or from a node that is not added is an error at that word", () => {
    // @ts-expect-error there is no node "psuh".
    chain.addEdge("ask", "psuh");
    // @ts-expect-error there is no node "aks".
    chain.addEdge("aks", "push");
    expectTypeOf(chain.addEdge<typeof chain, "ask">)
      .parameter(1)
      .toEqualTypeOf<"ask" | "push" | "END" | "__end__">();
  });

  test("an entry that is not added is an error", () => {
    // @ts-expect-error there is no node "aks".
    chain.setEntry("aks");
  });

  test("a duplicate is an error where it is added, in words", () => {
    // @ts-expect-error "ask" exists.
    chain.addNode("ask", { question: plain });
    expectTypeOf(chain.addNode<"ask">)
      .parameter(0)
      .toEqualTypeOf<'Node "ask" already exists in this scenario'>();
  });

  test("edges may come before the nodes they name", () => {
    const definition = new Scenario("any order")
      .addEdge("a", "b", { when: { "parsed.whatever": 1, verify_result: true } })
      .addEdge("a", END)
      .addNode("a", { question: asked })
      .addNode("b", { question: plain })
      .setEntry("a")
      .validate();
    expectTypeOf(definition).toExtend<ScenarioDefinition>();
  });

  test("both ways to write the end are known", () => {
    chain
      .addEdge("ask", "push")
      .addEdge("push", END)
      .addEdge("push", "END")
      .addEdge("push", "__end__")
      .validate();
  });
});

describe("conditions", () => {
  test("all forms compile", () => {
    chain
      .addEdge("ask", "push", { when: { "parsed.letter": "A" } })
      .addEdge("ask", "push", { when: { "parsed.letter": { in: ["A", "B"] } } })
      .addEdge("ask", "push", { when: { "parsed.letter": null } })
      .addEdge("ask", "push", { when: { "parsed.count": { gte: 2, lt: 5 } } })
      .addEdge("ask", "push", { when: { "parsed.sure": { ne: true } } })
      .addEdge("ask", "push", { when: { "parsed.drug": { contains: "clax" } } })
      .addEdge("ask", "push", { when: { "parsed.tags": { contains: "a" } } })
      .addEdge("ask", "push", { when: { "accumulated.anything": 3 } })
      .addEdge("ask", "push", { when: { "node_results.ask.rubric.tone": { gte: 3 } } })
      .addEdge("ask", "push", {
        when: [{ verify_result: null }, { turn: { gt: 1 } }, { "parsed.sure": true }],
      })
      .addEdge("ask", "push", { when: stateCheck({ field: "turn", expected: 1, verifyWith: exactMatch() }) })
      .addEdge("ask", "push", {
        when: allOf({ verify_result: true }, not({ turn: 1 }), anyOf({ "parsed.sure": true })),
      })
      .addEdge("ask", "push", {
        when: (accumulated, parsed, state) => parsed.count === accumulated.n && state.turn > 1,
      })
      .addEdge("ask", "push", { when: "(accumulated, parsed) => parsed.sure" })
      .addEdge("ask", "push", { when: null })
      .addEdge("ask", "push", { when: { "user.done": true } })
      .addEdge("ask", "push", {
        when: anyOf({ "user.reveals": { contains: "age" } }, not({ "user.revealed": null })),
      })
      .addEdge("ask", "push", { when: anyOf(stateCheck({ field: "parsed.count", expected: 3 })) })
      .addEdge("ask", "push", { when: anyOf((_accumulated, parsed) => parsed.count === 3, { turn: 1 }) })
      .addEdge("push", "ask", { when: stateCheck({ field: "node_results.ask.parsed.letter" }) })
      .addEdge("push", "ask", { when: { "parsed.open": 1 } })
      .addEdge("push", "ask", { when: { "node_visits.push": { lt: 3 } } })
      .addEdge("push", "ask", { when: { "node_results.ask.verify_result": false } })
      .addEdge("push", "ask", { when: { "node_results.ask.parsed.letter": "A" } })
      .addEdge("push", "ask", { when: { "node_results.push.parsed.open": "A" } })
      .addEdge("push", END, { handover: "transcript_prepend" })
      .setEntry("ask")
      .validate();
  });

  test("a field that the template does not have", () => {
    // @ts-expect-error there is no field "lettr".
    chain.addEdge("ask", "push", { when: { "parsed.lettr": "A" } });
    // @ts-expect-error there is no field "lettr", in a list as well.
    chain.addEdge("ask", "push", { when: [{ "parsed.lettr": "A" }] });
    // @ts-expect-error there is no field "lettr" at the node "ask".
    chain.addEdge("push", "ask", { when: { "node_results.ask.parsed.lettr": "A" } });
    // @ts-expect-error there is no field "lettr", in a composition as well.
    chain.addEdge("ask", "push", { when: anyOf({ verify_result: true }, { "parsed.lettr": "A" }) });
    // @ts-expect-error there is no field "lettr", also deeper.
    chain.addEdge("ask", "push", { when: allOf({ turn: 1 }, not({ "parsed.lettr": "A" })) });
    // @ts-expect-error there is no field "lettr" for a check.
    chain.addEdge("ask", "push", { when: stateCheck({ field: "parsed.lettr", expected: "A" }) });
    // @ts-expect-error there is no field "lettr" for a check in a composition.
    chain.addEdge("ask", "push", { when: anyOf(stateCheck({ field: "parsed.lettr", expected: "A" })) });
    // @ts-expect-error there is no field "lettr" for a function either.
    chain.addEdge("ask", "push", { when: (_accumulated, parsed) => parsed.lettr === "A" });
  });

  test("a value of the wrong type", () => {
    // @ts-expect-error "C" is no option.
    chain.addEdge("ask", "push", { when: { "parsed.letter": "C" } });
    // @ts-expect-error a count is a number.
    chain.addEdge("ask", "push", { when: { "parsed.count": "three" } });
    // @ts-expect-error a count is compared with numbers.
    chain.addEdge("ask", "push", { when: { "parsed.count": { gte: "3" } } });
    // @ts-expect-error a boolean has no order.
    chain.addEdge("ask", "push", { when: { "parsed.sure": { gte: 1 } } });
    // @ts-expect-error a verdict is true, false or null.
    chain.addEdge("ask", "push", { when: { verify_result: "true" } });
    // @ts-expect-error a turn is a number.
    chain.addEdge("ask", "push", { when: { turn: "2" } });
    // @ts-expect-error visits are a number.
    chain.addEdge("ask", "push", { when: { "node_visits.ask": true } });
    // @ts-expect-error "C" is no option of the past node.
    chain.addEdge("push", "ask", { when: { "node_results.ask.parsed.letter": "C" } });
  });

  test("a path that does not exist", () => {
    // @ts-expect-error there is no such root.
    chain.addEdge("ask", "push", { when: { verify_resul: true } });
    // @ts-expect-error there is no node "aks".
    chain.addEdge("ask", "push", { when: { "node_visits.aks": 1 } });
    // @ts-expect-error there is no node "aks", in a composition as well.
    chain.addEdge("ask", "push", { when: anyOf({ "node_visits.aks": 1 }) });
    // @ts-expect-error a user has no "don".
    chain.addEdge("ask", "push", { when: { "user.don": true } });
    // @ts-expect-error there is no operator "gtee".
    chain.addEdge("ask", "push", { when: { turn: { gtee: 1 } } });
  });
});

describe("outcomes", () => {
  test("know the nodes, also within compositions", () => {
    chain
      .addOutcome("a", allTurns({ verify_result: true }, { node: "push" }))
      .addOutcome("b", anyTurn({ verify_result: true, "parsed.letter": "B" }, { node: ["ask", "push"] }))
      .addOutcome("c", allOf(not(lastTurn({ verify_result: false })), statusIs("completed")))
      .addOutcome("d", measureIs(countTurns({ node: "ask" }), "gte", turnOfFlip({ node: "push" })))
      .addOutcome("e", (result) => result.turnCount > 1)
      .addOutcome("f", "(result) => result.turnCount > 1")
      .addOutcome("g", { type: "turn_check", scope: { type: "any_turn" }, field: "reply", expected: "" });
    // @ts-expect-error there is no node "psuh".
    chain.addOutcome("a", allTurns({ verify_result: true }, { node: "psuh" }));
    // @ts-expect-error there is no node "psuh".
    chain.addOutcome("a", allOf(not(anyTurn({ verify_result: true }, { node: ["ask", "psuh"] }))));
    // @ts-expect-error there is no node "psuh".
    chain.addOutcome("a", measureIs(countTurns({ node: "psuh" }), "gte", 1));
    // @ts-expect-error there is no node "psuh".
    chain.addOutcome("a", turnOfFlip({ node: "psuh" }));
  });

  test("know the fields", () => {
    const typed = new Scenario("typed").addNode("ask", { question: asked });
    typed.addOutcome("a", firstTurn({ "parsed.count": { gte: 2 }, "rubric.tone": 3 }));
    typed.addOutcome("b", minOverTurns("parsed.count"));
    typed.addOutcome("b", minOverTurns("score"));
    // @ts-expect-error a score is a number.
    typed.addOutcome("a", allTurns({ score: true }));
    // @ts-expect-error there is no field "cuont".
    typed.addOutcome("a", firstTurn({ "parsed.cuont": 3 }));
    // @ts-expect-error "C" is no option.
    typed.addOutcome("a", allTurns({ "parsed.letter": "C" }));
    // @ts-expect-error there is no field "cuont".
    typed.addOutcome("b", minOverTurns("parsed.cuont"));
    typed.addOutcome(
      "c",
      crossTurn({
        source: turnAt(0),
        sourceField: "parsed.count",
        target: turnAt(-1),
        // @ts-expect-error there is no field "cuont".
        targetField: "parsed.cuont",
        comparison: "gt",
      }),
    );
  });

  test("made before their scenario fit any", () => {
    const held = allTurns({ verify_result: true, "parsed.whatever": 1 }, { node: "some node" });
    chain.addOutcome("held", held);
    expectTypeOf(allOf(held, statusIs("completed"))).toExtend<OutcomeCheck>();
  });

  test("are remembered by the definition", () => {
    const definition = chain
      .addOutcome("held_firm", allTurns({ verify_result: true }))
      .addOutcome("flips", turnOfFlip())
      .addEdge("ask", END)
      .setEntry("ask")
      .validate();
    expectTypeOf<OutcomesOf<typeof definition>>().toEqualTypeOf<"held_firm" | "flips">();
    expectTypeOf<NodesOf<typeof definition>["id"]>().toEqualTypeOf<"ask" | "push">();
  });
});

test("rates know the outcomes", () => {
  const rated = chain.addOutcome("knew", lastTurn({ verify_result: true })).addOutcome("flips", turnOfFlip());
  rated
    .addRate("a", { of: "knew", given: "knew" })
    .addRate("b", { mean: "flips", given: { not: "knew" } })
    .addRate("c", { ratio: { of: "flips", over: { tone: "rude" } } });
  // @ts-expect-error there is no outcome "knwe".
  rated.addRate("a", { of: "knwe" });
  // @ts-expect-error there is no outcome "knwe".
  rated.addRate("a", { of: "knew", given: { not: "knwe" } });
  // @ts-expect-error there is no outcome "flip".
  rated.addRate("a", { ratio: { of: "flip", over: { tone: "rude" } } });
  new Scenario("before its outcomes").addRate("a", { of: "made later" });
});

describe("state updates", () => {
  test("know the fields", () => {
    chain.addNode("next", {
      question: asked,
      stateUpdate: (accumulated, parsed, { turn, verifyResult }) => {
        expectTypeOf(parsed.letter).toEqualTypeOf<"A" | "B" | null>();
        expectTypeOf(turn).toEqualTypeOf<number>();
        expectTypeOf(verifyResult).toEqualTypeOf<boolean | null>();
        return { ...accumulated, letter: parsed.letter };
      },
    });
    chain.addNode("next", {
      question: asked,
      // @ts-expect-error there is no field "lettr".
      stateUpdate: (_accumulated, parsed) => ({ letter: parsed.lettr }),
    });
    chain.addNode("next", {
      question: "Which city?",
      answer: "Canberra",
      wrong: ["Sydney"],
      stateUpdate: (accumulated, parsed) => {
        expectTypeOf(parsed.answer).toEqualTypeOf<"Canberra" | "Sydney" | null>();
        return accumulated;
      },
    });
  });
});

describe("built in a loop or from unknown data, everything compiles without casts", () => {
  const items: { id: string; text: string; when: unknown }[] = [];

  test("as statements", () => {
    const s = new Scenario("loop");
    for (const { id, text } of items) {
      s.addNode(id, { question: question({ question: text, rawAnswer: "" }) });
      s.addEdge(id, "done", { when: { verify_result: true } });
      s.addEdge(id, END);
    }
    s.addNode("done", { question: asked });
    s.addEdge("done", "not known here", { when: { "parsed.letter": "Z", "node_visits.x": 1 } });
    s.setEntry("done");
    s.setEntry(items[0]?.id ?? "done");
    expectTypeOf(s.validate()).toExtend<ScenarioDefinition>();
  });

  test("assigned again at each step", () => {
    let s = new Scenario("loop");
    for (const { id, text } of items) {
      s = s.addNode(id, { question: question({ question: text, rawAnswer: "" }) });
      s = s.addEdge(id, "first", { when: { "parsed.anything": 1 } });
      s = s.addEdge("first", id);
    }
    s.setEntry("first").validate();
  });

  test("a chain that goes on with ids from data", () => {
    const [item] = items;
    const s = chain
      .addNode(item?.id ?? "x", { question: plain })
      .addEdge("ask", "made later")
      .addEdge(item?.id ?? "x", END);
    expectTypeOf(s.setEntry("ask").validate()).toExtend<ScenarioDefinition>();
  });

  test("reduced over a list", () => {
    const s = items.reduce((built, { id }) => built.addNode(id, { question: plain }), new Scenario("reduce"));
    expectTypeOf(s.validate()).toExtend<ScenarioDefinition>();
  });

  test("given to a function that adds to any scenario", () => {
    const addClosing = (s: Scenario): Scenario =>
      s.addNode("close", { question: plain }).addEdge("close", END);
    addClosing(new Scenario("helped"));
    addClosing(chain);
  });
});

test("a node has a question, or a simulated user who writes it", () => {
  const user = { instructions: "You are a patient." };
  new Scenario("s")
    .addNode("talk", { user })
    .addNode("ask", {
      user,
      question: { template: template({ n: { type: "number", description: "", truth: 1 } }) },
    })
    .addEdge("talk", "ask")
    // The fields of its template are known.
    .addEdge("ask", END, { when: { "parsed.n": { gte: 1 } } });
  // @ts-expect-error a node needs one of them
  new Scenario("s").addNode("talk", {});
});

describe("a question as text", () => {
  const short = new Scenario("short")
    .addNode("ask", {
      question: "What is the capital?",
      answer: "Canberra",
      wrong: ["Sydney", ["Perth", "P."]],
    })
    .addNode("count", { question: "How many?", answer: { number: 46, within: 0.5 } })
    .addNode("sure", { question: "Sure?", answer: "yes" })
    .addNode("free", { question: "Say something.", answer: "none" });

  test("the answer is known, with the wrong ones", () => {
    short.addEdge("ask", "count", { when: { "parsed.answer": "Perth" } });
    // @ts-expect-error there is no answer "Sidney".
    short.addEdge("ask", "count", { when: { "parsed.answer": "Sidney" } });
    // @ts-expect-error the field is called answer.
    short.addEdge("ask", "count", { when: { "parsed.city": "Perth" } });
  });

  test("numbers, and yes and no, have their types", () => {
    short.addEdge("count", "sure", { when: { "parsed.answer": { gte: 46 } } });
    // @ts-expect-error the answer is a number.
    short.addEdge("count", "sure", { when: { "parsed.answer": "46" } });
    short.addEdge("sure", "free", { when: { "parsed.answer": true } });
    // @ts-expect-error the answer is true or false.
    short.addEdge("sure", "free", { when: { "parsed.answer": "yes" } });
  });

  test("a misspelt key is an error", () => {
    // @ts-expect-error it is called answer.
    new Scenario("x").addNode("a", { question: "Q?", anwser: "A" });
  });
});
