/** Something that the person who gave a command must put right; each problem is a finished sentence. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options: ErrorOptions = {}) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}
