import { lazy } from "../lazy.ts";
import { DefinitionError, formatPath } from "../schema/format-issue.ts";
import type { FilePosition, Issue, IssuePath, ReportIssue } from "../schema/issue.ts";
import { validateShape } from "../schema/validate-shape.ts";
import { parseStatePath } from "../state/state-path.ts";
import { mergeRubrics } from "../templates/rubric.ts";
import { isTruthFrom } from "../templates/template.ts";
import { sha256 } from "../values/hash.ts";
import {
  canonicalJson,
  isRecord,
  isReservedKey,
  type UnknownRecord,
  withoutUndefined,
} from "../values/json.ts";
import type { ScenarioDefinition, ScenarioEdge } from "./definition.ts";
import { rowVariables } from "./row-texts.ts";
import { readDraft, type ScenarioDraft } from "./scenario-draft.ts";
import type { ScenarioParts } from "./scenario-parts.ts";
import { SCENARIO_FRAME_SHAPE } from "./scenario-shape.ts";
import { validateConditions } from "./validate-conditions.ts";
import { validateGraph } from "./validate-graph.ts";
import { validateOutcomes, validateRates } from "./validate-outcomes.ts";
import { PathValidator } from "./validate-paths.ts";
import { validateTexts } from "./validate-texts.ts";
import { isFactor, validateVariants } from "./variants.ts";

/** What makes a scenario: its parts, and what it has besides them. */
export interface ScenarioSource {
  readonly parts: ScenarioParts;
  /** Name, description, entry and metadata, frozen; a list of parts only if it was no list. */
  readonly rest: UnknownRecord;
  /** Where in a file an issue is, if the scenario came from one. */
  readonly locate?: (issue: Issue) => FilePosition | undefined;
  /** Where a part was written, of which the long form is another. */
  readonly origin?: (path: IssuePath) => IssuePath;
}

/** The one way from parts to a definition, for the builder and for files. */
export function defineScenario({ parts, rest, locate, origin }: ScenarioSource): ScenarioDefinition {
  const issues = [...parts.issues];
  const warnings: Issue[] = [];
  const nodeIds = [...parts.nodes.keys()];
  const data: UnknownRecord = {
    nodes: Object.fromEntries(parts.nodes),
    edges: Object.freeze([...parts.edges]),
    outcomes: Object.freeze([...parts.outcomes]),
    ...rest,
  };
  // An issue with the whole makes one of everything in it.
  if (!issues.some(({ code, path }) => code === "too_large" || path.length === 0)) {
    validateScenario(data, parts.nodes, {
      issues,
      report: (issue) => issues.push(issue),
      warn: (issue) => warnings.push(issue),
    });
  }
  const located = (found: Issue): Issue => {
    const issue = origin === undefined ? found : { ...found, path: origin(found.path) };
    const position = locate?.(issue);
    return Object.freeze(position === undefined ? issue : { ...issue, position });
  };
  if (issues.length > 0) {
    const inOrder = [...withoutRepeats(withoutConsequences(issues).map(located))].sort(
      (left, right) => lineOf(left) - lineOf(right),
    );
    throw new DefinitionError(
      typeof data.name === "string" ? `Scenario ${JSON.stringify(data.name)}` : "The scenario",
      inOrder,
    );
  }
  const definition = freezeDefinition(data, nodeIds, withoutRepeats(warnings.map(located)));
  locators.set(definition, located);
  return definition;
}

/** Each issue once: what is written once may be part of many nodes, by an anchor or a short form. */
function withoutRepeats(issues: readonly Issue[]): readonly Issue[] {
  const known = new Map<string, Issue>();
  for (const issue of issues) {
    const key = JSON.stringify(issue.position === undefined ? issue : { ...issue, path: null });
    if (!known.has(key)) known.set(key, issue);
  }
  return [...known.values()];
}

const locators = new WeakMap<ScenarioDefinition, (issue: Issue) => Issue>();

/** Adds to an issue where in its file it is, as far as a definition came from one. */
export function locatorOf(definition: ScenarioDefinition): (issue: Issue) => Issue {
  return locators.get(definition) ?? ((issue) => issue);
}

interface Findings {
  readonly issues: readonly Issue[];
  readonly report: ReportIssue;
  readonly warn: ReportIssue;
}

function validateScenario(
  data: UnknownRecord,
  nodes: ReadonlyMap<string, unknown>,
  { issues, report, warn }: Findings,
): void {
  const refused = new Set(issues.map(({ path }) => formatPath(path)));
  validateShape(SCENARIO_FRAME_SHAPE, data, [], (issue) => {
    // Where something was refused before, null stands in its place, which is no further issue.
    if (!refused.has(formatPath(issue.path))) report(issue);
  });
  const draft = readDraft(data, nodes, issues);
  validateGraph(draft, report, warn);
  validateConditions(draft, report, warn);
  validateOutcomes(draft, report, warn);
  validateTruths(draft, report, warn);
  validateRubrics(draft, report);
  const { systemPrompt, variants, dataset } = data;
  validateVariants(variants, report);
  const factors = isRecord(variants) ? Object.keys(variants).filter(isFactor) : undefined;
  if (isRecord(data.rates)) validateRates(data.rates, { ...draft, factors: factors ?? [] }, report);
  validateTexts(draft, { systemPrompt, factors, hasRows: dataset !== undefined }, report);
  const { rows } = isRecord(dataset) ? dataset : { rows: dataset };
  if (dataset !== undefined && rowVariables(data).next().done)
    warn({ code: "unused_dataset", path: ["dataset"] });
  if (Array.isArray(rows))
    validateColumns(rows, Array.isArray(dataset) ? ["dataset"] : ["dataset", "rows"], report);
}

/** Columns that would mean something else on objects are refused. */
function validateColumns(rows: readonly unknown[], path: IssuePath, report: ReportIssue): void {
  rows.forEach((row, index) => {
    const reserved = isRecord(row) ? Object.keys(row).find(isReservedKey) : undefined;
    if (reserved !== undefined)
      report({ code: "reserved_id", path: [...path, index, reserved], id: reserved });
  });
}

function freezeDefinition(
  data: UnknownRecord,
  nodeIds: readonly string[],
  warnings: readonly Issue[],
): ScenarioDefinition {
  // Everything has been found to have its shape, and the parts are frozen already.
  const { description = "", systemPrompt, history, entry, variants, rates = {} } = data;
  const content = withoutUndefined({
    name: data.name,
    description,
    systemPrompt,
    history,
    nodes: Object.freeze(data.nodes),
    edges: Object.freeze(forkedEdges((data.edges ?? []) as readonly UnknownRecord[])),
    entryNode: entry,
    outcomes: Object.freeze(data.outcomes ?? []),
    variants,
    metadata: Object.freeze(data.metadata ?? {}),
  });
  const { lint, dataset } = data;
  const hash = lazy(() => sha256(canonicalJson(content)));
  const hasRates = Object.keys(rates as object).length > 0;
  return Object.freeze({
    ...content,
    // No part of the hash: conversations do not depend on them, and with another row, the scenario is still the same.
    ...withoutUndefined({ rates: hasRates ? rates : undefined, lint, dataset }),
    nodeIds: Object.freeze([...nodeIds]),
    warnings: Object.freeze(warnings),
    // On first use: on a huge scenario it takes longer than the validation.
    get hash(): string {
      return hash();
    },
  }) as unknown as ScenarioDefinition;
}

/** A fork as it was written is as many edges, one to each arm, so that a graph has them all. */
function forkedEdges(edges: readonly UnknownRecord[]): readonly ScenarioEdge[] {
  const forked: UnknownRecord[] = [];
  for (const edge of edges) {
    if (edge.fork === undefined) forked.push(edge);
    else for (const target of edge.fork as readonly string[]) forked.push(Object.freeze({ ...edge, target }));
  }
  // Each edge has been found to have its shape.
  return forked as readonly unknown[] as readonly ScenarioEdge[];
}

/** In a file, issues are read from top to bottom; without one they stay in the order they were found. */
function lineOf({ position }: Issue): number {
  return position?.line ?? 0;
}

/** Checks that the rubrics of a node and of its question do not mean different things by one name. */
function validateRubrics(draft: ScenarioDraft, report: ReportIssue): void {
  draft.nodes.forEach((node, number) => {
    if (node?.rubric === undefined || node.question.rubric === undefined) return;
    const { clashes } = mergeRubrics([
      { rubric: node.question.rubric, place: "the question" },
      { rubric: node.rubric, place: "the node" },
    ]);
    const path = ["nodes", draft.numbers.idOf(number), "rubric", "traits"];
    for (const { trait } of clashes) report({ code: "duplicate_trait", path, trait });
  });
}

/** Checks the paths of truths that depend on the past. */
function validateTruths(draft: ScenarioDraft, report: ReportIssue, warn: ReportIssue): void {
  const paths = new PathValidator(draft, report, warn);
  draft.nodes.forEach((node, number) => {
    for (const [name, field] of Object.entries(node?.question.template?.fields ?? {})) {
      if (!isTruthFrom(field.truth)) continue;
      const id = draft.numbers.idOf(number);
      const path: IssuePath = ["nodes", id, "question", "template", "fields", name, "truth", "from"];
      validatePath(field.truth.from, id, { path, paths });
    }
  });
}

/** Before a turn, "this turn" means the one before, which may have been at any node: the node must be named. */
function validatePath(from: string, node: string, at: { path: IssuePath; paths: PathValidator }): void {
  const parsed = parseStatePath(from);
  const isUnclear =
    "root" in parsed && ["verify_result", "refused", "parsed", "current_node"].includes(parsed.root);
  if (!isUnclear) return at.paths.validateStatePath(from, node, at.path);
  const message = "a truth looks at the past, so name the node: node_results.<node>.parsed.<field>";
  at.paths.unknownPath(from, [from.split(".")[0] ?? ""], { path: at.path, message });
}

/**
 * Leaves out issues that another one explains: they go away when that one is corrected, and until then hide it. An edge that cannot be
 * read makes its target unreachable; a node that is not indented is missing wherever it is named.
 */
function withoutConsequences(issues: readonly Issue[]): readonly Issue[] {
  const misplaced = new Set<string>();
  const wrongIds = new Set<string>();
  let edgesUnknown = false;
  let nodesUnknown = false;
  let [nodesMisspelt, entryMisspelt] = [false, false];
  for (const issue of issues) {
    if (isUnreadEdge(issue) || issue.path[2] === "next") edgesUnknown = true;
    if (issue.code === "reserved_id" || issue.code === "invalid_id") wrongIds.add(issue.id);
    if (issue.path.length !== 1) continue;
    if (issue.code === "unknown_key") {
      misplaced.add(issue.key);
      nodesMisspelt ||= issue.nearest === "nodes" || issue.nearest === "question";
      entryMisspelt ||= issue.nearest === "entry" || issue.nearest === "question";
    }
    if (issue.path[0] === "nodes") nodesUnknown = true;
    // A list of nodes has no first one.
    if (issue.path[0] === "nodes" && issue.code === "wrong_type") entryMisspelt = true;
  }
  // A cause is never left out, so something is always left to correct.
  return issues.filter((issue) => {
    switch (issue.code) {
      case "no_nodes":
        return !nodesMisspelt;
      case "no_entry":
        return !entryMisspelt;
      case "unknown_node":
        return !nodesUnknown && !misplaced.has(issue.node);
      case "unreachable_node":
        return !edgesUnknown && !wrongIds.has(issue.node);
      case "missing_fallback":
        return !edgesUnknown;
      default:
        return true;
    }
  });
}

/** Whether an edge, or the list of them, has no ends that can be read. */
function isUnreadEdge({ code, path: [list, , key, ...deeper] }: Issue): boolean {
  if (list !== "edges" || deeper.length > 1) return false;
  if (key === undefined)
    return code === "wrong_type" || code === "missing_key" || code === "invalid_parameter";
  return code === "unknown_key" || (code === "wrong_type" && ENDS.has(key));
}

const ENDS: ReadonlySet<string | number> = new Set(["source", "target", "fork"]);
