import { DefinitionError } from "../issue/definition-error.ts";
import type { Issue, ReportIssue } from "../issue/issue.ts";
import { copyForDefinition, withoutNulls } from "../scenario/copy-for-definition.ts";
import { defineScenario, type ScenarioData } from "../scenario/define-scenario.ts";
import type { ScenarioDefinition } from "../scenario/definition.ts";
import { END, END_IN_FILES } from "../scenario/scenario-edge.ts";
import { isRecord, typeName, type UnknownRecord } from "../value/json.ts";
import { FORMAT_VERSION } from "./scenario-file-shape.ts";

/** A scenario from data in the form of a file; throws a `DefinitionError` with every issue. */
export function parseScenario(data: unknown): ScenarioDefinition {
  return readScenario(data);
}

/** The same, for data of which it is known where in a file it stands. */
export function readScenario(data: unknown, place: Pick<ScenarioData, "locate"> = {}): ScenarioDefinition {
  const issues: Issue[] = [];
  const report: ReportIssue = (issue) => issues.push(issue);
  const copied = copyForDefinition(data, [], report);
  if (!isRecord(copied))
    report({ code: "wrong_type", path: [], expected: "a scenario", received: typeName(data) });
  if (!isRecord(copied) || issues.some(({ code }) => code === "too_large")) {
    throw new DefinitionError("The scenario", issues);
  }
  const { version, ...scenario } = copied;
  checkVersion(version, report);
  const nodeIds = isRecord(scenario.nodes) ? Object.keys(scenario.nodes) : [];
  return defineScenario({ data: prepareParts(scenario), nodeIds, issues, ...place });
}

/** Reports a version that this release does not read; none at all means the newest. */
export function checkVersion(version: unknown, report: ReportIssue): void {
  if (version === undefined || version === FORMAT_VERSION) return;
  const shown = typeof version === "object" ? typeName(version) : String(version);
  report({ code: "unsupported_version", path: ["version"], version: shown, supported: FORMAT_VERSION });
}

/** Brings the parts into the form that the builder gives them. */
function prepareParts(scenario: UnknownRecord): UnknownRecord {
  const { nodes, edges, outcomes } = scenario;
  return {
    ...scenario,
    ...(isRecord(nodes) ? { nodes: prepareNodes(nodes) } : {}),
    ...(Array.isArray(edges) ? { edges: Object.freeze(edges.map(prepareEdge)) } : {}),
    ...(Array.isArray(outcomes) ? { outcomes: Object.freeze(outcomes.map(withoutNulls)) } : {}),
  };
}

function prepareNodes(nodes: UnknownRecord): UnknownRecord {
  return Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, withoutNulls(node)]));
}

function prepareEdge(data: unknown): unknown {
  const edge = withoutNulls(data);
  return isRecord(edge) && edge.target === END_IN_FILES ? Object.freeze({ ...edge, target: END }) : edge;
}
