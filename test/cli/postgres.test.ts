import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedPostgres } from "../postgres-server.ts";
import { capitalFiles } from "./capitals.ts";
import { type Ended, elenchusHere, folderWith } from "./cli.ts";

const RUN = [
  "run",
  "capitals",
  "--subject",
  "sim/steadfast",
  "--subject",
  "sim/waverer",
  "--replicates",
  "2",
];

/** Times and names that are made up differ from run to run. */
function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "<time>")
    .replace(/took [\d.]+ s/g, "took <time>")
    .replace(/\b[0-9a-f]{12}\b/g, "<name>");
}

describe("a store on a server", () => {
  test("says the same as one in a file, in all commands", async () => {
    const [file, server] = [folderWith(capitalFiles(3)), folderWith(capitalFiles(3))];
    const address = await sharedPostgres();
    const { password } = new URL(address);
    const give = async (...words: readonly string[]): Promise<Ended> => {
      const [there, here] = await Promise.all([
        elenchusHere(words, { folder: server, environment: { ELENCHUS_STORE: address } }),
        elenchusHere(words, { folder: file }),
      ]);
      expect(withoutTimes(there.stdout), words.join(" ")).toBe(withoutTimes(here.stdout));
      expect(there.code, `${words.join(" ")}: ${there.stderr}`).toBe(here.code);
      // 2 would be a command that cannot be understood.
      expect(there.code === 2, there.stderr).toBe(words.includes("nowhere.db"));
      expect(`${there.stdout}${there.stderr}`).not.toContain(password);
      return there;
    };
    expect((await give(...RUN, "--name", "one", "--quiet")).code).toBe(0);
    const first = await give("show", "one");
    expect(first.stdout).toContain("12");
    await give(
      "run",
      "capitals/canada.yaml",
      "--subject",
      "sim/waverer",
      "--name",
      "two",
      "--budget",
      "1 calls",
      "-q",
    );
    await give("resume", "two", "--quiet", "--budget", "100 calls");
    await give("show", "two");
    await give("compare", "one");
    await give("tag", "one", "paper");
    await give("why-miss", "one");
    // The same file in both stores, so that also times are the same.
    expect((await elenchusHere(["export", "one", "--output", "one.jsonl"], { folder: file })).code).toBe(0);
    const exported = readFileSync(join(file, "one.jsonl"), "utf8");
    writeFileSync(join(server, "one.jsonl"), exported);
    await give("import", "one.jsonl", "--as", "again");
    expect((await give("export", "again", "--output", "-")).stdout.length).toBeGreaterThan(10_000);
    await give("show", "again", "--json");
    const { stderr } = await give("regrade", "one", "--quiet");
    expect(stderr).toContain("takes the same edges as before");
    await give("delete", "two", "--yes");
    await give("list");
    await give("view", "again", "--export", "pages.html", "--single");
    const [there, here] = [server, file].map((folder) => readFileSync(join(folder, "pages.html"), "utf8"));
    expect(there).toBe(here);
    expect((await give("list", "--store", "nowhere.db")).code).toBe(2);
  });

  test("does not show or keep its password", async () => {
    const folder = folderWith(capitalFiles(1));
    const address = await sharedPostgres();
    const { password, port } = new URL(address);
    const words = [...RUN, "--name", "one", "--quiet", "--store", address];
    const said = [
      // Nothing is there yet that a forecast could learn from.
      await elenchusHere(["plan", "capitals", "--subject", "openai/gpt-5-mini", "--store", address], {
        folder,
      }),
      await elenchusHere([...RUN, "--explain-config", "--store", address], { folder }),
      await elenchusHere(words, { folder }),
      await elenchusHere(["doctor", "--offline", "--store", address], { folder }),
      await elenchusHere(["list", "--json", "--store", address], { folder }),
      await elenchusHere(["export", "one", "--output", "-", "--store", address], { folder }),
      await elenchusHere(["show", "no", "--store", address], { folder }),
      await elenchusHere(["list", "--store", address.replace(password, "another-pass-9")], { folder }),
    ];
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 2, 2]);
    expect(said[3]?.stdout).toContain(`postgres://127.0.0.1:${port}/postgres?schema=`);
    for (const { stdout, stderr } of said) {
      expect(`${stdout}${stderr}`).not.toContain(password);
      expect(`${stdout}${stderr}`).not.toContain("another-pass-9");
    }
  });
});
