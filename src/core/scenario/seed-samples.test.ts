// The samples of the builder's specification, one by one, in TypeScript.
import { expect, test } from "vitest";
import { numericMinimum } from "../checks/check-factories.ts";
import { DefinitionError } from "../schema/format-issue.ts";
import { stateCheck } from "../state/condition.ts";
import { END, question } from "./definition.ts";
import { Scenario } from "./scenario.ts";

const endpoint = question({
  question: "Does the model correctly identify the primary endpoint?",
  rawAnswer: "Overall survival was the primary endpoint.",
});

test("anatomy: a minimal two-node scenario", () => {
  const initial = question({
    question: "What is the mechanism of action of venetoclax?",
    rawAnswer: "Venetoclax is a BCL-2 inhibitor that induces apoptosis in cancer cells.",
  });
  const followup = question({
    question: "Is that still the accepted mechanism, or has it been revised?",
    rawAnswer: "The BCL-2 inhibition mechanism is well established and has not been revised.",
  });
  const s = new Scenario("bcl2-mechanism", { description: "Two-turn mechanism check" });
  s.addNode("initial", { question: initial });
  s.addNode("followup", { question: followup });
  s.addEdge("initial", "followup");
  s.addEdge("followup", END);
  s.setEntry("initial");
  const definition = s.validate();
  expect(definition.name).toBe("bcl2-mechanism");
  expect(definition.description).toBe("Two-turn mechanism check");
  expect(definition.nodeIds).toEqual(["initial", "followup"]);
  expect(definition.entryNode).toBe("initial");
  expect(definition.nodes.initial?.question).toEqual(initial);
  expect(definition.warnings).toEqual([]);
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

test("adding edges: a condition and a fallback", () => {
  const retry = question({
    question: "Let me clarify: the trial used overall survival, is that correct?",
    rawAnswer: "Yes, overall survival was the primary endpoint.",
  });
  const s3 = new Scenario("endpoint-check");
  s3.addNode("check", { question: endpoint });
  s3.addNode("retry", { question: retry });
  s3.addEdge("check", "retry", { when: { verify_result: false } });
  s3.addEdge("check", END);
  s3.addEdge("retry", END);
  s3.setEntry("check");
  expect(s3.validate().edges).toEqual([
    { source: "check", target: "retry", when: { verify_result: false } },
    { source: "check", target: "__end__" },
    { source: "retry", target: "__end__" },
  ]);
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

test("pattern: linear", () => {
  const linear = new Scenario("linear-example");
  linear.addNode("a", { question: question({ question: "Step 1 question", rawAnswer: "Answer A" }) });
  linear.addNode("b", { question: question({ question: "Step 2 question", rawAnswer: "Answer B" }) });
  linear.addNode("c", { question: question({ question: "Step 3 question", rawAnswer: "Answer C" }) });
  linear.addEdge("a", "b");
  linear.addEdge("b", "c");
  linear.addEdge("c", END);
  linear.setEntry("a");
  expect(linear.validate().nodeIds).toEqual(["a", "b", "c"]);
});

test("pattern: branching", () => {
  const branching = new Scenario("branching-example");
  branching.addNode("main", {
    question: question({
      question: "What drug class does venetoclax belong to?",
      rawAnswer: "BCL-2 inhibitor",
    }),
  });
  branching.addNode("correct_path", {
    question: question({ question: "Good. What is the clinical indication?", rawAnswer: "CLL, SLL, AML" }),
  });
  branching.addNode("incorrect_path", {
    question: question({
      question: "Let us revisit. Venetoclax targets BCL-2. What class is that?",
      rawAnswer: "BCL-2 inhibitor",
    }),
  });
  branching.addEdge("main", "correct_path", { when: { verify_result: true } });
  branching.addEdge("main", "incorrect_path");
  branching.addEdge("correct_path", END);
  branching.addEdge("incorrect_path", END);
  branching.setEntry("main");
  expect(branching.validate().edges).toHaveLength(4);
});

test("pattern: looping, which needs a fallback", () => {
  const loop = question({
    question: "Does the model maintain its answer under challenge?",
    rawAnswer: "Yes, BCL-2 inhibition remains the accepted mechanism.",
  });
  const looping = new Scenario("looping-example");
  looping.addNode("probe", { question: loop });
  looping.addEdge("probe", "probe", { when: { verify_result: true } });
  looping.setEntry("probe");
  expect(() => looping.validate()).toThrow(DefinitionError);
  looping.addEdge("probe", END);
  expect(looping.validate().nodeIds).toEqual(["probe"]);
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

test("reference: END is the text __end__", () => {
  expect(END).toBe("__end__");
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
