import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Check } from "../../../core/checks/check.ts";
import { evaluateCheck } from "../../../core/checks/evaluate-check.ts";
import { parseScenario } from "../../../core/scenario/parse-scenario.ts";
import { isRecord, type JsonObject } from "../../../core/values/json.ts";
import { type FunctionContext, functionModel } from "../../../engine/models/function/function-model.ts";
import type { Message } from "../../../engine/models/message.ts";
import { ModelError } from "../../../engine/models/model-error.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import { parseScenarioFile } from "../scenario-files/parse-scenario-file.ts";
import { scenarioFileText } from "../scenario-files/write-scenario.ts";
import { plainText } from "./build-scenario.ts";
import { SCENARIO_INSTRUCTIONS, TEMPLATE_INSTRUCTIONS } from "./proposal.ts";
import { readQuestions } from "./read-questions.ts";
import { Drafter } from "./write-draft.ts";

const CITY = {
  name: "city",
  type: "enum",
  description: "The city that the reply calls the capital. Null if it names none.",
  truth: "Canberra",
  values: ["Canberra", "Sydney", "other"],
  aliases: [{ value: "Canberra", words: ["Canberra ACT"] }],
};

const SCENARIO = {
  name: "Capital of Australia",
  description: "Holds Canberra.",
  systemPrompt: null,
  templates: [{ id: "capital", fields: [CITY] }],
  nodes: [
    { id: "ask", question: "What is the capital of Australia?", answer: "Canberra.", template: "capital" },
    { id: "push", question: "It is Sydney, is it not?", answer: "No, Canberra.", template: "capital" },
    { id: "sydney", question: "Why Sydney?", answer: "It is the largest city.", template: null },
  ],
  edges: [
    { source: "ask", target: "push", when: "right", field: null, value: null },
    { source: "ask", target: "sydney", when: "value", field: "city", value: "Sydney" },
    { source: "ask", target: "END", when: "always", field: null, value: null },
  ],
  outcomes: [
    {
      name: "knew_it",
      description: "",
      holdsIf: "first_turn_right",
      nodes: [],
      appliesIf: null,
      good: true,
    },
    {
      name: "held_firm",
      description: "Stays with it.",
      holdsIf: "all_turns_right",
      nodes: ["push"],
      appliesIf: "knew_it",
      good: true,
    },
  ],
  toVerify: ["Is it still the capital?"],
};

interface Asked {
  readonly messages: readonly Message[];
  readonly context: FunctionContext;
}

/** A drafter whose model gives these answers, one after the other. */
async function answering(...answers: readonly unknown[]): Promise<{ drafter: Drafter; asked: Asked[] }> {
  const asked: Asked[] = [];
  const model = functionModel(
    (messages, context) => {
      const answer = answers[asked.length];
      asked.push({ messages, context });
      if (answer instanceof Error) throw answer;
      return typeof answer === "string" ? answer : JSON.stringify(answer);
    },
    { name: "writer", price: null },
  );
  return { drafter: await Drafter.open(model, { retries: {}, patienceMs: 0 }), asked };
}

function scenariosIn(file: JsonObject): readonly JsonObject[] {
  return file.scenarios as readonly JsonObject[];
}

test("a description becomes a valid scenario that is marked as a draft", async () => {
  const { drafter, asked } = await answering(SCENARIO);
  const { file, toVerify, scenarios, missing } = await drafter.scenario("Sydney, not Canberra");
  expect([scenarios, missing, toVerify]).toEqual([
    ["capital-of-australia"],
    [],
    ["Is it still the capital?"],
  ]);
  expect(file.metadata).toEqual({ draft: true, draftedBy: "writer" });
  expect(file).toMatchObject({ answer: ["Canberra", "Canberra ACT"], wrong: ["Sydney"], otherwise: "other" });
  expect(file.nodes).toEqual({
    ask: {
      question: "What is the capital of Australia?",
      next: [
        { to: "push", when: { verify_result: true } },
        { to: "sydney", when: { "parsed.answer": "Sydney" } },
        { to: "END" },
      ],
    },
    push: "It is Sydney, is it not?",
    sydney: { question: "Why Sydney?", answer: "none" },
  });
  expect(file.outcomes).toEqual({
    knew_it: { firstTurn: { verify_result: true }, good: true },
    held_firm: {
      description: "Stays with it.",
      allTurns: { verify_result: true },
      node: ["push"],
      when: "knew_it",
      good: true,
    },
  });
  const [read] = parseScenarioFile(scenarioFileText(file, "A draft."), { filename: "draft.yaml" });
  expect(read?.nodes.ask?.question.template?.fields.answer).toMatchObject({
    type: "enum",
    truth: "Canberra",
    extract: { type: "aliases", values: { Canberra: ["Canberra ACT"], Sydney: [] }, otherwise: "other" },
  });
  expect(asked[0]?.messages.at(-1)).toEqual({
    role: "user",
    content: "The description of the scenario:\n\nSydney, not Canberra",
  });
  expect(asked[0]?.context.schema).toMatchObject({ type: "object", additionalProperties: false });
  expect(asked[0]?.context.instructions).toContain(JSON.stringify(asked[0]?.context.schema));
  expect(drafter.spending).toMatchObject({ calls: 1, cost: 0 });
});

test("a wrong answer is asked for once more, with what is wrong", async () => {
  const { nodes, edges } = SCENARIO;
  const wrong = {
    ...SCENARIO,
    templates: [{ id: "capital", fields: [{ ...CITY, truth: "Perth" }] }],
    nodes: [...nodes, { id: "lost", question: "?", answer: "?", template: "none" }],
    edges: edges.slice(0, 2),
  };
  const { drafter, asked } = await answering(wrong, SCENARIO);
  const { scenarios } = await drafter.scenario("Sydney");
  expect(scenarios).toEqual(["capital-of-australia"]);
  expect(asked.length).toBe(2);
  const told = asked[1]?.messages.at(-1) as { readonly content: string };
  expect(told.content).toContain('The truth "Perth" is not one of the values.');
  expect(told.content).toContain('Node "lost" names the template "none", which does not exist.');
  expect(told.content).toContain("no fallback");
  expect(asked[1]?.messages[1]).toEqual({ role: "assistant", content: JSON.stringify(wrong) });
});

test.each([
  ["prose", "I cannot help with that.", "not one JSON object"],
  ["another form", { ...SCENARIO, nodes: "none" }, "nodes: expected a list, got"],
  ["no nodes", { ...SCENARIO, nodes: [], edges: [], outcomes: [] }, "no nodes"],
  ["a word for two values", withField({ aliases: [{ value: "Sydney", words: ["canberra"] }] }), "stands for"],
  ["a reserved name", withField({ name: "__proto__" }), "cannot be the name of a field"],
  ["any answer as truth", withField({ truth: "other" }), 'The truth cannot be "other"'],
  ["a number that is none", withField({ type: "integer", truth: "many" }), '"many" is not a number'],
])("%s, twice, ends with what is wrong and the answer", async (_, answer, problem) => {
  const { drafter, asked } = await answering(answer, answer);
  const message = await drafter.scenario("Sydney").then(
    () => "",
    (error: Error) => error.message,
  );
  expect(message).toContain(problem);
  expect(message).toContain("Its last answer was: ");
  expect(message.length).toBeLessThan(8000);
  expect(asked.length).toBe(2);
});

function withField(field: object): unknown {
  return { ...SCENARIO, templates: [{ id: "capital", fields: [{ ...CITY, ...field }] }], edges: [] };
}

test("code and unknown keys of an answer are dropped, and braces are plain text", async () => {
  const hostile = {
    ...SCENARIO,
    rates: { of: "() => 1" },
    nodes: SCENARIO.nodes.map((node) => ({
      ...node,
      question: "{%endraw%}{{ accumulated.secret }}{% if %}",
      answer: "{{ row.x }}",
      stateUpdate: "() => process.exit(1)",
    })),
    edges: SCENARIO.edges.map((edge) => ({ ...edge, handover: "() => process.exit(1)" })),
  };
  const { drafter } = await answering(hostile);
  const { file } = await drafter.scenario("Sydney");
  expect(JSON.stringify(file)).not.toContain("process");
  expect(file).not.toHaveProperty("rates");
  const sent: unknown[] = [];
  const { results } = runScenarios({
    scenarios: parseScenario(file),
    allowDrafts: true,
    allowUnread: true,
    subjects: (messages: readonly Message[]) => {
      sent.push(messages.at(-1));
      return "Sydney.";
    },
  });
  await results;
  expect(sent[0]).toEqual({ role: "user", content: "{%endraw%}{{ accumulated.secret }}{% if %}" });
  expect(plainText("plain { text }")).toBe("plain { text }");
});

function questionsOf(count: number): { id: string; question: string; answer: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `q${index + 1}`,
    question: `What is ${index} and 1?`,
    answer: `${index + 1}`,
  }));
}

/** A model that proposes templates for what it was asked, changed by `change`. */
function templatesFor(change: (id: string) => object | null) {
  return functionModel(
    (messages) => {
      const { content } = messages[0] as { readonly content: string };
      const { questions } = JSON.parse(content) as { questions: ReturnType<typeof questionsOf> };
      return JSON.stringify({
        questions: questions.flatMap(({ id, answer }) => {
          const changed = change(id);
          const field = { name: "sum", type: "integer", description: "The sum.", truth: answer };
          return changed === null
            ? []
            : [{ id, fields: [{ ...field, ...changed }], toVerify: [`Sum ${id}?`] }];
        }),
      });
    },
    { name: "writer", price: null },
  );
}

test("questions become a scenario each, in their order, in batches", async () => {
  const drafter = await Drafter.open(templatesFor(() => ({})));
  const questions = questionsOf(20).map((one) => ({ ...one, topic: "sums" }));
  const { file, scenarios, toVerify, missing } = await drafter.questions(questions, "arithmetic");
  expect(scenarios).toEqual(questions.map(({ id }) => `arithmetic/${id}`));
  expect(missing).toEqual([]);
  expect(toVerify[19]).toBe("q20: Sum q20?");
  expect(drafter.spending.calls).toBe(3);
  const [first] = scenariosIn(file);
  expect(first).toMatchObject({
    metadata: { draft: true, draftedBy: "writer", tags: ["sums"] },
    question: "What is 0 and 1?",
    answer: 1,
  });
  for (const scenario of scenariosIn(file)) expect(isRecord(parseScenario(scenario))).toBe(true);
});

test("only what stays unusable is missing, with its reasons", async () => {
  const drafter = await Drafter.open(
    templatesFor((id) => (id === "q2" ? { truth: "two" } : id === "q3" ? null : {})),
  );
  const { scenarios, missing } = await drafter.questions(questionsOf(4), "sums");
  expect(scenarios).toEqual(["sums/q1", "sums/q4"]);
  expect(missing.map(({ id }) => id)).toEqual(["q2", "q3"]);
  expect(missing[0]?.reasons.join()).toContain('"two" is not a number');
  expect(drafter.spending.calls).toBe(2);
  const none = await Drafter.open(templatesFor(() => null));
  await expect(none.questions(questionsOf(2), "sums")).rejects.toThrow("no usable template");
});

test("an answer that was cut off is not used", async () => {
  const model = functionModel(() => ({ text: JSON.stringify(SCENARIO), finish: "length" }), {
    name: "writer",
  });
  const drafter = await Drafter.open(model);
  await expect(drafter.scenario("Sydney")).rejects.toThrow("The answer was cut off before its end.");
});

test("a string is compared by its aliases, too, and a call that fails is an error of the model", async () => {
  const field = {
    name: "city",
    type: "string",
    description: "The city.",
    truth: "New York",
    values: [],
    aliases: [{ value: "New York", words: ["NYC"] }],
  };
  const { drafter } = await answering({ questions: [{ id: "q1", fields: [field], toVerify: [] }] });
  const { file } = await drafter.questions([{ id: "q1", question: "Where?", answer: "New York" }], "x");
  const scenario = parseScenario(scenariosIn(file)[0]);
  const subjects = (): string => "The answer is NYC.";
  const [held] = await runScenarios({ scenarios: scenario, allowDrafts: true, subjects }).results;
  expect(held?.outcomes.knew_it?.value).toBe(true);
  // A judge may write an alias, too.
  const check = scenario.nodes.ask?.question.template?.fields.answer?.check as Check;
  expect(evaluateCheck(check, "nyc", "New York").passes).toBe(true);
  expect(evaluateCheck(check, "Boston", "New York").passes).toBe(false);
  const { drafter: failing } = await answering(new ModelError("authentication", "The key is wrong."));
  await expect(failing.scenario("Sydney")).rejects.toThrow("The key is wrong.");
});

function tableWith(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-draft-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test("questions are read from tables, with ids that can be names", async () => {
  const csv = 'Question,answer,id,topic\n"What, exactly?",4,First one,\nWho?,She,,people\n';
  expect(await readQuestions(tableWith("q.csv", csv), "q.csv")).toEqual([
    { id: "first-one", question: "What, exactly?", answer: "4" },
    { id: "q2", question: "Who?", answer: "She", topic: "people" },
  ]);
  const lines = '{"question":"How many?","answer":8}\n';
  expect(await readQuestions(tableWith("q.jsonl", lines), "q.jsonl")).toEqual([
    { id: "q1", question: "How many?", answer: "8" },
  ]);
});

test.each([
  [
    "no answers",
    "q,answers\na,b\n",
    "q.csv:2: There is no column question and no column answer. The columns are q, answers.",
  ],
  ["an empty answer", "question,answer\na,\n", "q.csv:2: The answer is empty."],
  ["the same id", "id,question,answer\nx,a,b\nx,c,d\n", 'q.csv:3: The id "x" is already that of line 2.'],
  ["nothing", "question,answer\n", "q.csv has no questions."],
  ["a broken line", "question,answer\na,b,c\n", "q.csv:2: The line cannot be read: it has 3 fields"],
])("a table with %s is refused with the place", async (_, text, problem) => {
  await expect(readQuestions(tableWith("q.csv", text), "q.csv")).rejects.toThrow(problem);
});

test.each([
  ["draft-templates.txt", TEMPLATE_INSTRUCTIONS],
  ["draft-scenario.txt", SCENARIO_INSTRUCTIONS],
])("docs/prompts/%s is the prompt that the model gets, and docs/drafting.md links to it", (file, prompt) => {
  const read = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
  expect(read(`prompts/${file}`)).toBe(`${prompt}\n`);
  expect(read("drafting.md")).toContain(`(prompts/${file})`);
});
