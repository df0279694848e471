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

const SHOWN = 20;

/** The questions in a table: columns `question` and `answer`, and if wanted `id` and `topic`. Throws `ProjectError`. */
export async function readQuestions(path: string, file: string): Promise<readonly Question[]> {
  const questions: Question[] = [];
  const problems: string[] = [];
  const lineOf = new Map<string, number>();
  try {
    for await (const portion of readRows(path))
      for (const row of portion) {
        const found =
          "problem" in row
            ? `The line cannot be read: ${row.problem}.`
            : questionOf(row.values, questions.length + 1);
        const before = typeof found === "string" ? undefined : lineOf.get(found.id);
        if (typeof found === "string") problems.push(`${file}:${row.line}: ${found}`);
        else if (before !== undefined)
          problems.push(`${file}:${row.line}: The id "${found.id}" is already that of line ${before}.`);
        else {
          lineOf.set(found.id, row.line);
          questions.push(found);
        }
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
    const value = columns.get(name) ?? "";
    return (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed().trim();
  };
  const missing = ["question", "answer"].filter((name) => !columns.has(name));
  if (missing.length > 0)
    return `There is no column ${missing.join(" and no column ")}. The columns are ${[...columns.keys()].join(", ")}.`;
  const [question, answer, id, topic] = [textOf("question"), textOf("answer"), textOf("id"), textOf("topic")];
  if (question === "") return "The question is empty.";
  if (answer === "") return "The answer is empty. A draft takes the truth from it.";
  return {
    id: id === "" ? `q${number}` : scenarioName(id),
    question,
    answer,
    ...(topic === "" ? {} : { topic }),
  };
}
