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
])("%s", (_, text, sentences) => {
  expect(said(text)).toBe(sentences);
});
