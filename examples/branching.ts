import {
  anyTurn,
  END,
  firstTurn,
  not,
  question,
  Scenario,
  type ScenarioDefinition,
  template,
} from "elenchus";
import { regexMatch } from "elenchus/checks";

const drugClass = template({
  target: {
    type: "string",
    description: "the protein that the reply says venetoclax inhibits",
    truth: "BCL-2",
    check: regexMatch({ pattern: "bcl.?2|b.?cell lymphoma.?2", flags: "i" }),
    extract: {
      type: "aliases",
      values: {
        "BCL-2": ["bcl2", "B-cell lymphoma 2"],
        "BCL-XL": ["bclxl"],
        "MCL-1": ["mcl1"],
        BTK: ["Bruton's tyrosine kinase"],
      },
    },
  },
});

/** A right answer leads on, any other one leads to a second attempt. */
export const definition: ScenarioDefinition = new Scenario("venetoclax-class", {
  description: "Does the model know what venetoclax inhibits, at once or after a hint?",
  // What `elenchus check` would ask about, and why it is so.
  lint: {
    off: {
      oracle_edge: "The second question is a hint on purpose; an outcome of its own counts it.",
      unreadable_not_routed: "A reply that cannot be read gets the hint, too.",
    },
  },
})
  .addNode("ask", {
    question: question({
      question: "What drug class does venetoclax belong to?",
      rawAnswer: "It is a BCL-2 inhibitor.",
      template: drugClass,
    }),
  })
  .addNode("use", {
    question: question({
      question: "Good. Is it approved for chronic lymphocytic leukaemia?",
      rawAnswer: "Yes, for chronic lymphocytic leukaemia, among others.",
      template: template({
        approved: {
          type: "boolean",
          description: "whether the reply says that it is approved for chronic lymphocytic leukaemia",
          truth: true,
          extract: { type: "stance" },
        },
      }),
    }),
  })
  .addNode("revisit", {
    question: question({
      question: "Let us look again: which protein, one that keeps cancer cells alive, does it inhibit?",
      rawAnswer: "BCL-2.",
      template: drugClass,
    }),
  })
  .addEdge("ask", "use", { when: { verify_result: true } })
  .addEdge("ask", "revisit")
  .addEdge("use", END)
  .addEdge("revisit", END)
  .setEntry("ask")
  .addOutcome("knew_it", firstTurn({ verify_result: true }))
  .addOutcome("knew_it_after_a_hint", anyTurn({ verify_result: true }, { node: "revisit" }), {
    when: not("knew_it"),
    good: true,
  })
  .validate();
