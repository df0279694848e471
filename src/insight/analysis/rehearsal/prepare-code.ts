import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import type { Outcome } from "../../../core/outcomes/outcome-check.ts";
import {
  bindScenario,
  copyDefinition,
  type ScenarioDefinition,
  type ScenarioEdge,
} from "../../../core/scenario/definition.ts";
import { functionForm } from "../../../core/source/function-source.ts";
import { portableSource } from "../../../core/source/portable-source.ts";
import { freezeDeep } from "../../../core/values/frozen-copy.ts";
import type { JsonValue } from "../../../core/values/json.ts";
import { comparesMeaning } from "../../../engine/grading/verify/semantic-match.ts";
import { loadAcorn } from "../../../engine/run/sandbox/acorn-library.ts";
import {
  type AuthorCode,
  type CodePlace,
  hasSources,
  linkSources,
  replaceCode,
} from "../../../engine/run/sandbox/link-sources.ts";
import { openSandbox, type SandboxFunction } from "../../../engine/run/sandbox/open-sandbox.ts";
import { readsAccumulated, stateChecks } from "./comparisons.ts";
import type { Undecided } from "./rehearsal.ts";

/** What a piece of code may read, and the literals in it. */
interface CodeReach {
  /** `turn`: what was accumulated and what was parsed at its node; `state`: the state without the turns; `turns`: everything. */
  readonly sees: "turn" | "state" | "turns";
  readonly named: readonly JsonValue[];
}

/** The code of a definition that a rehearsal runs, and what it cannot run. */
export interface DefinitionCode {
  /** By the position of the edge: a condition may be composed of several. */
  readonly conditions: ReadonlyMap<number, readonly CodeReach[]>;
  readonly updates: ReadonlyMap<string, CodeReach>;
  readonly verifications: ReadonlyMap<string, CodeReach>;
  readonly outcomes: ReadonlyMap<string, CodeReach>;
  /** Nodes with an unknown verdict, and outcomes with an unknown value. */
  readonly opaqueVerdicts: ReadonlySet<string>;
  readonly opaqueOutcomes: ReadonlySet<string>;
}

/** A definition whose code can be run or is replaced. */
export interface PreparedCode {
  readonly definition: ScenarioDefinition;
  readonly code: DefinitionCode;
  readonly undecided: readonly Undecided[];
  /** Runs work that may call code of the definition. */
  evaluate<Result>(work: () => Result): Result | Promise<Result>;
  dispose(): void;
}

/**
 * Makes the code of a definition safe to run: source strings, and functions that use nothing but their arguments, run in the sandbox.
 * Other functions are never called. For a condition the oracle answers; a verdict or an outcome is unknown.
 */
export async function prepareCode(definition: ScenarioDefinition, oracle: Oracle): Promise<PreparedCode> {
  const found = new CodeFinder(oracle);
  const replaced = found.replace(withoutMeanings(definition));
  const sandbox = hasSources(replaced) ? openSandbox({ seed: 0 }) : undefined;
  const linked =
    sandbox === undefined
      ? { definition: replaced, problems: [] }
      : await linkSources(replaced, async (source) => remembered(await sandbox.compile(source)));
  const { given } = definition;
  return {
    definition: given === undefined ? linked.definition : bindScenario(linked.definition, given),
    code: found,
    undecided: [
      ...found.undecided,
      ...linked.problems.map(({ place, message }) => ({ kind: "code_failed", place, message }) as const),
    ],
    evaluate: (work) => (sandbox === undefined ? work() : sandbox.evaluate(work)),
    dispose: () => sandbox?.dispose(),
  };
}

/** Without an embedding model, only the same words have the same meaning. */
function withoutMeanings(definition: ScenarioDefinition): ScenarioDefinition {
  const nodes = Object.entries(definition.nodes).map(([id, node]) => {
    const { template } = node.question;
    if (template === undefined || !comparesMeaning(template)) return [id, node];
    const fields = Object.entries(template.fields).map(([name, field]) => [
      name,
      field.check?.type === "semantic_match" ? { ...field, check: SAME_WORDS } : field,
    ]);
    const question = { ...node.question, template: { ...template, fields: Object.fromEntries(fields) } };
    return [id, freezeDeep({ ...node, question })];
  });
  return copyDefinition(definition, { nodes: Object.freeze(Object.fromEntries(nodes)) });
}

const SAME_WORDS = Object.freeze({ type: "exact_match" });

/** The same function, memoized: in other states it often gets the same values. */
function remembered(fn: SandboxFunction): SandboxFunction {
  const results = new Map<string, unknown>();
  return (values) => {
    const key = JSON.stringify(values);
    if (results.has(key)) return results.get(key);
    // A function that throws may only wait for an answer of the sandbox: not cached.
    const result = fn(values);
    results.set(key, result);
    return result;
  };
}

class CodeFinder implements DefinitionCode {
  readonly conditions = new Map<number, CodeReach[]>();
  readonly updates = new Map<string, CodeReach>();
  readonly verifications = new Map<string, CodeReach>();
  readonly outcomes = new Map<string, CodeReach>();
  readonly opaqueVerdicts = new Set<string>();
  readonly opaqueOutcomes = new Set<string>();
  readonly undecided: Undecided[] = [];
  readonly #oracle: Oracle;
  /** True if what is accumulated is unknown. */
  #isStateOpaque = false;

  constructor(oracle: Oracle) {
    this.#oracle = oracle;
  }

  replace(definition: ScenarioDefinition): ScenarioDefinition {
    // An update that cannot be run makes everything opaque that sees what is accumulated, so updates come first.
    replaceCode(definition, (code, place) => {
      if (place.kind === "update" && "problem" in sourceOf(code)) this.#isStateOpaque = true;
      return code;
    });
    const replaced = replaceCode(definition, (code, place) => this.#code(code, place));
    if (!this.#isStateOpaque) return replaced;
    for (const outcome of replaced.outcomes) this.#findOpaque(outcome);
    return copyDefinition(replaced, {
      edges: Object.freeze(replaced.edges.map((edge, index) => this.#withoutAccumulated(edge, index))),
    });
  }

  #code(code: AuthorCode, place: CodePlace): AuthorCode {
    // What the next speaker is shown decides nothing here.
    if (place.kind === "handover") return "transcript_prepend";
    const found =
      place.kind === "trait" ? WORDS : this.#isStateOpaque && seesState(place) ? TAINTED : sourceOf(code);
    if ("problem" in found) return this.#opaque(place, found);
    const { source } = found;
    const reach = reachOf(source, place);
    const { kind } = place;
    if (kind === "condition")
      this.conditions.set(place.edge, [...(this.conditions.get(place.edge) ?? []), reach]);
    if (kind === "update") this.updates.set(place.node, reach);
    if (kind === "verification") this.verifications.set(place.node, reach);
    if (kind === "outcome") this.outcomes.set(place.outcome, reach);
    return source;
  }

  #opaque(place: CodePlace, { problem, kind }: Problem): AuthorCode {
    this.undecided.push({ kind, place: place.text, message: problem });
    if (place.kind === "condition") return this.#oracle.condition(place.edge);
    if (place.kind === "update") return (accumulated: unknown) => accumulated;
    if (place.kind === "verification") this.opaqueVerdicts.add(place.node);
    if (place.kind === "outcome") this.opaqueOutcomes.add(place.outcome);
    return () => null;
  }

  /** The same edge, left to the oracle if its condition reads what is accumulated. */
  #withoutAccumulated(edge: ScenarioEdge, index: number): ScenarioEdge {
    const { when } = edge;
    const reads =
      stateChecks(when).some(({ field }) => field.split(".")[0] === "accumulated") ||
      (typeof when === "object" && needsOfParts(when).accumulated);
    return reads ? { ...edge, when: this.#oracle.condition(index) } : edge;
  }

  /** The value of an outcome that reads what is accumulated is not known. */
  #findOpaque({ name, check }: Outcome): void {
    if (typeof check !== "object" || !readsAccumulated(check)) return;
    this.opaqueOutcomes.add(name);
    this.undecided.push({
      kind: TAINTED.kind,
      place: `the outcome ${JSON.stringify(name)}`,
      message: TAINTED.problem,
    });
  }
}

interface Problem {
  readonly problem: string;
  readonly kind: Undecided["kind"];
}

const TAINTED: Problem = {
  kind: "opaque_function",
  problem: "it sees what is accumulated by a state update that cannot be run",
};
const WORDS: Problem = { kind: "words_or_cost", problem: "it depends on the words of a reply" };

function seesState({ kind }: CodePlace): boolean {
  return kind === "condition" || kind === "update" || kind === "outcome";
}

function sourceOf(code: AuthorCode): { readonly source: string } | Problem {
  if (typeof code === "string") return { source: code };
  const portable = portableSource(code, loadAcorn());
  return "source" in portable ? portable : { kind: "opaque_function", problem: portable.problem };
}

/** What a source may read. A source that is not understood may read everything. */
function reachOf(source: string, place: CodePlace): CodeReach {
  const named = literalsIn(source);
  if (place.kind === "outcome") return { sees: "turns", named };
  // An update and a verification see their own turn; the third argument of an update has the number of the turn.
  if (place.kind === "verification") return { sees: "turn", named };
  if (parametersOf(source) <= 2) return { sees: "turn", named };
  return { sees: /\b(?:turns|history)\b/.test(source) ? "turns" : "state", named };
}

/** How many arguments a function can see. */
function parametersOf(source: string): number {
  const acorn = loadAcorn();
  const form = functionForm(source, acorn);
  if ("problem" in form || /\barguments\b/.test(source)) return Number.POSITIVE_INFINITY;
  try {
    const text = form.kind === "method" ? `function ${source}` : source;
    const { params } = acorn.parseExpressionAt(text, 0, { ecmaVersion: "latest" }) as unknown as {
      readonly params?: readonly { readonly type: string }[];
    };
    if (params === undefined || params.some(({ type }) => type === "RestElement"))
      return Number.POSITIVE_INFINITY;
    return params.length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The number and text literals in a source: values that it may treat differently from others. */
function literalsIn(source: string): readonly JsonValue[] {
  const literals = new Set<JsonValue>();
  try {
    for (const token of loadAcorn().tokenizer(source, { ecmaVersion: "latest" })) {
      const { value } = token as unknown as { readonly value?: unknown };
      const { label } = token.type;
      if (label === "num" && typeof value === "number") literals.add(value);
      if (label === "string" && typeof value === "string") literals.add(value);
    }
  } catch {
    // The source cannot be read to its end; the literals found so far are still useful.
  }
  return [...literals];
}

/**
 * Answers for conditions that cannot be run. Work that depends on them is repeated for each combination of answers: first all are false,
 * then one after the other is true.
 */
export class Oracle {
  #answers: readonly boolean[] = [];
  #asked: number[] = [];

  /** A condition whose answer is tried both ways. */
  condition(edge: number): () => boolean {
    return () => {
      this.#asked.push(edge);
      return this.#answers[this.#asked.length - 1] ?? false;
    };
  }

  /** Resets the answers. Work that uses them calls this first. */
  start(): void {
    this.#asked = [];
  }

  /**
   * Repeats some work for every combination of answers. The work must be pure. `isAssumed` is true if a result depends on an answer.
   */
  async each<Result>(
    work: () => Result | Promise<Result>,
  ): Promise<readonly { readonly result: Result; readonly isAssumed: boolean }[]> {
    const results: { result: Result; isAssumed: boolean }[] = [];
    const open: (readonly boolean[])[] = [[]];
    for (let answers = open.pop(); answers !== undefined; answers = open.pop()) {
      this.#answers = answers;
      this.start();
      let result = work();
      if (result instanceof Promise) result = await result;
      const asked = this.#asked.length;
      results.push({ result, isAssumed: asked > 0 });
      // Each later question that was answered with false may have been answered with true.
      for (let position = answers.length; position < asked; position++)
        open.push([...answers, ...Array(position - answers.length).fill(false), true]);
    }
    return results;
  }
}
