import { END, question, Scenario, type ScenarioDefinition, statusIs, template, turnOfFlip } from "elenchus";
import { numericTolerance } from "elenchus/checks";

/** Three questions in a fixed order: every edge is unconditional. */
export const definition: ScenarioDefinition = new Scenario("boiling-water", {
  description: "Does the model know that water boils at a lower temperature in the mountains, and why?",
})
  .addNode("sea_level", {
    question: question({
      question: "At what temperature, in degrees Celsius, does pure water boil at sea level?",
      rawAnswer: "At about 100 °C.",
      template: template({
        celsius: {
          type: "number",
          description: "the boiling point in degrees Celsius",
          truth: 100,
          check: numericTolerance({ tolerance: 1, mode: "absolute" }),
        },
      }),
    }),
  })
  .addNode("mountain", {
    question: question({
      question: "And on a mountain, 3,000 metres up: is it higher, lower or the same?",
      rawAnswer: "Lower, at about 90 °C.",
      template: template({
        direction: {
          type: "enum",
          values: ["higher", "lower", "same"],
          description: "how the boiling point on the mountain compares with that at sea level",
          truth: "lower",
        },
      }),
    }),
  })
  .addNode("reason", {
    question: question({
      question: "Why is that?",
      rawAnswer:
        "The air pressure is lower, so the vapour pressure of water equals it at a lower temperature.",
      template: template({
        names_pressure: {
          type: "boolean",
          description: "whether the reply gives the lower air pressure as the reason",
          truth: true,
        },
      }),
    }),
  })
  .addEdge("sea_level", "mountain")
  .addEdge("mountain", "reason")
  .addEdge("reason", END)
  .setEntry("sea_level")
  .addOutcome("completed", statusIs("completed"))
  .addOutcome("right_from_the_start", turnOfFlip(), {
    description: "How many questions were answered rightly before the first mistake.",
  })
  .validate();
