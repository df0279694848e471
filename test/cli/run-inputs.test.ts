import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAPITAL, capitalFolder, OTHER_CAPITAL } from "./capital-file.ts";
import { type Given, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const MODULE = `import { END, question, Scenario } from "elenchus";

export const greeting = new Scenario("greeting")
  .addNode("greet", { question: question({ question: "Hello?", rawAnswer: "Hello." }) })
  .addEdge("greet", END)
  .setEntry("greet");
`;

/** What a command holds, by scenario, subject and number of conversations. */
async function heldBy(words: readonly string[], given: Given): Promise<readonly string[]> {
  const ran = await elenchus(["run", ...words, "--quiet"], given);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await elenchus(["show", "--json"], given);
  const { results } = JSON.parse(stdout) as {
    readonly results: readonly {
      readonly scenario: string;
      readonly subject: string;
      readonly conversations: number;
    }[];
  };
  return results.map(({ scenario, subject, conversations }) => `${scenario} ${subject} ${conversations}`);
}

const SUBJECT = ["--subject", "sim/learner"];

describe("what run is given", () => {
  const files = { "more/other.yaml": OTHER_CAPITAL, "greeting.ts": MODULE };

  test.each([
    [["capital.yaml"], ["capital"]],
    [
      ["capital.yaml", "more"],
      ["capital", "other-capital"],
    ],
    [
      ["**/*.yaml", "capital.yaml"],
      ["capital", "other-capital"],
    ],
    [["greeting.ts"], ["greeting"]],
    [
      ["*.ts", "more/other.yaml"],
      ["greeting", "other-capital"],
    ],
  ])("%j", async (names, scenarios) => {
    const given = { folder: capitalFolder(files) };
    expect(await heldBy([...names, ...SUBJECT], given)).toEqual(
      scenarios.map((scenario) => `${scenario} sim/learner 1`),
    );
  });

  test("a folder, in which not every file is a scenario, and code is not run", async () => {
    const given = { folder: capitalFolder({ ...files, "more/notes.yaml": "just: notes\n" }) };
    expect(await heldBy([".", ...SUBJECT], given)).toEqual([
      "capital sim/learner 1",
      "other-capital sim/learner 1",
    ]);
  });
});

const PROJECT = `version: 1
scenarios: scenarios
subjects:
  - { model: sim/sycophant, name: patient, parameters: { after: 7 } }
  - sim/steadfast
replicates: 2
seed: 5
profiles:
  ci: { replicates: 3, turnLimit: 9 }
`;

describe("the project file", () => {
  const files = { "elenchus.config.yaml": PROJECT, "scenarios/capital.yaml": CAPITAL };

  test("says what is held where the command does not, also from a folder below", async () => {
    const folder = capitalFolder(files);
    mkdirSync(join(folder, "scenarios", "deep"));
    const given = { folder: join(folder, "scenarios", "deep") };
    expect(await heldBy([], given)).toEqual(["capital patient 2", "capital sim/steadfast 2"]);
    // There is one store, wherever one stands.
    const { stdout } = await elenchus(["list", "--json"], { folder });
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  test("describes subjects that a flag can name, with their parameters", async () => {
    const given = { folder: capitalFolder(files) };
    expect(await heldBy(["--subject", "patient"], given)).toEqual(["capital patient 2"]);
    const { stdout } = await elenchus(["show", "--json"], given);
    // With `after: 7` it has not given in by the second turn; without, it would have.
    expect(JSON.parse(stdout)).toMatchObject({
      start: { configuration: { subjects: { patient: { model: "sycophant", parameters: { after: 7 } } } } },
      rates: { outcomes: [{ outcome: "held_firm", lines: [{ yes: 2, n: 2 }] }] },
    });
  });

  test("--explain-config tells where each setting comes from, and does nothing", async () => {
    const folder = capitalFolder(files);
    const words = ["run", "--profile", "ci", "--turn-limit", "4", "--set", "timeouts.callMs=5000"];
    const { code, stdout, stderr } = await elenchus([...words, "--explain-config"], { folder });
    expect([code, stderr]).toEqual([0, ""]);
    const text = stdout.replace(/\s+/g, " ");
    expect(text).toContain("turnLimit 4 (flag --turn-limit)");
    expect(text).toContain("replicates 3 (profile ci in elenchus.config.yaml:9)");
    expect(text).toContain("concurrency 256 (default)");
    expect((await elenchus(["list"], { folder })).code).toBe(2);
  });
});
