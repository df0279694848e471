import { errorMessage } from "../../core/error-message.ts";
import { type GivenRecord, readRecord } from "../../engine/run/records/given-record.ts";
import {
  type GradeOptions,
  type LocatedRecord,
  type RecordSource,
  recordedConversations,
  startGrade,
} from "../../engine/run/records/start-grade.ts";
import type { Run } from "../../engine/run/run-scenarios.ts";
import { fileLines } from "../../system/files/read-text-file.ts";
import { ProjectError } from "./project-error.ts";

/**
 * Grades conversations that exist already: their replies are used instead of a subject. A record that does not fit
 * ends as `record_mismatch`, with the first difference. The result is an ordinary run. `records` is a file with a record in each line, or
 * a list.
 *
 * @example
 * const run = gradeRecords("replies.jsonl", { scenarios: definition, store });
 * for (const { subject, status, outcomes } of await run.results) console.log(subject, status, outcomes);
 */
export function gradeRecords(records: string | readonly GivenRecord[], options: GradeOptions): Run {
  const source = typeof records === "string" ? recordsIn(records) : recordsOf(records);
  return startGrade(recordedConversations(source, options), options);
}

/** The records of a file, one in each line; `name` is its name in messages. */
export function recordsIn(path: string, name: string = path): RecordSource {
  return async function* () {
    try {
      for await (const { line, text } of fileLines(path, name)) yield recordOf(text, `${name}:${line}`);
    } catch (error) {
      throw new ProjectError([errorMessage(error)], { cause: error });
    }
  };
}

/** The records of a list of texts or data. */
export function recordsOf(records: Iterable<unknown>, name = "record"): RecordSource {
  return function* () {
    let number = 0;
    for (const record of records) {
      number++;
      const place = `${name} ${number}`;
      yield typeof record === "string" ? recordOf(record, place) : { place, ...readRecord(record) };
    }
  };
}

function recordOf(text: string, place: string): LocatedRecord {
  try {
    return { place, ...readRecord(JSON.parse(text)) };
  } catch (error) {
    return { place, problems: [`the line is not JSON: ${errorMessage(error).replace(/\.$/, "")}`] };
  }
}
