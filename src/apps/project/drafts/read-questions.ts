import type { JsonObject } from "../../../core/values/json.ts";
import { DatasetError, readRows } from "../../../engine/datasets/row-files.ts";
import { ProjectError } from "../project-error.ts";
import { scenarioName } from "./build-scenario.ts";

/** A question with its reference answer, as a table has it. */
export interface Question {
  /** Also the last part of the scenario's name; each once. */
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly topic?: string;
}

/** More would take hours, and no person would read them all. */
const MOST_QUESTIONS = 2_000;
const LONGEST_TEXT = 20_000;
const SHOWN = 20;

/** The questions in a table: columns `question` and `answer`, and if wanted `id` and `topic`. Throws `ProjectError`. */
export async function readQuestions(path: string, file: string): Promise<readonly Question[]> {
  const questions: Question[] = [];
  const problems: string[] = [];
  const lineOf = new Map<string, number>();
  try {
    for await (const portion of readRows(path))
      for (const row of portion) {
        const place = `${file}:${row.line}`;
        if ("problem" in row) {
          problems.push(`${place}: The line cannot be read: ${row.problem}.`);
          continue;
        }
        if (questions.length + problems.length >= MOST_QUESTIONS)
          throw new ProjectError([
            `${file} has more than ${MOST_QUESTIONS} questions. Split it, and read what comes of the first part.`,
          ]);
        const found = questionOf(row.values, questions.length + 1);
        if (typeof found === "string") {
          problems.push(`${place}: ${found}`);
          continue;
        }
        const before = lineOf.get(found.id);
        if (before !== undefined)
          problems.push(`${place}: The id "${found.id}" is already that of line ${before}.`);
        lineOf.set(found.id, row.line);
        questions.push(found);
      }
  } catch (error) {
    if (error instanceof DatasetError)
      throw new ProjectError([error.message.replaceAll(path, file)], { cause: error });
    throw error;
  }
  const more = problems.length - SHOWN;
  if (problems.length > 0)
    throw new ProjectError([...problems.slice(0, SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])]);
  if (questions.length === 0) throw new ProjectError([`${file} has no questions.`]);
  return questions;
}

/** The question of a line, or what is wrong with it. */
function questionOf(values: JsonObject, number: number): Question | string {
  const columns = new Map(Object.entries(values).map(([name, value]) => [name.trim().toLowerCase(), value]));
  const textOf = (name: string): string => {
    const value = columns.get(name);
    return value === undefined || value === null
      ? ""
      : (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed().trim();
  };
  const missing = ["question", "answer"].filter((name) => !columns.has(name));
  if (missing.length > 0)
    return `There is no column ${missing.join(" and no column ")}. The columns are ${[...columns.keys()].join(", ")}.`;
  const [question, answer, id, topic] = ["question", "answer", "id", "topic"].map(textOf) as [
    string,
    string,
    string,
    string,
  ];
  if (question === "") return "The question is empty.";
  if (answer === "") return "The answer is empty. A draft takes the truth from it.";
  if (question.length + answer.length > LONGEST_TEXT)
    return `Question and answer have more than ${LONGEST_TEXT} characters.`;
  return {
    id: id === "" ? `q${number}` : scenarioName(id),
    question,
    answer,
    ...(topic === "" ? {} : { topic }),
  };
}
