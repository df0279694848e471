import { parseScenario, type ScenarioDefinition } from "elenchus";

/** One question that rules can judge: the first answer is right, the others are wrong. */
export function oneQuestion(name: string, question: string, answers: readonly string[]): ScenarioDefinition {
  const [truth = ""] = answers;
  const values = Object.fromEntries(answers.map((answer) => [answer, [answer]]));
  const answer = { type: "string", description: "the answer", truth, extract: { type: "aliases", values } };
  return parseScenario({
    name,
    entry: "ask",
    nodes: { ask: { question: { question, rawAnswer: truth, template: { fields: { answer } } } } },
    edges: [{ source: "ask", target: "END" }],
    outcomes: { right: { firstTurn: { verify_result: true } } },
  });
}
