import type { IssuePath, ReportIssue } from "../issue/issue.ts";
import type { Condition } from "../state/condition.ts";
import type { Rubric } from "../template/rubric.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Warns of everything that is written as source text, since no sandbox runs it yet. */
export function warnOfSources(draft: ScenarioDraft, warn: ReportIssue): void {
  const mark = (what: string, path: IssuePath): void => warn({ code: "not_runnable", path, what });
  const markTraits = (rubric: Rubric | undefined, path: IssuePath): void => {
    rubric?.traits.forEach((trait, index) => {
      const isSource = trait.type === "function" && typeof trait.evaluate === "string";
      if (isSource) mark("the trait", [...path, "rubric", "traits", index, "evaluate"]);
    });
  };
  draft.nodes.forEach((node, number) => {
    if (node === null) return;
    const { question, rubric, stateUpdate } = node;
    const path = ["nodes", draft.numbers.idOf(number)];
    if (typeof stateUpdate === "string") mark("the state update", [...path, "stateUpdate"]);
    if (typeof question.template?.verify === "string")
      mark("the verification", [...path, "question", "template", "verify"]);
    markTraits(rubric, path);
    if (question.rubric !== undefined) markTraits(question.rubric, [...path, "question"]);
  });
  for (const { index, condition, edge } of draft.edges) {
    if (condition !== null && hasSource(condition)) mark("the condition", ["edges", index, "when"]);
    const { handover } = edge;
    if (typeof handover === "string" && !handover.startsWith("transcript_")) {
      mark("the handover", ["edges", index, "handover"]);
    }
  }
  for (const { index, outcome } of draft.outcomes) {
    if (typeof outcome.check === "string") mark("the outcome", ["outcomes", index, "check"]);
  }
}

function hasSource(condition: Condition): boolean {
  switch (condition.type) {
    case "state_check":
      return false;
    case "function":
      return typeof condition.code === "string";
    case "not":
      return hasSource(condition.condition);
    default:
      return condition.conditions.some(hasSource);
  }
}
