import { errorMessage } from "../../../core/error-message.ts";
import { type Composed, isComposition } from "../../../core/logic/composition.ts";
import type { Outcome, OutcomeFunction } from "../../../core/outcomes/outcome-check.ts";
import {
  copyDefinition,
  END,
  type HandoverFunction,
  isTranscript,
  type Question,
  type ScenarioDefinition,
  type ScenarioEdge,
  type ScenarioNode,
} from "../../../core/scenario/definition.ts";
import type { IssuePath } from "../../../core/schema/issue.ts";
import type { StateUpdate } from "../../../core/state/advance-state.ts";
import { type ConditionFunction, isWhenList, type WhenLeaf } from "../../../core/state/condition.ts";
import type { Rubric, TraitFunction } from "../../../core/templates/rubric.ts";
import type { Template, VerifyFunction } from "../../../core/templates/template.ts";
import { isRecord } from "../../../core/values/json.ts";
import { openSandbox, SandboxError, type SandboxFunction } from "./open-sandbox.ts";

/** A source string that cannot be run, and where it stands. */
interface SourceProblem {
  /** In words: `the condition of the edge from "ask" to "probe"`. */
  readonly place: string;
  /** In the scenario as it was written: `edges[3].when`. */
  readonly path: IssuePath;
  readonly message: string;
}

/** A definition whose source strings have become functions. */
interface LinkedDefinition {
  readonly definition: ScenarioDefinition;
  readonly problems: readonly SourceProblem[];
}

/** A function of the author, or the source text of one. */
// biome-ignore lint/complexity/noBannedTypes: each place asks for a function of its own type.
export type AuthorCode = string | Function;

/** Where code stands in a definition. */
export type CodePlace = {
  /** In words: `the condition of the edge from "ask" to "probe"`. */
  readonly text: string;
} & (
  | { readonly kind: "update" | "verification"; readonly node: string }
  | { readonly kind: "trait"; readonly node: string; readonly trait: string }
  | { readonly kind: "condition" | "handover"; readonly edge: number }
  | { readonly kind: "outcome"; readonly outcome: string }
);

/** What stands in place of a piece of code. */
type ReplaceCode = (code: AuthorCode, place: CodePlace) => AuthorCode;

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
  const link: ReplaceCode = (source, place) => {
    const { kind, text } = place;
    if (typeof source !== "string") return source;
    // All sources of the definition were compiled.
    const found = compiled.get(source) as SandboxFunction | { readonly problem: string };
    if (typeof found === "function") {
      const call = likeAnyFunction(found);
      const omitsTurns = kind === "condition" && !source.includes("turns");
      return (...values: readonly unknown[]) => {
        const moment = JSON.stringify([text, turnOf(kind, values)]);
        const given = omitsTurns ? withoutTurns(values) : values;
        return call(given, moment);
      };
    }
    problems.push({ place: text, path: pathOf(place, definition), message: found.problem });
    return () => {
      throw new Error(found.problem);
    };
  };
  return { definition: replaceCode(definition, link), problems };
}

function pathOf(place: CodePlace, { edges }: ScenarioDefinition): IssuePath {
  if ("edge" in place) {
    // A fork was written as one edge, and is as many as it has arms.
    const written = edges.slice(0, place.edge + 1).filter(({ fork, target }) => !fork || target === fork[0]);
    return ["edges", written.length - 1, place.kind === "condition" ? "when" : "handover"];
  }
  if (!("node" in place)) return ["outcomes", place.outcome];
  if (place.kind === "trait") return ["nodes", place.node];
  const part = place.kind === "update" ? ["stateUpdate"] : ["question", "template", "verify"];
  return ["nodes", place.node, ...part];
}

/** What is wrong with the source strings of a definition; they are compiled, not run. */
export async function findSourceProblems(definition: ScenarioDefinition): Promise<readonly SourceProblem[]> {
  if (!hasSources(definition)) return [];
  const sandbox = openSandbox({ seed: 0 });
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
  replaceCode(definition, (code) => {
    if (typeof code === "string") sources.add(code);
    return code;
  });
  return sources;
}

/** What the source threw is passed on as if it were any function; all else says itself what happened. */
function likeAnyFunction(fn: SandboxFunction): SandboxFunction {
  return (values, moment) => {
    try {
      return fn(values, moment);
    } catch (error) {
      const isThrown = error instanceof SandboxError && error.kind === "threw";
      throw isThrown ? new Error(error.message.slice("threw: ".length)) : error;
    }
  };
}

/** A copy of the definition with other code in it: functions, and source strings. */
export function replaceCode(definition: ScenarioDefinition, replace: ReplaceCode): ScenarioDefinition {
  const { nodes, edges, outcomes } = definition;
  const changed = Object.entries(nodes).map(([id, node]) => [id, replaceInNode(node, id, replace)] as const);
  return copyDefinition(definition, {
    nodes: Object.freeze(Object.fromEntries(changed)),
    edges: Object.freeze(edges.map((edge, index) => replaceInEdge(edge, index, replace))),
    outcomes: Object.freeze(outcomes.map((outcome) => replaceInOutcome(outcome, replace))),
  });
}

// Casts below: code stands for a function of the type that its place asks for; what it really returns is checked where it is
// called, as for every author's function.

function replaceInNode(node: ScenarioNode, id: string, replace: ReplaceCode): ScenarioNode {
  const { stateUpdate } = node;
  const text = `the state update of node ${JSON.stringify(id)}`;
  return replaced(node, {
    question: replaceInQuestion(node.question, id, replace),
    ...(node.rubric === undefined ? {} : { rubric: replaceInRubric(node.rubric, id, replace) }),
    ...(stateUpdate === undefined
      ? {}
      : { stateUpdate: replace(stateUpdate, { kind: "update", node: id, text }) as StateUpdate }),
  });
}

function replaceInQuestion(question: Question, node: string, replace: ReplaceCode): Question {
  const { template, rubric } = question;
  const verify = template?.verify;
  const text = `the verification of node ${JSON.stringify(node)}`;
  const change = (code: AuthorCode): VerifyFunction =>
    replace(code, { kind: "verification", node, text }) as VerifyFunction;
  return replaced(question, {
    ...(rubric === undefined ? {} : { rubric: replaceInRubric(rubric, node, replace) }),
    ...(template === undefined || verify === undefined
      ? {}
      : { template: replaced(template, { verify: replaceInVerify(verify, change) }) }),
  });
}

function replaceInVerify(
  verify: NonNullable<Template["verify"]>,
  change: (code: AuthorCode) => VerifyFunction,
): NonNullable<Template["verify"]> {
  if (typeof verify !== "object") return change(verify);
  if (!("when" in verify) || verify.of === undefined || typeof verify.of === "object") return verify;
  return replaced(verify, { of: change(verify.of) });
}

function replaceInRubric(rubric: Rubric, node: string, replace: ReplaceCode): Rubric {
  const traits = rubric.traits.map((trait) => {
    if (trait.type !== "function") return trait;
    const text = `the trait ${JSON.stringify(trait.name)} of node ${JSON.stringify(node)}`;
    const evaluate = replace(trait.evaluate, { kind: "trait", node, trait: trait.name, text });
    return replaced(trait, { evaluate: evaluate as TraitFunction });
  });
  const isSame = traits.every((trait, index) => trait === rubric.traits[index]);
  return isSame ? rubric : replaced(rubric, { traits: Object.freeze(traits) });
}

function replaceInEdge(edge: ScenarioEdge, index: number, replace: ReplaceCode): ScenarioEdge {
  const { source, target, when, handover } = edge;
  const to = target === END ? "the end" : JSON.stringify(target);
  const of = `of the edge from ${JSON.stringify(source)} to ${to}`;
  const change = (code: AuthorCode): ConditionFunction =>
    replace(code, { kind: "condition", edge: index, text: `the condition ${of}` }) as ConditionFunction;
  const place: CodePlace = { kind: "handover", edge: index, text: `the handover ${of}` };
  return replaced(edge, {
    ...(when === undefined || isWhenList(when) ? {} : { when: replaceInCondition(when, change) }),
    ...(handover === undefined || isTranscript(handover)
      ? {}
      : { handover: replace(handover, place) as HandoverFunction }),
  });
}

function replaceInCondition(
  part: Composed<WhenLeaf>,
  change: (code: AuthorCode) => ConditionFunction,
): Composed<WhenLeaf> {
  if (typeof part === "string" || typeof part === "function") return change(part);
  if (!isComposition(part)) return part;
  if (part.type === "not") return replaced(part, { condition: replaceInCondition(part.condition, change) });
  const conditions = part.conditions.map((condition) => replaceInCondition(condition, change));
  const isSame = conditions.every((condition, index) => condition === part.conditions[index]);
  return isSame ? part : replaced(part, { conditions: Object.freeze(conditions) });
}

/** The turn that a call is about, from its arguments; outcomes are about the whole conversation. */
function turnOf(kind: CodePlace["kind"], [first, second, third]: readonly unknown[]): unknown {
  if (kind === "outcome") return null;
  // The turn that is asked next.
  if (kind === "handover") return Array.isArray(first) ? first.length + 1 : null;
  const context = kind === "verification" || kind === "trait" ? second : third;
  return isRecord(context) ? context.turn : null;
}

/** Values are copied into the sandbox; with all turns each time, a long conversation would take quadratic time. */
function withoutTurns([accumulated, parsed, state]: readonly unknown[]): readonly unknown[] {
  if (!isRecord(state)) return [accumulated, parsed, state];
  // The getter must not be called.
  const names = Object.keys(state).filter((name) => name !== "turns");
  return [accumulated, parsed, Object.fromEntries(names.map((name) => [name, state[name]]))];
}

function replaceInOutcome(outcome: Outcome, replace: ReplaceCode): Outcome {
  const { name, check } = outcome;
  if (typeof check === "object") return outcome;
  const text = `the outcome ${JSON.stringify(name)}`;
  return replaced(outcome, {
    check: replace(check, { kind: "outcome", outcome: name, text }) as OutcomeFunction,
  });
}

/** The very same part if nothing in it changes, else a frozen copy with the changes. */
function replaced<Part extends object>(part: Part, changes: Partial<Part>): Part {
  const isSame = Object.entries(changes).every(([key, value]) => part[key as keyof Part] === value);
  return isSame ? part : Object.freeze({ ...part, ...changes });
}
