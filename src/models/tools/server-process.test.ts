import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { callNamed, open, SIGNAL } from "../../../test/tool-servers/open-servers.ts";
import { isRunning, program } from "../../../test/tool-servers/program.ts";

function readPid(file: string): number {
  const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
  if (Number.isNaN(pid)) throw new Error("not written yet");
  return pid;
}

test("no process is left after closing, not even one that ignores every request to end", async () => {
  const servers = open({ stubborn: program("hostile-server", "stubborn"), files: program("stdio-server") });
  const pids = [Number(await callNamed(servers, "go")), Number(await callNamed(servers, "pid"))];
  expect(pids.map(isRunning)).toEqual([true, true]);
  await servers.close();
  expect(pids.map(isRunning)).toEqual([false, false]);
  await expect(servers.offered(undefined, SIGNAL)).rejects.toThrow("is closed: the run is over");
});

test("closing ends a server that is still being started, and what it was started by", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-"));
  const pidFile = join(folder, "pid");
  const { command, args } = program("hostile-server", "silent");
  const script = `"${command}" "${args.join('" "')}"; true`;
  const servers = open({
    silent: { command: "sh", args: ["-c", script], env: { PID_FILE: pidFile, STUBBORN: "1" } },
  });
  const refused = expect(servers.offered(undefined, SIGNAL)).rejects.toMatchObject({ category: "tool" });
  const pid = await vi.waitFor(() => readPid(pidFile), 5_000);
  expect(isRunning(pid)).toBe(true);
  await servers.close();
  await refused;
  expect(isRunning(pid)).toBe(false);
  rmSync(folder, { recursive: true });
});

test("a run that ends without closing leaves no process behind", async () => {
  const run = promisify(execFile);
  const { command, args } = program("careless-run");
  const { stdout } = await run(command, args);
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5_000);
});
