import type { ReportIssue } from "../issue/issue.ts";
import { mergeRubrics } from "../template/merge-rubrics.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Checks that the rubrics of a node and of its question do not mean different things by one name. */
export function checkRubrics(draft: ScenarioDraft, report: ReportIssue): void {
  draft.nodes.forEach((node, number) => {
    if (node?.rubric === undefined || node.question.rubric === undefined) return;
    const { clashes } = mergeRubrics([
      { rubric: node.question.rubric, place: "the question" },
      { rubric: node.rubric, place: "the node" },
    ]);
    const path = ["nodes", draft.numbers.idOf(number), "rubric", "traits"];
    for (const { trait } of clashes) report({ code: "duplicate_trait", path, trait });
  });
}
