import { renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CAPITAL, canberraServer, capitalFolder, openaiAt } from "./capital-file.ts";
import { type Given, inOneProcess, inTerminal, start } from "./cli.ts";

const elenchus = inOneProcess();

/** A command that goes on, and what it has printed so far. */
function watching(words: readonly string[], given: Given) {
  const child = start(words, given);
  let [printed, mark] = ["", 0];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      for (const look of waiting) look();
    });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return {
    ended,
    all: () => printed,
    /** Resolves with what was printed since the last time, once it matches. */
    until: (pattern: RegExp): Promise<string> =>
      new Promise((resolve) => {
        const look = (): void => {
          const fresh = printed.slice(mark);
          if (!pattern.test(fresh)) return;
          waiting.delete(look);
          mark = printed.length;
          resolve(fresh);
        };
        waiting.add(look);
        look();
      }),
    interrupt: () => child.kill("SIGINT"),
  };
}

const CLEAR = "\u001b[2J\u001b[3J\u001b[H";
const WATCHING = /Watching \d+ files?\. Ctrl-C ends\.\n$/;

/** As editors do: a new file takes the place of the old one. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

describe("check --watch", () => {
  test("checks again when a file changes, also by another in its place, and goes on after errors", async () => {
    const folder = capitalFolder();
    const file = join(folder, "capital.yaml");
    const watch = watching(["check", "capital.yaml", "--no-draw", "--watch"], { folder });
    expect(await watch.until(WATCHING)).toContain("✓ 1 scenario in order");
    replaceFile(file, CAPITAL.replace("entry: ask", "entry: aks"));
    const broken = await watch.until(WATCHING);
    expect(broken).toContain("Changed: capital.yaml\n");
    expect(broken).toContain('"aks"');
    // It goes and comes back.
    unlinkSync(file);
    expect(await watch.until(WATCHING)).toContain("error:");
    writeFileSync(file, CAPITAL);
    expect(await watch.until(WATCHING)).toContain("✓ 1 scenario in order");
    replaceFile(file, CAPITAL.replace("name: capital", "name: other"));
    await watch.until(WATCHING);
    expect(watch.all().match(/Watching/g)).toHaveLength(5);
    // Not a terminal: nothing is cleared.
    expect(watch.all()).not.toContain("\u001b");
    watch.interrupt();
    expect(await watch.ended).toBe(130);
  });

  test("sees new files of a folder, datasets and the project file", async () => {
    const rows = `${CAPITAL.replace("capital of Australia?", "capital of {{ row.country }}?")}dataset: rows.csv\n`;
    const folder = capitalFolder({ "all/rows.yaml": rows, "all/rows.csv": "country\nAustralia\n" });
    const watch = watching(["check", "all", "--no-draw", "--watch"], { folder });
    await watch.until(WATCHING);
    writeFileSync(join(folder, "all/rows.csv"), "land\nAustralia\n");
    expect(await watch.until(WATCHING)).toMatch(/Changed: all\/rows\.csv\n[\s\S]*country/);
    writeFileSync(join(folder, "all/more.yaml"), CAPITAL.replace("name: capital", "name: more"));
    expect(await watch.until(WATCHING)).toContain("Changed: all/more.yaml\n");
    watch.interrupt();
    expect(await watch.ended).toBe(130);
  });

  test("clears the screen of a terminal", async () => {
    const folder = capitalFolder();
    const terminal = inTerminal(["check", "capital.yaml", "--no-draw", "--watch"], { folder });
    await terminal.until(() => terminal.printed().includes("Ctrl-C ends"));
    replaceFile(join(folder, "capital.yaml"), CAPITAL.replace("entry: ask", "entry: aks"));
    await terminal.until(() => (terminal.printed().match(/Ctrl-C ends/g) ?? []).length === 2);
    // What was seen before is gone from the screen.
    const seen = terminal.printed().split(CLEAR).at(-1);
    expect(seen).toContain("aks");
    expect(seen).not.toContain("✓");
    terminal.write("\u0003");
    expect((await terminal.ended).code).toBe(130);
  });

  test("standard input cannot be watched", async () => {
    const { code, stderr } = await elenchus(["check", "-", "--watch"], { folder: capitalFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain("Standard input cannot be watched.");
  });
});

describe("run --watch", () => {
  test("asks only what a change affects, and keeps the last run alone", async () => {
    const server = await canberraServer();
    const folder = capitalFolder();
    const here = { folder, environment: openaiAt(server) };
    const words = [
      "run",
      "capital.yaml",
      "--subject",
      "openai/gpt-5-mini",
      "-q",
      "--name",
      "draft",
      "--watch",
    ];
    const watch = watching(words, here);
    expect(await watch.until(WATCHING)).toContain("run draft");
    expect(server.requests).toHaveLength(2);
    replaceFile(join(folder, "capital.yaml"), CAPITAL.replace("Are you sure?", "Really?"));
    expect(await watch.until(WATCHING)).toContain("run draft");
    expect(server.requests).toHaveLength(3);
    watch.interrupt();
    expect(await watch.ended).toBe(130);
    const { stdout } = await elenchus(["list", "--json"], here);
    expect(new Set(stdout.match(/(?<="run": ?")[^"]+/g))).toEqual(new Set(["draft"]));
  });

  test.each([["--view"], ["--record", "calls.jsonl"]])("refuses %s", async (...words) => {
    const { code, stderr } = await elenchus(
      ["run", "capital.yaml", "--subject", "sim/steadfast", "--watch", ...words],
      {
        folder: capitalFolder(),
      },
    );
    expect(code).toBe(2);
    expect(stderr).toContain("--watch");
  });
});
