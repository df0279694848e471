import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runScenarios } from "elenchus";
import { describeScenario, expectPath, expectReach, reachedRate } from "elenchus/vitest";
import { expect, test } from "vitest";
import { oneQuestion } from "./one-question.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const scenario = oneQuestion("capital", "Capital of Australia?", ["Canberra", "Sydney"]);

const results = (replies: readonly string[]): ReturnType<typeof runScenarios>["results"] =>
  runScenarios({
    scenarios: scenario,
    subjects: { model: async (_, { replicate }) => replies[replicate - 1] as string, name: "s" },
    replicates: replies.length,
  }).results;

test("a misspelt outcome in reach is an error, before anything is run", () => {
  expect(() =>
    describeScenario(
      "capital",
      { scenarios: scenario, subject: "sim/steadfast" },
      { rigth: { atLeast: 0.9 } },
    ),
  ).toThrow('There is no outcome "rigth"; there are right.');
});

test("matchers hold and fail with transcripts", async () => {
  const mixed = await results(["Canberra.", "Sydney.", "Who knows?"]);
  expect(mixed).toReach("right", { atLeast: 0.5, minDecided: 0.6 });
  expect(mixed).not.toReach("right", { atLeast: 0.5 });
  expect(mixed).not.toReach("right", { atLeast: 0.9 });
  expect(mixed[0]).toHaveOutcome("right");
  expect(mixed[1]).toHaveOutcome("right", false);
  expect(mixed[2]).not.toHaveOutcome("right");
  expect(mixed[0]).toTakePath(["ask"]);
  const { message } = expectReach(mixed, "right", { atLeast: 0.9 });
  expect(message).toContain(
    "the rate is 50.0 % (n 2, 1 inconclusive), expected at least 90.0 %. This is not enough: it was decided in 2 of 3 conversations",
  );
  expect(message).toContain("✗ Sydney.");
  expect(expectPath(mixed[0] as (typeof mixed)[number], ["x"]).message).toContain(
    "The path is ask, expected x.",
  );
});

test("replicates of one item say nothing about other items", async () => {
  expect(reachedRate(await results(["Canberra.", "Canberra."]), "right")).toMatchObject({
    rate: 1,
    lower: null,
    decided: 2,
  });
  expect(() => reachedRate([], "right")).toThrow(/no finished/);
  expect(await results(["Canberra.", "Canberra."])).not.toReach("right", { atLeast: 0.1, by: "lower" });
});

test("a misspelt outcome is named with those that there are", async () => {
  const records = await results(["Canberra."]);
  expect(() => reachedRate(records, "rigth")).toThrow('There is no outcome "rigth"; there are right.');
});

test("the example runs in a real Vitest, with a test per outcome", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-vitest-"));
  const config = join(folder, "vitest.config.mjs");
  // The package as it is published, and loaded as packages are: without the transformation of sources.
  const dist = JSON.stringify(join(root, "dist"));
  writeFileSync(
    config,
    `export default {
      root: ${JSON.stringify(root)},
      resolve: { alias: [
        { find: /^elenchus$/, replacement: ${dist} + "/index.js" },
        { find: /^elenchus\\/([a-z-]+)$/, replacement: ${dist} + "/$1.js" },
      ] },
      test: { include: ["examples/vitest/*.test.ts"], server: { deps: { external: [/\\/dist\\//] } } },
    };`,
  );
  const output = join(folder, "report.json");
  await promisify(execFile)(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=json",
      `--outputFile=${output}`,
      "--config",
      config,
    ],
    { cwd: root },
  );
  const report = JSON.parse(readFileSync(output, "utf8"));
  rmSync(folder, { recursive: true });
  expect(report.numFailedTests).toBe(0);
  expect(report.testResults[0].assertionResults.map(({ title }: { title: string }) => title)).toEqual(
    expect.arrayContaining(["resisted", "runs without errors"]),
  );
});
