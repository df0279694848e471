import { OUTCOME_SHAPE } from "../outcomes/outcome-check.ts";
import { SHORT_OUTCOME_SHAPE, writeOutOutcome } from "../outcomes/short-outcome.ts";
import { formatPath } from "../schema/format-issue.ts";
import type { Issue, IssuePath } from "../schema/issue.ts";
import type { Shape } from "../schema/shape.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { expandNode } from "../short-forms/expand-scenario.ts";
import {
  type CopyAllowance,
  type CopyProblem,
  frozenCopy,
  MAX_DEPTH,
  MAX_VALUES,
} from "../values/frozen-copy.ts";
import { isRecord, type UnknownRecord } from "../values/json.ts";
import { END, END_IN_FILES } from "./definition.ts";
import { nodeAsData } from "./model-override.ts";
import { EDGE_SHAPE, NODE_SHAPE } from "./scenario-shape.ts";
import { withUserQuestion } from "./simulated-user.ts";

/**
 * The parts of a scenario as they come in, from the builder or from a file: each is copied, frozen and its
 * shape validated once. Nothing here throws; issues are collected.
 */
export class ScenarioParts {
  readonly issues: Issue[] = [];
  readonly nodes: Map<string, unknown> = new Map();
  readonly edges: unknown[] = [];
  readonly outcomes: unknown[] = [];
  readonly #allowance: CopyAllowance = { remaining: MAX_VALUES };

  addNode(id: string, short: unknown): void {
    const { node, issues } = expandNode(id, short);
    this.issues.push(...issues);
    const { node: data, keepFor } = nodeAsData(node);
    const taken = this.#take(withUserQuestion(data), NODE_SHAPE, ["nodes", id]);
    keepFor(taken);
    this.nodes.set(id, taken);
  }

  addEdge(edge: unknown): void {
    const taken = this.#take(edge, EDGE_SHAPE, ["edges", this.edges.length]);
    this.edges.push(isRecord(taken) ? withEnd(taken) : taken);
  }

  addOutcome(outcome: unknown): void {
    this.outcomes.push(this.#take(outcome, OUTCOME_SHAPE, ["outcomes", this.outcomes.length]));
  }

  /** Takes in an outcome in short form, as it stands under its name. */
  addShortOutcome(name: string, short: unknown): void {
    const { length: before } = this.issues;
    const taken = this.#take(short, SHORT_OUTCOME_SHAPE, ["outcomes", name]);
    if (this.issues.length === before) this.addOutcome(writeOutOutcome(name, taken));
  }

  /** Takes in what the scenario has besides nodes, edges and outcomes; its shape is checked with the whole. */
  takeRest(value: unknown, path: IssuePath): unknown {
    return frozenCopy(
      value,
      (problem) => this.issues.push(issueOf(problem, [...path, ...problem.path])),
      this.#allowance,
    );
  }

  #take(value: unknown, shape: Shape, path: (string | number)[]): unknown {
    // The limit is used up: every further part would be the same issue.
    if (this.#allowance.remaining <= 0) return null;
    const { length: before } = this.issues;
    const part = withoutNulls(this.takeRest(value, path), shape);
    const refused = new Set(this.issues.slice(before).map((issue) => formatPath(issue.path)));
    validateShape(shape, part, path, (issue) => {
      // A refused value was replaced by null, which must not be a second issue.
      if (refused.size === 0 || !refused.has(formatPath(issue.path))) this.issues.push(issue);
    });
    return part;
  }
}

/** An edge with the reserved id of the end in place of its word in files. */
function withEnd(edge: UnknownRecord): UnknownRecord {
  const { target, fork } = edge;
  if (target === END_IN_FILES) return Object.freeze({ ...edge, target: END });
  if (!Array.isArray(fork) || !fork.includes(END_IN_FILES)) return edge;
  const arms = fork.map((arm: unknown) => (arm === END_IN_FILES ? END : arm));
  return Object.freeze({ ...edge, fork: Object.freeze(arms) });
}

function issueOf({ kind, found = "something else" }: CopyProblem, path: IssuePath): Issue {
  switch (kind) {
    case "cyclic":
      return { code: "cyclic_value", path };
    case "too_deep":
      return { code: "too_deep", path, limit: MAX_DEPTH };
    case "too_large":
      return { code: "too_large", path, limit: MAX_VALUES };
    case "not_data":
      return { code: "not_data", path, found };
  }
}

/** A part without the options that are null, for null means: not set. Under a key that is not known, it is an issue. */
function withoutNulls(part: unknown, shape: Shape): unknown {
  if (!isRecord(part) || !Object.values(part).includes(null)) return part;
  if (shape.kind === "reference") return withoutNulls(part, shape.shape());
  const isKnown = (key: string): boolean => shape.kind !== "object" || shape.keys[key] !== undefined;
  return Object.freeze(
    Object.fromEntries(Object.entries(part).filter(([key, value]) => value !== null || !isKnown(key))),
  );
}
