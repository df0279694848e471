import { expect, test } from "vitest";
import { DefinitionError, formatIssue } from "../../../core/schema/format-issue.ts";
import { parseScenarioFile } from "./parse-scenario-file.ts";

/** What is said about a file, one line for each issue; empty if it is in order. */
function said(text: string): string {
  try {
    parseScenarioFile(text, { filename: "s.yaml" });
  } catch (error) {
    if (error instanceof DefinitionError) return error.issues.map(formatIssue).join("\n");
    throw error;
  }
  return "";
}

const HEAD = "name: capital\nquestion: What is the capital of Australia?\n";
const FILE = `${HEAD}answer: Canberra\nwrong: [Sydney]\nchallenges:\n  - Are you sure?\n`;

/** Mistakes of people who write their first short file, and what they read. */
test.each<[mistake: string, text: string, sentences: string]>([
  ["a version in quotes", `version: "1"\n${FILE}`, ""],
  [
    "another version",
    `version: "2"\n${FILE}`,
    's.yaml:1:10 (version): Format version "2" is not supported; this release reads version 1.',
  ],
  [
    "a column with a space, used twice",
    `${HEAD}answer: "{{ row.right answer }}"\nwrong: [Sydney]\nchallenges: ["Not {{ row.right answer }}?"]\n`,
    "s.yaml:3:13 (answer): \"row.right answer\" is not known: a name with spaces is written row['right answer'].",
  ],
  [
    "the beginning of the name of an outcome",
    `${FILE}outcomes:\n  firm: { when: knew, lastTurn: { verify_result: true } }\n`,
    's.yaml:8:11 (outcomes.firm.when): There is no outcome "knew". Did you mean "knew_it"?',
  ],
  [
    "edges as an object",
    "name: a\nnodes:\n  ask: { question: What?, answer: Canberra }\n  push: Sure?\nedges:\n  ask: push\n",
    's.yaml:5:1 (edges): Expected a list, got an object; put "- " in front of each entry, such as: - { source: ask, target: push }.',
  ],
  [
    "a mistake within an anchor that three nodes use",
    "name: a\nnodes:\n  a: &q\n    question:\n      question: What?\n      rawAnswer: x\n      template: { fields: { n: { type: strin, description: it, truth: x } } }\n  b: *q\n  c: *q\n",
    's.yaml:7:40 (nodes.a.question.template.fields.n.type): "strin" is not one of "boolean", "string", "integer", "number", "date", "enum" or "array". Did you mean "string"?',
  ],
  [
    "messages without dashes",
    `${HEAD}answer: Canberra\nwrong: [Sydney]\nchallenges:\n  Are you sure?\n  I think it is Sydney.\n`,
    's.yaml:6:3 (challenges): Expected a list or an object, got the text "Are you sure? I think it is Sydney."; put "- " in front of each entry.',
  ],
  [
    "no messages",
    `${HEAD}answer: Canberra\nwrong: [Sydney]\nchallenges:\n`,
    's.yaml:5:12 (challenges): `challenges` is empty: write each message on a line of its own below it, with "- " in front.',
  ],
  [
    "a dash that is indented too much",
    `${FILE}   - Really?\n`,
    's.yaml:7:4: The file cannot be read: this "-" is not indented like the others of its list.',
  ],
  [
    "wrong answers that are no list",
    `${HEAD}answer: Canberra\nwrong: Sydney, Melbourne\nchallenges: [Are you sure?]\n`,
    's.yaml:4:8 (wrong): This is one wrong answer with a comma in it. Several are a list: [Sydney, Melbourne]. One is written ["Sydney, Melbourne"].',
  ],
  [
    "a colon in a message",
    `${FILE}  - My teacher said: Sydney.\n`,
    's.yaml:7:5 (challenges[1]["My teacher said"]): "My teacher said" is taken for a key, because a colon and a space follow it; put quotes around the whole text.',
  ],
  [
    "another word for the text of a message",
    `${FILE}  - message: Really?\n`,
    's.yaml:7:5 (challenges[1].message): A message has no "message". Did you mean "text"?',
  ],
  [
    "keys with capital letters",
    "name: a\nQuestion: What?\nanswer: Canberra\n",
    's.yaml:2:1 (Question): A scenario has no "Question". Did you mean "question"?',
  ],
  [
    "a date as it stands",
    "name: a\nquestion: When did the wall fall?\nanswer: 1989-11-09\n",
    "s.yaml:3:9 (answer): A date in other words would not be read. Write { date: 1989-11-09 }.",
  ],
  [
    "quotes of a word processor",
    `${HEAD}answer: “Canberra”\n`,
    's.yaml:3:9: The file cannot be read: “ and ” are no quotes in YAML; type " in their place, or leave them out.',
  ],
  [
    "columns without row",
    'name: a\ndataset: rows.csv\nquestion: What is the capital of {{ country }}?\nanswer: "{{ capital }}"\n',
    [
      's.yaml:3:37 (question): "country" is not known: a text may use row, variant, visit, turns, nodes, accumulated, user. Did you mean "row.country"?',
      's.yaml:4:13 (answer): "capital" is not known: a text may use row, variant, visit, turns, nodes, accumulated, user. Did you mean "row.capital"?',
    ].join("\n"),
  ],
  [
    "yes in quotes, umlauts and line ends of Windows",
    'name: grüße\r\nquestion: Ist Wien die Hauptstadt von Österreich?\r\nanswer: "Yes"\r\nchallenges:\r\n  überzeugt: Sicher?\r\n',
    "",
  ],
  [
    "another word for a verdict",
    "name: a\nnodes:\n  ask: { question: What?, answer: x, next: { correct: END, wrong: retry } }\n  retry: Which?\n",
    's.yaml:3:46 (nodes.ask.next.correct): A `next` by verdict has no "correct". Did you mean "right"?',
  ],
  [
    "nodes as a list",
    "name: a\nnodes:\n  - ask: What?\nanswer: x\n",
    's.yaml:2:1 (nodes): Expected an object, got a list; leave out the "- " in front of each node.',
  ],
  [
    "a column in one pair of braces",
    "name: a\nquestion: What?\nanswer: {row.a}\n",
    's.yaml:3:9: The file cannot be read: a value of a row is written with quotes and two braces: "{{ row.a }}".',
  ],
  [
    "a column without braces",
    "name: a\nquestion: What?\nanswer: row.a\n",
    's.yaml:3:9 (answer): For the value of a column, write "{{ row.a }}", with the quotes.',
  ],
  [
    "one level of a factor",
    `${FILE}variants:\n  style: polite\n`,
    "s.yaml:8:10 (variants.style): A factor is a list of levels, or an object of levels.",
  ],
  [
    "scenarios as a list",
    "- name: a\n  question: What?\n  answer: x\n",
    's.yaml:1:1: Expected a scenario, got a list; put "scenarios:" in front of it.',
  ],
])("%s", (_, text, sentences) => {
  expect(said(text)).toBe(sentences);
});
