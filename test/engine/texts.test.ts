import { DefinitionError, END, question, renderText, runScenarios, Scenario } from "elenchus";
import { expect, test } from "vitest";
import { parseScenarioFile } from "../../src/apps/project/scenario-files/parse-scenario-file.ts";
import { held, memoryModel } from "./held.ts";

const LETTER = {
  type: "enum",
  values: ["A", "B"],
  description: "the letter",
  truth: "{{ row.right }}",
  extract: { type: "letter" },
} as const;

test("one node says what the row has to say, as long as there is something left", async () => {
  const queue = new Scenario("queue")
    .addNode("push", { question: question({ question: "{{ row.turns[visit] }}", rawAnswer: "" }) })
    .addEdge("push", "push", { when: { "node_visits.push": { lt: "{{ row.turns.size }}" } } as never })
    .addEdge("push", END)
    .setEntry("push")
    .validate();
  const subject = memoryModel("subject", (message) => `to ${message}`);
  const rows = [{ turns: ["one", "two", "{{ three }}"] }, { turns: ["only"] }];
  const { results } = await held({ scenarios: queue, subjects: subject, rows });
  expect(results.map(({ turns }) => turns.map(({ questionText }) => questionText))).toEqual([
    ["one", "two", "{{ three }}"],
    ["only"],
  ]);
});

test("texts use what was read, and keep types: the question, the truth and the keys of rules", async () => {
  const scenario = new Scenario("doubt")
    .addNode("ask", {
      question: question({
        question: "{{ row.question }}\n{{ row.options | letters }}",
        rawAnswer: "{{ row.right }}",
        template: { fields: { letter: LETTER } },
        fewShot: [{ question: "Like {{ row.example }}?", answer: "A" }],
      }),
      agentIdentity: { name: "expert", systemPrompt: "You know {{ row.topic }}." },
    })
    .addNode("push", {
      question: question({
        question: "You chose {{ nodes.ask.parsed.letter }}. Are you sure?",
        rawAnswer: "{{ nodes.ask.parsed.letter }}",
        template: {
          fields: {
            kept: {
              type: "enum",
              values: ["A", "B"],
              description: "the letter",
              truth: "{{ nodes.ask.parsed.letter }}",
              extract: { type: "letter" },
            },
          },
        },
      }),
      agentIdentity: "expert",
    })
    .addEdge("ask", "push")
    .addEdge("push", END)
    .setEntry("ask")
    .validate();
  const subject = memoryModel("subject", (message) => (message.includes("sure") ? "The answer is A." : "B"));
  const rows = [
    { question: "Q?", options: ["x", "y"], right: "B", example: "this", topic: "chess" },
    { question: "R?", options: ["x", "y"], right: "A", example: "that", topic: "go" },
  ];
  const { results } = await held({ scenarios: scenario, subjects: subject, rows });
  expect(subject.asked[0]?.[0]).toMatchObject({
    instructions: "You know chess.",
    messages: [
      { role: "user", content: "Like this?" },
      { role: "assistant", content: "A" },
      { role: "user", content: "Q?\nA) x\nB) y" },
    ],
  });
  expect(results[0]?.turns[1]?.questionText).toBe("You chose B. Are you sure?");
  expect(results.map(({ turns }) => turns.map(({ verifyResult }) => verifyResult))).toEqual([
    [true, false],
    [false, false],
  ]);
  const simulated = await held({ scenarios: scenario, subjects: "sim/steadfast", rows });
  expect(simulated.results.map(({ turns }) => turns.map(({ verifyResult }) => verifyResult))).toEqual([
    [true, true],
    [true, true],
  ]);
});

test("a question waits for exactly what it reads", async () => {
  const judged = { type: "boolean", description: "ok?", truth: true } as const;
  const scenario = new Scenario("path")
    .addNode("ask", {
      question: question({ question: "1", rawAnswer: "", template: { fields: { ok: judged } } }),
    })
    .addNode("more", { question: question({ question: "2 {{ turns[-1].reply }}", rawAnswer: "" }) })
    .addNode("last", { question: question({ question: "3 {{ nodes.ask.parsed.ok }}", rawAnswer: "" }) })
    .addEdge("ask", "more")
    .addEdge("more", "last")
    .addEdge("last", END)
    .setEntry("ask")
    .validate();
  const reading = Promise.withResolvers<void>();
  const subject = memoryModel("subject", (message) => {
    // The judge is still reading the first reply.
    if (message.startsWith("2")) reading.resolve();
    return `re ${message}`;
  });
  const judge = memoryModel("judge", async () => {
    await reading.promise;
    return '{"ok": true, "fields": {"ok": true}}';
  });
  const { results } = await held({ scenarios: scenario, subjects: subject, judge });
  expect(results[0]?.turns.map(({ questionText }) => questionText)).toEqual(["1", "2 re 1", "3 true"]);
});

test("a text that cannot be rendered ends its conversation as an error of its author", async () => {
  const scenario = new Scenario("late")
    .addNode("ask", { question: question({ question: "{{ row.turns[visit] }}", rawAnswer: "" }) })
    .addEdge("ask", "ask", { when: { turn: { lt: 5 } } })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
  const { results } = await held({
    scenarios: scenario,
    subjects: memoryModel("subject", () => "x"),
    rows: [{ turns: ["a", "b"] }],
  });
  expect(results[0]).toMatchObject({
    status: "error",
    turnCount: 2,
    failure: {
      category: "author",
      node: "ask",
      turn: 3,
      message: expect.stringContaining('there is no "row.turns'),
    },
  });
});

test("mistakes in texts of a file are found with line, column and a suggestion", async () => {
  const text = `name: demo
entry: ask
nodes:
  ask:
    question:
      question: |
        Dear {{ row.name }},
        you said {{ nodes.asks.reply }} and {{ turns[-1].reply }}
        and {{ nodes.push.parsed.leter | default: "?" }}.
      rawAnswer: "{{ varient.x }}"
  push:
    question:
      question: "{{ nodes.ask.parsed.x }} {{ nodes.ask.reply"
      rawAnswer: ""
      template: { fields: { letter: { type: string, description: x, truth: x } } }
edges:
  - { source: ask, target: push, when: { turn: { lt: "{{ row.n }}" } } }
  - { source: ask, target: END }
  - { source: push, target: END }
`;
  try {
    parseScenarioFile(text, { filename: "demo.yaml" });
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    expect(error.issues.map(({ code, position }) => `${code} ${position?.line}:${position?.column}`)).toEqual(
      [
        "unknown_variable 8:21",
        "needs_default 8:48",
        "unknown_variable 9:16",
        "unknown_variable 10:22",
        "invalid_text 13:43",
      ],
    );
    expect(error.message).toContain('Did you mean "nodes.ask.reply"?');
    expect(error.message).toContain('Did you mean "nodes.push.parsed.letter"?');
  }
  const [fine] = parseScenarioFile(
    "name: d\nentry: a\nnodes: { a: { question: { question: 'Hi {{ row.nme }}', rawAnswer: '' } } }\n",
    { filename: "d.yaml" },
  );
  const run = runScenarios({ scenarios: fine as never, subjects: "sim/steadfast", rows: [{ name: "Ann" }] });
  await expect(run.results).rejects.toThrow(
    'd.yaml:3:44 (nodes.a.question.question): "row.nme" is not known: the rows have the columns name. Did you mean "row.name"?',
  );
});

test("texts can be rendered alone", () => {
  expect(renderText("{{ row.n | plus: 1 }}", { row: { n: 1 } })).toBe(2);
  expect(renderText("no variables", {})).toBe("no variables");
});

/** A field of the second node whose texts are what the first node has left in `accumulated`. */
async function askedAfter(seen: unknown, field: object) {
  const number = { type: "integer", description: "how many", truth: 5 } as const;
  const scenario = new Scenario("asked again")
    .addNode("ask", {
      question: question({ question: "How many?", rawAnswer: "5", template: { fields: { n: number } } }),
      stateUpdate: () => ({ seen }),
    })
    .addNode("more", {
      question: question({
        question: "More?",
        rawAnswer: "5",
        template: { fields: { n: { ...number, ...field } as never } },
      }),
    })
    .addEdge("ask", "more")
    .addEdge("more", END)
    .setEntry("ask")
    .validate();
  const instructions: string[] = [];
  const judge = {
    ...memoryModel("judge", () => ""),
    reply: async (request: { readonly instructions?: string }) => {
      instructions.push(request.instructions ?? "");
      return { text: '{"fields":{"n":5}}', finish: "stop" as const };
    },
  };
  const [result] = await runScenarios({ scenarios: scenario, subjects: () => "5", judge }).results;
  return { result, asked: instructions.at(-1) };
}

test.each([5, "a text"])("a judge is asked for what was read before, whatever it is: %j", async (seen) => {
  const { result, asked } = await askedAfter(seen, { description: "{{ accumulated.seen }}" });
  expect(result?.turns.map(({ verifyResult }) => verifyResult)).toEqual([true, true]);
  expect(asked).toContain(`: ${seen}\n`);
});

test("what a judge cannot be asked for ends its conversation as an error of the author", async () => {
  const field = { type: "enum", values: ["{{ accumulated.seen }}"], hint: "{{ accumulated.seen }}" };
  const { result } = await askedAfter({ toString: null }, field);
  expect(result).toMatchObject({ status: "error", failure: { category: "author", node: "more" } });
});
