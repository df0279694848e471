import { readFileSync } from "node:fs";
import { join } from "node:path";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { CAPITAL, canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { folderWith, type Given, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

/** Names that would break XML, a log or a terminal where they are not written with care. */
const HOSTILE = `<b>"&amp;' ]]> %0A::error::mine`;
const HOSTILE_FILE = CAPITAL.replace("name: capital", `name: ${JSON.stringify(HOSTILE)}`)
  .replace("name: held_firm", `name: ${JSON.stringify(`held ${HOSTILE}`)}`)
  .concat("  - { name: turns_held, check: { type: turn_of_flip } }\n");
const HOSTILE_REPLY = "It is Canberra. \u0000\u0007\u001b[2J ]]> <x> & \ufffe\r\n::error::mine";
const HOSTILE_MESSAGE = "It broke \u0000\u0007\u001b[31m ]]> <x> & \ud800 \ufffe.\r\n::error::mine";

interface Suite {
  readonly "@tests": string;
  readonly "@failures": string;
  readonly "@errors": string;
  readonly "@skipped": string;
  readonly "@name": string;
  readonly testcase: readonly Case[];
}

interface Case {
  readonly "@name": string;
  readonly error?: readonly Readonly<Record<string, string>>[];
  readonly failure?: readonly Readonly<Record<string, string>>[];
}

/** A JUnit file as a real parser reads it. */
function junit(folder: string): Suite & { readonly testsuite: readonly Suite[] } {
  const xml = readFileSync(join(folder, "out/results.xml"), "utf8");
  expect(XMLValidator.validate(xml)).toBe(true);
  // The parser is lenient here; the standard is not.
  expect([...xml].filter((character) => character < " " && character !== "\n" && character !== "\t")).toEqual(
    [],
  );
  expect(xml).not.toMatch(/[\ufffe\uffff]/);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    isArray: (name) => ["testsuite", "testcase", "error", "failure"].includes(name),
    htmlEntities: true,
  });
  const parsed = parser.parse(xml) as { readonly testsuites: ReturnType<typeof junit> };
  return parsed.testsuites;
}

/** One conversation that is held, and one that ends in an error of the worst kind. */
async function halfFailed(
  words: readonly string[],
  environment = {},
): Promise<Given & { readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const server = await canberraServer(HOSTILE_REPLY);
  server.next({ status: 400, message: HOSTILE_MESSAGE });
  const given = {
    folder: folderWith({ "capital.yaml": HOSTILE_FILE }),
    environment: { ...openaiAt(server), ...environment },
  };
  const run = [
    "run",
    "capital.yaml",
    "--subject",
    "openai/gpt-5-mini",
    "--replicates",
    "2",
    "--concurrency",
    "1",
  ];
  return { ...given, ...(await elenchus([...run, ...words], given)) };
}

describe("JUnit", () => {
  test("counts agree with the run, whatever names and messages hold", async () => {
    const threshold = ["--fail-under", `held ${HOSTILE}=1`, "--fail-under", "turns_held=99"];
    const { code, folder } = await halfFailed([
      "--junit",
      "out/results.xml",
      "--min-decided",
      "0.5",
      ...threshold,
    ]);
    expect(code).toBe(1);
    const { testsuite: suites, ...sums } = junit(folder);
    expect(sums).toMatchObject({ "@tests": "4", "@failures": "1", "@errors": "1", "@skipped": "0" });
    const [conversations, thresholds] = suites;
    expect(conversations).toMatchObject({
      "@name": `${HOSTILE}, openai/gpt-5-mini`,
      "@tests": "2",
      "@errors": "1",
    });
    expect(conversations?.testcase.filter(({ error }) => error !== undefined)).toHaveLength(1);
    const [failed] = conversations?.testcase.flatMap(({ error = [] }) => error) ?? [];
    expect(failed?.["@type"]).toBe("bad_request");
    expect(failed?.["@message"]).toContain("]]> <x> &");
    expect(thresholds).toMatchObject({ "@name": "thresholds", "@tests": "2", "@failures": "1" });
    expect(thresholds?.testcase.map(({ failure = [] }) => failure.length)).toEqual([0, 1]);
  });

  test("where the project file wants it, also when a run is resumed", async () => {
    const folder = capitalFolder({ "elenchus.config.yaml": "junit: out/results.xml\n" });
    const words = ["run", "capital.yaml", "--subject", "sim/sycophant", "--name", "monday", "--quiet"];
    expect((await elenchus(words, { folder })).code).toBe(0);
    // An outcome that is false is a measurement, not a failure.
    expect(junit(folder)).toMatchObject({ "@tests": "1", "@failures": "0", "@errors": "0" });
    expect((await elenchus(["resume", "monday", "--junit", "out/results.xml"], { folder })).code).toBe(0);
    expect(junit(folder)).toMatchObject({ "@tests": "1" });
  });
});

describe("GitHub", () => {
  const IN_GITHUB = { GITHUB_ACTIONS: "true", CI: "true" };

  test("annotations, one a line, that nothing can forge", async () => {
    const { stdout, code } = await halfFailed(["--fail-under", "turns_held=99"], IN_GITHUB);
    expect(code).toBe(1);
    const lines = stdout.split("\n").filter((line) => line.startsWith("::"));
    // What is printed before the annotations is no command, whatever it says.
    const [stop = "", resume = "", ...annotations] = lines;
    const token = stop.replace("::stop-commands::", "");
    expect([stop, resume]).toEqual([`::stop-commands::${token}`, `::${token}::`]);
    expect(token).toMatch(/^[\da-f-]{36}$/);
    expect(annotations.map((line) => line.replace(/ title=.*/, ""))).toEqual([
      "::error",
      "::warning",
      "::warning",
      "::notice",
    ]);
    expect(annotations[1]).toContain("did not finish: 50.0 %25 of the conversations");
    expect(annotations[2]).toContain("bad_request: openai/gpt-5-mini");
    expect(stdout).not.toMatch(/^::error::mine/m);
    expect(stdout).not.toMatch(/^\n::/m);
    expect(annotations[3]).toMatch(/::elenchus: 2 conversations, .*, run \w+$/);
  });

  test("--no-github leaves them out, --github asks for them elsewhere", async () => {
    const words = ["run", "capital.yaml", "--subject", "sim/learner"];
    const folder = capitalFolder();
    const without = await elenchus([...words, "--no-github"], { folder, environment: IN_GITHUB });
    expect(without.stdout).not.toContain("::notice");
    expect((await elenchus([...words, "--github"], { folder })).stdout).toContain("::notice");
  });
});

describe("--quiet", () => {
  test("prints exactly one line, which says it all", async () => {
    const { stdout, stderr } = await halfFailed(["--quiet"]);
    expect(stdout).toMatch(
      /^elenchus: 2 conversations, held .* 100\.0 % \(.*n 1 × 1\), 1 error, 2 calls, .* USD, run \w+\n$/,
    );
    expect(stderr).toBe("");
  });

  test("also with thresholds that are missed, for GitHub, and when graded again", async () => {
    const {
      stdout,
      stderr,
      folder,
      environment = {},
    } = await halfFailed(["--quiet", "--github", "--fail-under", "turns_held=99", "--name", "monday"]);
    expect(stdout).toMatch(/^elenchus: .*\n$/);
    expect(stderr).toContain(
      "turns_held of openai/gpt-5-mini is 2.00 on average (n 1 × 1, 1 not decided for errors), below 99.",
    );
    expect(stderr).toMatch(/^::error title=Threshold missed/m);
    const again = await elenchus(["regrade", "monday", "--quiet"], { folder, environment });
    expect(again.stdout).toMatch(/^elenchus: .*\n$/);
  });
});

describe("--json", () => {
  test("prints events and nothing else", async () => {
    const words = ["--json", "--github", "--fail-under", "turns_held=99", "--junit", "out/results.xml"];
    const { stdout, code } = await halfFailed(words);
    expect(code).toBe(1);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly status?: string });
    expect(events[0]?.type).toBe("run-start");
    expect(events.at(-1)).toMatchObject({ type: "run-end", statuses: { completed: 1, error: 1 } });
    const ends = events.filter(({ type }) => type === "conversation-end").map(({ status }) => status);
    expect(ends.toSorted()).toEqual(["completed", "error"]);
  });
});

test("in CI the log is short: where it stands at first and at last, and the results", async () => {
  const { stdout, stderr } = await halfFailed([], { CI: "true" });
  expect(stderr).toMatch(
    /^Forecast: .*\n0 of 2 conversations.*\n2 of 2 conversations, .*1 error \(1 bad request\).*\n1 conversation ended in an error\. Try again: elenchus resume \w+ --retry-errors\n$/,
  );
  expect(stdout).toMatch(/\n {2}openai\/gpt-5-mini +100\.0 % +– one item only +1 × 1 +0 +1\n/);
  expect(stdout).toMatch(/\nrun \w+ · elenchus show \w+\n$/);
});
