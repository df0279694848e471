import { expect, test } from "vitest";
import { DefinitionError, formatIssue } from "../schema/format-issue.ts";
import { parseScenario } from "./parse-scenario.ts";

const question = { question: "Why?", rawAnswer: "So." };
const SOUND = {
  name: "s",
  entry: "ask",
  nodes: { ask: { question }, push: { question } },
  edges: [
    { source: "ask", target: "push", when: { turn: 1 } },
    { source: "ask", target: "END" },
    { source: "push", target: "END" },
  ],
  outcomes: { held: { allTurns: { verify_result: true }, node: "push" } },
};

function issuesOf(change: object): readonly string[] {
  try {
    parseScenario({ ...SOUND, ...change });
  } catch (error) {
    if (error instanceof DefinitionError) return error.issues.map(formatIssue);
    throw error;
  }
  return [];
}

const edge = SOUND.edges[0];
const rest = SOUND.edges.slice(1);

test.each([
  [
    "a node that is not indented",
    { nodes: { ask: { question } }, push: { question } },
    ['push: A scenario has no "push"; it belongs in "nodes".'],
  ],
  [
    "misspelt nodes",
    { nodes: undefined, node: SOUND.nodes },
    ['node: A scenario has no "node". Did you mean "nodes"?'],
  ],
  ["nodes as a list", { nodes: [{ question }] }, ["nodes: Expected an object, got a list."]],
  ["edges as an object", { edges: { ask: "push" } }, ["edges: Expected a list, got an object."]],
  [
    "words of other tools",
    { edges: [edge, { from: "ask", to: "END" }, rest[1]] },
    [
      'edges[1].from: An edge has no "from". Did you mean "source"?',
      'edges[1].to: An edge has no "to". Did you mean "target"?',
    ],
  ],
  [
    "a colon without a space in braces",
    { edges: [edge, { "source:ask": null, "target:END": null }, rest[1]] },
    [
      'edges[1]["source:ask"]: An edge has no "source:ask". Did you mean "source: ask"?',
      'edges[1]["target:END"]: An edge has no "target:END". Did you mean "target: END"?',
    ],
  ],
  [
    "a node with a number as its id",
    { edges: [{ ...edge, target: 2 }, ...rest] },
    ['edges[0].target: Expected text, got the number 2; put quotes around it: "2".'],
  ],
  [
    "a reserved id",
    { nodes: { ...SOUND.nodes, END: { question } } },
    ['nodes.END: "END" is a reserved name and cannot be used here.'],
  ],
  [
    "a template beside its question",
    { nodes: { ...SOUND.nodes, ask: { question, template: { fields: {} } } } },
    ['nodes.ask.template: A node has no "template"; it belongs in "question".'],
  ],
  [
    "a field beside its fields",
    {
      nodes: {
        ...SOUND.nodes,
        ask: {
          question: {
            ...question,
            template: { fields: null, city: { type: "string", description: "d", truth: "t" } },
          },
        },
      },
    },
    ['nodes.ask.question.template.city: A template has no "city"; it belongs in "fields".'],
  ],
])("%s is one mistake, and not also what follows from it", (_name, change, issues) => {
  expect(issuesOf(JSON.parse(JSON.stringify(change)))).toEqual(issues);
});

test("mistakes that do not follow from each other are all named", () => {
  const edges = [{ ...edge, when: { trun: 1 } }, ...rest];
  expect(issuesOf({ edges, entry: "aks", nodes: { ...SOUND.nodes, lone: { question } } })).toEqual([
    'entry: The entry names "aks", which is not a node. Did you mean "ask"?',
    expect.stringContaining('"trun" is not a path'),
  ]);
  expect(issuesOf({ edges, nodes: { ...SOUND.nodes, lone: { question } } })).toEqual([
    expect.stringContaining('Node "lone" cannot be reached'),
    expect.stringContaining('"trun" is not a path'),
  ]);
});
