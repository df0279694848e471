import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const SUBJECT = ["--subject", "openai/gpt-5-mini", "--judge", "rules"];

describe("plan", () => {
  test("says what a run would take, without a key and without a call", async () => {
    const { code, stdout, stderr } = await elenchus(
      ["plan", "capital.yaml", ...SUBJECT, "--replicates", "10", "--assume", "right=0.8,reply=100"],
      { folder: capitalFolder() },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ +least +expected +most\n/);
    expect(stdout).toMatch(
      /\nconversations +10 +10 +10\nturns +10 +18 +20\ncalls +10 +18 +20\n {2}subject openai\/gpt-5-mini +10 +18 +20\n/,
    );
    expect(stdout).toMatch(/\nUSD +0\.00\d+ +0\.00\d+ +0\.00\d+\ntime +/);
    expect(stdout).toContain("Assumed: 80 % are right, a reply has 100 tokens.");
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test("knows what the store has, and takes chances and lengths from an earlier run", async () => {
    const server = await canberraServer();
    const here = { folder: capitalFolder(), environment: openaiAt(server) };
    await elenchus(["run", "capital.yaml", ...SUBJECT, "--name", "pilot", "-q"], here);
    expect(server.requests).toHaveLength(2);
    const words = ["plan", "capital.yaml", ...SUBJECT, "--replicates", "6"];
    const { stdout } = await elenchus([...words, "--json"], here);
    const { calls, cached, from, models } = JSON.parse(stdout);
    // It was right, and went on: so all will.
    expect({ calls, cached, from }).toEqual({
      calls: { least: 5, expected: 10, most: 10 },
      cached: { calls: 2, conversations: 1 },
      from: { runs: ["pilot"], conversations: 1 },
    });
    // The server says that every call has 10 and 5.
    expect(models[0].inputTokens.expected).toBeCloseTo(100, 6);
    expect(models[0].outputTokens.expected).toBeCloseTo(50, 6);
    expect((await elenchus(words, here)).stdout).toContain("In the store: 2 answers that need not be paid");
    await elenchus(["run", "capital.yaml", ...SUBJECT, "--replicates", "6", "-q"], here);
    expect(server.requests).toHaveLength(2 + 10);
  });

  test.each([
    [
      ["--assume", "rigth=1"],
      'Nothing called "rigth" can be assumed: write right=0.7. Did you mean "right"?',
    ],
    [["--assume", "right=7"], '`right` must be a share from 0 to 1, or a percentage, not "7".'],
    [["--assume", "reply=0"], "`reply` must be a number from 1 to 1,000,000"],
    [["--from", "monday"], 'There is no run "monday"'],
    [["--detect", "5"], "Expected a number from 0 to 1"],
  ])("explains what is wrong with %j", async (words, message) => {
    const { code, stderr } = await elenchus(["plan", "capital.yaml", ...SUBJECT, ...words], {
      folder: capitalFolder(),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("before a run", () => {
  test("one line says what it will take, if a model may cost money", async () => {
    const server = await canberraServer();
    const here = { folder: capitalFolder(), environment: openaiAt(server) };
    const { stderr } = await elenchus(["run", "capital.yaml", ...SUBJECT, "--name", "monday"], here);
    expect(stderr).toMatch(/^Forecast: about 2 calls \(1 to 2\), \d+ tokens, 0\.00\d+ USD, [\d.]+ s\n/);
    const again = await elenchus(["run", "capital.yaml", ...SUBJECT, "--replicates", "2"], here);
    expect(again.stderr).toMatch(
      /^Forecast, from run monday: about 2 calls \(1 to 2\), 30 tokens, .*; 2 answers in the store\n/,
    );
    const quiet = await elenchus(["run", "capital.yaml", ...SUBJECT, "-q"], here);
    const simulated = await elenchus(["run", "capital.yaml", "--subject", "sim/steadfast"], here);
    expect(quiet.stderr + simulated.stderr).not.toContain("Forecast");
  });

  test("--max-cost refuses to start beyond the forecast, and leaves nothing behind", async () => {
    const server = await canberraServer();
    const folder = capitalFolder();
    const here = { folder, environment: openaiAt(server) };
    const words = ["run", "capital.yaml", ...SUBJECT, "--replicates", "1000", "--max-cost"];
    const refused = await elenchus([...words, "0.10usd"], here);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /error: The run would take about 0\.\d\d USD, more than --max-cost 0\.10usd allows, so it was not started\. See the forecast: elenchus plan/,
    );
    expect(server.requests).toHaveLength(0);
    expect(existsSync(join(folder, ".elenchus"))).toBe(false);
    expect((await elenchus([...words, "100 calls"], here)).stderr).toContain("about 1,500 calls");
    const run = ["run", "capital.yaml", ...SUBJECT, "-q"];
    expect((await elenchus([...run, "--max-cost", "1usd"], here)).code).toBe(0);
    // The same holds for what is left of a run.
    await elenchus(
      ["run", "capital.yaml", ...SUBJECT, "--replicates", "9", "--name", "cut", "--budget", "3 calls"],
      here,
    );
    const rest = await elenchus(["resume", "cut", "--budget", "99 calls", "--max-cost", "5 calls"], here);
    expect(rest.code).toBe(2);
    expect(rest.stderr).toMatch(
      /^Forecast, from runs? .*: about 1\d calls \(\d to 1\d\), .*\nerror: The run would take about 1\d calls/,
    );
  });

  test.each([
    ["5", '--max-cost: "5" is not a budget.'],
    ["1usd", "no price is known for 127.0.0.1:1/"],
  ])("--max-cost %s is explained", async (limit, message) => {
    const subject = limit === "5" ? "openai/gpt-5-mini" : "http://127.0.0.1:1/";
    const { code, stderr } = await elenchus(
      ["run", "capital.yaml", "--subject", subject, "--max-cost", limit],
      {
        folder: capitalFolder(),
        environment: { OPENAI_API_KEY: "not-needed" },
      },
    );
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(message);
  });
});
