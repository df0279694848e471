import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LINT_RULES } from "../../src/core/scenario/lint-rule.ts";
import { copyInto, folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const EXAMPLES = new URL("../../docs/reference/lint/", import.meta.url);

/** One file for each rule of the lint, with the mistake that the rule is about. */
function planted(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(EXAMPLES).map((file) => [`planted/${file}`, readFileSync(new URL(file, EXAMPLES), "utf8")]),
  );
}

interface Report {
  readonly scenarios: readonly { readonly name: string; readonly file: string }[];
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly scenario: string;
    readonly path: string;
  }[];
}

const RIGHT = `name: capital
entry: ask
nodes:
  ask:
    question:
      question: Which city is the capital of Turkey?
      rawAnswer: Ankara
      template:
        fields:
          city:
            type: string
            description: the city
            truth: Ankara
            extract: { type: aliases, values: { Ankara: [], Istanbul: [] } }
outcomes:
  right: { lastTurn: { verify_result: true } }
`;
const LEAK = RIGHT.replace("of Turkey?", "of Turkey, Ankara's country?");

test("a folder with one mistake for each rule: each is found at its line, and nothing else", async () => {
  const files = planted();
  expect(Object.keys(files)).toHaveLength(Object.keys(LINT_RULES).length);
  const folder = folderWith(files);
  // Without a judge, and with as many replicates as make a loop without end expensive.
  const words = ["check", "planted", "--format", "json", "--set", "replicates=10", "--judge", "rules"];
  const { code, stdout } = await elenchus(words, { folder });
  const report = JSON.parse(stdout) as Report;
  const marked = Object.entries(files).map(([file, text]) => {
    const line = text.split("\n").findIndex((part) => part.includes("# ←")) + 1;
    return [file, file.slice("planted/".length, -".yaml".length), line];
  });
  const found = report.findings.map((finding) => [finding.file, finding.code, finding.line]);
  // Its trait needs a judge, and so do replies that nothing can read.
  const also = [["planted/wrong_value_type.yaml", "needs_judge", 4]];
  expect(found.sort()).toEqual([...marked, ...also].sort());
  expect(code).toBe(2);
  expect(report.errors + report.warnings + report.notes).toBe(report.findings.length);
  expect(report.findings.find((finding) => finding.code === "shadowed_edge")).toMatchObject({
    severity: "warning",
    scenario: "shadowed-edge",
    path: "edges[1]",
    column: 5,
  });
});

test("a pack and an example have no finding, also with --strict", async () => {
  const folder = folderWith();
  copyInto(folder, "examples/branching.yaml");
  const words = ["check", "pack:repair", "examples", "--no-draw", "--strict"];
  const { code, stdout } = await elenchus(words, { folder });
  expect([code, stdout]).toEqual([0, "✓ 3 scenarios in order\n"]);
});

describe("severities", () => {
  test("a warning fails only with --strict, and a note never", async () => {
    const folder = folderWith({
      "leak.yaml": LEAK,
      "oracle.yaml": planted()["planted/oracle_edge.yaml"] ?? "",
    });
    const warned = await elenchus(["check", "leak.yaml", "--no-draw"], { folder });
    expect(warned.code).toBe(0);
    expect(warned.stdout).toBe(
      'warning: leak.yaml:6:54 (nodes.ask.question.question): The question of "ask" contains its right answer "Ankara". (truth_in_question)\n' +
        "✓ 1 scenario in order, 1 warning\n",
    );
    expect((await elenchus(["check", "leak.yaml", "--strict"], { folder })).code).toBe(2);
    const noted = await elenchus(["check", "oracle.yaml", "--no-draw", "--strict"], { folder });
    expect([noted.code, noted.stdout]).toEqual([
      0,
      expect.stringMatching(/^note: .* \(oracle_edge\)\n✓ 1 scenario in order, 1 note\n$/),
    ]);
  });

  test("an error fails", async () => {
    const folder = folderWith({ "wrong.yaml": RIGHT.replace("rawAnswer: Ankara", "rawAnswer: Istanbul") });
    const { code, stdout } = await elenchus(["check", "wrong.yaml", "--no-draw"], { folder });
    expect(code).toBe(2);
    expect(stdout).toContain(
      'error: wrong.yaml:7:18 (nodes.ask.question.rawAnswer): The reference answer of "ask" does not verify',
    );
    expect(stdout).toContain("✗ 1 file with issues; 0 scenarios in order");
  });

  test("what is switched off with a reason is silent; without one it is an issue", async () => {
    const off = (reason: string): string => `lint: { off: { truth_in_question: ${reason} } }\n`;
    const folder = folderWith({
      "meant.yaml": off("It is a reading test.") + LEAK,
      "bare.yaml": off('""') + LEAK,
    });
    const meant = await elenchus(["check", "meant.yaml", "--no-draw", "--strict"], { folder });
    expect([meant.code, meant.stdout]).toEqual([0, "✓ 1 scenario in order\n"]);
    const bare = await elenchus(["check", "bare.yaml", "--no-draw"], { folder });
    expect([bare.code, bare.stdout]).toEqual([
      2,
      expect.stringContaining("bare.yaml:1:35 (lint.off.truth_in_question): This must not be empty."),
    ]);
  });
});

describe("formats", () => {
  const BROKEN =
    "name: broken\nentry: nowhere\nnodes: { ask: { question: { question: Hello?, rawAnswer: Hello } } }\n";

  test("SARIF 2.1.0: rules, results and their places", async () => {
    const folder = folderWith({ "a b/leak.yaml": LEAK, "broken.yaml": BROKEN });
    const { code, stdout } = await elenchus(["check", "a b/leak.yaml", "broken.yaml", "--format", "sarif"], {
      folder,
    });
    expect(code).toBe(2);
    const log = JSON.parse(stdout);
    expect(log).toMatchObject({
      version: "2.1.0",
      $schema: expect.stringContaining("sarif-schema-2.1.0.json"),
    });
    expect(Object.keys(log).sort()).toEqual(["$schema", "runs", "version"]);
    expect(log.runs).toHaveLength(1);
    const [{ tool, results, columnKind }] = log.runs;
    expect(columnKind).toBe("utf16CodeUnits");
    expect(tool.driver.name).toBe("elenchus");
    const ids = tool.driver.rules.map((rule: { id: string }) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...Object.keys(LINT_RULES), "unknown_node"]));
    for (const rule of tool.driver.rules) {
      expect(rule.shortDescription.text).not.toBe("");
      expect(rule.help.text).not.toBe("");
      expect(["error", "warning", "note"]).toContain(rule.defaultConfiguration.level);
    }
    for (const result of results) {
      expect(ids[result.ruleIndex]).toBe(result.ruleId);
      expect(["error", "warning", "note"]).toContain(result.level);
    }
    expect(results.map((result: { ruleId: string }) => result.ruleId).sort()).toEqual([
      "truth_in_question",
      "unknown_node",
    ]);
    expect(results.find((result: { ruleId: string }) => result.ruleId === "truth_in_question")).toEqual({
      ruleId: "truth_in_question",
      ruleIndex: ids.indexOf("truth_in_question"),
      level: "warning",
      message: { text: 'The question of "ask" contains its right answer "Ankara".' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "a%20b/leak.yaml" },
            region: { startLine: 6, startColumn: 54 },
          },
          logicalLocations: [{ fullyQualifiedName: "capital: nodes.ask.question.question" }],
        },
      ],
    });
  });

  test("GitHub annotations: no text of a file can start a command of its own", async () => {
    const trap = LEAK.replace("name: capital", 'name: "x::error::pwned"').replace(
      "Ankara: []",
      '"Ankara": ["Ankara\\n::error::pwned%0A"]',
    );
    const folder = folderWith({
      "leak,file=x:1.yaml": trap,
      "wrong.yaml": trap
        .replace("rawAnswer: Ankara", 'rawAnswer: "Istanbul\\n::set-output name=x::y"')
        .replace("x::error", "y::error"),
    });
    // There, no other line may be a command.
    const given = { folder, environment: { GITHUB_ACTIONS: "true" } };
    const { code, stdout } = await elenchus(["check", ".", "--format", "github"], given);
    expect(code).toBe(2);
    const lines = stdout.trimEnd().split("\n");
    for (const line of lines)
      expect(line).toMatch(/^::(?:error|warning|notice) file=[^:,]+,line=\d+,col=\d+,title=[a-z_]+::[^\n]+$/);
    expect(lines.some((line) => line.startsWith("::warning file=leak%2Cfile=x%3A1.yaml,line=6,"))).toBe(true);
    expect(lines.some((line) => line.startsWith("::error file=wrong.yaml,line=7,"))).toBe(true);
  });

  test("GitHub shows ten of each kind: the last says how many more there are", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 14 }, (_, index) => [
        `leak-${index}.yaml`,
        LEAK.replace("capital\n", `capital-${index}\n`),
      ]),
    );
    const { stdout } = await elenchus(["check", ".", "--format", "github"], { folder: folderWith(many) });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe("::warning title=elenchus check::5 more warnings of 14 in all.");
  });

  test("JSON has issues and findings, and an unknown format is refused", async () => {
    const folder = folderWith({ "broken.yaml": BROKEN });
    const { code, stdout } = await elenchus(["check", "broken.yaml", "--json"], { folder });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      scenarios: [],
      errors: 1,
      warnings: 0,
      notes: 0,
      findings: [
        {
          code: "unknown_node",
          severity: "error",
          message: 'The entry names "nowhere", which is not a node.',
          path: "entry",
          file: "broken.yaml",
          line: 2,
          column: 8,
        },
      ],
    });
    const refused = await elenchus(["check", "broken.yaml", "--format", "xml"], { folder });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("sarif")]);
  });
});
