import { errorMessage } from "../../core/error-message.ts";
import { type Composed, isComposition } from "../../core/logic/composition.ts";
import { saysOlderNames, withOlderNames } from "../../core/outcomes/older-spelling.ts";
import type { Outcome, OutcomeFunction } from "../../core/outcomes/outcome-check.ts";
import {
  copyDefinition,
  END,
  type HandoverFunction,
  isTranscript,
  type Question,
  type ScenarioDefinition,
  type ScenarioEdge,
  type ScenarioNode,
} from "../../core/scenario/definition.ts";
import type { StateUpdate } from "../../core/state/advance-state.ts";
import { type ConditionFunction, isWhenList, type When, type WhenLeaf } from "../../core/state/condition.ts";
import type { Rubric, TraitFunction } from "../../core/templates/rubric.ts";
import type { Template, VerifyFunction } from "../../core/templates/template.ts";
import { isRecord, type UnknownRecord } from "../../core/values/json.ts";
import { openSandbox, SandboxError, type SandboxFunction } from "./open-sandbox.ts";

/** A source string that cannot be run, and where it stands. */
export interface SourceProblem {
  /** In words: `the condition of the edge from "ask" to "probe"`. */
  readonly place: string;
  readonly message: string;
}

/** A definition whose source strings have become functions. */
export interface LinkedDefinition {
  readonly definition: ScenarioDefinition;
  readonly problems: readonly SourceProblem[];
}

/**
 * A copy of the definition in which every source string is a function that runs it; the same definition if it has none.
 * Never throws: a source that does not compile becomes a function that says so, and a problem.
 */
export async function linkSources(
  definition: ScenarioDefinition,
  compile: (source: string) => Promise<SandboxFunction>,
): Promise<LinkedDefinition> {
  const sources = sourcesOf(definition);
  if (sources.size === 0) return { definition, problems: [] };
  const compiled = new Map<string, SandboxFunction | { readonly problem: string }>();
  for (const source of sources)
    compiled.set(source, await compile(source).catch((error) => ({ problem: errorMessage(error) })));
  const problems: SourceProblem[] = [];
  const link: Link = (source, place) => {
    // All sources of the definition were compiled.
    const found = compiled.get(source) as SandboxFunction | { readonly problem: string };
    if (typeof found === "function") {
      const linked = likeAnyFunction(found);
      return saysOlderNames(source) ? (...values) => linked(...values.map(withOlderNames)) : linked;
    }
    problems.push({ place, message: found.problem });
    return () => {
      throw new Error(found.problem);
    };
  };
  return { definition: linkDefinition(definition, link), problems };
}

/** What is wrong with the source strings of a definition; they are compiled, not run. */
export async function findSourceProblems(definition: ScenarioDefinition): Promise<readonly SourceProblem[]> {
  if (!hasSources(definition)) return [];
  const sandbox = await openSandbox({ seed: 0 });
  try {
    return (await linkSources(definition, (source) => sandbox.compile(source))).problems;
  } finally {
    sandbox.dispose();
  }
}

/** True if a definition has source strings, so that it needs a sandbox. */
export function hasSources(definition: ScenarioDefinition): boolean {
  return sourcesOf(definition).size > 0;
}

function sourcesOf(definition: ScenarioDefinition): ReadonlySet<string> {
  const sources = new Set<string>();
  linkDefinition(definition, (source) => {
    sources.add(source);
    return () => undefined;
  });
  return sources;
}

type Link = (source: string, place: string) => SandboxFunction;

/** What the source threw is passed on as if it were any function; all else says itself what happened. */
function likeAnyFunction(fn: SandboxFunction): SandboxFunction {
  return (...values) => {
    try {
      return fn(...values);
    } catch (error) {
      const isThrown = error instanceof SandboxError && error.kind === "threw";
      throw isThrown ? new Error(error.message.slice("threw: ".length)) : error;
    }
  };
}

function linkDefinition(definition: ScenarioDefinition, link: Link): ScenarioDefinition {
  const { nodes, edges, outcomes } = definition;
  const linkedNodes = Object.entries(nodes).map(([id, node]) => [id, linkNode(node, id, link)] as const);
  return copyDefinition(definition, {
    nodes: Object.freeze(Object.fromEntries(linkedNodes)),
    edges: Object.freeze(edges.map((edge) => linkEdge(edge, link))),
    outcomes: Object.freeze(outcomes.map((outcome) => linkOutcome(outcome, link))),
  });
}

// Casts below: a source string stands for a function of the type that its place asks for; what it really returns is
// checked where it is called, as for every author's function.

function linkNode(node: ScenarioNode, id: string, link: Link): ScenarioNode {
  const of = `of node ${JSON.stringify(id)}`;
  const { stateUpdate } = node;
  return replaced(node, {
    question: linkQuestion(node.question, of, link),
    ...(node.rubric === undefined ? {} : { rubric: linkRubric(node.rubric, of, link) }),
    ...(typeof stateUpdate === "string"
      ? { stateUpdate: link(stateUpdate, `the state update ${of}`) as StateUpdate }
      : {}),
  });
}

function linkQuestion(question: Question, of: string, link: Link): Question {
  const { template, rubric } = question;
  const verify = template?.verify;
  return replaced(question, {
    ...(rubric === undefined ? {} : { rubric: linkRubric(rubric, of, link) }),
    ...(template === undefined || verify === undefined
      ? {}
      : { template: replaced(template, { verify: linkVerify(verify, `the verification ${of}`, link) }) }),
  });
}

function linkVerify(
  verify: NonNullable<Template["verify"]>,
  place: string,
  link: Link,
): NonNullable<Template["verify"]> {
  if (typeof verify === "string") return link(verify, place) as VerifyFunction;
  if (typeof verify !== "object" || !("when" in verify) || typeof verify.of !== "string") return verify;
  return replaced(verify, { of: link(verify.of, place) as VerifyFunction });
}

function linkRubric(rubric: Rubric, of: string, link: Link): Rubric {
  const traits = rubric.traits.map((trait) => {
    if (trait.type !== "function" || typeof trait.evaluate !== "string") return trait;
    const place = `the trait ${JSON.stringify(trait.name)} ${of}`;
    return replaced(trait, { evaluate: link(trait.evaluate, place) as TraitFunction });
  });
  const isSame = traits.every((trait, index) => trait === rubric.traits[index]);
  return isSame ? rubric : replaced(rubric, { traits: Object.freeze(traits) });
}

function linkEdge(edge: ScenarioEdge, link: Link): ScenarioEdge {
  const { source, target, when, handover } = edge;
  const to = target === END ? "the end" : JSON.stringify(target);
  const of = `of the edge from ${JSON.stringify(source)} to ${to}`;
  return replaced(edge, {
    ...(when === undefined ? {} : { when: linkWhen(when, `the condition ${of}`, link) }),
    ...(typeof handover === "string" && !isTranscript(handover)
      ? { handover: link(handover, `the handover ${of}`) as HandoverFunction }
      : {}),
  });
}

function linkWhen(when: NonNullable<When>, place: string, link: Link): NonNullable<When> {
  return isWhenList(when) ? when : linkCondition(when, place, link);
}

function linkCondition(part: Composed<WhenLeaf>, place: string, link: Link): Composed<WhenLeaf> {
  if (typeof part === "string") return withTurnsIfRead(part, link(part, place)) as ConditionFunction;
  if (!isComposition(part)) return part;
  if (part.type === "not") return replaced(part, { condition: linkCondition(part.condition, place, link) });
  const conditions = part.conditions.map((condition) => linkCondition(condition, place, link));
  const isSame = conditions.every((condition, index) => condition === part.conditions[index]);
  return isSame ? part : replaced(part, { conditions: Object.freeze(conditions) });
}

/** Values are copied into the sandbox; with all turns each time, a long conversation would take quadratic time. */
function withTurnsIfRead(source: string, fn: SandboxFunction): SandboxFunction {
  if (source.includes("turns")) return fn;
  return (accumulated, parsed, state) =>
    fn(accumulated, parsed, isRecord(state) ? withoutTurns(state) : state);
}

function withoutTurns(state: UnknownRecord): UnknownRecord {
  // The getter must not be called.
  const names = Object.keys(state).filter((name) => name !== "turns");
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

function linkOutcome(outcome: Outcome, link: Link): Outcome {
  const { name, check } = outcome;
  if (typeof check !== "string") return outcome;
  return replaced(outcome, { check: link(check, `the outcome ${JSON.stringify(name)}`) as OutcomeFunction });
}

/** The very same part if nothing in it changes, else a frozen copy with the changes. */
function replaced<Part extends object>(part: Part, changes: Partial<Part>): Part {
  const isSame = Object.entries(changes).every(([key, value]) => part[key as keyof Part] === value);
  return isSame ? part : Object.freeze({ ...part, ...changes });
}
