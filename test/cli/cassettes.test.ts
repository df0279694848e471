import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAPITAL, canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { type Ended, type Given, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const RUN = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--replicates", "2"];

/** A folder with a cassette of a run, and an environment in which no model can be asked: no server, and no key. */
async function recorded(files: Readonly<Record<string, string>> = {}): Promise<{
  readonly given: Given;
  readonly live: Ended;
}> {
  const server = await canberraServer();
  const folder = capitalFolder(files);
  const environment = openaiAt(server);
  const live = await elenchus([...RUN, "--record", "calls.jsonl"], { folder, environment });
  expect(live.code).toBe(0);
  expect(server.requests).toHaveLength(4);
  await server.close();
  const { OPENAI_API_KEY: _, ...keyless } = environment;
  return { given: { folder, environment: keyless }, live };
}

test("what was recorded can be replayed, without a server and without a key, with the same results", async () => {
  const { given, live } = await recorded();
  const words = [...RUN, "--replay", "calls.jsonl", "--store", "replayed.db"];
  const replayed = await elenchus(words, given);
  expect(replayed.code).toBe(0);
  expect(rates(replayed)).toBe(rates(live));
  expect(rates(live)).toMatch(/^held_firm[\s\S]*100\.0 % +– one item only +1 × 2 /);
  // Nobody was asked, so nothing was spent.
  expect(replayed.stdout).toMatch(/\n {2}openai\/gpt-5-mini +2 +0 +4 +0 +0\.00\n/);
});

test("export writes the same cassette", async () => {
  const { given } = await recorded();
  const { folder } = given;
  const written = await elenchus(["export", "--format", "cassette", "--output", "again.jsonl"], given);
  expect(written.code).toBe(0);
  expect(readFileSync(join(folder, "again.jsonl"), "utf8")).toBe(
    readFileSync(join(folder, "calls.jsonl"), "utf8"),
  );
});

describe("a scenario that has changed since", () => {
  const changed = { "changed.yaml": CAPITAL.replace("Are you sure?", "Really?") };

  test("fails, and says what differs; what was recorded is there to resume", async () => {
    const { given } = await recorded(changed);
    const words = ["run", "changed.yaml", ...RUN.slice(2), "--replay", "calls.jsonl", "--name", "monday"];
    const { code, stderr } = await elenchus([...words, "--store", "replayed.db"], given);
    expect(code).toBe(2);
    expect(stderr).toContain("this call is not recorded.");
    expect(stderr).toMatch(
      /it differs in message 3 of 3 \(user\): .*Really\?.* here, .*Are you sure\?.* there/,
    );
    expect(stderr).toContain("elenchus resume monday --retry-errors");
    const { stdout } = await elenchus(["list", "--json", "--store", "replayed.db"], given);
    expect(JSON.parse(stdout)).toMatchObject({ statuses: { error: 2 } });
  });
});

test("a replayed run goes on with its cassette", async () => {
  const { given } = await recorded();
  const path = join(given.folder, "calls.jsonl");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.replace(/.*\n$/, ""));
  const store = ["--store", "replayed.db"];
  const cut = await elenchus([...RUN, "--replay", "calls.jsonl", "--name", "monday", ...store], given);
  expect(cut.stderr).toContain("1 conversation ended in an error. Try again: elenchus resume monday");
  writeFileSync(path, whole);
  const resumed = await elenchus(["resume", "monday", "--retry-errors", ...store], given);
  expect(resumed.code).toBe(0);
  expect(rates(resumed)).toMatch(/100\.0 % +– one item only +1 × 2 /);
});

/** The table of outcomes, without what it took. */
function rates({ stdout }: Ended): string {
  return stdout.trimStart().split("\n\n")[0] ?? "";
}
