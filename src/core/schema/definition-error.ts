import { formatIssue } from "./format-issue.ts";
import type { Issue } from "./issue.ts";

const SHOWN = 20;

/** Thrown when a scenario cannot be used; carries every issue that was found, not only the first. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
  readonly issues: readonly Issue[];

  constructor(subject: string, issues: readonly Issue[]) {
    const lines = issues.slice(0, SHOWN).map((issue) => `  - ${formatIssue(issue)}`);
    if (issues.length > SHOWN) lines.push(`  … and ${issues.length - SHOWN} more`);
    super(
      `${subject} has ${issues.length === 1 ? "an issue" : `${issues.length} issues`}:\n${lines.join("\n")}`,
    );
    this.issues = Object.freeze([...issues]);
  }
}
