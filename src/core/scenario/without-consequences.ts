import type { Issue } from "../schema/issue.ts";

/**
 * Leaves out issues that another one explains: they go away when that one is corrected, and until then hide it. An edge that cannot be
 * read makes its target unreachable; a node that is not indented is missing wherever it is named.
 */
export function withoutConsequences(issues: readonly Issue[]): readonly Issue[] {
  const misplaced = new Set<string>();
  const wrongIds = new Set<string>();
  let edgesUnknown = false;
  let nodesUnknown = false;
  let nodesMisspelt = false;
  for (const issue of issues) {
    if (isUnreadEdge(issue)) edgesUnknown = true;
    if (issue.code === "reserved_id" || issue.code === "invalid_id") wrongIds.add(issue.id);
    if (issue.path.length !== 1) continue;
    if (issue.code === "unknown_key") {
      misplaced.add(issue.key);
      nodesMisspelt ||= issue.nearest === "nodes";
    }
    if (issue.path[0] === "nodes") nodesUnknown = true;
  }
  // A cause is never left out, so something is always left to correct.
  return issues.filter((issue) => {
    switch (issue.code) {
      case "no_nodes":
        return !nodesMisspelt;
      case "unknown_node":
        return !nodesUnknown && !misplaced.has(issue.node);
      case "unreachable_node":
        return !edgesUnknown && !wrongIds.has(issue.node);
      case "missing_fallback":
        return !edgesUnknown;
      default:
        return true;
    }
  });
}

/** Whether an edge, or the list of them, has no ends that can be read. */
function isUnreadEdge({ code, path: [list, , key, ...deeper] }: Issue): boolean {
  if (list !== "edges" || deeper.length > 1) return false;
  if (key === undefined)
    return code === "wrong_type" || code === "missing_key" || code === "invalid_parameter";
  return code === "unknown_key" || (code === "wrong_type" && ENDS.has(key));
}

const ENDS: ReadonlySet<string | number> = new Set(["source", "target", "fork"]);
