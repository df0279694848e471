import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadScenarios } from "../src/apps/project/scenario-files/load-scenarios.ts";
import { parseScenarioFile } from "../src/apps/project/scenario-files/parse-scenario-file.ts";
import {
  type DefinitionError,
  parseScenario,
  type ScenarioDefinition,
  scenarioToJson,
} from "../src/apps/public/index.ts";
import { LINT_RULES, type LintCode } from "../src/core/scenario/lint-rule.ts";
import {
  type LintFinding,
  type LintOptions,
  lintScenario,
} from "../src/insight/analysis/lint/lint-scenario.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/reference/lint.md"), "utf8");
const MARK = "# ←";

/** What the example of a rule needs to know of the run. */
const RUNS: Partial<Record<LintCode, LintOptions>> = {
  needs_judge: { hasJudge: false },
  unbounded_cost: { replicates: 10 },
};

/** The example of a rule, a whole scenario. */
function exampleOf(code: string): string {
  return readFileSync(join(ROOT, `docs/reference/lint/${code}.yaml`), "utf8");
}

/** The lines of the example that the reference shows. */
function shownLines(code: string): readonly string[] {
  const section = PAGE.split(`### \`${code}\`\n`)[1]?.split(/^##/m)[0] ?? "";
  const [, text = ""] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.trim());
}

function read(yaml: string): ScenarioDefinition {
  return parseScenarioFile(yaml, { filename: "planted.yaml" })[0] as ScenarioDefinition;
}

function rowsOf({ dataset }: ScenarioDefinition): LintOptions {
  const rows = Array.isArray(dataset) ? dataset : ((dataset as { rows?: [] } | undefined)?.rows ?? []);
  return { rows, rowCount: rows.length };
}

function lint(definition: ScenarioDefinition, options: LintOptions = {}): Promise<readonly LintFinding[]> {
  return lintScenario(definition, { ...rowsOf(definition), ...options });
}

const codes = Object.keys(LINT_RULES) as LintCode[];

describe("docs/reference/lint.md", () => {
  test("has a section for each rule, and for nothing else", () => {
    const sections = [...PAGE.matchAll(/^### `([a-z_]+)`$/gm)].map((match) => match[1]);
    expect(sections).toEqual(codes);
    const examples = globSync("docs/reference/lint/*", { cwd: ROOT }).map((name) => basename(name, ".yaml"));
    expect(examples.sort()).toEqual([...codes].sort());
  });

  test.each(codes)("%s: its example has this mistake, at the marked line, and no other", async (code) => {
    const example = exampleOf(code);
    const line = example.split("\n").findIndex((text) => text.includes(MARK)) + 1;
    const definition = read(example);
    expect(definition.warnings).toEqual([]);
    const findings = await lint(definition, RUNS[code]);
    expect(findings.map((found) => [found.code, found.position?.line])).toEqual([[code, line]]);
    expect(findings[0]).toMatchObject({ severity: LINT_RULES[code].severity, scenario: definition.name });
    const word = { error: "Error", warning: "Warning", note: "Note" }[LINT_RULES[code].severity];
    expect(PAGE).toContain(`### \`${code}\`\n\n${word}. `);
  });

  test.each(codes)("%s: shows lines of its example, in their order and with the marked one", (code) => {
    const shown = shownLines(code);
    expect(shown.filter((line) => line.includes(MARK))).toHaveLength(1);
    let rest = exampleOf(code)
      .split("\n")
      .map((line) => line.trim());
    for (const line of shown) {
      expect(rest).toContain(line);
      rest = rest.slice(rest.indexOf(line) + 1);
    }
  });

  test.each(codes)("%s can be switched off, which changes no hash", async (code) => {
    const definition = read(exampleOf(code));
    const off = { ...definition.lint?.off, [code]: "It is meant." };
    const quiet = parseScenario({ ...scenarioToJson(definition), lint: { off } });
    expect(await lint(quiet, RUNS[code])).toEqual([]);
    expect(quiet.hash).toBe(definition.hash);
    expect(scenarioToJson(quiet).lint).toEqual({ off });
  });
});

describe("what this package brings", () => {
  const data = ["packs/**/*.yaml", "examples/**/*.yaml", "templates/**/*.yaml"];
  const code = ["examples/*.ts", "templates/**/*.mts"];
  const names = [...data, ...code]
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    // The rows of a benchmark are no scenarios.
    .filter((name) => !name.includes("elenchus.config") && !name.endsWith("/items.yaml"))
    .sort();

  test.each(names)("%s gives no finding", async (name) => {
    const { scenarios, problems } = await loadScenarios([join(ROOT, name)], {
      folder: ROOT,
      stdin: async () => "",
    });
    expect(problems).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(0);
    for (const { definition } of scenarios) {
      expect(definition.warnings).toEqual([]);
      expect(await lint(definition)).toEqual([]);
    }
  });
});

describe("lint of a scenario", () => {
  const ask = { ask: { question: { question: "Hello?", rawAnswer: "" } } };

  function issues(lint: unknown): readonly string[] {
    try {
      parseScenario({ name: "quiet", entry: "ask", nodes: ask, lint });
      return [];
    } catch (error) {
      return (error as DefinitionError).issues.map(
        (issue) => `${issue.code} ${issue.path.join(".")}${"nearest" in issue ? ` ${issue.nearest}` : ""}`,
      );
    }
  }

  test.each([
    ["an unknown rule", { off: { oracle_egde: "meant" } }, "unknown_key lint.off.oracle_egde oracle_edge"],
    ["no reason", { off: { oracle_edge: "" } }, "empty_value lint.off.oracle_edge"],
    ["null as the reason", { off: { oracle_edge: null } }, "wrong_type lint.off.oracle_edge"],
    ["true as the reason", { off: { oracle_edge: true } }, "wrong_type lint.off.oracle_edge"],
    ["a list of rules", { off: ["oracle_edge"] }, "wrong_type lint.off"],
    ["another key", { on: {} }, "unknown_key lint.on"],
  ])("%s is an issue", (_, given, issue) => {
    expect(issues(given)).toEqual([issue]);
  });

  test("nothing but reasons is no issue", () => {
    expect(issues({ off: { oracle_edge: "The hints are the point." } })).toEqual([]);
    expect(issues({})).toEqual([]);
  });
});
