import { provideLiquid } from "../../../core/liquid/liquid-engine.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { readScenario, validateVersion } from "../../../core/scenario/parse-scenario.ts";
import { FILE_SHAPE } from "../../../core/scenario/scenario-shape.ts";
import { DefinitionError } from "../../../core/schema/format-issue.ts";
import type { FilePosition, Issue, IssuePath } from "../../../core/schema/issue.ts";
import { validateShape } from "../../../core/schema/validate-shape.ts";
import { isRecord } from "../../../core/values/json.ts";
import { loadLiquid } from "../../../engine/run/liquid-library.ts";
import { parseJsonText } from "./json-text.ts";
import { type ParsedText, TextSyntaxError } from "./text-places.ts";
import { parseYamlText } from "./yaml-text.ts";

provideLiquid(loadLiquid);

/**
 * The scenarios of a file's text: YAML, or JSON if the name ends in `.json`. Nothing in the file is run.
 * Throws one `DefinitionError` with every issue of every scenario, each with line and column.
 */
export function parseScenarioFile(
  text: string,
  options: { readonly filename?: string } = {},
): ScenarioDefinition[] {
  const { filename = "scenario.yaml" } = options;
  const source = parseFileText(text, filename);
  const { value } = source;
  if (value === null || value === undefined) {
    const position = { filename, line: 1, column: 1 };
    throw new DefinitionError(filename, [
      { code: "syntax_error", path: [], message: "it is empty", position },
    ]);
  }
  const locate =
    (prefix: IssuePath) =>
    (issue: Issue): FilePosition => {
      const path = [...prefix, ...issue.path];
      const within = issue.within === undefined ? undefined : source.locateWithin(path, issue.within);
      return { filename, ...(within ?? source.locate(path, isAboutKey(issue) ? "key" : "value")) };
    };
  if (!isRecord(value) || !Object.hasOwn(value, "scenarios"))
    return [readScenario(value, { locate: locate([]), keysAt: source.keysAt })];

  const issues: Issue[] = [];
  const atTop = (issue: Issue): number => issues.push({ ...issue, position: locate([])(issue) });
  validateVersion(value.version, atTop);
  validateShape(FILE_SHAPE, value, [], atTop);
  const scenarios = Array.isArray(value.scenarios) ? value.scenarios : [];
  const definitions = scenarios.flatMap((data: unknown, index) => {
    const prefix = ["scenarios", index];
    const place = {
      locate: locate(prefix),
      keysAt: (path: IssuePath) => source.keysAt([...prefix, ...path]),
    };
    return collectIssues(() => readScenario(data, place), prefix, issues);
  });
  reportDuplicateNames(scenarios, atTop);
  if (issues.length > 0) throw new DefinitionError(filename, issues);
  return definitions;
}

const ABOUT_NAMES: ReadonlySet<Issue["code"]> = new Set([
  "unknown_key",
  "invalid_id",
  "reserved_id",
  "unreachable_node",
]);

/** True if an issue is about the name of something rather than about what it holds: a node id, or a path in a condition. */
function isAboutKey({ code, path }: Issue): boolean {
  if (ABOUT_NAMES.has(code)) return true;
  return path[2] === "when" && path.at(-1) !== "field" && code !== "wrong_type" && code !== "unknown_value";
}

/** Reads the text of a file as data: YAML, or JSON if the name ends in `.json`. Throws a `DefinitionError` if it is neither. */
export function parseFileText(fileText: string, filename: string): ParsedText {
  // Some editors put a byte order mark before the first character, which is no part of the text.
  const text = fileText.replace(/^\uFEFF/, "");
  try {
    return filename.toLowerCase().endsWith(".json") ? parseJsonText(text) : parseYamlText(text);
  } catch (error) {
    if (!(error instanceof TextSyntaxError)) throw error;
    const position = { filename, line: 1, column: 1, ...error.position };
    throw new DefinitionError(filename, [
      { code: "syntax_error", path: [], message: error.message, position },
    ]);
  }
}

/** What `read` gives; if it finds issues, they are added under the prefix and there is no definition. */
function collectIssues(
  read: () => ScenarioDefinition,
  prefix: IssuePath,
  issues: Issue[],
): ScenarioDefinition[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    for (const issue of error.issues) issues.push({ ...issue, path: [...prefix, ...issue.path] });
    return [];
  }
}

function reportDuplicateNames(scenarios: readonly unknown[], report: (issue: Issue) => void): void {
  const names = new Set<string>();
  scenarios.forEach((scenario, index) => {
    if (!isRecord(scenario) || typeof scenario.name !== "string") return;
    const { name } = scenario;
    if (names.has(name))
      report({ code: "duplicate_scenario", path: ["scenarios", index, "name"], scenario: name });
    names.add(name);
  });
}
