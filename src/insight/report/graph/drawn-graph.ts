import { END, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { compileWhen } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";

/** How often the conversations of a run visited nodes and followed edges of a scenario. */
export interface Traffic {
  /** How often each node was visited, by its id. */
  readonly visits: ReadonlyMap<string, number>;
  /** How often each edge was followed, by its index in the edges of the definition. */
  readonly hops: ReadonlyMap<number, number>;
}

/**
 * The part that an edge plays at its source: tested in order, taken if no condition holds, the only edge, or shadowed by
 * an earlier unconditional edge. The arms of a fork are all taken.
 */
export type EdgeRole = "conditional" | "otherwise" | "only" | "never" | "fork";

/** What an edge is called that has no condition. */
export const ROLE_WORDS: Readonly<Record<Exclude<EdgeRole, "conditional">, string>> = {
  otherwise: "otherwise",
  only: "",
  never: "never taken",
  fork: "fork",
};

/** An edge as drawings show it. */
export interface DrawnEdge {
  /** Null for `END`. */
  readonly target: DrawnNode | null;
  readonly role: EdgeRole;
  /** The condition in a few words; empty if there is none. */
  readonly condition: string;
  /** How often it was followed, in a drawing of traffic. */
  readonly hops?: number;
}

/** A node as drawings show it; all texts are printable. */
export interface DrawnNode {
  readonly id: string;
  readonly question: string;
  /** How often it was visited, in a drawing of traffic. */
  readonly visits?: number;
  /** In the order that routing tries them, which need not be the order of the definition. */
  readonly edges: readonly DrawnEdge[];
}

interface Draft extends DrawnNode {
  readonly edges: DrawnEdge[];
}

/** The nodes of a scenario in breadth-first order from the entry, connected by their edges. */
export function drawnGraph(definition: ScenarioDefinition, traffic?: Traffic): readonly DrawnNode[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (id: string): Draft => {
    const known = drafts.get(id);
    if (known !== undefined) return known;
    const draft = draftNode(id, definition, traffic);
    drafts.set(id, draft);
    return draft;
  };

  const entry = draftOf(definition.entryNode);
  for (const id of definition.nodeIds) draftOf(id);
  const roles = edgeRoles(definition);
  const unconditional: { readonly source: Draft; readonly edge: DrawnEdge }[] = [];
  definition.edges.forEach((edge, index) => {
    const source = draftOf(edge.source);
    const target = edge.target === END ? null : draftOf(edge.target);
    const condition = compileWhen(edge.when);
    const role = roles[index] as EdgeRole;
    const words = condition === null ? "" : printableText(describeCondition(condition));
    const drawn: DrawnEdge = {
      target,
      role,
      condition: condition !== null && edge.fork !== undefined ? `fork if ${words}` : words,
      ...(traffic === undefined ? {} : { hops: traffic.hops.get(index) ?? 0 }),
    };
    if (role === "conditional") source.edges.push(drawn);
    else unconditional.push({ source, edge: drawn });
  });
  for (const { source, edge } of unconditional) source.edges.push(edge);
  return breadthFirst([entry, ...drafts.values()]);
}

function draftNode(id: string, definition: ScenarioDefinition, traffic: Traffic | undefined): Draft {
  const question = definition.nodes[id]?.question.question ?? "";
  return {
    id: printableText(id) || '""',
    question: printableText(question),
    ...(traffic === undefined ? {} : { visits: traffic.visits.get(id) ?? 0 }),
    edges: [],
  };
}

/** How often conversations stopped at a node that has edges; 0 for a node without edges. */
export function stopsAt({ visits = 0, edges }: DrawnNode): number {
  if (edges.length === 0) return 0;
  return Math.max(
    0,
    edges.reduce((left, { hops = 0 }) => left - hops, visits),
  );
}

/** The role of each edge, in the order of the definition. Unconditional edges are tried after the conditional ones of their source. */
export function edgeRoles({ edges }: Pick<ScenarioDefinition, "edges">): readonly EdgeRole[] {
  const isConditional = edges.map(({ when }) => compileWhen(when) !== null);
  /** The role of the edge that is tried before the next unconditional one of a source. */
  const before = new Map<string, EdgeRole>();
  for (const [index, { source }] of edges.entries())
    if (isConditional[index]) before.set(source, "conditional");
  return edges.map(({ source, fork }, index): EdgeRole => {
    if (isConditional[index]) return "conditional";
    const last = before.get(source);
    const role = unconditionalRole(last, fork !== undefined);
    before.set(source, role);
    return role;
  });
}

function unconditionalRole(before: EdgeRole | undefined, isArm: boolean): EdgeRole {
  if (isArm && (before === undefined || before === "conditional" || before === "fork")) return "fork";
  if (before === undefined) return "only";
  return before === "conditional" ? "otherwise" : "never";
}

/** All nodes that the roots lead to, each once. */
function breadthFirst(roots: readonly DrawnNode[]): readonly DrawnNode[] {
  const seen = new Set<DrawnNode>();
  for (const root of roots) {
    if (seen.has(root)) continue;
    const queue = [root];
    seen.add(root);
    // The queue grows while it is walked.
    for (const node of queue) {
      for (const { target } of node.edges) {
        if (target === null || seen.has(target)) continue;
        seen.add(target);
        queue.push(target);
      }
    }
  }
  return [...seen];
}
