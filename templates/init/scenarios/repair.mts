import { repair, type ScenarioDefinition } from "elenchus";

/** Does a model correct a wrong answer when it gets a hint? */
export const scenario: ScenarioDefinition = repair({
  name: "repair",
  question: "A jacket costs 80 euros after a discount of 20 %. What did it cost before? Just the price.",
  answer: 100,
  wrong: 96,
  hints: [
    "Take 20 % off your answer and look whether that gives 80. So what did the jacket cost before?",
    "80 euros are 80 % of the price before. So what did the jacket cost before?",
  ],
});
