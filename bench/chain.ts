import { END, type Handover, question, Scenario, type ScenarioDefinition } from "elenchus";
import type { Model } from "elenchus/models";

/** A chain of nodes with a judged field each, on which nothing routes. */
export function chain(length: number): ScenarioDefinition {
  const scenario: Scenario = new Scenario(`chain of ${length}`);
  for (let index = 0; index < length; index++) {
    scenario.addNode(`n${index}`, {
      question: question({
        question: `Question ${index}?`,
        rawAnswer: "yes",
        template: { fields: { right: { type: "boolean", description: "whether it says yes", truth: true } } },
      }),
    });
  }
  for (let index = 0; index < length; index++)
    scenario.addEdge(`n${index}`, index + 1 < length ? `n${index + 1}` : END);
  return scenario.setEntry("n0").validate();
}

/** Two agents who hand over to each other at every turn. */
export function twoAgents(handover: Handover | undefined): ScenarioDefinition {
  const over = handover === undefined ? {} : { handover };
  return new Scenario("two agents")
    .addNode("ann", {
      question: question({ question: "What do you say, Ann?", rawAnswer: "" }),
      agentIdentity: "Ann",
    })
    .addNode("bob", {
      question: question({ question: "What do you say, Bob?", rawAnswer: "" }),
      agentIdentity: "Bob",
    })
    .addEdge("ann", "bob", over)
    .addEdge("bob", "ann", over)
    .setEntry("ann")
    .validate();
}

/** A model in memory that answers at once. */
export function instant(name: string, text: string): Model {
  const reply = { text, finish: "stop", usage: { inputTokens: 10, outputTokens: 5 } } as const;
  return { name, identity: { name }, account: name, price: null, reply: () => Promise.resolve(reply) };
}
