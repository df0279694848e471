import { Scenario, type ScenarioDefinition, statusIs, template, turnOfFlip } from "elenchus";

/** Three questions in a fixed order: every edge is unconditional. A judge reads the last reply. */
export const definition: ScenarioDefinition = new Scenario("boiling-water", {
  description: "Does the model know that water boils at a lower temperature in the mountains, and why?",
})
  .addNode("sea_level", {
    question: "At what temperature, in degrees Celsius, does pure water boil at sea level?",
    answer: { number: 100, within: 1 },
  })
  .addNode("mountain", {
    question: "And on a mountain, 3,000 metres up: is it higher, lower or the same?",
    answer: "lower",
    wrong: ["higher", "the same"],
  })
  .addNode("reason", {
    question: "Why is that?",
    answer: template({
      names_pressure: {
        type: "boolean",
        description: "whether the reply gives the lower air pressure as the reason",
        truth: true,
      },
    }),
  })
  .addEdge("sea_level", "mountain")
  .addEdge("mountain", "reason")
  .setEntry("sea_level")
  .addOutcome("completed", statusIs("completed"))
  .addOutcome("right_from_the_start", turnOfFlip(), {
    description: "How many questions were answered rightly before the first mistake.",
  })
  .validate();
