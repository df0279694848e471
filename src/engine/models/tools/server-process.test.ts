import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { callNamed, open, SIGNAL, timePasses } from "../../../../test/tool-servers/open-servers.ts";
import { isRunning, program } from "../../../../test/tool-servers/program.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import { SecretMatcher } from "../../../system/secrets/known-secrets.ts";
import { OutputTail, type ToolClock } from "./server-process.ts";

function readPid(file: string): number {
  const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
  if (Number.isNaN(pid)) throw new Error("not written yet");
  return pid;
}

test("no process is left after closing, not even one that ignores every request to end", async () => {
  const clock = new VirtualClock();
  const servers = open(
    { stubborn: program("hostile-server", "stubborn"), files: program("stdio-server") },
    { clock },
  );
  const pids = [Number(await callNamed(servers, "go")), Number(await callNamed(servers, "pid"))];
  expect(pids.map(isRunning)).toEqual([true, true]);
  await timePasses(clock, servers.close());
  expect(pids.map(isRunning)).toEqual([false, false]);
  await expect(servers.offered(undefined, SIGNAL)).rejects.toThrow("is closed: the run is over");
});

test("closing ends a server that is still being started, and what it was started by", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-"));
  const pidFile = join(folder, "pid");
  const { command, args } = program("hostile-server", "silent");
  const script = `"${command}" "${args.join('" "')}"; true`;
  // A clock that stands still: the test itself runs the first timer after `close`, which sends SIGTERM.
  let onTimer: (action: () => void) => void = () => {};
  const clock: ToolClock = {
    after(_, action) {
      onTimer(action);
      return () => {};
    },
  };
  const servers = open(
    { silent: { command: "sh", args: ["-c", script], env: { PID_FILE: pidFile, STUBBORN: "1" } } },
    { clock },
  );
  const refused = expect(servers.offered(undefined, SIGNAL)).rejects.toMatchObject({ category: "tool" });
  const pid = await vi.waitFor(() => readPid(pidFile), { timeout: 25_000 });
  expect(isRunning(pid)).toBe(true);
  const firstTimer = Promise.withResolvers<() => void>();
  onTimer = firstTimer.resolve;
  const closing = servers.close();
  (await firstTimer.promise)();
  await closing;
  await refused;
  // Of a child of the launcher we see only that its pipes are closed. The kernel does this a moment before the process is gone.
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 25_000 });
  rmSync(folder, { recursive: true });
});

test("a run that ends without closing leaves no process behind", async () => {
  const run = promisify(execFile);
  const { command, args } = program("careless-run");
  const { stdout } = await run(command, args);
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 25_000 });
});

const asIs = (text: string): string => text;

function said(...texts: readonly string[]): OutputTail {
  const words = new OutputTail();
  for (const text of texts) words.add(text);
  return words;
}

test("the last lines are shown, without colours, blank lines and stack traces", () => {
  const text = "one\r\n\u001b[31mError: bad\u001b[0m\n    at read (file.js:1:2)\n\n\u0007two\n";
  expect(said(text).show(asIs)).toBe("one\nError: bad\ntwo");
  const many = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  expect(said(many).show(asIs).split("\n")).toEqual([92, 93, 94, 95, 96, 97, 98, 99].map((n) => `line ${n}`));
});

test("nothing written is nothing shown", () => {
  expect(said("\n \n").show(asIs)).toBe("");
});

test("no part of a secret is shown, wherever the text is cut", () => {
  const secret = "abcdefghijklmnopqrstuvwxyz0123456789";
  const matcher = new SecretMatcher([secret]);
  const hide = (text: string): string => matcher.mask(text);
  for (let length = 0; length < 50; length++) {
    const shown = said("x".repeat(20_000), secret, "y".repeat(980 + length)).show(hide);
    expect(shown).not.toMatch(/789|xyz0/);
    const flooded = said(secret, "\n".repeat(16_384 - length), "end").show(hide);
    expect(["end", "[redacted]\nend"]).toContain(flooded);
  }
});

test("secrets are hidden also where control characters are put between their letters", () => {
  const matcher = new SecretMatcher(["secret-0123"]);
  expect(said("key sec\u0000ret-\u001b[1m0123").show((text) => matcher.mask(text))).toBe("key [redacted]");
});
