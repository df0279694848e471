import type { Issue, NodeRole, ReportIssue } from "../issue/issue.ts";
import { asNearest } from "../issue/nearest-name.ts";
import { patternOnFirstUse } from "../value/on-first-use.ts";
import { isReservedKey } from "../value/reserved-key.ts";
import { findUnreachable } from "./find-unreachable.ts";
import type { DraftEdge, ScenarioDraft } from "./scenario-draft.ts";
import { END, END_IN_FILES } from "./scenario-edge.ts";

/** Checks ids, the ends of edges, the entry, fallbacks and reachability; linear in nodes and edges. */
export function checkGraph(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const { numbers, entry } = draft;
  // Without nodes every id is unknown, which is no further issue.
  if (numbers.nodeCount === 0) return;
  for (let node = 0; node < numbers.nodeCount; node++) checkId(numbers.idOf(node), report);
  const meant = checkEnds(draft, report);
  checkFallbacks(draft, report, warn);
  if (entry === null) return;
  const start = numbers.ofNode(entry);
  if (start === undefined) return report(unknownNode(draft, entry, "entry", ["entry"]));
  for (const { node, behind } of findUnreachable(draft, start, meant)) {
    report({ code: "unreachable_node", path: ["nodes", node], node, entry, behind });
  }
}

/** An issue for an id that no node has. */
export function unknownNode(
  draft: ScenarioDraft,
  node: string,
  role: NodeRole,
  path: Issue["path"],
): Extract<Issue, { code: "unknown_node" }> {
  return { code: "unknown_node", path, node, role, ...asNearest(draft.nearestNode.find(node)) };
}

function checkId(id: string, report: ReportIssue): void {
  if (id === END || id === END_IN_FILES || isReservedKey(id)) {
    return report({ code: "reserved_id", path: ["nodes", id], id });
  }
  const message = idProblem(id);
  if (message !== null) report({ code: "invalid_id", path: ["nodes", id], id, message });
}

function idProblem(id: string): string | null {
  if (id === "") return "it is empty";
  if (id.includes(".")) return "a dot would make paths to it ambiguous";
  if (id.trim() !== id) return "white space around it would be hard to see";
  return controlCharacter().test(id) ? "it has control characters" : null;
}

const controlCharacter = patternOnFirstUse(String.raw`\p{Cc}`, "u");

/** Reports edges to or from nowhere, and returns which node each misspelt id was probably meant to be. */
function checkEnds(draft: ScenarioDraft, report: ReportIssue): ReadonlyMap<number, number> {
  const { numbers } = draft;
  const meant = new Map<number, number>();
  const check = (end: number, role: "source" | "target", index: number): void => {
    if (numbers.isNode(end)) return;
    const id = numbers.idOf(end);
    if (role === "target" && id === END) return;
    const issue = unknownNode(draft, id, role, ["edges", index, role]);
    if (issue.nearest !== undefined) meant.set(end, numbers.of(issue.nearest));
    report(issue);
  };
  for (const { index, from, to } of draft.edges) {
    check(from, "source", index);
    check(to, "target", index);
  }
  return meant;
}

interface OutEdges {
  conditional?: DraftEdge;
  fallback?: DraftEdge;
  readonly ignored: DraftEdge[];
}

function checkFallbacks({ numbers, edges }: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const outEdges: (OutEdges | undefined)[] = new Array(numbers.size).fill(undefined);
  for (const edge of edges) {
    const out = outEdges[edge.from] ?? { ignored: [] };
    outEdges[edge.from] = out;
    if (edge.conditional) out.conditional ??= edge;
    else if (out.fallback === undefined) out.fallback = edge;
    else out.ignored.push(edge);
  }
  for (let number = 0; number < numbers.nodeCount; number++) {
    const out = outEdges[number];
    if (out === undefined) continue;
    const { conditional, fallback, ignored } = out;
    const node = numbers.idOf(number);
    if (conditional && !fallback)
      report({ code: "missing_fallback", path: ["edges", conditional.index], node });
    if (fallback && ignored[0] !== undefined) {
      const path = ["edges", ignored[0].index];
      const targets = ignored.map(({ to }) => numbers.idOf(to));
      warn({ code: "several_fallbacks", path, node, used: numbers.idOf(fallback.to), ignored: targets });
    }
  }
}
