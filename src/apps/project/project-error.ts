import { formatIssue } from "../../core/schema/format-issue.ts";
import type { Issue } from "../../core/schema/issue.ts";

/** Something that the user must fix; each problem is a whole sentence. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options: ErrorOptions = {}) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}

/** A problem with a file that the user named. */
export interface FileProblem {
  /** The file, as the user writes it. */
  readonly file: string;
  /** A whole sentence, with its place. */
  readonly message: string;
  /** Set if a scenario is wrong. */
  readonly issue?: Issue;
  /** What a module threw, for `--debug`. */
  readonly cause?: unknown;
}

/** The issues of a scenario as problems of its file; `place` is put before those that have no line. */
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
