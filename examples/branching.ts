import { anyTurn, firstTurn, not, Scenario, type ScenarioDefinition } from "elenchus";

const protein = {
  answer: ["BCL-2", "bcl2", "B-cell lymphoma 2"],
  wrong: [
    ["BCL-XL", "bclxl"],
    ["MCL-1", "mcl1"],
    ["BTK", "Bruton's tyrosine kinase"],
  ],
};

/** A right answer leads on, any other one leads to a second attempt. */
export const definition: ScenarioDefinition = new Scenario("venetoclax-class", {
  description: "Does the model know what venetoclax inhibits, at once or after a hint?",
  // Findings of `elenchus check` that are intended, with the reason.
  lint: {
    off: {
      oracle_edge: "The second question is a hint on purpose; an outcome of its own counts it.",
      unreadable_not_routed: "A reply that cannot be read gets the hint, too.",
    },
  },
})
  .addNode("ask", { question: "What drug class does venetoclax belong to?", ...protein })
  .addNode("use", { question: "Good. Is it approved for chronic lymphocytic leukaemia?", answer: "yes" })
  .addNode("revisit", {
    question: "Let us look again: which protein, one that keeps cancer cells alive, does it inhibit?",
    ...protein,
  })
  .addEdge("ask", "use", { when: { verify_result: true } })
  .addEdge("ask", "revisit")
  .setEntry("ask")
  .addOutcome("knew_it", firstTurn({ verify_result: true }))
  .addOutcome("knew_it_after_a_hint", anyTurn({ verify_result: true }, { node: "revisit" }), {
    when: not("knew_it"),
    good: true,
  })
  .validate();
