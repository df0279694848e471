import type { Issue, IssuePath, ReportIssue } from "../issue/issue.ts";
import { type CopyProblem, frozenCopy, MAX_DEPTH, MAX_VALUES } from "../value/frozen-copy.ts";
import { isRecord } from "../value/json.ts";

/** A deeply frozen copy for a definition; what is not data is an issue, and null stands in its place. */
export function copyForDefinition(value: unknown, path: IssuePath, report: ReportIssue): unknown {
  return frozenCopy(value, (problem) => report(issueOf(problem, [...path, ...problem.path])));
}

function issueOf({ kind, found = "something else" }: CopyProblem, path: IssuePath): Issue {
  switch (kind) {
    case "cyclic":
      return { code: "cyclic_value", path };
    case "too_deep":
      return { code: "too_deep", path, limit: MAX_DEPTH };
    case "too_large":
      return { code: "too_large", path, limit: MAX_VALUES };
    case "not_data":
      return { code: "not_data", path, found };
  }
}

/** A node, edge or outcome without the options that are null, for null means: not set. */
export function withoutNulls(part: unknown): unknown {
  if (!isRecord(part) || !Object.values(part).includes(null)) return part;
  return Object.freeze(Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)));
}
