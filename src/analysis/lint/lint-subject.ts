import { lazy } from "../../core/lazy.ts";
import type { ScenarioDefinition, ScenarioEdge } from "../../core/scenario/definition.ts";
import type { LintCode, LintSeverity } from "../../core/scenario/lint-rule.ts";
import type { FilePosition, IssuePath, PlaceInText } from "../../core/schema/issue.ts";
import { type Condition, compileWhen } from "../../core/state/condition.ts";
import type { Rubric } from "../../core/templates/rubric.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";
import { type Rendering, renderings } from "./renderings.ts";

/** Something that a careful reviewer would ask the author about. */
export interface LintFinding {
  readonly code: LintCode;
  readonly severity: LintSeverity;
  readonly scenario: string;
  /** A whole sentence, or several, without its place. */
  readonly message: string;
  /** Where in the scenario it is. */
  readonly path: IssuePath;
  /** Set when the scenario came from a file. */
  readonly position?: FilePosition;
}

/** What a rule finds: a sentence and its place. */
export interface Found {
  readonly path: IssuePath;
  readonly message: string;
  /** Where in a text it is. */
  readonly within?: PlaceInText;
}

/** A rule of the lint: looks at a scenario and says what it finds. */
export type LintRule = (subject: LintSubject) => Iterable<Found>;

/** Rules by their codes. */
export type LintRules = Readonly<Partial<Record<LintCode, LintRule>>>;

/** What is known of the run that a scenario is checked for. */
export interface RunFacts {
  /** False if replies are read by rules alone. */
  readonly hasJudge: boolean;
  readonly hasBudget: boolean;
  readonly turnLimit: number;
  readonly replicates: number;
  /** How many subjects the run has; at least 1. */
  readonly subjects: number;
  /** The rubric of the run. */
  readonly rubric?: Rubric;
  readonly detectRefusal?: boolean;
  /** The first rows of the dataset; none if the scenario uses no row. */
  readonly rows: readonly JsonObject[];
  /** How many rows there are in all. */
  readonly rowCount: number;
}

/** An edge with its number and its condition; a fork is one of them. */
export interface OutEdge {
  readonly index: number;
  readonly edge: ScenarioEdge;
  /** Null for a fallback. */
  readonly condition: Condition | null;
  /** Where it leads to: several nodes for a fork. */
  readonly targets: readonly string[];
  /** Where it stands in the file. */
  readonly path: IssuePath;
}

/** A scenario in the form that rules look at; what several rules need is made once. */
export class LintSubject {
  readonly definition: ScenarioDefinition;
  readonly facts: RunFacts;
  /** What can happen in its conversations; null if that is not known. */
  readonly rehearsal: Rehearsal | null;
  /** The scenario's texts with some rows and variants. */
  readonly renderings: () => readonly Rendering[];
  /** The edges that leave each node, in the order they are tested: those with a condition first. */
  readonly outEdges: ReadonlyMap<string, readonly OutEdge[]>;

  constructor(definition: ScenarioDefinition, facts: RunFacts, rehearsal: Rehearsal | null) {
    this.definition = definition;
    this.rehearsal = rehearsal;
    this.facts = facts;
    this.renderings = lazy(() => renderings(definition, facts.rows));
    this.outEdges = outEdgesOf(definition);
  }

  /** The edges that leave a node, in the order they are tested. */
  edgesFrom(node: string): readonly OutEdge[] {
    return this.outEdges.get(node) ?? [];
  }
}

function outEdgesOf({ edges, nodeIds }: ScenarioDefinition): ReadonlyMap<string, readonly OutEdge[]> {
  const found = new Map<string, OutEdge[]>(nodeIds.map((id) => [id, []]));
  // Forks are several edges of a definition and one of the file.
  let written = 0;
  edges.forEach((edge, index) => {
    const isArm = edge.fork !== undefined && edge.target !== edge.fork[0];
    if (isArm) return;
    const path = ["edges", written++];
    found.get(edge.source)?.push({
      index,
      edge,
      condition: compileWhen(edge.when),
      targets: edge.fork ?? [edge.target],
      path,
    });
  });
  // Edges without a condition are tried last, and only the first of them counts.
  for (const [id, list] of found) {
    const fallback = list.find(({ condition }) => condition === null);
    const tested = list.filter(({ condition }) => condition !== null);
    found.set(id, fallback === undefined ? tested : [...tested, fallback]);
  }
  return found;
}
