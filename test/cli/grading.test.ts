import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CAPITAL, capitalFolder } from "./capital-file.ts";
import { inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

describe("grade", () => {
  test("grades what export wrote, as a run that show, list and regrade know", async () => {
    const here = { folder: capitalFolder() };
    await elenchus(["run", "capital.yaml", "--subject", "sim/sycophant", "--name", "monday"], here);
    await elenchus(["export", "monday", "--format", "records", "-o", "records.jsonl"], here);
    const ended = await elenchus(
      ["grade", "records.jsonl", "--scenario", "capital.yaml", "--name", "graded", "-q"],
      here,
    );
    const before = await elenchus(["show", "monday", "--json"], here);
    const after = await elenchus(["show", "graded", "--json"], here);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    const outcomes = (text: string): unknown =>
      (JSON.parse(text) as { results: [{ outcomes: unknown }] }).results[0].outcomes;
    expect(outcomes(after.stdout)).toEqual(outcomes(before.stdout));
    expect((await elenchus(["list"], here)).stdout).toMatch(/graded .*recorded/);
    expect((await elenchus(["regrade", "graded"], here)).stdout).toMatch(
      /^Every conversation takes the same edges/,
    );
    const resumed = await elenchus(["resume", "graded"], here);
    expect([resumed.code, resumed.stdout + resumed.stderr]).toEqual([
      expect.any(Number),
      expect.not.stringContaining("    at "),
    ]);
  });

  test("counts the conversations of subjects that have different numbers of records", async () => {
    const here = { folder: capitalFolder() };
    await elenchus(["run", "capital.yaml", "--subject", "sim/steadfast", "--name", "one"], here);
    const exported = await elenchus(["export", "one", "--format", "records"], here);
    const record = JSON.parse(exported.stdout.split("\n")[0] ?? "") as object;
    const records = ["a", "a", "b", "c", "c"].map((subject, i) =>
      JSON.stringify({ ...record, subject, id: String(i), replicate: i + 1 }),
    );
    writeFileSync(join(here.folder, "uneven.jsonl"), `${records.join("\n")}\n`);
    const graded = await elenchus(["grade", "uneven.jsonl", "--scenario", "capital.yaml", "-q"], here);
    expect(graded.stdout).toMatch(/^elenchus: 5 conversations; /);
    const shown = await elenchus(["show"], here);
    expect(shown.stdout).toMatch(/ a +2 [\s\S]* b +1 [\s\S]* c +2 [\s\S]* total +5 /);
  });

  test("tells what is wrong with records by line, and leaves no store behind", async () => {
    const folder = capitalFolder({
      "bad.jsonl": '{"id": 1}\nnonsense\n{"id": 2, "subject": "m", "scenario": "capitl", "turns": []}\n',
    });
    const { code, stderr } = await elenchus(["grade", "bad.jsonl", "--scenario", "capital.yaml"], { folder });
    expect(code).toBe(2);
    expect(stderr).toContain("bad.jsonl:1: a record has either `messages` or `turns`.");
    expect(stderr).toContain("bad.jsonl:2: the line is not JSON");
    expect(stderr).toContain('bad.jsonl:3: there is no scenario "capitl". Did you mean "capital"?');
    expect(existsSync(join(folder, ".elenchus"))).toBe(false);
    const missing = await elenchus(["grade", "none.jsonl", "--scenario", "capital.yaml"], { folder });
    expect([missing.code, missing.stderr]).toEqual([2, "error: There is no file none.jsonl.\n"]);
  });

  test("a mismatch has a column, and says the first difference", async () => {
    const [question = ""] = /question: (.*)/.exec(CAPITAL)?.slice(1) ?? [];
    expect(question).not.toBe("");
    const record = {
      id: "1",
      subject: "m",
      messages: [
        { role: "user", content: "Another question?" },
        { role: "assistant", content: "Yes." },
      ],
    };
    const here = { folder: capitalFolder({ "records.jsonl": `${JSON.stringify(record)}\n` }) };
    const { code, stdout } = await elenchus(["grade", "records.jsonl", "--scenario", "capital.yaml"], here);
    expect(code).toBe(0);
    expect(stdout).toContain("record mismatches");
    const shown = await elenchus(["show", "--failures"], here);
    expect(shown.stdout.replace(/\s+/g, " ")).toContain("the questions differ at character 1");
  });
});
