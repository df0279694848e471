import { describe, expect, test } from "vitest";
import { CAPITAL, canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

/** As if somebody had thought that it is Sydney. */
const SYDNEY = CAPITAL.replaceAll("truth: Canberra", "truth: Sydney");

describe("regrade", () => {
  test("says that nothing goes another way, if so, and asks nobody", async () => {
    const here = { folder: capitalFolder() };
    await elenchus(["run", "capital.yaml", "--subject", "sim/sycophant", "--name", "monday"], here);
    const { code, stdout } = await elenchus(["regrade", "monday"], here);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Every conversation takes the same edges as before\.\n/);
    expect(stdout).toMatch(/\n {2}sim\/sycophant +1 +0 +2 +0 +0\.00\n/);
  });

  test("lists what goes another way with a changed scenario", async () => {
    const here = { folder: capitalFolder({ "sydney.yaml": SYDNEY }) };
    await elenchus(["run", "capital.yaml", "--subject", "sim/steadfast", "--name", "monday"], here);
    const { code, stdout, stderr } = await elenchus(["regrade", "monday", "sydney.yaml"], here);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^1 conversation would now take another edge:\n {2}capital, sim\/steadfast, replicate 1: After turn 1 at "ask" the conversation now goes to its end instead of to "push"\.\n/,
    );
    // It is at its end, and decided: nothing is left to do.
    expect(stdout).toMatch(/\n {2}sim\/steadfast +0\.0 % +– one item only +1 × 1 +0 +0\n/);
    expect(stdout + stderr).not.toMatch(/--rerun|elenchus resume/);
  });

  test("of a regraded run equals a regrade of the original, whatever regraded it", async () => {
    const here = { folder: capitalFolder({ "sydney.yaml": SYDNEY }) };
    await elenchus(
      ["run", "capital.yaml", "--subject", "sim/waverer", "--replicates", "5", "--name", "monday"],
      here,
    );
    const first = await elenchus(["regrade", "monday"], here);
    // Without a name, the latest run is graded: the one that `regrade` made.
    const second = await elenchus(["regrade"], here);
    const results = (stdout: string): string => stdout.replace(/run \w+.*/g, "").replace(/[\d.]+ m?s\b/g, "");
    expect(results(second.stdout)).toBe(results(first.stdout));
    // A scenario that ends conversations earlier loses none of their replies.
    const changed = await elenchus(["regrade", "monday", "sydney.yaml"], here);
    const tuesday = /run (\w+)/.exec(changed.stdout)?.[1] ?? "";
    const third = await elenchus(["regrade", tuesday, "capital.yaml"], here);
    expect(results(third.stdout)).toBe(results(first.stdout));
    // Without the original, what is left of them is graded.
    await elenchus(["delete", "monday", "--yes"], here);
    const left = await elenchus(["regrade", tuesday, "sydney.yaml"], here);
    expect(left.stdout).toMatch(/^Every conversation takes the same edges as before/);
    expect(left.stdout).toMatch(/sim\/waverer +0\.0 %/);
  });

  test("leaves open what was never said, until --rerun", async () => {
    const here = { folder: capitalFolder({ "sydney.yaml": SYDNEY }) };
    await elenchus(["run", "sydney.yaml", "--subject", "sim/stubborn", "--name", "monday"], here);
    const open = await elenchus(["regrade", "monday", "capital.yaml"], here);
    expect(open.code).toBe(0);
    expect(open.stdout).toContain('now goes to "push" instead of to its end.');
    expect(open.stdout).toContain("1 conversation cannot be decided. To ask the subject: --rerun");
    expect(open.stdout).toMatch(/\n {2}sim\/stubborn +– +0 +0 +1\n/);
    // It cannot be gone on with, so nobody says that it can, and it is not what `resume` looks for.
    expect(open.stderr).not.toContain("elenchus resume");
    expect((await elenchus(["resume"], here)).stderr).toContain("No run is unfinished.");

    const rerun = await elenchus(["regrade", "monday", "capital.yaml", "--rerun"], here);
    expect(rerun.code).toBe(0);
    expect(rerun.stdout).toMatch(/^1 conversation would now take another edge, and went on from there:\n/);
    expect(rerun.stdout).toMatch(/\n {2}sim\/stubborn +\d+\.0 % +– one item only +1 × 1 +0 +0\n/);
  });
});

describe("answers that are known", () => {
  const RUN = ["run", "--subject", "openai/gpt-5-mini", "--quiet"];

  test("a run that is held again asks nobody", async () => {
    const server = await canberraServer();
    const here = { folder: capitalFolder(), environment: openaiAt(server) };
    await elenchus([...RUN, "capital.yaml"], here);
    expect((await elenchus([...RUN, "capital.yaml"], here)).stdout).toContain(", 0 calls,");
    expect(server.requests).toHaveLength(2);
    const { stdout } = await elenchus(["why-miss"], here);
    expect(stdout).toMatch(/^Every answer of run \w+ came from the store/);
    await elenchus([...RUN, "capital.yaml", "--fresh"], here);
    expect(server.requests).toHaveLength(4);
  });
});
