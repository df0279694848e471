import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import {
  DefinitionError,
  END,
  formatIssue,
  type Issue,
  type IssueCode,
  ModelError,
  parseScenario,
  parseScenarioFile,
  runScenarios,
  Scenario,
  type ScenarioDefinition,
  scenarioFileSchema,
  scenarioToJson,
} from "../src/apps/public/index.ts";
import { knownProviders, SIMULATED_SUBJECTS } from "../src/apps/public/models.ts";
import {
  callTable,
  conversationTable,
  memoryStore,
  outcomeTable,
  turnTable,
} from "../src/apps/public/store.ts";
import type { VariantShape } from "../src/core/schema/shape.ts";
import { EVENT_SHAPE } from "../src/engine/journal/run-event.ts";
import { EVENT_CODES } from "../src/engine/journal/store/encode-event.ts";
import type { StoreError } from "../src/engine/journal/store/store-error.ts";
import { FORMAT_VERSION } from "../src/engine/journal/store/store-schema.ts";
import { RUN_VERSION } from "../src/engine/journal/transfer/run-file.ts";
import { ERROR_CATEGORIES } from "../src/engine/models/model-error.ts";
import { COMMON_PARAMETERS } from "../src/engine/models/simulated/simulated-subjects.ts";
import { DEFAULT_RETRIES } from "../src/engine/run/calls/retry-policy.ts";

// The conventions that pages follow:
// - The ```ts blocks of a page are one module, in their order; each is type-checked and run.
// - A ```text block is what the ```ts block right before it prints. A block without one prints nothing.
// - A ```yaml or ```json block that has nodes, or a name and a question, is a scenario file without issues; any other one is at least well-formed.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGES: readonly Page[] = pageNames().map(readPage);
const END_OF_BLOCK = "\u0001";

interface Block {
  readonly language: string;
  /** Index of its first line in the page, from 0. */
  readonly start: number;
  readonly lines: readonly string[];
  readonly text: string;
}

interface Page {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

function pageNames(): readonly string[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return ["README.md", ...docs.sort()].filter((name) => existsSync(join(ROOT, name)));
}

function readPage(name: string): Page {
  const text = readFileSync(join(ROOT, name), "utf8");
  const blocks: Block[] = [];
  let open: { readonly fence: string; readonly language: string; readonly start: number } | null = null;
  const all = text.split("\n");
  all.forEach((line, index) => {
    const [, fence = "", language = ""] = /^\s*(`{3,})(.*)$/.exec(line) ?? [];
    if (open === null) {
      if (fence !== "") open = { fence, language: language.trim(), start: index + 1 };
    } else if (fence.startsWith(open.fence) && language === "") {
      const lines = all.slice(open.start, index);
      blocks.push({ language: open.language, start: open.start, lines, text: lines.join("\n") });
      open = null;
    }
  });
  if (open !== null) throw new Error(`${name} has a code block that is not closed`);
  return { name, text, blocks };
}

function codeBlocks(page: Page): readonly Block[] {
  return page.blocks.filter(({ language }) => language === "ts");
}

/** The code of a page as one module, in which every line has the number that it has in the page. */
function moduleOf(page: Page): string {
  const lines = page.text.split("\n").map(() => "");
  for (const block of codeBlocks(page)) {
    block.lines.forEach((line, index) => {
      lines[block.start + index] = line;
    });
    lines[block.start + block.lines.length] = `console.log(${JSON.stringify(END_OF_BLOCK)});`;
  }
  return `${lines.join("\n")}\nexport {};\n`;
}

/** What each code block of a page should print. */
function expectedOutput({ blocks }: Page): readonly string[] {
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    if (block.language !== "ts") return [];
    return [next?.language === "text" ? next.text.trimEnd() : ""];
  });
}

const CONFIGURATION = {
  extends: join(ROOT, "tsconfig.json"),
  compilerOptions: {
    // The package as it is published, with all its declarations checked.
    paths: {},
    skipLibCheck: false,
    rewriteRelativeImportExtensions: false,
    // A page may declare something only to show how.
    noUnusedLocals: false,
    noUnusedParameters: false,
    // A rule of this repository, not of its users.
    isolatedDeclarations: false,
    declaration: false,
  },
  include: ["."],
};

test("the README shows an example", () => {
  const [readme] = PAGES;
  // Without the comment that tells editors where the schema is.
  const text = readFileSync(join(ROOT, "examples/capital-under-pressure.yaml"), "utf8").replace(/^#.*\n/, "");
  expect(readme?.text).toContain(text);
});

describe("code in pages", () => {
  const pages = PAGES.filter((page) => codeBlocks(page).length > 0);
  // Within the package, so that pages import it by its name, as users do, and what is installed beside it.
  const folder = join(ROOT, "test/.generated/docs");
  const fileOf = (page: Page): string => join(folder, `${page.name.replaceAll("/", "__")}.mts`);

  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(CONFIGURATION));
    for (const page of pages) writeFileSync(fileOf(page), moduleOf(page));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // The compiler takes a while on a busy machine.
  test("has the right types", { timeout: 120_000 }, async () => {
    const { stdout } = await run(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder);
    expect(stdout).toBe("");
  });

  test.concurrent.each(pages)("$name does what it says", async (page) => {
    const { stdout, stderr } = await run(fileOf(page));
    const printed = stdout.split(`${END_OF_BLOCK}\n`).map((text) => text.trimEnd());
    expect(stderr).toBe("");
    expect(printed).toEqual([...expectedOutput(page), ""]);
  });
});

/** Runs Node, and says what it prints whether it succeeds or not. */
function run(...command: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: ROOT }, (_, stdout, stderr) => resolve({ stdout, stderr }));
  });
}

describe.each(PAGES)("$name", (page) => {
  test("has no code that escapes the tests", () => {
    const languages = page.blocks.map(({ language }) => language);
    expect(
      languages.filter((language) => /^(ts|js|typescript|javascript)\b/.test(language) && language !== "ts"),
    ).toEqual([]);
    page.blocks.forEach(({ language }, index) => {
      if (language === "text") expect(page.blocks[index - 1]?.language).toBe("ts");
    });
  });

  test("has scenarios and data that can be read", () => {
    for (const { language, text } of page.blocks) {
      if (language !== "yaml" && language !== "json") continue;
      // A project file names its scenarios, and holds none.
      if (/^\s*"?(nodes|scenarios)"?:|^name: [\s\S]*^question:/m.test(text) && !/^subjects:/m.test(text))
        parseScenarioFile(text, { filename: `${page.name}.${language}` });
      else if (language === "json") JSON.parse(text);
      else expect(parseDocument(text).errors).toEqual([]);
    }
  });

  test("has links that lead somewhere, in the package too", () => {
    const prose = page.blocks.reduce((text, block) => text.replace(block.text, ""), page.text);
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))).toEqual([]);
  });
});

function leadsSomewhere(page: Page, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? join(ROOT, page.name) : join(ROOT, dirname(page.name), path);
  if (!existsSync(file) || !isShipped(file)) return false;
  if (anchor === undefined) return true;
  const headings = readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].some(([, heading = ""]) => anchorOf(heading) === anchor);
}

const SHIPPED: readonly string[] = [
  "README.md",
  "LICENSE",
  ...JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).files,
];

/** True for what the package contains: its readers have the pages there. */
function isShipped(file: string): boolean {
  return SHIPPED.includes(relative(ROOT, file).split("/")[0] ?? "");
}

/** As hosts of Markdown pages make them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

const ASK = {
  question: {
    question: "What is the capital of Australia?",
    rawAnswer: "Canberra",
    template: { fields: { city: { type: "string", description: "the capital", truth: "Canberra" } } },
  },
} as const;
const THANK = { question: { question: "Thank you.", rawAnswer: "" } };
const CAPITAL = { name: "capital", entry: "ask", nodes: { ask: ASK } };

function withCheck(check: unknown): unknown {
  const { city } = ASK.question.template.fields;
  const question = { ...ASK.question, template: { fields: { city: { ...city, check } } } };
  return { ...CAPITAL, nodes: { ask: { question } } };
}

function withEdges(...edges: readonly object[]): unknown {
  return { ...CAPITAL, nodes: { ask: ASK, push: ASK, thank: THANK }, edges };
}

function withWhen(when: unknown, source = "ask"): unknown {
  return withEdges(
    { source, target: "END", when },
    { source: "ask", target: "push" },
    { source: "push", target: "thank" },
    { source: "thank", target: "ask" },
  );
}

function nested(depth: number): unknown {
  return depth === 0 ? null : [nested(depth - 1)];
}

function containingItself(): object {
  const circle: { self?: object } = {};
  circle.self = circle;
  return circle;
}

function withOuterName(): ScenarioDefinition {
  const limit = 3;
  return new Scenario("capital")
    .addNode("ask", ASK)
    .addEdge("ask", "ask", { when: (_accumulated, _parsed, state) => state.turn < limit })
    .addEdge("ask", END)
    .setEntry("ask")
    .validate();
}

function withQuestion(question: string): unknown {
  return { ...CAPITAL, nodes: { ask: { question: { question, rawAnswer: "" } } } };
}

/** One mistake for each code: a new code without one does not compile, and one without a section fails below. */
const MISTAKES: Readonly<Record<IssueCode, () => unknown>> = {
  wrong_type: () => parseScenario({ ...CAPITAL, name: 7 }),
  missing_key: () => parseScenario({ ...CAPITAL, nodes: { ask: { question: { question: "Why?" } } } }),
  unknown_key: () => parseScenario(withEdges({ source: "ask", target: "END", wehn: { turn: 1 } })),
  unknown_value: () =>
    parseScenario(withEdges({ source: "ask", target: "END", handover: "transcript_prepnd" })),
  empty_value: () => parseScenario({ ...CAPITAL, name: " " }),
  invalid_parameter: () => parseScenario(withCheck({ type: "numeric_range", min: 5, max: 3 })),
  invalid_pattern: () => parseScenario(withCheck({ type: "regex_match", pattern: "(?=Canberra)" })),
  invalid_source: () => parseScenario(withWhen("verify_result == true")),
  cyclic_value: () => parseScenario({ ...CAPITAL, metadata: containingItself() }),
  too_deep: () => parseScenario({ ...CAPITAL, metadata: { deep: nested(200) } }),
  too_large: () => parseScenario({ ...CAPITAL, metadata: { wide: new Array(6_000_000).fill(0) } }),
  not_data: () => parseScenario({ ...CAPITAL, metadata: { since: new Date(0) } }),
  no_nodes: () => parseScenario({ ...CAPITAL, nodes: {} }),
  no_entry: () => new Scenario("capital").addNode("ask", ASK).validate(),
  invalid_id: () => parseScenario({ ...CAPITAL, entry: "ask.again", nodes: { "ask.again": ASK } }),
  reserved_id: () => parseScenario({ ...CAPITAL, entry: "END", nodes: { END: ASK } }),
  duplicate_node: () => new Scenario("capital").addNode("ask" as string, ASK).addNode("ask" as string, ASK),
  duplicate_outcome: () => {
    const flips = { name: "flips", check: { type: "number_of_flips" } };
    return parseScenario({ ...CAPITAL, outcomes: [flips, flips] });
  },
  duplicate_scenario: () => {
    const text = JSON.stringify({ scenarios: [CAPITAL, CAPITAL] });
    return parseScenarioFile(text, { filename: "capitals.json" });
  },
  duplicate_trait: () => {
    const polite = { type: "llm", kind: "boolean", name: "polite" };
    return parseScenario({ ...CAPITAL, nodes: { ask: { ...ASK, rubric: { traits: [polite, polite] } } } });
  },
  unknown_node: () => parseScenario(withEdges({ source: "ask", target: "psuh" })),
  unreachable_node: () => parseScenario(withEdges({ source: "push", target: "thank" })),
  unbounded_fork: () => parseScenario(withEdges({ source: "ask", fork: ["push", "ask"] })),
  missing_fallback: () => parseScenario(withEdges({ source: "ask", target: "push", when: { turn: 1 } })),
  empty_condition: () => parseScenario(withWhen({})),
  unknown_path: () => parseScenario(withWhen({ verify_reslt: true })),
  unknown_field: () => parseScenario(withWhen({ "parsed.ctiy": "Canberra" })),
  invalid_text: () => parseScenario(withQuestion("Why {{ row.city?")),
  unknown_variable: () => parseScenario(withQuestion("You said {{ turn[-1].reply }}.")),
  needs_default: () => parseScenario(withQuestion("You said {{ turns[-1].reply }}.")),
  syntax_error: () => parseScenarioFile("name: capital\nname: capitals\n", { filename: "capital.yaml" }),
  unsupported_version: () => parseScenario({ version: 2, ...CAPITAL }),
  not_portable: () => scenarioToJson(withOuterName()),
  several_fallbacks: () =>
    parseScenario(withEdges({ source: "ask", target: "push" }, { source: "ask", target: "thank" })),
  no_template: () => parseScenario(withWhen({ verify_result: true }, "thank")),
  unknown_trait: () => parseScenario(withWhen({ "node_results.ask.rubric.politeness": true })),
  never_holds: () => parseScenario(withWhen({ turn: 0 })),
  unused_dataset: () => parseScenario({ ...CAPITAL, dataset: "countries.csv" }),
};

function issuesOf(mistake: () => unknown): readonly Issue[] {
  try {
    return (mistake() as ScenarioDefinition).warnings;
  } catch (error) {
    if (error instanceof DefinitionError) return error.issues;
    throw error;
  }
}

describe("docs/reference/issues.md", () => {
  const { text } = readPage("docs/reference/issues.md");
  const sections = new Map(text.split(/^### /m).map((section) => [/^`(\w+)`/.exec(section)?.[1], section]));

  test.each(Object.entries(MISTAKES))("explains %s", (code, mistake) => {
    const issue = issuesOf(mistake).find((found) => found.code === code);
    if (issue === undefined) throw new Error(`the mistake does not lead to the issue ${code}`);
    // Where a value becomes too deep or too large says nothing to a reader.
    const shown = code.startsWith("too_") ? { ...issue, path: [] } : issue;
    expect(sections.get(code)).toContain(`\n> ${formatIssue(shown)}\n`);
  });

  test("has no section for a code that does not exist", () => {
    const codes = [...sections.keys()].filter((code) => code !== undefined);
    expect(codes.sort()).toEqual(Object.keys(MISTAKES).sort());
  });
});

interface Schema {
  readonly [key: string]: unknown;
}

const SCHEMA: Schema = scenarioFileSchema();
const DEFINITIONS = SCHEMA.$defs as Schema;

/** All parts of a schema, following its references except to the definitions of other pages. */
function partsOf(schema: unknown, elsewhere: readonly string[]): readonly Schema[] {
  const seen = new Set<unknown>(elsewhere.map((name) => DEFINITIONS[name]));
  const walk = (part: unknown): readonly Schema[] => {
    if (typeof part !== "object" || part === null || seen.has(part)) return [];
    seen.add(part);
    const { $defs, $ref, ...rest } = part as Schema;
    const referred = typeof $ref === "string" ? DEFINITIONS[$ref.replace("#/$defs/", "")] : undefined;
    return [part as Schema, ...walk(referred), ...Object.values(rest).flatMap(walk)];
  };
  return walk(schema);
}

/** The keys that objects of a schema have, and the values that their `type` can have. */
function wordsOf(parts: readonly Schema[]): readonly string[] {
  const objects = parts.flatMap(({ type, properties }) =>
    type === "object" ? [(properties ?? {}) as Schema] : [],
  );
  const types = objects.flatMap(({ type }) => (type as Schema | undefined)?.const ?? []);
  return [...new Set([...objects.flatMap((properties) => Object.keys(properties)), ...types.map(String)])];
}

function missingIn(name: string, words: readonly string[]): readonly string[] {
  const { text } = readPage(name);
  return words.filter((word) => !new RegExp(`(?<!\\w)${word.replace("$", "\\$")}\\b`).test(text));
}

test.each([
  { page: "docs/reference/checks.md", of: DEFINITIONS.check, elsewhere: [], among: "exact_match" },
  {
    page: "docs/reference/outcomes.md",
    of: DEFINITIONS.outcomeCheck,
    elsewhere: ["check", "normalizers"],
    among: "turn_check",
  },
  {
    page: "docs/reference/file-format.md",
    of: SCHEMA,
    elsewhere: ["check", "outcomeCheck", "shortOutcome", "rate", "lintOff"],
    among: "stateUpdate",
  },
  { page: "docs/reference/lint.md", of: DEFINITIONS.lintOff, elsewhere: [], among: "oracle_edge" },
  { page: "docs/reference/outcomes.md", of: DEFINITIONS.rate, elsewhere: [], among: "passHat" },
  {
    page: "docs/reference/outcomes.md",
    of: DEFINITIONS.shortOutcome,
    elsewhere: ["check", "normalizers"],
    among: "allTurns",
  },
])("$page has every type and key of its part of the format", ({ page, of, elsewhere, among }) => {
  const words = wordsOf(partsOf(of, elsewhere));
  expect(words).toContain(among);
  expect(missingIn(page, words)).toEqual([]);
});

/** The keys of each event but `type` and `at`. */
const EVENTS = Object.fromEntries(
  Object.entries((EVENT_SHAPE as VariantShape).variants).map(([type, { keys }]) => [
    type,
    Object.keys(keys).filter((key) => key !== "type" && key !== "at"),
  ]),
);

describe("docs/reference/run-events.md", () => {
  const { text } = readPage("docs/reference/run-events.md");
  const sections = new Map(
    text.split(/^### /m).map((section) => [/^`([\w-]+)`/.exec(section)?.[1], section]),
  );

  test.each(Object.entries(EVENTS))("explains %s with all its keys", (type, keys) => {
    const section = sections.get(type) ?? "";
    expect(keys.filter((key) => !section.includes(`\`${key}\``))).toEqual([]);
    expect(text).toContain(`\n| [\`${type}\`](#${type}) `);
  });

  test("has no section for an event that does not exist", () => {
    const types = [...sections.keys()].filter((type) => type !== undefined);
    expect(types.sort()).toEqual(Object.keys(EVENTS).sort());
  });
});

/** The rows of all tables of a page, by what stands in their first column between back quotes. */
function rowsOf(name: string): ReadonlyMap<string, string> {
  const rows = readPage(name).text.matchAll(/^\| `([^`]+)` .*$/gm);
  return new Map([...rows].map(([row, key = ""]) => [key, row]));
}

describe("docs/reference/models.md", () => {
  const rows = rowsOf("docs/reference/models.md");

  test.each(ERROR_CATEGORIES)("says whether %s is tried again", (category) => {
    const again = new ModelError(category, "").passing;
    expect(rows.get(category)).toMatch(again ? /\| yes +\|$/ : /\| no +\|$/);
  });

  test.each(knownProviders())("has $name with its variables and base URL", (provider) => {
    const { name, baseUrl = "", baseUrlVariables, keyVariables } = provider;
    const row = rows.get(name) ?? "";
    const words = [...baseUrlVariables, ...keyVariables, ...(baseUrl === "" ? [] : [baseUrl])];
    expect(words.filter((word) => !row.includes(`\`${word}\``))).toEqual([]);
    expect(row).not.toBe("");
  });
});

test("the pages of stores and run files have the versions of today", () => {
  expect(readPage("docs/reference/store.md").text).toContain(`format version: ${FORMAT_VERSION}.`);
  expect(readPage("docs/reference/run-file.md").text).toContain(`"version":${RUN_VERSION},`);
});

test("the page of stores has the number of every type of event", () => {
  const { text } = readPage("docs/reference/store.md");
  const missing = Object.entries(EVENT_CODES).filter(
    ([type, code]) => !text.includes(` ${code} \`${type}\``),
  );
  expect(missing).toEqual([]);
});

/** A new code does not compile here, and fails below until it is explained. */
const STORE_CODES: Readonly<Record<StoreError["code"], true>> = {
  full: true,
  read_only: true,
  locked: true,
  newer_format: true,
  not_a_store: true,
  missing: true,
  corrupt: true,
  too_long: true,
  io: true,
  run_exists: true,
  no_run: true,
  no_conversation: true,
  in_use: true,
  taken_over: true,
  unreachable: true,
  denied: true,
  closed: true,
};

test("the page of stores has every code of errors", () => {
  const rows = rowsOf("docs/reference/store.md");
  expect(Object.keys(STORE_CODES).filter((code) => !rows.has(code))).toEqual([]);
});

test("the page of tables has every column", async () => {
  const store = memoryStore();
  await runScenarios({
    scenarios: parseScenario(CAPITAL),
    subjects: () => "Canberra",
    allowUnread: true,
    store,
    run: "r",
  }).results;
  const { text } = readPage("docs/reference/run-file.md");
  const tables = [turnTable, conversationTable, outcomeTable, callTable];
  const columns = tables.flatMap((table) => table(store, "r").columns as readonly string[]);
  expect(columns).toContain("verdict");
  expect(columns.filter((column) => !text.includes(`\`${column}\``))).toEqual([]);
});

describe("docs/running-scenarios.md", () => {
  const rows = rowsOf("docs/running-scenarios.md");

  test.each(Object.entries(DEFAULT_RETRIES))("has the retries of %s", (category, policy) => {
    const { retries, baseMs, capMs } = policy;
    const cells = rows
      .get(category)
      ?.split("|")
      .map((cell) => cell.trim());
    expect(cells?.slice(2, -1)).toEqual([`${retries}`, `${baseMs / 1000} s`, `${capMs / 1000} s`]);
  });
});

describe("docs/reference/simulated-subjects.md", () => {
  const { text } = readPage("docs/reference/simulated-subjects.md");
  const rows = rowsOf("docs/reference/simulated-subjects.md");

  test.each(SIMULATED_SUBJECTS)("has sim/$name with its parameters", ({ name, behavior, parameters }) => {
    const row = rows.get(`sim/${name}`) ?? "";
    expect(row).toContain(behavior);
    for (const parameter of parameters)
      expect(row).toContain(`\`${parameter.name}\` (${parameter.default}): ${parameter.meaning}`);
  });

  test.each(COMMON_PARAMETERS)("has the common parameter $name", (parameter) => {
    expect(text).toContain(`\`${parameter.name}\` (${parameter.default})`);
  });
});
