// The samples of the builder's specification, one by one, in TypeScript.
import { expect, test } from "vitest";
import { numericMinimum } from "../checks/check-factories.ts";
import { stateCheck } from "../state/condition.ts";
import { END, question } from "./definition.ts";
import { Scenario } from "./scenario.ts";

const endpoint = question({
  question: "Does the model correctly identify the primary endpoint?",
  rawAnswer: "Overall survival was the primary endpoint.",
});

test("adding nodes: the question is copied", () => {
  const changing = { question: "Before?", rawAnswer: "a", keywords: ["one"] };
  const s = new Scenario("example").addNode("primary_endpoint", { question: changing });
  changing.question = "After?";
  changing.keywords.push("two");
  const { nodes } = s.setEntry("primary_endpoint").validate();
  expect(nodes.primary_endpoint?.question).toEqual({
    question: "Before?",
    rawAnswer: "a",
    keywords: ["one"],
  });
});

test("adding edges: every accepted form of when", () => {
  const s = new Scenario("forms").addNode("a", { question: endpoint });
  s.addEdge("a", END, { when: null });
  s.addEdge("a", "a", { when: { verify_result: true } });
  s.addEdge("a", "a", { when: [{ verify_result: true }, { turn: 2 }] });
  s.addEdge("a", "a", { when: stateCheck({ field: "turn", expected: 2, verifyWith: numericMinimum() }) });
  s.addEdge("a", "a", { when: (accumulated, _parsed) => accumulated.done !== true });
  const { edges } = s.setEntry("a").validate();
  expect(edges).toHaveLength(5);
  expect(edges[0]).not.toHaveProperty("when");
});

test("reference: every parameter of a node is kept", () => {
  const { nodes } = new Scenario("parameters")
    .addNode("a", {
      question: endpoint,
      modelOverride: {
        subject: "openai/gpt-4o",
        judge: { model: "anthropic/claude", parameters: { temperature: 0 } },
      },
      toolFilter: { remove: [{ server: "search" }, { server: "files", tool: "write" }] },
      stateUpdate: (accumulated) => ({ ...accumulated, seen: true }),
      agentIdentity: { name: "doctor", systemPrompt: "You are a doctor." },
      rubric: { traits: [{ type: "llm", name: "polite", kind: "boolean" }] },
      metadata: { difficulty: 3 },
    })
    .setEntry("a")
    .validate();
  expect(nodes.a).toMatchObject({
    modelOverride: {
      subject: "openai/gpt-4o",
      judge: { model: "anthropic/claude", parameters: { temperature: 0 } },
    },
    toolFilter: { remove: [{ server: "search" }, { server: "files", tool: "write" }] },
    stateUpdate: expect.any(Function),
    agentIdentity: { name: "doctor", systemPrompt: "You are a doctor." },
    rubric: { traits: [{ type: "llm", name: "polite", kind: "boolean" }] },
    metadata: { difficulty: 3 },
  });
});

test("reference: implicit terminals are valid", () => {
  expect(
    new Scenario("terminal").addNode("a", { question: endpoint }).setEntry("a").validate().edges,
  ).toEqual([]);
});

test("reference: setEntry refuses an unknown node at once, and suggests the nearest", () => {
  const s: Scenario = new Scenario("entry");
  s.addNode("ask", { question: endpoint });
  expect(() => s.setEntry("aks")).toThrow('Did you mean "ask"?');
});

test("reference: several unconditional edges are a warning", () => {
  const s = new Scenario("warned").addNode("a", { question: endpoint }).addNode("b", { question: endpoint });
  const { warnings } = s.addEdge("a", "b").addEdge("a", END).setEntry("a").validate();
  expect(warnings).toMatchObject([{ code: "several_fallbacks", node: "a", used: "b", ignored: ["__end__"] }]);
});
