import { formatIssue } from "../core/schema/format-issue.ts";
import type { Issue } from "../core/schema/issue.ts";

/** Something that is wrong with what a person named. */
export interface FileProblem {
  /** What it is about, as the person would write it. */
  readonly file: string;
  /** A finished sentence, with its place. */
  readonly message: string;
  /** Set if a scenario is wrong. */
  readonly issue?: Issue;
  /** What a module threw, for those who want to see the stack. */
  readonly cause?: unknown;
}

/** The issues of a scenario as problems of its file; `place` stands before those that have no line. */
export function issueProblems(
  file: string,
  issues: readonly Issue[],
  place: string = file,
): readonly FileProblem[] {
  return issues.map((issue) => ({
    file,
    message: issue.position === undefined ? `${place}: ${formatIssue(issue)}` : formatIssue(issue),
    issue,
  }));
}
