import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { ended, folderWith, inOneProcess, start } from "./cli.ts";
import { patientServer } from "./patient-server.ts";

const elenchus = inOneProcess();

/** The steadfast subject holds firm in all of three conversations, the sycophant in none. */
const RUN = ["run", "capital.yaml", "--replicates", "3", "--quiet"];
const STEADFAST = [...RUN, "--subject", "sim/steadfast"];
const SYCOPHANT = [...RUN, "--subject", "sim/sycophant"];

describe("0: fine", () => {
  test("an outcome that is false is a measurement, not a failure", async () => {
    const { code, stdout } = await elenchus(SYCOPHANT, { folder: capitalFolder() });
    expect(stdout).toContain("held_firm 0.0 %");
    expect(code).toBe(0);
  });

  test("a threshold that is reached", async () => {
    const { code } = await elenchus([...STEADFAST, "--fail-under", "held_firm=1"], {
      folder: capitalFolder(),
    });
    expect(code).toBe(0);
  });

  test("some conversations ended in an error, and not all", async () => {
    const server = await canberraServer();
    server.next({ status: 401, message: "no" });
    const words = [...RUN, "--subject", "openai/gpt-5-mini", "--concurrency", "1"];
    const { code, stdout } = await elenchus(words, {
      folder: capitalFolder(),
      environment: openaiAt(server),
    });
    expect(stdout).toContain("held_firm 100.0 % (n 1 × 2), 1 error");
    expect(code).toBe(0);
  });
});

test("2: a threshold for an outcome that no scenario has, before anything is paid for", async () => {
  const folder = capitalFolder();
  const { code, stderr } = await elenchus([...STEADFAST, "--fail-under", "hold_firm=1"], { folder });
  expect(stderr).toContain('the outcome "hold_firm", which no scenario has. Did you mean "held_firm"?');
  expect(code).toBe(2);
  expect(existsSync(join(folder, ".elenchus"))).toBe(false);
});

describe("1: a threshold was missed", () => {
  test("by the rate, and the results are told all the same", async () => {
    const folder = capitalFolder();
    const { code, stdout, stderr } = await elenchus([...SYCOPHANT, "--fail-under", "held_firm=0.5"], {
      folder,
    });
    expect(stdout).toMatch(/^elenchus: 3 conversations, held_firm 0\.0 % .*\n$/);
    expect(stderr).toContain("held_firm of sim/sycophant is 0.0 % (n 1 × 3), below 50 %.");
    expect(code).toBe(1);
  });

  test("by the lower bound, where the rate would do", async () => {
    const folder = capitalFolder();
    const words = [...STEADFAST, "--fail-under", "held_firm=0.9:lower"];
    const { code, stderr } = await elenchus(words, { folder });
    // Three replicates of one scenario say nothing about scenarios in general.
    expect(stderr.replace(/\s+/g, " ")).toContain(
      'held_firm of sim/steadfast has no interval to compare with: one item only (n 1 × 3). Use more items, or leave out ":lower".',
    );
    expect(code).toBe(1);
  });

  test("as the project file has it, unless a flag says otherwise", async () => {
    const folder = capitalFolder({ "elenchus.config.yaml": "failUnder: { held_firm: 0.5 }\n" });
    expect((await elenchus(SYCOPHANT, { folder })).code).toBe(1);
    expect((await elenchus([...SYCOPHANT, "--fail-under", "held_firm=0"], { folder })).code).toBe(0);
  });

  test("of an outcome that was never decided", async () => {
    const folder = capitalFolder();
    const words = [...RUN, "--subject", "sim/silent", "--fail-under", "held_firm=0"];
    const { code, stderr } = await elenchus(words, { folder });
    expect(stderr).toContain("held_firm of sim/silent is not known");
    expect(code).toBe(1);
  });

  test("when a run is resumed or graded again", async () => {
    const folder = capitalFolder();
    await elenchus([...SYCOPHANT, "--name", "monday"], { folder });
    const missed = ["--quiet", "--fail-under", "held_firm=1"];
    expect((await elenchus(["resume", "monday", ...missed], { folder })).code).toBe(1);
    expect((await elenchus(["regrade", "monday", ...missed], { folder })).code).toBe(1);
  });
});

describe("1: too little is decided for a gate", () => {
  test("the budget cut conversations short", async () => {
    const server = await canberraServer();
    const given = { folder: capitalFolder(), environment: openaiAt(server) };
    const words = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--replicates", "40", "--quiet"];
    const budget = ["--budget", "2 calls", "--fresh"];
    const gate = ["--fail-under", "held_firm=0.9", "--fail-on-errors"];
    const cut = await elenchus([...words, ...budget, ...gate, "--name", "cut", "--concurrency", "1"], given);
    expect(cut.stderr.replace(/\s+/g, " ")).toContain(
      "at least 90 %. This is not enough: 39 conversations were cut short or never began.",
    );
    expect(cut.code).toBe(1);
    expect((await elenchus([...words, ...budget, "--fail-on-errors"], given)).code).toBe(1);
    const rest = await elenchus(["resume", "cut", "--budget", "500 calls", "--quiet", ...gate], given);
    expect(rest.code).toBe(0);
  });

  test("replies cannot be read", async () => {
    const folder = capitalFolder({ "elenchus.config.yaml": "minDecided: 80%\n" });
    // Only the two turns of the first conversation can be read.
    let answers = 0;
    const server = await canberraServer(() =>
      answers++ < 2 ? "It is Canberra." : "I would rather not say.",
    );
    const given = { folder, environment: openaiAt(server) };
    const words = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--replicates", "40", "--quiet"];
    const gate = ["--fail-under", "held_firm=0.9", "--concurrency", "1", "--judge", "rules"];
    const unread = await elenchus([...words, ...gate], given);
    expect(unread.stderr.replace(/\s+/g, " ")).toContain(
      "This is not enough: it was decided in 1 of 40 conversations, and 80 % are needed (min-decided).",
    );
    expect(unread.code).toBe(1);
    expect((await elenchus([...words, ...gate, "--min-decided", "2%"], given)).code).toBe(0);
    expect((await elenchus([...words, ...gate, "--min-decided", "80"], given)).stderr).toContain(
      `--min-decided: "80" is not a share. Write it like 0.8 or 80%.`,
    );
  });
});

test("2: one item cannot show that a run is worse than its baseline", async () => {
  const folder = capitalFolder();
  await elenchus([...STEADFAST, "--name", "before"], { folder });
  const words = [...STEADFAST, "--baseline", "before", "--fail-if-worse"];
  const { code, stderr } = await elenchus([...words, "held_firm=0.05"], { folder });
  expect(stderr.replace(/\s+/g, " ")).toContain(
    "? unknown held_firm of sim/steadfast cannot be compared with the baseline: one item only. Use more items, or compare the difference alone: held_firm=0.05:point.",
  );
  expect(code).toBe(2);
  expect((await elenchus([...words, "held_firm=0.05:point"], { folder })).code).toBe(0);
});

test("1: too little of the baseline is decided to compare with", async () => {
  const folder = capitalFolder();
  await elenchus([...STEADFAST, "--replicates", "40", "--name", "before"], { folder });
  await elenchus(["export", "before", "--baseline", "--output", "before.jsonl"], { folder });
  const file = join(folder, "before.jsonl");
  const [header, ...lines] = readFileSync(file, "utf8").split("\n");
  // All but three conversations were not decided.
  const open = lines.map((line, i) => (i < 3 ? line : line.replace(/"t"/g, '"?"')));
  writeFileSync(file, [header, ...open].join("\n"));
  const words = [...STEADFAST, "--replicates", "40", "--baseline", "before.jsonl", "--fail-if-worse"];
  const { code, stderr } = await elenchus([...words, "held_firm=0.05:point"], { folder });
  expect(stderr.replace(/\s+/g, " ")).toContain(
    "This is not enough: together with the baseline, it was decided in 3 of 40 conversations, and 80 % are needed (min-decided).",
  );
  expect(code).toBe(1);
});

test("1: a conversation ended in an error, where that is to fail", async () => {
  const server = await canberraServer();
  const folder = capitalFolder({ "elenchus.config.yaml": "failOnErrors: true\n" });
  const given = { folder, environment: openaiAt(server) };
  const words = [...RUN, "--subject", "openai/gpt-5-mini", "--concurrency", "1", "--name", "monday"];
  server.next({ status: 401, message: "no" });
  const failed = await elenchus(words, given);
  expect(failed.stdout).toContain("n 1 × 2), 1 error");
  expect(failed.code).toBe(1);
  expect((await elenchus(["resume", "monday", "--quiet", "--retry-errors"], given)).code).toBe(0);
});

test("2: no conversation could be completed, whatever the thresholds", async () => {
  const server = await canberraServer();
  server.next({ status: 401, message: "no" });
  const folder = capitalFolder();
  const words = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--fail-under", "held_firm=1"];
  const environment = openaiAt(server);
  const failed = await elenchus([...words, "--name", "monday"], { folder, environment });
  expect(failed.stderr).toMatch(/conversations? ended in an error\. .*refused the key \(401\)/);
  expect(failed.code).toBe(2);
  expect((await elenchus(["list"], { folder })).stdout).toMatch(/monday .* failed /);
  expect((await elenchus(["show"], { folder })).stdout).toContain(
    "The run failed: every conversation ended with an error (1).",
  );
  // Put right, the same run comes to its end.
  const resumed = await elenchus(["resume", "monday", "--retry-errors"], { folder, environment });
  expect(resumed.code).toBe(0);
});

test("130: the terminal hangs up, so that nothing can be written any more", async () => {
  const server = await patientServer(() => "It is Canberra.");
  const given = { folder: capitalFolder(), environment: server.environment };
  const child = start(["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--name", "monday"], given);
  const code = new Promise((resolve) => child.once("exit", resolve));
  await server.until(({ waiting }) => waiting() === 1);
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.kill("SIGHUP");
  server.open();
  expect(await code).toBe(130);
  expect((await elenchus(["resume", "monday", "--quiet"], given)).code).toBe(0);
});

test.each(["SIGINT", "SIGTERM"] as const)("130: interrupted by %s", async (signal) => {
  const server = await patientServer(() => "It is Canberra.");
  const given = { folder: capitalFolder(), environment: server.environment };
  const words = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--name", "monday"];
  const child = start([...words, "--fail-under", "held_firm=1"], given);
  const end = ended(child);
  const heard = new Promise<void>((resolve) => {
    child.stderr?.on("data", (text: string) => {
      if (text.includes("Finishing calls under way")) resolve();
    });
  });
  await server.until(({ waiting }) => waiting() === 1);
  child.kill(signal);
  await heard;
  server.answer();
  const { code, stderr } = await end;
  expect(code).toBe(130);
  expect(stderr).toContain("Interrupted: 1 conversation left. Resume with: elenchus resume monday");
  expect(server.calls.length).toBe(1);
  server.open();
  expect((await elenchus(["resume", "monday", "--quiet"], given)).code).toBe(0);
  expect(server.calls.length).toBe(2);
});

test("a module that waits for ever is an error of its author, not of Node", async () => {
  const folder = folderWith({ "stuck.mjs": "await new Promise(() => {});\n" });
  const { code, stderr } = await ended(start(["check", "stuck.mjs"], { folder }));
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^error: The command waits for .* never settled\.\n$/),
  ]);
});
