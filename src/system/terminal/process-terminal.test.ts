import { spawn } from "node:child_process";
import { expect, test } from "vitest";

const TERMINAL = new URL("./process-terminal.ts", import.meta.url).href;

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly messages: string;
}

/** Runs a script that has a `terminal`; `close` names the pipe that is closed after its first piece. */
function run(script: string, close?: "stdout" | "stderr"): Promise<Ended> {
  const source = `import { processTerminal } from ${JSON.stringify(TERMINAL)};\nconst terminal = processTerminal();\n${script}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, messages] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
    if (close === "stdout") child.stdout.destroy();
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    messages += piece;
    if (close === "stderr") child.stderr.destroy();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, messages }));
  });
}

const ENDLESS = `
  for (;;) {
    terminal.output.write("line\\n");
    await new Promise((resolve) => setImmediate(resolve));
    await terminal.output.drained();
  }`;

test("a reader that leaves ends the process quietly", async () => {
  const { code, output, messages } = await run(ENDLESS, "stdout");
  expect([code, messages]).toEqual([0, ""]);
  expect(output).toMatch(/^line\n/);
});

test("work that goes on is told, and ends by itself", async () => {
  const { code, messages } = await run(
    `let isOver = false;
    terminal.onClosed(() => { isOver = true; });
    while (!isOver) {
      terminal.output.write("line\\n");
      await new Promise((resolve) => setImmediate(resolve));
    }
    terminal.output.write("nobody reads it\\n");
    await terminal.flush();
    terminal.messages.write("saved");
    process.exitCode = terminal.closedWith ?? 1;`,
    "stdout",
  );
  expect([code, messages]).toEqual([0, "saved"]);
});

test("messages that nobody reads disturb nobody", async () => {
  const { code, output } = await run(
    `terminal.messages.write("first\\n");
    process.stderr.once("error", () => {
      terminal.messages.write("more\\n");
      terminal.output.write("done\\n");
      clearInterval(timer);
    });
    const timer = setInterval(() => terminal.messages.write("again\\n"), 1);`,
    "stderr",
  );
  expect([code, output]).toEqual([0, "done\n"]);
});

test("nothing is lost when the process ends after a flush", async () => {
  const { code, output } = await run(
    `terminal.output.write("x".repeat(3_000_000));
    terminal.output.write("end");
    await terminal.flush();
    process.exit(3);`,
  );
  expect(code).toBe(3);
  expect(output.length).toBe(3_000_003);
  expect(output.endsWith("xend")).toBe(true);
});

test("an output that cannot be written for another reason says so", async () => {
  const { code, messages } = await run(
    `process.stdout.emit("error", Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
    setInterval(() => {}, 1000);`,
  );
  expect([code, messages]).toEqual([2, "Standard output cannot be written: no space left on device\n"]);
});
