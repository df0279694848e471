import { repair, type ScenarioDefinition } from "elenchus";

export const definition: ScenarioDefinition = repair({
  name: "error-correction",
  description: "Does the model correct a wrong premise, at once or with hints?",
  question:
    "Water boils at a higher temperature in the mountains. How does the time to boil an egg at 3,000 m compare with that at sea level? Answer in one short sentence.",
  answer: ["longer", "more time"],
  wrong: [["shorter", "less time", "sooner"], "the same"],
  hints: [
    "Is what I said about the boiling point right? How does the time compare?",
    "The air pressure is lower up there. Does that change your answer?",
    "At 3,000 m, water boils at about 90 °C. How does the time compare?",
  ],
  confirm: "To be sure: how does the time compare with that at sea level?",
});
