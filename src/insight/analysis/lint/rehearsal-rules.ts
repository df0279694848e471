import { leavesOf } from "../../../core/logic/composition.ts";
import type { Outcome, OutcomeCheck } from "../../../core/outcomes/outcome-check.ts";
import type { ScenarioDefinition, ScenarioEdge } from "../../../core/scenario/definition.ts";
import { variantCells } from "../../../core/scenario/variants.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import { isTraceCheck, type Template } from "../../../core/templates/template.ts";
import { fieldsRead } from "../outcome-reads.ts";
import type { RehearsedOutcome, Witness } from "../rehearsal/rehearsal.ts";
import type { Found, LintRules, LintSubject, OutEdge } from "./lint-subject.ts";
import { ends, named, ROUTING_RULES } from "./routing-rules.ts";
import { VALUE_RULES } from "./value-rules.ts";

/** Rules about what can happen in conversations, as a rehearsal of all of them has found. What it could not decide is no finding. */
export const REHEARSAL_RULES: LintRules = {
  *edge_never_taken(subject) {
    if (hasDoubtfulEdge(subject)) return;
    const known = deadEdges(subject);
    for (const { edge, path, condition, targets } of neverTaken(subject)) {
      // A fallback must be there, whether or not it is needed.
      if (condition === null || known.has(edge)) continue;
      const message = `The edge ${ends(edge.source, targets)} is never taken: "${describeCondition(condition)}" holds on no path to ${named(edge.source)} where no edge before it is taken.`;
      yield { path, message };
    }
  },

  *unreached_node(subject) {
    if (hasDoubtfulEdge(subject)) return;
    const { rehearsal, definition } = subject;
    const reached = new Set(rehearsal?.nodes.filter((node) => node.isReached !== "no").map(({ id }) => id));
    const dead = new Set([...neverTaken(subject)].filter(({ condition }) => condition !== null));
    const into = new Map<string, OutEdge[]>();
    for (const source of definition.nodeIds.filter((id) => reached.has(id)))
      for (const edge of subject.edgesFrom(source))
        for (const target of edge.targets) into.set(target, [...(into.get(target) ?? []), edge]);
    for (const { id, isReached, reason } of rehearsal?.nodes ?? []) {
      const leading = isReached === "no" ? (into.get(id) ?? []) : [];
      // What is behind a node or an edge that is found itself needs no finding of its own.
      if (leading.every((edge) => dead.has(edge))) continue;
      const why =
        reason === "turn_limit"
          ? `the turn limit of ${subject.facts.turnLimit} comes first`
          : "the edges before it are always taken instead";
      yield { path: ["nodes", id], message: `No conversation reaches ${named(id)}: ${why}.` };
    }
  },

  *endless_loop(subject) {
    for (const { nodes, untilLimit, ...loop } of subject.rehearsal?.loops ?? []) {
      const [first] = nodes;
      // A way out may be in what was not explored.
      const trap = subject.rehearsal?.isComplete ? loop.trap : null;
      const witness = trap ?? untilLimit;
      // What code decides that could not be run is not claimed.
      if (first === undefined || witness === null || witness.isAssumed) continue;
      const inside = new Set(nodes);
      const back = nodes
        .flatMap((id) => subject.edgesFrom(id))
        .find(({ targets }) => targets.some((id) => inside.has(id)));
      const name =
        nodes.length === 1 ? `The loop at ${named(first)}` : `The loop of ${nodes.map(named).join(", ")}`;
      const message =
        trap !== null
          ? `${name} has no way out: only the turn limit ends such a conversation.`
          : `${name} can go on until the turn limit${repeatedVerdict(untilLimit, nodes)}. Bound it, for example with node_visits.${first}: { lt: 3 }.`;
      yield { path: back?.path ?? ["nodes", first], message };
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

  *unused_verdict({ rehearsal, definition }) {
    for (const { id, isReached, replies } of rehearsal?.nodes ?? []) {
      const template = definition.nodes[id]?.question.template;
      if (isReached === "no" || replies > 1 || template === undefined || isReadInWords(template)) continue;
      const message = `Nothing looks at what is read of the replies to ${named(id)}: no edge, no outcome and no text. Add an outcome, or remove its template.`;
      yield { path: ["nodes", id], message };
    }
  },

  *unbounded_cost(subject) {
    const { rehearsal, definition, facts } = subject;
    const loop = rehearsal?.loops.find(({ untilLimit, trap }) => (trap ?? untilLimit) !== null);
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

/** The edges of which other rules, or validation, say that their conditions cannot hold. */
function deadEdges(subject: LintSubject): ReadonlySet<ScenarioEdge> {
  const rules = [
    ROUTING_RULES.shadowed_edge,
    ROUTING_RULES.contradicting_condition,
    VALUE_RULES.wrong_value_type,
  ];
  const found = rules.flatMap((rule) => [...(rule?.(subject) ?? [])]);
  const warned = subject.definition.warnings.filter(
    ({ code }) => code === "never_holds" || code === "no_template",
  );
  const places = new Set(
    [...found, ...warned].filter(({ path }) => path[0] === "edges").map(({ path }) => path[1]),
  );
  const edges = [...subject.outEdges.values()].flat();
  return new Set(edges.filter(({ path }) => places.has(path[1])).map(({ edge }) => edge));
}

/** From this number of turns on, a mistake is expensive. */
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

/** The verdict of every turn of a loop, if it is the same. */
function repeatedVerdict(witness: Witness | null, nodes: readonly string[]): string {
  const inside = witness?.turns.filter(({ node }) => nodes.includes(node)) ?? [];
  const verdicts = new Set(inside.slice(1).map(({ verifyResult }) => verifyResult));
  if (verdicts.size !== 1) return "";
  const [verdict] = verdicts;
  return verdict === null
    ? ", if no reply is readable"
    : `, if every reply is ${verdict ? "right" : "wrong"}`;
}

interface DecidedOutcome extends Pick<RehearsedOutcome, "name" | "values"> {
  readonly path: Found["path"];
  readonly check: OutcomeCheck;
  /** The values other than inconclusive and not applicable. */
  readonly decided: ReadonlySet<unknown>;
}

/** The outcomes of which all values are known. */
function* rehearsedOutcomes(subject: LintSubject): Generator<DecidedOutcome> {
  const { rehearsal, definition } = subject;
  const templates = Object.values(definition.nodes).flatMap(({ question }) => question.template ?? []);
  if (hasDoubtfulEdge(subject) || templates.some(isReadInWords)) return;
  for (const { name, values, isComplete } of rehearsal?.outcomes ?? []) {
    const index = definition.outcomes.findIndex((outcome) => outcome.name === name);
    const outcome = definition.outcomes[index];
    if (outcome === undefined || !isComplete || isDoubtful(outcome, definition)) continue;
    const decided = new Set(
      values
        .map(({ value }) => value)
        .filter((value) => value !== "inconclusive" && value !== "not_applicable"),
    );
    yield { name, values, path: ["outcomes", index], check: outcome.check, decided };
  }
}

/**
 * True if an edge that is never taken depends on code, on a trait or on what code computed: a rehearsal tries the replies that conditions
 * distinguish, and code may distinguish more.
 */
function hasDoubtfulEdge(subject: LintSubject): boolean {
  for (const { condition } of neverTaken(subject))
    for (const leaf of condition === null ? [] : leavesOf(condition))
      if (leaf.type === "function" || /^accumulated\b|\.rubric\b|^user\b/.test(leaf.field)) return true;
  return false;
}

/** True if the words of a reply decide, and not only what is read of it. */
function isReadInWords({ fields, verify }: Template): boolean {
  if (typeof verify === "function" || typeof verify === "string") return true;
  return Object.values(fields).some(({ check }) => isTraceCheck(check) || check?.type === "semantic_match");
}

/** True if an outcome, or one that it depends on, looks at code, traits, words or costs: what it may come to is not all known. */
function isDoubtful({ check, when }: Outcome, definition: ScenarioDefinition): boolean {
  const needed = definition.outcomes.filter(
    ({ name }) => when !== undefined && leavesOf(when).includes(name),
  );
  if (needed.some((other) => isDoubtful(other, definition))) return true;
  if (typeof check === "function" || typeof check === "string") return true;
  return fieldsRead(check).some((field) =>
    /^(?:accumulated|rubric|reply|raw_response|question_text|cost|tokens)\b/.test(field),
  );
}

/** True if an outcome looks at how the conversation ended. */
function readsStatus(check: OutcomeCheck): boolean {
  return fieldsRead(check).includes("status");
}
