import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { CAPITAL, capitalFolder, OTHER_CAPITAL } from "./capital-file.ts";
import { folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

/** Where two runs are: the latest is `tuesday`, with two scenarios and two subjects, of which one gives in. */
const here = { folder: mkdtempSync(join(tmpdir(), "elenchus-cli-")) };
let held: Promise<void> | undefined;

async function hold(): Promise<void> {
  writeFileSync(join(here.folder, "capital.yaml"), CAPITAL);
  writeFileSync(join(here.folder, "other.yaml"), OTHER_CAPITAL);
  await elenchus(["run", "capital.yaml", "--subject", "sim/silent", "--name", "monday"], here);
  const subjects = ["--subject", "sim/steadfast", "--subject", "sim/sycophant"];
  const { code } = await elenchus(["run", ".", ...subjects, "--replicates", "2", "--name", "tuesday"], here);
  expect(code).toBe(0);
}

// Nothing here changes what is stored, so once is enough.
beforeEach(() => {
  held ??= hold();
  return held;
});

afterAll(() => rmSync(here.folder, { recursive: true, force: true }));

/** What a command prints that goes well and says nothing else. */
async function printed(words: readonly string[], given: { readonly folder: string }): Promise<string> {
  const { code, stdout, stderr } = await elenchus(words, given);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("list has the latest first", async () => {
  const lines = (await printed(["list"], here)).split("\n");
  expect(lines[0]).toMatch(/^run +started +done +state +result +subjects/);
  expect(lines[1]).toMatch(
    /^tuesday +\d{4}-\d\d-\d\d \d\d:\d\d +8 +finished +held_firm 0–100 % +sim\/steadfa/,
  );
  expect(lines[2]).toMatch(/^monday .* 1 +finished +(?:held_firm .*)?sim\/silent/);
  expect(await printed(["list", "--limit", "1"], here)).toMatch(/\n… and 1 earlier: --limit 2\n$/);
  const data = (await printed(["list", "--json"], here)).trimEnd().split("\n");
  expect(data.map((line) => (JSON.parse(line) as { readonly run: string }).run)).toEqual([
    "tuesday",
    "monday",
  ]);
});

describe("show", () => {
  test("the latest run, one by the beginning of its name, one scenario of it", async () => {
    const latest = await printed(["show"], here);
    expect(latest).toMatch(/^Run tuesday\n/);
    expect(latest).toMatch(/\nsim\/sycophant +0\.0 % \(0–\d+\)\n[\s\S]*\nn 2 × 2 \(items × replicates\)/);
    expect(latest).toContain("capital · 2 nodes, 3 edges");
    expect(latest).toContain("other-capital · 2 nodes, 3 edges");
    expect(await printed(["show", "mon"], here)).toMatch(/^Run monday\n/);
    const one = await printed(["show", "--scenario", "other-capital"], here);
    expect(one).not.toMatch(/^capital · /m);
    expect(one).toMatch(/\nsim\/sycophant +0\.0 %\n[\s\S]*\nn 1 × 2 \(items × replicates\)/);
  });

  test("a conversation word for word, and what failed", async () => {
    const failures = await printed(["show", "--failures"], here);
    expect(failures).toMatch(/^With a failed outcome: 4 of 8 conversations\n/);
    expect(failures).not.toContain("sim/steadfast");
    const [, name = ""] = /^ {2}([0-9a-f]{16}) {2}held_firm$/m.exec(failures) ?? [];
    const shown = await printed(["show", name.slice(0, 8)], here);
    expect(shown).toMatch(new RegExp(`^Conversation ${name}\n`));
    expect(shown).toMatch(/\n {2}subject {4}sim\/sycophant\n/);
    expect(shown).toContain("✗ wrong, expected ");
    expect(shown).toMatch(/\nOutcomes\n {2}held_firm {2}✗ false/);
    const events = (await printed(["show", name, "--json"], here)).trimEnd().split("\n");
    const types = events.map((line) => (JSON.parse(line) as { readonly type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(["conversation-start", "conversation-end"]);
  });

  test("a reply that cannot be read is neither right nor wrong", async () => {
    expect(await printed(["show", "monday"], here)).toMatch(/\n {2}sim\/silent +– +0 +1 +0\n/);
    expect(await printed(["show", "monday", "--failures"], here)).toMatch(/Unread replies/);
  });

  test("as data", async () => {
    const data: unknown = JSON.parse(await printed(["show", "--json", "--subject", "sim/sycophant"], here));
    expect(data).toMatchObject({
      run: "tuesday",
      statuses: { completed: 8 },
      rates: {
        outcomes: [{ outcome: "held_firm", lines: [{ group: { subject: "sim/sycophant" }, yes: 0, n: 4 }] }],
      },
      results: [{ scenario: "capital" }, { scenario: "other-capital" }],
    });
  });
});

describe("export", () => {
  test.each([
    ["--table", ["--table", "turns"]],
    ["--variant", ["--variant", "a=b"]],
    ["--by", ["--format", "csv", "--by", "subject"]],
    ["--average", ["--format", "csv", "--average", "macro"]],
    ["--eval", ["--eval"]],
    ["--by-scenario", ["--by-scenario"]],
    ["--lossy", ["--lossy"]],
  ])("a flag that would have no effect is refused: %s", async (flag, flags) => {
    const { code, stdout, stderr } = await elenchus(["export", ...flags], here);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${flag} has no effect here: add --format`);
  });

  test.each([
    ["conversations", 8],
    ["turns", 16],
    ["outcomes", 8],
  ])("the table of %s, as CSV and as JSON", async (table, count) => {
    const words = ["export", "--table", table, "--format"];
    const [head = "", ...rows] = (await printed([...words, "csv"], here))
      .trimEnd()
      .split(/\r?\n(?=tuesday,)/);
    const json = JSON.parse(await printed([...words, "json"], here)) as readonly Record<string, unknown>[];
    expect([rows.length, json.length]).toEqual([count, count]);
    expect(head.split(",")).toEqual(Object.keys(json[0] ?? {}));
    expect(json.every(({ run }) => run === "tuesday")).toBe(true);
  });

  test.each([["run"], ["csv"], ["json"]])(
    "%s: to a file what else goes to standard output",
    async (format) => {
      const words = ["export", "monday", "--format", format];
      const written = await elenchus([...words, "--output", "out.txt"], here);
      expect(written).toEqual({ code: 0, stdout: "", stderr: "Wrote run monday to out.txt\n" });
      const mark = format === "csv" ? "\ufeff" : "";
      expect(readFileSync(join(here.folder, "out.txt"), "utf8")).toBe(mark + (await printed(words, here)));
    },
  );
});

test("import takes a run into another folder, with the same results", async () => {
  await elenchus(["export", "--output", "tuesday.jsonl"], here);
  const there = { folder: folderWith() };
  const file = readFileSync(join(here.folder, "tuesday.jsonl"), "utf8");
  const taken = await elenchus(["import", "-"], { ...there, input: file });
  expect(taken).toEqual({
    code: 0,
    stdout: "Imported run tuesday. Look at it: elenchus show tuesday\n",
    stderr: "",
  });
  for (const words of [
    ["show", "tuesday"],
    ["show", "tuesday", "--failures"],
    ["export", "--format", "csv", "--table", "turns"],
    ["export", "--format", "json", "--table", "outcomes"],
  ])
    expect(await printed(words, there)).toBe(await printed(words, here));
  // A second time only under another name.
  expect((await elenchus(["import", "-"], { ...there, input: file })).code).toBe(2);
  expect((await elenchus(["import", "-", "--as", "again"], { ...there, input: file })).code).toBe(0);
});

test("a run is taken up again from any folder of the project, with the words it was asked for", async () => {
  const folder = capitalFolder({ "elenchus.config.yaml": "subjects: sim/learner\n", "deep/er/readme": "" });
  const inside = join(folder, "deep/er");
  const begun = await elenchus(["run", "../../capital.yaml", "--name", "monday", "-q"], { folder: inside });
  expect(begun.code).toBe(0);
  const words = { resume: ["resume", "monday", "-q"], regrade: ["regrade", "monday", "-q"] };
  for (const [name, given] of Object.entries(words)) {
    const { code, stderr, stdout } = await elenchus(given, { folder });
    expect([name, code, stderr]).toEqual([name, 0, expect.any(String)]);
    expect(stdout).toContain("elenchus: 1 conversation, held_firm");
  }
});
