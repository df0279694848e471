import type { Truth } from "../../../core/logic/kleene.ts";
import {
  canHold,
  type Demands,
  namesUnreadable,
  readsVerdict,
  type TestPlace,
} from "../../../core/scenario/condition-logic.ts";
import { END } from "../../../core/scenario/definition.ts";
import type { Condition } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import type { Found, LintRules, LintSubject, OutEdge } from "./lint-subject.ts";

/** Rules about edges and their conditions, as they stand. What no path reaches is found by the rehearsal. */
export const ROUTING_RULES: LintRules = {
  *shadowed_edge(subject) {
    for (const { place, edges } of branches(subject)) {
      const earlier: OutEdge[] = [];
      for (const edge of edges) {
        const { condition } = edge;
        if (condition === null) break;
        if (isShadowed(condition, earlier, place)) yield shadowed(edge, condition, { earlier, place });
        else earlier.push(edge);
      }
    }
  },

  *contradicting_condition(subject) {
    const { warnings } = subject.definition;
    const warned = new Set(warnings.filter(({ code }) => code === "never_holds").map(({ path }) => path[1]));
    for (const { place, edges } of branches(subject))
      for (const { condition, path, targets } of edges) {
        if (condition === null || warned.has(path[1] ?? "") || canHold({ all: [condition] }, place)) continue;
        const message = `The edge ${ends(place.source, targets)} is never taken: nothing can meet ${described(condition)}.`;
        yield { path: [...path, "when"], message };
      }
  },

  *unreadable_not_routed(subject) {
    for (const { place, edges } of branches(subject)) {
      const { source } = place;
      const conditions = edges.flatMap(({ condition }) => condition ?? []);
      const first = edges.find(({ condition }) => condition !== null && readsVerdict(condition, place));
      if (place.fields(source) === undefined || first === undefined) continue;
      if (conditions.some((condition) => namesUnreadable(condition, place))) continue;
      const ways = (verdict: Truth): readonly string[] => [
        ...new Set(
          possibleEdges(edges, verdict, { ...place, isBare: true }).flatMap(({ targets }) => targets),
        ),
      ];
      const unreadable = ways(null);
      const like = [false, true].filter((verdict) => sameTargets(ways(verdict), unreadable));
      // At the end of a conversation nothing is said to the subject, and outcomes know what is unreadable.
      if (like.length !== 1 || unreadable.every((id) => id === END)) continue;
      const targets = unreadable.map(named).join(" or ");
      const message = `After ${JSON.stringify(source)}, an unreadable reply goes where a ${like[0] ? "right" : "wrong"} one goes: to ${targets}. If that is meant, say so with an edge for verify_result: null.`;
      yield { path: first.path, message };
    }
  },
};

interface Branch {
  readonly place: TestPlace;
  readonly edges: readonly OutEdge[];
}

/** The nodes after which a condition decides. */
function* branches(subject: LintSubject): Generator<Branch> {
  for (const [source, edges] of subject.outEdges)
    if (edges.some(({ condition }) => condition !== null)) yield { place: subject.placeAfter(source), edges };
}

function isShadowed(condition: Condition, earlier: readonly OutEdge[], place: TestPlace): boolean {
  if (earlier.length === 0 || !canHold({ all: [condition] }, place)) return false;
  return !canHold({ all: [condition], none: earlier.flatMap((edge) => edge.condition ?? []) }, place);
}

function shadowed(
  edge: OutEdge,
  condition: Condition,
  { earlier, place }: { readonly earlier: readonly OutEdge[]; readonly place: TestPlace },
): Found {
  const alone = earlier.find((other) => isShadowed(condition, [other], place));
  const before = alone === undefined ? earlier : [alone];
  const shown = before.map(
    (other) =>
      `to ${other.targets.map(named).join(", ")} (${describeCondition(other.condition as Condition)})`,
  );
  const edges = before.length === 1 ? `the edge ${shown[0]}` : `one of the edges ${shown.join(" and ")}`;
  const message = `The edge ${ends(place.source, edge.targets)} is never taken: wherever ${described(condition)} holds, ${edges} is tested first and taken.`;
  return { path: edge.path, message };
}

/** The edges that may be taken after a turn with a verdict. */
export function possibleEdges(
  edges: readonly OutEdge[],
  verdict: Truth,
  { isBare = false, ...place }: TestPlace & Pick<Demands, "isBare">,
): readonly OutEdge[] {
  const none: Condition[] = [];
  return edges.filter(({ condition }) => {
    const all = condition === null ? [] : [condition];
    const isPossible = canHold({ all, none: [...none], verdict, isBare }, place);
    none.push(...all);
    return isPossible;
  });
}

function sameTargets(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

/** The ends of an edge, for sentences. */
export function ends(source: string, targets: readonly string[]): string {
  return `from ${named(source)} to ${targets.map(named).join(", ")}`;
}

/** A node, or the end, for sentences. */
export function named(id: string): string {
  return id === END ? "END" : JSON.stringify(id);
}

function described(condition: Condition): string {
  return `"${describeCondition(condition)}"`;
}
