import { isComposition } from "../../core/logic/composition.ts";
import { isMeasure } from "../../core/outcomes/measure.ts";
import type { OutcomeCheck } from "../../core/outcomes/outcome-check.ts";
import { variantCells } from "../../core/scenario/variants.ts";
import { describeCondition } from "../../core/state/describe-condition.ts";
import type { RehearsedOutcome, Witness } from "../rehearsal/rehearsal.ts";
import type { Found, LintRules, LintSubject, OutEdge } from "./lint-subject.ts";
import { deadEdges, ends, named } from "./routing-rules.ts";

/** Rules about what can happen in conversations, as a rehearsal of all of them has found. What it could not decide is no finding. */
export const REHEARSAL_RULES: LintRules = {
  *edge_never_taken(subject) {
    const known = deadEdges(subject);
    for (const { edge, path, condition, targets } of neverTaken(subject)) {
      // A fallback must be there, whether or not it is needed.
      if (condition === null || known.has(edge)) continue;
      const message = `The edge ${ends(edge.source, targets)} is never taken: "${describeCondition(condition)}" holds on no path to ${named(edge.source)} where no edge before it is taken.`;
      yield { path, message };
    }
  },

  *unreached_node(subject) {
    const { rehearsal, definition } = subject;
    const reached = new Set(rehearsal?.nodes.filter((node) => node.isReached !== "no").map(({ id }) => id));
    const dead = new Set([...neverTaken(subject)].filter(({ condition }) => condition !== null));
    for (const { id, isReached, reason } of rehearsal?.nodes ?? []) {
      if (isReached !== "no") continue;
      const into = definition.nodeIds.flatMap((source) =>
        reached.has(source) ? subject.edgesFrom(source).filter(({ targets }) => targets.includes(id)) : [],
      );
      // What is behind a node or an edge that is found itself needs no finding of its own.
      if (into.length === 0 || into.every((edge) => dead.has(edge))) continue;
      const why =
        reason === "turn_limit"
          ? `the turn limit of ${subject.facts.turnLimit} comes first`
          : "the edges before it are always taken instead";
      yield { path: ["nodes", id], message: `No conversation reaches ${named(id)}: ${why}.` };
    }
  },

  *endless_loop({ rehearsal, definition }) {
    for (const { nodes, isEndless, untilLimit } of rehearsal?.loops ?? []) {
      const [first] = nodes;
      if (first === undefined || (!isEndless && untilLimit === null)) continue;
      if (untilLimit?.isAssumed) continue;
      const edge = definition.edges.findIndex(
        ({ source, target }) => nodes.includes(source) && nodes.includes(target),
      );
      const loop =
        nodes.length === 1 ? `The loop at ${named(first)}` : `The loop of ${nodes.map(named).join(", ")}`;
      const message = isEndless
        ? `${loop} has no way out: only the turn limit ends such a conversation.`
        : `${loop} can go on until the turn limit${repeatedVerdict(untilLimit, nodes)}. Bound it, for example with node_visits.${first}: { lt: 3 }.`;
      yield { path: edge === -1 ? ["nodes", first] : writtenEdge(definition.edges, edge), message };
    }
  },

  *outcome_never_true(subject) {
    for (const { path, name, decided } of rehearsedOutcomes(subject))
      if (decided.size === 1 && decided.has(false))
        yield { path, message: `The outcome ${JSON.stringify(name)} is true in no conversation.` };
  },

  *outcome_never_false(subject) {
    for (const { path, name, decided, check } of rehearsedOutcomes(subject)) {
      // Conversations that are cut short have another status, which no rehearsal shows.
      if (decided.size !== 1 || !decided.has(true) || readsStatus(check)) continue;
      yield { path, message: `The outcome ${JSON.stringify(name)} is false in no conversation.` };
    }
  },

  *outcome_never_decided(subject) {
    for (const { path, name, decided, values } of rehearsedOutcomes(subject)) {
      if (decided.size > 0 || values.length === 0) continue;
      const words = values.map(({ value }) => String(value).replace("_", " ")).join(" or ");
      yield { path, message: `The outcome ${JSON.stringify(name)} is ${words} in every conversation.` };
    }
  },

  *unbounded_cost({ rehearsal, definition, facts }) {
    const loop = rehearsal?.loops.find(({ untilLimit, isEndless }) => isEndless || untilLimit !== null);
    if (loop === undefined || facts.hasBudget) return;
    const { variants } = definition;
    const cells = variants === undefined || variants.assign === "one" ? 1 : variantCells(variants).length;
    const conversations = Math.max(facts.rowCount, 1) * cells * facts.replicates * facts.subjects;
    const turns = conversations * facts.turnLimit;
    if (turns < MANY_TURNS) return;
    const message = `${conversations} conversations may each go on until the turn limit of ${facts.turnLimit}: up to ${turns} turns, and there is no budget. Set one, for example --budget 5usd.`;
    yield { path: ["nodes", loop.nodes[0] ?? definition.entryNode], message };
  },
};

/** From so many turns on, a mistake costs real money. */
const MANY_TURNS = 1_000;

/** The edges of reached nodes that are never taken. */
function* neverTaken({ rehearsal, definition, outEdges }: LintSubject): Generator<OutEdge> {
  const taken = new Map<string, boolean>();
  for (const { edge, isTaken, never } of rehearsal?.edges ?? []) {
    const { source, fork } = definition.edges[edge] ?? {};
    if (source === undefined) continue;
    const isDead = isTaken === "no" && never?.reason !== "source_not_reached";
    // Arms of a fork are taken together.
    const key = fork === undefined ? `${edge}` : `${source} ${fork.join(" ")}`;
    taken.set(key, (taken.get(key) ?? false) || !isDead);
  }
  for (const edges of outEdges.values())
    for (const edge of edges) {
      const { source, fork } = edge.edge;
      if (taken.get(fork === undefined ? `${edge.index}` : `${source} ${fork.join(" ")}`) === false)
        yield edge;
    }
}

/** What is said in every turn of a loop, if it is the same. */
function repeatedVerdict(witness: Witness | null, nodes: readonly string[]): string {
  const inside = witness?.turns.filter(({ node }) => nodes.includes(node)) ?? [];
  const verdicts = new Set(inside.slice(1).map(({ verifyResult }) => verifyResult));
  if (verdicts.size !== 1) return "";
  const [verdict] = verdicts;
  return verdict === null
    ? ", if no reply is readable"
    : `, if every reply is ${verdict ? "right" : "wrong"}`;
}

/** The place of an edge in the file, where a fork is one edge. */
function writtenEdge(edges: LintSubject["definition"]["edges"], index: number): Found["path"] {
  const arms = edges
    .slice(0, index + 1)
    .filter(({ fork, target }) => fork !== undefined && target !== fork[0]);
  return ["edges", index - arms.length];
}

interface DecidedOutcome extends Pick<RehearsedOutcome, "name" | "values"> {
  readonly path: Found["path"];
  readonly check: OutcomeCheck;
  /** The values other than inconclusive and not applicable. */
  readonly decided: ReadonlySet<unknown>;
}

/** The outcomes of which all values are known. */
function* rehearsedOutcomes({ rehearsal, definition }: LintSubject): Generator<DecidedOutcome> {
  for (const { name, values, isComplete } of rehearsal?.outcomes ?? []) {
    const index = definition.outcomes.findIndex((outcome) => outcome.name === name);
    const outcome = definition.outcomes[index];
    if (outcome === undefined || !isComplete) continue;
    const decided = new Set(
      values
        .map(({ value }) => value)
        .filter((value) => value !== "inconclusive" && value !== "not_applicable"),
    );
    yield { name, values, path: ["outcomes", index], check: outcome.check, decided };
  }
}

/** True if an outcome looks at how the conversation ended, or at what it cost. */
function readsStatus(check: OutcomeCheck): boolean {
  if (typeof check === "function" || typeof check === "string" || isMeasure(check)) return false;
  if (isComposition(check))
    return check.type === "not" ? readsStatus(check.condition) : check.conditions.some(readsStatus);
  return check.type === "result_check" && ["status", "cost", "tokens"].includes(check.field);
}
