import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { showDemo } from "../../src/apps/cli/start/demo.ts";
import { openStore } from "../../src/engine/journal/store/open-store.ts";
import { textWidth } from "../../src/system/terminal/text-layout.ts";
import { capturedTerminal } from "../captured-terminal.ts";
import { folderWith, inOneProcess } from "./cli.ts";

const elenchus = inOneProcess();

const COMMANDS = [
  ...["demo", "init", "doctor", "draft", "check", "diff", "plan", "rehearse", "play", "run", "resume"],
  ...["grade", "regrade", "merge", "why-miss", "worker", "workers", "stop"],
  ...["list", "show", "view", "compare", "export", "import", "tag", "delete"],
];

test("--version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  const ended = await elenchus(["--version"], { folder: folderWith() });
  expect(ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("--help names every command with what it does, and fits a terminal", async () => {
  const { code, stdout, stderr } = await elenchus(["--help"], { folder: folderWith() });
  expect([code, stderr]).toEqual([0, ""]);
  const named = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map(([, name]) => name);
  expect(named).toEqual([...COMMANDS, "help"]);
  expect(tooWide(stdout)).toEqual([]);
  expect(stdout).toContain("\nExamples:\n  $ elenchus demo\n");
});

test.each(COMMANDS)("%s --help describes it, with examples", async (name) => {
  const { code, stdout, stderr } = await elenchus([name, "--help"], { folder: folderWith() });
  expect([code, stderr]).toEqual([0, ""]);
  const [usage = "", description = ""] = stdout.split("\n\n");
  expect(usage).toMatch(new RegExp(`^Usage: elenchus ${name}\\b`));
  expect(description.split(" ").length).toBeGreaterThan(4);
  expect(stdout).toMatch(new RegExp(`\nExamples:\n(?:  \\$ .*\n)*  \\$ elenchus ${name}`));
  expect(tooWide(stdout)).toEqual([]);
});

test("examples name scenarios that there are", async () => {
  const folder = folderWith();
  const texts = await Promise.all(COMMANDS.map((name) => elenchus([name, "--help"], { folder })));
  const names = texts.flatMap(({ stdout }) => stdout.match(/(?<=--scenario )pressure\/\S+/g) ?? []);
  expect(names).not.toEqual([]);
  const { code } = await elenchus(
    ["check", "pack:pressure", ...names.flatMap((name) => ["--scenario", name])],
    { folder },
  );
  expect(code).toBe(0);
});

test("a newcomer gets from nothing to results", async () => {
  const folder = folderWith();
  const begun = await elenchus(["init", "mine"], { folder });
  expect(begun.code).toBe(0);
  for (const command of ["elenchus check", "elenchus run", "elenchus show"])
    expect(begun.stdout).toContain(command);
  const here = { folder: join(folder, "mine") };

  const checked = await elenchus(["check"], here);
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toMatch(/▶ ask[\s\S]*✓ \d scenarios in order\n$/);

  const held = await elenchus(["run"], here);
  expect(held.code).toBe(0);
  const [, run = ""] = /\nrun (\w+) · elenchus show \w+\n$/.exec(held.stdout) ?? [];
  expect(held.stdout).toMatch(/sim\/steadfast {2}100\.0 % /);

  const shown = await elenchus(["show"], here);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toMatch(new RegExp(`^Run ${run}\n`));
  expect(shown.stdout).toContain("\nPaths of ");

  const looked = await elenchus(["doctor", "--offline"], here);
  expect(looked.code).toBe(0);
  expect(looked.stdout).toContain("1 run");
  expect(looked.stdout).toContain("OPENAI_API_KEY is not set");
});

test("demo shows what there is to see, and says that nobody real was asked", async () => {
  const folder = folderWith();
  const { code, stdout, stderr } = await elenchus(["demo"], { folder });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^The subjects of this demo are simulated/);
  expect(stdout).toMatch(/^\d[\d,]+ conversations: \d+ items × 7 subjects × 2 replicates$/m);
  // A table with rates and their n.
  expect(stdout).toMatch(/^resisted +rate +95 % interval +n /m);
  expect(stdout).toMatch(/^ {2}sim\/steadfast +100\.0 % +\d+–100 % +\d+ /m);
  expect(stdout).toMatch(/^ {2}sim\/sycophant +0\.0 % +0–\d+ % +\d+ /m);
  // A conversation, word for word.
  expect(stdout).toMatch(
    /^Turn 1 · ask\n {2}asked .*\n[\s\S]*^ {2}verdict {2}right\n[\s\S]*^ {2}verdict {2}wrong$/m,
  );
  // The graph with how many went where.
  expect(stdout).toMatch(/^▶ ask +\d+ +\S/m);
  expect(stdout).toMatch(/^ {2}[├└]─→ .* {2}\d+ +\d+ % /m);
  const [, next = ""] = stdout.split("Next steps\n");
  expect(next).toContain("npx elenchus run pack:pressure --subject openai/gpt-5-mini");
  expect(next).toContain("npx elenchus init my-benchmark");
  // What it says can be typed works, and nothing was left where it was typed.
  const [, store = ""] = /npx elenchus show demo --store (\S+)/.exec(next) ?? [];
  expect(store).toContain("elenchus-demo-");
  onTestFinished(() => rmSync(dirname(store), { recursive: true, force: true }));
  expect((await elenchus(["show", "demo", "--store", store], { folder })).code).toBe(0);
  expect(existsSync(join(folder, ".elenchus"))).toBe(false);
  // It fits a narrow terminal, too; only commands are not broken, so that they can be copied.
  const narrow = await seenAt(40, store);
  expect(narrow.split("\n").filter((line) => textWidth(line) > 40 && !line.includes("elenchus"))).toEqual([]);
});

/** What the demo shows of its run in a narrower terminal. */
async function seenAt(width: number, path: string): Promise<string> {
  const terminal = capturedTerminal(dirname(path), { width, isTerminal: true });
  const store = await openStore(path, { readOnly: true });
  const run = store.run("demo");
  if (run !== undefined) showDemo(store, run, { path, terminal });
  store.close();
  expect(terminal.output.text).toContain("Next steps");
  return terminal.output.text;
}

/** Lines that are wider than a terminal; examples cannot be broken. */
function tooWide(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.length > 80 && !line.startsWith("  $ "));
}
