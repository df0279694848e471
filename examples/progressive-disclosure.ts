import { disclosure, type ScenarioDefinition } from "elenchus";

export const definition: ScenarioDefinition = disclosure({
  name: "progressive-disclosure",
  description: "Does the model combine facts that arrive one at a time, and wait until it has all of them?",
  question:
    'I want to fill an empty tank, and tell you more in a moment. How many minutes does it take? Give the number, or say "not yet" as long as a fact is missing.',
  answer: 12.5,
  // Without the leak.
  wrong: [10],
  early: ["not yet", "cannot say"],
  facts: [
    "The tank holds 200 litres.",
    "It has a leak and loses 4 litres a minute.",
    "The pump brings 20 litres a minute.",
  ],
});
