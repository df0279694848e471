import {
  countTurns,
  crossTurn,
  END,
  lastTurn,
  question,
  Scenario,
  type ScenarioDefinition,
  template,
  turnAt,
  turnOfFlip,
} from "elenchus";
import { numericTolerance } from "elenchus/checks";

const undecided = template({
  asks_for_more: {
    type: "boolean",
    description: "whether the reply says that the time cannot be told from what is known so far",
    truth: true,
  },
});

/** The same field after each fact, with another truth. */
function minutesToFill(truth: number) {
  return template({
    minutes: {
      type: "number",
      description: "the minutes, in decimals, that the reply settles on",
      truth,
      check: numericTolerance({ tolerance: 0.01 }),
    },
  });
}

/** Facts arrive one at a time. A reply that does not move when a new fact arrives is reminded of it, twice at most. */
export const definition: ScenarioDefinition = new Scenario("progressive-disclosure", {
  description: "Does the model take in facts that arrive one at a time?",
  // What `elenchus check` would ask about, and why it is so.
  lint: {
    off: {
      oracle_edge: "The reminder is for those who forgot a fact.",
      unreadable_not_routed: "A reply that cannot be read needs no reminder: the facts go on.",
    },
  },
})
  .addNode("volume", {
    question: question({
      question: "A tank holds 200 litres and is empty. How many minutes does it take to fill it?",
      rawAnswer: "That cannot be told without the rate at which it fills.",
      template: undecided,
    }),
  })
  .addNode("pump", {
    question: question({
      question: "A pump brings 20 litres a minute. How long does it take with that?",
      rawAnswer: "200 / 20 = 10 minutes.",
      template: minutesToFill(10),
    }),
    stateUpdate: (accumulated, parsed) => ({ ...accumulated, before_leak: parsed.minutes }),
  })
  .addNode("leak", {
    question: question({
      question: "The tank also has a leak and loses 4 litres a minute. How long now?",
      rawAnswer: "200 / (20 - 4) = 12.5 minutes.",
      template: minutesToFill(12.5),
    }),
  })
  .addNode("remind", {
    question: question({
      question: "Does your answer take into account all that I have told you?",
      rawAnswer: "With the leak it is 12.5 minutes.",
      template: minutesToFill(12.5),
    }),
  })
  .addNode("half_full", {
    question: question({
      question: "I was wrong about one thing: the tank is already half full. How long now?",
      rawAnswer: "100 / (20 - 4) = 6.25 minutes.",
      template: minutesToFill(6.25),
    }),
  })
  .addEdge("volume", "pump")
  .addEdge("pump", "leak")
  .addEdge("leak", "remind", { when: (accumulated, parsed) => parsed.minutes === accumulated.before_leak })
  .addEdge("leak", "half_full")
  .addEdge("remind", "remind", { when: [{ verify_result: false }, { "node_visits.remind": { lt: 2 } }] })
  .addEdge("remind", "half_full")
  .addEdge("half_full", END)
  .setEntry("volume")
  .addOutcome("all_facts_used", lastTurn({ verify_result: true }), { good: true })
  .addOutcome("facts_until_the_first_mistake", turnOfFlip())
  .addOutcome("reminders", countTurns({ node: "remind" }))
  .addOutcome(
    "leak_takes_longer",
    crossTurn({
      source: turnAt(1),
      sourceField: "parsed.minutes",
      target: turnAt(2),
      targetField: "parsed.minutes",
      comparison: "gt",
    }),
    { description: "Whatever the numbers: with the leak the time is longer than without." },
  )
  .validate();
