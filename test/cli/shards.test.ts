import { describe, expect, test } from "vitest";
import { copyInto, type Ended, folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const RUN = [
  "run",
  "examples",
  "--subject",
  "sim/waverer",
  "--subject",
  "sim/steadfast",
  "--replicates",
  "3",
];

function project(): string {
  const folder = folderWith();
  for (const file of ["branching", "capital-under-pressure", "sycophancy-resistance"])
    copyInto(folder, `examples/${file}.yaml`);
  return folder;
}

function shard(folder: string, which: string, more: readonly string[] = []): Promise<Ended> {
  const [index] = which.split("/");
  return elenchus([...RUN, "--shard", which, "--store", `${index}.db`, "--quiet", ...more], { folder });
}

describe("shards", () => {
  test("are merged into a run with the same table, thresholds included", async () => {
    const folder = project();
    const whole = await elenchus([...RUN, "--store", "whole.db", "--name", "r"], { folder });
    const shards = await Promise.all(["1/3", "2/3", "3/3"].map((which) => shard(folder, which)));
    expect([whole, ...shards].map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const merged = await elenchus(["merge", "3.db", "1.db", "2.db", "--store", "all.db", "--as", "r"], {
      folder,
    });
    expect(merged).toMatchObject({ code: 0, stdout: whole.stdout, stderr: "" });
    const shown = await Promise.all(
      ["whole.db", "all.db"].map((store) =>
        elenchus(["export", "--format", "json", "--table", "turns", "--store", store], { folder }),
      ),
    );
    const withoutTimes = shown.map(({ stdout }) =>
      stdout.replaceAll(/"(?:\w+_?(?:at|At|[mM]s))": [\d.]+/g, ""),
    );
    expect(withoutTimes[1]).toBe(withoutTimes[0]);
    const missed = await elenchus(
      ["merge", "1.db", "2.db", "3.db", "--store", "again.db", "--fail-under", "knew_it=2"],
      { folder },
    );
    expect(missed.code).toBe(2);
    expect((await elenchus(["list", "--store", "again.db"], { folder })).code).toBe(2);
  });

  test("that cannot be merged are refused in one sentence, and no run is written", async () => {
    const folder = project();
    await shard(folder, "1/2");
    const again = await elenchus(["merge", "1.db", "1.db"], { folder });
    expect(again).toMatchObject({ code: 2, stderr: "error: The store 1.db is given twice.\n" });
    const missing = await elenchus(["merge", "1.db"], { folder });
    expect(missing).toMatchObject({
      code: 2,
      stderr: "error: A shard is missing: 2/2. Name the stores of all shards.\n",
    });
    const none = await elenchus(["merge", "1.db", "2.db"], { folder });
    expect(none).toMatchObject({ code: 2, stderr: "error: There is no store 2.db.\n" });
    const same = await elenchus(["merge", "1.db", "--store", "1.db"], { folder });
    expect(same.stderr).toBe(
      "error: The store 1.db has a shard, so the merged run needs another one: --store all.db\n",
    );
    const wrong = await shard(folder, "3/2");
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('"3/2" is no shard.');
  });

  test("can be resumed as the part that they are", async () => {
    const folder = project();
    const { code } = await shard(folder, "1/2", ["--budget", "4 calls", "--concurrency", "1"]);
    expect(code).toBe(0);
    const resumed = await elenchus(["resume", "--store", "1.db", "--budget", "1000 calls", "--quiet"], {
      folder,
    });
    expect(resumed).toMatchObject({ code: 0 });
    await shard(folder, "2/2");
    const merged = await elenchus(["merge", "1.db", "2.db", "--store", "all.db", "--quiet"], { folder });
    expect(merged.stdout).toContain("elenchus: 18 conversations");
  });
});
