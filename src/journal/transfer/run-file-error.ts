/** A run's file that cannot be read: which line, what is wrong with it, and what to do. */
export class RunFileError extends Error {
  override readonly name = "RunFileError";
  /** From 1. */
  readonly line: number;

  constructor(line: number, problem: string, advice: string) {
    super(`The run cannot be imported: line ${line}: ${problem}. ${advice}`);
    this.line = line;
  }
}
