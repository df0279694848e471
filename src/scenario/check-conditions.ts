import type { IssuePath, ReportIssue } from "../issue/issue.ts";
import { type Composed, isComposition } from "../logic/composition.ts";
import { isStateCheck, isWhenList, type When, type WhenLeaf } from "../state/condition.ts";
import { PathChecker } from "./check-paths.ts";
import { whyNeverHolds } from "./never-holds.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Checks what the conditions of edges refer to. */
export function checkConditions(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const paths = new PathChecker(draft, report, warn);
  for (const { index, condition, edge } of draft.edges) {
    if (condition === null || edge.when === undefined) continue;
    const path = ["edges", index, "when"];
    const { source } = edge;
    for (const { field, at } of fieldsOf(edge.when, path)) paths.checkStatePath(field, source, at);
    const message = whyNeverHolds(condition, { source, fields: (node) => paths.fieldsOf(node) });
    if (message !== null) warn({ code: "never_holds", path, message });
  }
}

interface FieldPlace {
  readonly field: string;
  readonly at: IssuePath;
}

/** The paths of the state that a condition names, each with the place where it does. */
function fieldsOf(when: When, path: IssuePath): FieldPlace[] {
  if (!isWhenList(when)) return when === null ? [] : fieldsOfPart(when, path);
  return when.flatMap((part, index) => fieldsOfPart(part, [...path, index]));
}

function fieldsOfPart(part: Composed<WhenLeaf>, path: IssuePath): FieldPlace[] {
  if (typeof part === "function" || typeof part === "string") return [];
  if (isComposition(part)) {
    if (part.type === "not") return fieldsOfPart(part.condition, [...path, "condition"]);
    return part.conditions.flatMap((inner, index) => fieldsOfPart(inner, [...path, "conditions", index]));
  }
  if (isStateCheck(part)) return [{ field: part.field, at: [...path, "field"] }];
  return Object.keys(part).map((field) => ({ field, at: [...path, field] }));
}
