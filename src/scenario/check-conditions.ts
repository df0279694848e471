import type { IssuePath, ReportIssue } from "../issue/issue.ts";
import type { Condition } from "../state/condition.ts";
import { PathChecker } from "./check-paths.ts";
import { whyNeverHolds } from "./never-holds.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Checks what conditions, state updates and handovers refer to. */
export function checkConditions(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const paths = new PathChecker(draft, report, warn);
  draft.nodes.forEach((node, number) => {
    if (typeof node?.stateUpdate !== "string") return;
    const path = ["nodes", draft.numbers.idOf(number), "stateUpdate"];
    warn({ code: "not_runnable", path, what: "the state update" });
  });
  for (const { index, condition, edge } of draft.edges) {
    const path = ["edges", index, "when"];
    const { source } = edge;
    if (typeof edge.handover === "string" && !edge.handover.startsWith("transcript_")) {
      warn({ code: "not_runnable", path: ["edges", index, "handover"], what: "the handover" });
    }
    if (condition === null) continue;
    checkLeaves(condition, { source, path, paths, warn });
    const message = whyNeverHolds(condition, { source, fields: (node) => paths.fieldsOf(node) });
    if (message !== null) warn({ code: "never_holds", path, message });
  }
}

interface ConditionPlace {
  readonly source: string;
  readonly path: IssuePath;
  readonly paths: PathChecker;
  readonly warn: ReportIssue;
}

function checkLeaves(condition: Condition, place: ConditionPlace): void {
  switch (condition.type) {
    case "state_check":
      return place.paths.checkStatePath(condition.field, place.source, place.path);
    case "function":
      if (typeof condition.code === "string")
        place.warn({ code: "not_runnable", path: place.path, what: "the condition" });
      return;
    case "not":
      return checkLeaves(condition.condition, place);
    default:
      for (const part of condition.conditions) checkLeaves(part, place);
  }
}
