import type { IssuePath, ReportIssue } from "../issue/issue.ts";
import { parseStatePath } from "../state/state-path.ts";
import { isTruthFrom } from "../template/truth-from.ts";
import { PathChecker } from "./check-paths.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

/** Checks the paths of truths that depend on the past. */
export function checkTruths(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const paths = new PathChecker(draft, report, warn);
  draft.nodes.forEach((node, number) => {
    for (const [name, field] of Object.entries(node?.question.template?.fields ?? {})) {
      if (!isTruthFrom(field.truth)) continue;
      const id = draft.numbers.idOf(number);
      const path: IssuePath = ["nodes", id, "question", "template", "fields", name, "truth", "from"];
      checkPath(field.truth.from, id, { path, paths });
    }
  });
}

/** Before a turn, "this turn" means the one before, which may have been at any node: the node must be named. */
function checkPath(from: string, node: string, at: { path: IssuePath; paths: PathChecker }): void {
  const parsed = parseStatePath(from);
  const isUnclear =
    "root" in parsed && ["verify_result", "refused", "parsed", "current_node"].includes(parsed.root);
  if (!isUnclear) return at.paths.checkStatePath(from, node, at.path);
  const message = "a truth looks at the past, so name the node: node_results.<node>.parsed.<field>";
  at.paths.unknownPath(from, [from.split(".")[0] ?? ""], { path: at.path, message });
}
