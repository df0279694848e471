import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  callNamed,
  open,
  SIGNAL,
  timePasses,
  toolOf,
  written,
} from "../../../../test/tool-servers/open-servers.ts";
import { isRunning, program } from "../../../../test/tool-servers/program.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";

test("a server that dies fails the calls in flight, says why, and is started again for the next", async () => {
  const environment = { ...process.env, KEY: "s3cret-0123456789" };
  const servers = open(
    { files: { ...program("stdio-server"), env: { SAMPLE_KEY: "$KEY" } } },
    { environment },
  );
  const [hang, crash] = [await toolOf(servers, "hang"), await toolOf(servers, "crash")];
  const calls = await Promise.allSettled([servers.call(hang, {}, SIGNAL), servers.call(crash, {}, SIGNAL)]);
  const messages = calls.map(
    (call) => call.status === "rejected" && [call.reason.category, call.reason.message],
  );
  const words = "(exit code 3). Its last output: loading\nfatal: key [redacted] was refused";
  expect(messages).toEqual([
    ["tool", `The tool server "files" ended while the tool "hang" was called ${words}`],
    ["tool", `The tool server "files" ended while the tool "crash" was called ${words}`],
  ]);
  expect(await callNamed(servers, "add", { a: 1, b: 2 })).toBe("3");
});

test("a server that is killed is started again, but not for ever", async () => {
  const servers = open({ files: program("stdio-server") }, { restarts: 2 });
  const hang = await toolOf(servers, "hang");
  for (let start = 0; start <= 2; start++) {
    const pid = Number(await callNamed(servers, "pid"));
    const call = servers.call(hang, {}, SIGNAL);
    process.kill(pid, "SIGKILL");
    await expect(call).rejects.toThrow('ended while the tool "hang" was called (signal SIGKILL).');
  }
  await expect(servers.call(hang, {}, SIGNAL)).rejects.toThrow(
    'The tool server "files" stays down: it has been started 3 times. The tool server "files" ended',
  );
});

test("a tool that hangs runs out of time without harm to others; a server that hangs is ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-"));
  const frozen = join(folder, "frozen");
  const clock = new VirtualClock();
  const server = { ...program("stdio-server"), env: { FROZEN_FILE: frozen } };
  const servers = open({ files: server }, { callTimeoutMs: 1_000, clock });
  const pid = Number(await callNamed(servers, "pid"));
  const hanging = expect(servers.call(await toolOf(servers, "hang"), {}, SIGNAL)).rejects.toThrow(
    /^The tool server "files" did not answer within 1 s while the tool "hang" was called\.$/,
  );
  await clock.advance(1_000);
  await hanging;
  expect(Number(await callNamed(servers, "pid"))).toBe(pid);
  const freezing = expect(servers.call(await toolOf(servers, "freeze"), {}, SIGNAL)).rejects.toThrow(
    "It does not react to anything any more",
  );
  await written(frozen);
  await timePasses(clock, freezing);
  expect(Number(await callNamed(servers, "pid"))).not.toBe(pid);
  await timePasses(clock, servers.close());
  rmSync(folder, { recursive: true });
  expect(isRunning(pid)).toBe(false);
});

test("a server that dies between calls is started again without an error", async () => {
  const servers = open({ files: program("stdio-server") });
  const tool = await toolOf(servers, "pid");
  const pid = Number(await callNamed(servers, "pid"));
  process.kill(pid, "SIGKILL");
  // While the end is not noticed yet, a call may still fail; after that, none does.
  await vi.waitFor(() => servers.call(tool, {}, SIGNAL), { timeout: 25_000 });
  expect(Number(await callNamed(servers, "pid"))).not.toBe(pid);
});
