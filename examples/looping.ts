import { countTurns, END, firstMatchIndex, lastTurn, Scenario, type ScenarioDefinition } from "elenchus";

/** The same question again while the answer is wrong, three times at most. */
export const definition: ScenarioDefinition = new Scenario("prime-retry", {
  description: "How many attempts does the model need to find the one prime number between 24 and 30?",
  // A finding of `elenchus check` that is intended, with the reason.
  lint: {
    off: { oracle_edge: "Being asked again says that the answer was wrong; the attempts are counted." },
  },
})
  .addNode("ask", { question: "Which prime number lies between 24 and 30?", answer: 29, wrong: [27, 25] })
  .addEdge("ask", "ask", { when: [{ verify_result: false }, { "node_visits.ask": { lt: 3 } }] })
  .addEdge("ask", END)
  .setEntry("ask")
  .addOutcome("solved", lastTurn({ verify_result: true }), { good: true })
  .addOutcome("attempts", countTurns({ node: "ask" }))
  .addOutcome("first_right_turn", firstMatchIndex({ verifyResult: true }), {
    description: "Counted from 0; -1 if no attempt was right.",
  })
  .validate();
