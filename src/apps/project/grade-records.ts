import { errorMessage } from "../../core/error-message.ts";
import { memoize } from "../../core/lazy.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { readRows } from "../../engine/datasets/row-files.ts";
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

/** The records of a file, one in each line, or of a CSV file with a message in each; `name` is its name in messages. */
export function recordsIn(path: string, name: string = path): RecordSource {
  if (/\.csv$/i.test(path)) return () => transcriptsIn(path, name);
  return async function* () {
    try {
      for await (const { line, text } of fileLines(path, name)) yield recordOf(text, `${name}:${line}`);
    } catch (error) {
      throw new ProjectError([errorMessage(error)], { cause: error });
    }
  };
}

/** A conversation whose messages are lines of a table. */
interface Transcript {
  readonly line: number;
  readonly values: JsonObject;
  readonly messages: { readonly turn: number; readonly role: unknown; readonly content: unknown }[];
}

/** The conversations of a table with the columns conversation, turn, role and text; others are keys of the record. */
async function* transcriptsIn(path: string, name: string): AsyncGenerator<LocatedRecord> {
  const transcripts = new Map<string, Transcript>();
  try {
    for await (const portion of readRows(path))
      for (const row of portion) {
        const place = `${name}:${row.line}`;
        if ("problem" in row) {
          yield { place, problems: [row.problem] };
          continue;
        }
        const { values, line } = row;
        const missing = MESSAGE_COLUMNS.filter((column) => values[column] === undefined);
        if (missing.length > 0)
          throw new ProjectError([
            `${name} has no column ${missing.join(", ")}. A table of conversations has ${MESSAGE_COLUMNS.join(", ")}, and optionally subject, scenario, row and replicate.`,
          ]);
        const turn = Number(values.turn);
        if (String(values.turn).trim() === "" || !Number.isFinite(turn)) {
          yield { place, problems: [`\`turn\` must be a number, not ${JSON.stringify(values.turn)}`] };
          continue;
        }
        const id = String(values.conversation);
        const transcript = memoize(transcripts, id, () => ({ line, values, messages: [] }));
        transcript.messages.push({
          turn,
          role: String(values.role).trim().toLowerCase(),
          content: values.text,
        });
      }
  } catch (error) {
    throw error instanceof ProjectError ? error : new ProjectError([errorMessage(error)], { cause: error });
  }
  for (const [id, { line, values, messages }] of transcripts) {
    const given = Object.fromEntries(
      ["scenario", "row", "replicate"].flatMap((key) =>
        values[key] === undefined || values[key] === "" ? [] : [[key, values[key]]],
      ),
    );
    const record = {
      id,
      subject: values.subject || "recorded",
      ...given,
      ...(given.replicate === undefined ? {} : { replicate: Number(given.replicate) }),
      messages: messages.toSorted((one, other) => one.turn - other.turn),
    };
    yield { place: `${name}:${line}`, ...readRecord(record) };
  }
}

const MESSAGE_COLUMNS = ["conversation", "turn", "role", "text"] as const;

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
