/** A run that cannot begin: every problem that was found, before the first call. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options: ErrorOptions = {}) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}
