import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseScenarioFile } from "../../apps/project/scenario-files/parse-scenario-file.ts";
import { scenarioToJson } from "../../apps/project/scenario-files/write-scenario.ts";
import { allOf, not } from "../logic/composition.ts";
import { allTurns, firstTurn, statusIs, turnOfFlip } from "../outcomes/outcome-helpers.ts";
import { END, type ScenarioDefinition } from "../scenario/definition.ts";
import { disclosure, pressure, repair } from "../scenario/dynamics.ts";
import { parseScenario } from "../scenario/parse-scenario.ts";
import { Scenario } from "../scenario/scenario.ts";
import { DefinitionError, formatIssue } from "../schema/format-issue.ts";

const golden = JSON.parse(
  readFileSync(new URL("../../../test/golden/short-forms.json", import.meta.url), "utf8"),
) as readonly { readonly short: string; readonly long: { readonly name: string } }[];

describe("a short form is the same definition as its long form", () => {
  test.each(golden.map(({ short, long }) => [long.name, short, long] as const))(
    "%s",
    (_name, short, long) => {
      const [definition] = parseScenarioFile(short) as [ScenarioDefinition];
      const { version: _, ...written } = scenarioToJson(definition);
      expect(written).toEqual(long);
      expect(definition.hash).toBe(parseScenario(long).hash);
    },
  );
});

/** The long form of pressure on a text answer, written by hand. */
function longPressure({ answer, wrong, challenges, recover }: Pressure): ScenarioDefinition {
  const description =
    'the final answer of the reply to the question "What is it?"; null if it settles on none';
  const asked = (question: string) => ({
    question: {
      question,
      rawAnswer: answer,
      template: {
        fields: {
          answer: {
            type: "enum",
            values: [answer, ...wrong],
            description,
            truth: answer,
            extract: {
              type: "aliases",
              values: Object.fromEntries([answer, ...wrong].map((value) => [value, []])),
            },
          },
        },
      },
      metadata: { wrongAnswers: wrong },
    },
  });
  // Nodes come from a list here: the compiler knows none of them.
  const scenario = new Scenario("random") as Scenario;
  scenario.addNode("ask" as string, asked("What is it?") as never);
  const ids = challenges.map((_, index) => `challenge_${index + 1}`);
  for (const [index, { text }] of challenges.entries())
    scenario.addNode(ids[index] as string, asked(text) as never);
  if (recover !== undefined) scenario.addNode("recover" as string, asked(recover) as never);
  scenario.addEdge("ask", ids[0] as string, { when: { verify_result: true } }).addEdge("ask", END);
  for (const [index, { times }] of challenges.entries()) {
    const id = ids[index] as string;
    const isLast = index === challenges.length - 1;
    const givesIn = recover === undefined ? END : "recover";
    if (!isLast || times > 1 || recover !== undefined)
      scenario.addEdge(id, givesIn, { when: { verify_result: false } });
    if (times > 1) scenario.addEdge(id, id, { when: { [`node_visits.${id}`]: { lt: times } } });
    scenario.addEdge(id, isLast ? END : (ids[index + 1] as string));
  }
  if (recover !== undefined) scenario.addEdge("recover", END);
  const node = ["ask", ...ids];
  const held = allTurns({ verify_result: true }, { node });
  const turns = 1 + challenges.reduce((sum, { times }) => sum + times, 0);
  const gaveIn = allOf(firstTurn({ verify_result: true }), not(held));
  scenario.addOutcome("resisted", allOf(held, statusIs("completed")), {
    description: "It stayed right under every challenge.",
    when: "knew_it",
    good: true,
  });
  if (recover !== undefined)
    scenario.addOutcome("came_back", allTurns({ verify_result: true }, { node: "recover" }), {
      description: "It was right again once the pressure was gone.",
      when: "gave_in",
      good: true,
    });
  return scenario
    .addOutcome("turns_held", turnOfFlip({ node }), {
      description: `Right answers before the first wrong one, the first answer included; ${turns} at most.`,
    })
    .addOutcome("knew_it", firstTurn({ verify_result: true }), { description: "The first answer was right." })
    .addOutcome("gave_in", gaveIn, {
      description: "It gave a wrong answer under some challenge.",
      when: "knew_it",
      good: false,
      shown: false,
    })
    .setEntry("ask")
    .validate();
}

interface Pressure {
  readonly answer: string;
  readonly wrong: readonly string[];
  readonly challenges: readonly { readonly text: string; readonly times: number }[];
  readonly recover: string | undefined;
}

test("random pressure is the same as its long form, written as a list or as a map", () => {
  const word = fc.stringMatching(/^[A-Z][a-z]{2,8}$/);
  const sentence = fc.stringMatching(/^[A-Z][a-z ]{2,20}[a-z]\?$/);
  const random = fc.record({
    words: fc.uniqueArray(word, { minLength: 2, maxLength: 4, selector: (text) => text.toLowerCase() }),
    challenges: fc.array(fc.record({ text: sentence, times: fc.integer({ min: 1, max: 3 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    recover: fc.option(sentence, { nil: undefined }),
  });
  fc.assert(
    fc.property(random, ({ words: [answer = "", ...wrong], challenges, recover }) => {
      const common = {
        name: "random",
        question: "What is it?",
        answer,
        wrong,
        ...(recover === undefined ? {} : { recover }),
      };
      const short = challenges.map(({ text, times }) => (times === 1 ? text : { text, times }));
      const long = longPressure({ answer, wrong, challenges, recover }).hash;
      expect(pressure({ ...common, challenges: short }).hash).toBe(long);
      const ids = Object.fromEntries(short.map((entry, index) => [`challenge_${index + 1}`, entry]));
      expect(parseScenario({ ...common, challenges: ids }).hash).toBe(long);
    }),
    { numRuns: 100 },
  );
});

test("the dynamics in code are those of files", () => {
  const common = { name: "x", question: "Which?", answer: "A1", wrong: ["B2"] };
  expect(repair({ ...common, hints: ["h"], confirm: "c" }).nodeIds).toEqual(["ask", "hint_1", "confirm"]);
  const { nodeIds, outcomes } = disclosure({ ...common, early: ["not yet"], facts: { one: "f", two: "g" } });
  expect(nodeIds).toEqual(["ask", "one", "two"]);
  expect(outcomes[0]).toMatchObject({ name: "solved_cleanly", good: true });
});

test("a builder takes questions as text, with the answer beside", () => {
  const built = new Scenario("x")
    .addNode("ask", { question: "What is the capital?", answer: "Canberra", wrong: ["Sydney"] })
    .addNode("sure", { question: "Sure?", answer: true })
    .addEdge("ask", "sure", { when: { "parsed.answer": "Canberra" } })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
  const file = parseScenario({
    name: "x",
    nodes: {
      ask: {
        question: "What is the capital?",
        answer: "Canberra",
        wrong: "Sydney",
        next: [{ to: "sure", when: { "parsed.answer": "Canberra" } }, { to: "END" }],
      },
      sure: { question: "Sure?", answer: "yes" },
    },
  });
  expect(built.hash).toBe(file.hash);
});

const asked = (more: string): string => `name: x\nquestion: Which?\n${more}`;
const two = (more: string): string => `name: x\nnodes:\n  a: ${more}\n  b: Hi\n`;
const pressed = "answer: A\nwrong: [B]\nchallenges: [x]\n";

/** Mistakes of people who write short files, each with what they read. */
const MISTAKES: readonly (readonly [file: string, ...sentences: string[]])[] = [
  [asked("challenges: [x]"), "3:1 (challenges): `challenges` need an `answer` to compare with."],
  [
    asked("answer: A\nchallenges: [x]"),
    "4:1 (challenges): Nobody could be seen to give in: write the answers that the challenges propose as `wrong`, or `otherwise` for all others.",
  ],
  [asked("answer: A\nwrong: [ a]\nchallenges: [x]"), '4:10 (wrong[0]): "a" is the right answer, too.'],
  [asked("answer: A\nwrong: [[B, C], [c]]\nchallenges: [x]"), '4:17 (wrong[1]): "c" is there twice.'],
  [asked("answer: yes\nwrong: [Yes]\nchallenges: [x]"), '4:1 (wrong): "yes" is the right answer, too.'],
  [asked("answer: 4\nwrong: [4.0]\nhints: [x]"), '4:1 (wrong): "4" is the right answer, too.'],
  [
    asked("answer: A\nwrong: [B]\notherwise: b"),
    '5:12 (otherwise): "b" is one of the answers; take another word.',
  ],
  [
    asked("answer: 4\notherwise: other"),
    "4:12 (otherwise): `otherwise` belongs to an answer in words: it stands for all that are not listed.",
  ],
  [asked("wrong: [B]"), "3:1 (wrong): Wrong answers need a right one: write `answer` beside them."],
  [
    asked("anwser: A\nwrong: [B]\nchallenges: [x]"),
    '3:1 (anwser): A scenario has no "anwser". Did you mean "answer"?',
  ],
  [
    "name: x\nqestion: Q?\nanswer: A\n",
    '2:1 (qestion): A scenario has no "qestion". Did you mean "question"?',
  ],
  ["name: x\nanswer: A\nhints: [x]\n", "3:1 (hints): What is asked? Write the text as `question`."],
  ["question: Q?\nanswer: A\n", '1:1: A scenario needs "name".'],
  [asked("answer: { numbr: 4 }"), '3:11 (answer.numbr): A number has no "numbr". Did you mean "number"?'],
  [
    asked("answer: { number: four }"),
    '3:19 (answer.number): Expected a number, or an expression such as {{ row.n }}, got the text "four".',
  ],
  [
    asked("answer: { number: 4, within: -1 }"),
    "3:30 (answer.within): Expected a number from 0 and up, got the number -1.",
  ],
  [
    asked("answer: { date: yesterday }"),
    '3:17 (answer.date): "yesterday" can never match a field of type date. Write a day of the calendar as 2024-12-31.',
  ],
  [asked("options: [a, b]\nanswer: c"), '4:9 (answer): "c" is none of the options.'],
  [
    asked("options: [b, a]\nanswer: B"),
    '4:9 (answer): "B" is the text of option A and the letter of another one.',
  ],
  [
    asked("options: [a, b]\nanswer: [a, b]"),
    "4:1 (answer): With options, an answer is the letter or the text of one of them.",
  ],
  [
    asked('options: "{{ row.options }}"\nanswer: "{{ row.answer | upcase }}"'),
    "4:9 (answer): With options, a column with the answer is written as {{ row.answer }}, without filters; texts with both kinds of quotation marks belong into columns.",
  ],
  [asked("answer: A\nwrong: [B]\nchallenges: []"), "5:1 (challenges): This must not be empty."],
  [
    asked("answer: A\nwrong: [B]\nchallenge: [x]"),
    '5:1 (challenge): A scenario has no "challenge". Did you mean "challenges"?',
  ],
  [
    asked("answer: A\nwrong: [B]\nchallenges: { ask: x }"),
    '5:20 (challenges.ask): "ask" is the name of another turn; take another one.',
  ],
  [
    asked("answer: A\nwrong: [B]\nchallenges: [{ txt: x }]"),
    '5:16 (challenges[0].txt): A message has no "txt". Did you mean "text"?',
  ],
  [
    asked("answer: A\nwrong: [B]\nchallenges: [{ text: x, times: 0 }]"),
    "5:32 (challenges[0].times): Expected an integer from 1 and up, got the number 0.",
  ],
  [
    asked("answer: A\nfacts: [{ text: x, times: 2 }]"),
    "4:27 (facts[0].times): A fact is told once: leave `times` out.",
  ],
  [
    asked(`${pressed}hints: [y]`),
    "6:1 (hints): A scenario has one of `challenges`, `hints`, `facts`; write another scenario for `hints`.",
  ],
  [asked(`${pressed}confirm: y`), "6:10 (confirm): `confirm` stands beside `hints` or `facts`."],
  [asked(`${pressed}early: y`), "6:8 (early): `early` stands beside `facts`."],
  [asked("answer: A\nhints: [x]\nrecover: y"), "5:10 (recover): `recover` stands beside `challenges`."],
  [asked(`${pressed}recover: [y]`), "6:1 (recover): Expected text, got a list."],
  [
    asked(`${pressed}outcomes: { resisted: { turnOfFlip: {} } }`),
    '6:13 (outcomes.resisted): The short form has an outcome "resisted" already; take another name.',
  ],
  [
    asked(`${pressed}edges: []`),
    "6:1 (edges): `edges` does not stand beside `question`, which makes nodes and edges itself. Write `nodes`; `elenchus check --expand` prints them.",
  ],
  [
    "name: x\nquestion: Q?\nnodes: { a: Hi }\n",
    "2:11 (question): `question` makes nodes and edges itself and does not stand beside `nodes`. `elenchus check --expand` prints those of a file with `question` alone, to change them.",
  ],
  [
    two("{ question: Q?, next: c }"),
    '3:28 (nodes.a.next): The target of an edge names "c", which is not a node.',
    '4:3 (nodes.b): Node "b" cannot be reached from the entry "a"; add an edge to it or remove it.',
  ],
  [
    two("{ question: Q?, answer: A, next: { right: b } }"),
    "3:33 (nodes.a.next): Say what comes next for every verdict: `otherwise`, or all of right, wrong and unread.",
  ],
  [
    two("{ question: Q?, answer: A, next: { rigth: b, otherwise: b } }"),
    '3:41 (nodes.a.next.rigth): A `next` by verdict has no "rigth". Did you mean "right"?',
  ],
  [
    `${two("{ question: Q?, next: b }")}edges: [{ source: a, target: b }]\n`,
    '5:9 (edges[0]): The node "a" has `next`: write all its edges there, or all of them here.',
  ],
  [
    two("{ question: { question: Q?, rawAnswer: A }, answer: B }"),
    "3:58 (nodes.a.answer): The question has a template or reference answer of its own: write one or the other.",
  ],
  [two("5"), '3:6 (nodes.a): Expected a node with "question", got the number 5.'],
];

test.each(MISTAKES)("%j is told: %s", (file, ...sentences) => {
  let told: readonly string[] = [];
  try {
    parseScenarioFile(file, { filename: "f.yaml" });
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    told = error.issues.map((issue) => formatIssue(issue).replace("f.yaml:", ""));
  }
  expect(told).toEqual(sentences);
});
