import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { inOneProcess } from "./cli.ts";
import { contentOf, expectRefusal, expectWords } from "./refusal.ts";

const elenchus = inOneProcess();

const RUN = ["run", "capital.yaml", "--subject", "sim/learner"];

test("a database of another program stays as it is", async () => {
  const folder = capitalFolder();
  const path = join(folder, "other.db");
  const database = new Database(path);
  database.exec("create table mine (a); insert into mine values (1)");
  database.close();
  const before = readFileSync(path);
  for (const words of [RUN, ["list"], ["import", "capital.yaml"]])
    expectRefusal(await elenchus([...words, "--store", "other.db"], { folder }), ["of another program"]);
  expect(readFileSync(path)).toEqual(before);
});

describe("in a project with a run", () => {
  test("unknown runs and conversations, and a name that is taken", async () => {
    const folder = capitalFolder();
    const first = await elenchus([...RUN, "--name", "monday"], { folder });
    expect(first.code).toBe(0);
    const before = contentOf(join(folder, ".elenchus"));
    const mistakes: readonly (readonly [readonly string[], readonly string[]])[] = [
      [
        ["show", "tuesday"],
        ['There is no run "tuesday"', "elenchus list"],
      ],
      [
        ["show", "--run", "mondy"],
        ['There is no run "mondy"', "elenchus list"],
      ],
      [
        ["show", "--scenario", "captial"],
        ['has no scenario "captial"', '"capital"'],
      ],
      [
        ["export", "tuesday"],
        ['There is no run "tuesday"', "elenchus list"],
      ],
      [
        ["resume", "tuesday"],
        ['There is no run "tuesday"', "elenchus list"],
      ],
      [
        ["regrade", "tuesday"],
        ['There is no run "tuesday"', "elenchus list"],
      ],
      [
        ["why-miss", "monday", "0000"],
        ['no conversation "0000"', "elenchus export"],
      ],
      [
        ["export", "--format", "cassette"],
        ["Say which", "--output calls.jsonl"],
      ],
      [
        ["import", "capital.yaml"],
        ["line 1", "Is it the right file"],
      ],
      [
        [...RUN, "--name", "monday"],
        ['There is a run "monday" already', "another name"],
      ],
    ];
    for (const [words, says] of mistakes) expectRefusal(await elenchus(words, { folder }), says);
    expect(contentOf(join(folder, ".elenchus"))).toEqual(before);
  });

  test("a run's file that is cut off gets in nowhere", async () => {
    const folder = capitalFolder();
    const here = { folder };
    await elenchus([...RUN, "--name", "monday"], here);
    const { stdout: whole } = await elenchus(["export"], here);
    const half = whole.slice(0, whole.length / 2);
    const lines = half.split("\n").length;
    const ended = await elenchus(["import", "-", "--as", "half"], { ...here, input: half });
    expectRefusal(ended, [`line ${lines}`, "export the run again"]);
    expect((await elenchus(["list"], here)).stdout).not.toContain("half");
  });
});

describe("a server that does not serve", () => {
  const ASK = ["run", "capital.yaml", "--subject", "openai/gpt-5-mini", "--quiet"];

  test("it knows no such model", async () => {
    const server = await canberraServer();
    server.next({ status: 404, message: "The model gpt-5-mini does not exist." });
    const folder = capitalFolder();
    const { code, stderr } = await elenchus(ASK, { folder, environment: openaiAt(server) });
    expect(code).toBe(2);
    expectWords(stderr, ["404", "Check the name of the model", /elenchus resume \w+ --retry-errors/]);
  });

  test("it is not there: the run is given up, and can be resumed when it is", async () => {
    const environment = openaiAt({ url: `http://127.0.0.1:${await freePort()}` });
    const folder = capitalFolder();
    const words = [...ASK, "--replicates", "20", "--patience", "0s", "--set", "retries.connection.retries=0"];
    const { code, stderr } = await elenchus([...words, "--concurrency", "1"], { folder, environment });
    expect(code).toBe(2);
    expectWords(stderr, [
      "refused the connection",
      "Check the base URL, the network, and that the server runs",
      /elenchus resume \w+ --retry-errors/,
    ]);
    const { stdout } = await elenchus(["list", "--json"], { folder });
    const { statuses } = JSON.parse(stdout) as { readonly statuses: Readonly<Record<string, number>> };
    // Ten failures are enough; the rest was not waited for.
    expect(statuses.error).toBeGreaterThanOrEqual(10);
    expect(statuses.error).toBeLessThan(20);
  });
});

describe("--debug", () => {
  test("adds the stack", async () => {
    const { code, stderr } = await elenchus(["run", "no.yaml", "--debug"], { folder: capitalFolder() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: There is no file or folder no\.yaml.*\n.*\n\s+at /);
  });

  test("shows where a module threw", async () => {
    const folder = capitalFolder({ "a.ts": '\n\nthrow new Error("no luck");' });
    const { stderr } = await elenchus(["run", "a.ts", "--debug"], { folder });
    expect(stderr).toMatch(/caused by Error: no luck\n\s+at .*a\.ts:3:7/);
  });
});

/** A port on which nobody listens. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
