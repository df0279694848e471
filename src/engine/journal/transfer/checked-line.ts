import { errorMessage } from "../../../core/error-message.ts";
import { formatIssue } from "../../../core/schema/format-issue.ts";
import type { Issue } from "../../../core/schema/issue.ts";
import type { Shape } from "../../../core/schema/shape.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { isRecord, setOwn, type UnknownRecord } from "../../../core/values/json.ts";
import type { LongTextReader } from "./long-texts.ts";
import { MAX_LINE } from "./run-file.ts";

/** What to do about a line that no export writes. */
export const DAMAGED = "The file is damaged, or was changed; export the run again.";

/** Throws if a line is longer than any of a run's file. */
export function refuseLong(line: string, number: number): void {
  if (line.length > MAX_LINE)
    throw new RunFileError(number, `it is longer than ${MAX_LINE} characters`, "Is it the right file?");
}

/** A line of a run's file: one object of JSON. */
export function parseLine(line: string, number: number): UnknownRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RunFileError(
      number,
      "it is not JSON",
      "Is it the right file, and whole? Then export the run again.",
    );
  }
  if (isRecord(value)) return value;
  throw new RunFileError(number, "it is not an object", "Is it the right file?");
}

/** The value of a line with its texts; throws if it does not have the shape. Null for what was checked before. */
export function checkedValue(
  shape: Shape | null,
  value: unknown,
  { texts, number }: { readonly texts: LongTextReader; readonly number: number },
): unknown {
  let decoded: unknown;
  try {
    decoded = texts.decode(value);
  } catch (error) {
    throw new RunFileError(number, errorMessage(error), DAMAGED);
  }
  if (shape !== null) checkParts(shape, decoded, number);
  return decoded;
}

/** Throws if a value does not have the shape. Keys that are not known are no problem: later releases may have more. */
export function checkParts(shape: Shape, value: unknown, number: number): void {
  let issues = issuesOf(shape, value);
  const unknown = issues.filter(({ code }) => code === "unknown_key");
  // One of them may have been taken for a key that is missing, so all of them go.
  if (unknown.length > 0) issues = issuesOf(shape, without(value, unknown));
  const [first] = issues;
  if (first === undefined) return;
  const problem = formatIssue(first).replace(/\.$/, "");
  throw new RunFileError(number, problem.length > 500 ? `${problem.slice(0, 500)}…` : problem, DAMAGED);
}

function issuesOf(shape: Shape, value: unknown): readonly Issue[] {
  const issues: Issue[] = [];
  validateShape(shape, value, [], (issue) => issues.push(issue));
  return issues;
}

/** Copies only what changes: an unknown key may have anything behind it, also what is too deep to be copied. */
function without(value: unknown, places: readonly Issue[]): unknown {
  return places.reduce((rest, { path }) => withoutPart(rest, path), value);
}

function withoutPart(value: unknown, [key = "", ...more]: Issue["path"]): unknown {
  // The path was found in the value.
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  if (more.length === 0) delete copy[key];
  else setOwn(copy, String(key), withoutPart(copy[key], more));
  return copy;
}

/** A run's file that cannot be read: which line, what is wrong with it, and what to do. */
export class RunFileError extends Error {
  override readonly name = "RunFileError";
  /** From 1. */
  readonly line: number;
  /** What is wrong with the line, without a full stop. */
  readonly problem: string;
  /** What to do about it. */
  readonly advice: string;

  constructor(line: number, problem: string, advice: string) {
    super(`The run cannot be imported: line ${line}: ${problem}. ${advice}`);
    this.line = line;
    this.problem = problem;
    this.advice = advice;
  }
}
