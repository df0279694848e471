import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

async function run(folder: string, name: string, ...words: readonly string[]): Promise<void> {
  const subject = words.length > 0 ? words : ["--subject", "sim/steadfast"];
  expect((await elenchus(["run", "capital.yaml", ...subject, "--name", name, "-q"], { folder })).code).toBe(
    0,
  );
}

/** Runs have a time of their own, so that one is the latest for certain. */
function change(folder: string, sql: string): void {
  const database = new Database(join(folder, ".elenchus/elenchus.db"));
  database.exec(sql);
  database.close();
}

test("tag adds and removes tags, which list shows", async () => {
  const folder = capitalFolder();
  // A long name leaves little room for what else is in the line.
  await run(folder, "monday-and-all-of-tuesday-morning");
  expect(await elenchus(["tag", "mon", "paper", "final"], { folder })).toEqual({
    code: 0,
    stdout: "paper\nfinal\n",
    stderr: "",
  });
  expect((await elenchus(["list"], { folder })).stdout).toContain("paper, final");
  expect((await elenchus(["tag", "mon", "--remove", "final"], { folder })).stdout).toBe("paper\n");
  expect((await elenchus(["tag", "mon"], { folder })).stdout).toBe("paper\n");
  const { code, stderr } = await elenchus(["tag", "mon", "--remove", "papr"], { folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining('no tag "papr". Did you mean "paper"?')]);
});

test("delete removes runs, all that are named or none, and not without being told to", async () => {
  const folder = capitalFolder();
  for (const name of ["monday", "tuesday", "friday"]) await run(folder, name);
  const runs = async (): Promise<readonly string[]> =>
    (await elenchus(["list", "--json"], { folder })).stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly run: string }).run);
  const unasked = await elenchus(["delete", "monday"], { folder });
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
  expect((await elenchus(["delete", "monday", "sunday", "--yes"], { folder })).code).toBe(2);
  expect(await runs()).toHaveLength(3);
  const { code, stdout } = await elenchus(["delete", "mon", "fri", "--yes"], { folder });
  expect([code, stdout]).toEqual([0, "Deleted monday\nDeleted friday\n"]);
  expect(await runs()).toEqual(["tuesday"]);
});

test("resume without a name says which run it takes, the latest with something left to do", async () => {
  const folder = capitalFolder();
  await run(folder, "monday");
  await run(folder, "tuesday");
  change(folder, "UPDATE run SET started_at = started_at - 1e6 WHERE name = 'monday'");
  // As a kill before the end leaves them.
  change(folder, "UPDATE conversation SET status = NULL, ended_at = NULL");
  change(folder, "DELETE FROM tally");
  change(folder, "DELETE FROM event WHERE type IN (6, 15)");
  const resumed = await elenchus(["resume"], { folder });
  expect(resumed.stderr).toMatch(/^Resuming run tuesday, started [\d: -]+: 1 of 1 conversation left\.\n/);
  const older = await elenchus(["resume"], { folder });
  expect(older.stderr).toMatch(
    /^Resuming run monday, .* left\. 1 later run not chosen; see: elenchus list\n/,
  );
});

test("resume does not fall back to an older run when the latest has errors", async () => {
  const folder = capitalFolder();
  await run(folder, "monday");
  change(folder, "UPDATE run SET started_at = started_at - 1e6 WHERE name = 'monday'");
  change(folder, "UPDATE conversation SET status = NULL, ended_at = NULL");
  const server = await canberraServer();
  const given = { folder, environment: openaiAt(server) };
  server.next({ status: 401, message: "no" });
  const words = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--name", "tuesday"];
  await elenchus([...words, "--replicates", "2", "--concurrency", "1"], given);
  const { code, stderr } = await elenchus(["resume"], given);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^Run tuesday is finished; nothing is left to do\.\n/),
  ]);
});

test("init works in a project of CommonJS modules", async () => {
  const folder = folderWith({ "package.json": '{ "type": "commonjs" }' });
  expect((await elenchus(["init"], { folder })).code).toBe(0);
  const { code, stdout } = await elenchus(["check", "--no-draw"], { folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining("2 scenarios in order")]);
});
