import type { IssuePath, ReportIssue } from "../schema/issue.ts";
import { receivedName } from "../schema/validate-shape.ts";
import { type Expansion, expandScenario } from "../short-forms/expand-scenario.ts";
import { isRecord, typeName, type UnknownRecord } from "../values/json.ts";
import { defineScenario, type ScenarioSource } from "./define-scenario.ts";
import type { ScenarioDefinition } from "./definition.ts";
import { ScenarioParts } from "./scenario-parts.ts";
import { FORMAT_VERSION } from "./scenario-shape.ts";

/** A scenario from data in the form of a file; throws a `DefinitionError` with every issue. */
export function parseScenario(data: unknown): ScenarioDefinition {
  return readScenario(data);
}

/** What is known of the text that data comes from. */
interface ScenarioPlace extends Pick<ScenarioSource, "locate"> {
  /** The keys of an object in the order of the text. */
  readonly keysAt?: (path: IssuePath) => readonly string[] | undefined;
}

/** The same, for data whose positions in a file are known. */
export function readScenario(data: unknown, { keysAt, ...place }: ScenarioPlace = {}): ScenarioDefinition {
  const parts = new ScenarioParts();
  const report: ReportIssue = (issue) => parts.issues.push(issue);
  let rest: UnknownRecord = {};
  let expansion: Expansion | undefined;
  try {
    if (isRecord(data)) {
      expansion = expandScenario(data, { keysAt });
      for (const issue of expansion?.issues ?? []) report(issue);
      // Outcomes that were written out come first, those of the file behind them.
      const inOrder = ([key = "", ...more]: IssuePath): readonly string[] | undefined =>
        expansion !== undefined && key === "outcomes" ? undefined : keysAt?.([key, ...more]);
      rest = takeParts(expansion?.data ?? data, parts, inOrder);
    } else report({ code: "wrong_type", path: [], expected: "a scenario", received: receivedName(data) });
  } catch {
    // A getter or a proxy threw; data from a text has neither.
    report({ code: "not_data", path: [], found: "an object that cannot be read" });
  }
  const isShort = isRecord(data) && isRecord(expansion?.data.outcomes ?? data.outcomes);
  if (expansion === undefined && (place.locate === undefined || !isShort))
    return defineScenario({ parts, rest, ...place });
  // What is wrong with a short form that was written out is wrong where it stands.
  const names = parts.outcomes.map((outcome) => (isRecord(outcome) ? String(outcome.name) : ""));
  const origin = (path: IssuePath): IssuePath => {
    const [list, index, ...more] = path;
    const written =
      isShort && list === "outcomes" && typeof index === "number"
        ? [list, names[index] ?? "", ...more]
        : path;
    return expansion?.origin(written) ?? written;
  };
  const { locate } = place;
  if (expansion !== undefined) return defineScenario({ parts, rest, origin, ...place });
  return defineScenario({
    parts,
    rest,
    ...(locate === undefined ? {} : { locate: (issue) => locate({ ...issue, path: origin(issue.path) }) }),
  });
}

/** Reports a version that this release does not read; none at all means the newest. In quotes it is the same. */
export function validateVersion(version: unknown, report: ReportIssue): void {
  if (version === undefined || version === FORMAT_VERSION || version === String(FORMAT_VERSION)) return;
  const shown = isRecord(version) || Array.isArray(version) ? typeName(version) : JSON.stringify(version);
  report({ code: "unsupported_version", path: ["version"], version: shown, supported: FORMAT_VERSION });
}

/** Gives nodes, edges and outcomes to `parts` and returns the rest; keys with null count as absent. */
function takeParts(
  data: UnknownRecord,
  parts: ScenarioParts,
  keysAt: ScenarioPlace["keysAt"],
): UnknownRecord {
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(data)) {
    if (value === null || key === "$schema") continue;
    if (key === "version") validateVersion(value, (issue) => parts.issues.push(issue));
    else if (key === "nodes" && isRecord(value))
      for (const id of inOrder(value, data.nodeOrder, keysAt?.([key]))) parts.addNode(id, value[id]);
    else if (key === "edges" && Array.isArray(value)) for (const edge of value) parts.addEdge(edge);
    else if (key === "outcomes" && Array.isArray(value))
      for (const outcome of value) parts.addOutcome(outcome);
    else if (key === "outcomes" && isRecord(value))
      for (const name of inOrder(value, undefined, keysAt?.([key]))) parts.addShortOutcome(name, value[name]);
    else rest.push([key, parts.takeRest(value, [key])]);
  }
  return Object.fromEntries(rest);
}

/** The keys of an object in the order that was written: first those that the order names, then the others. */
function inOrder(record: UnknownRecord, named: unknown, written: readonly string[] = []): readonly string[] {
  const order = [...(Array.isArray(named) ? named : []), ...written];
  const known = order.filter((key) => typeof key === "string" && Object.hasOwn(record, key));
  return [...new Set([...known, ...Object.keys(record)])];
}
