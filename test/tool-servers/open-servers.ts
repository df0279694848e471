import { existsSync } from "node:fs";
import { afterEach, vi } from "vitest";
import type { OfferedTool } from "../../src/engine/models/tools/offered-tools.ts";
import type { ToolServer } from "../../src/engine/models/tools/resolve-tool-servers.ts";
import {
  openToolServers,
  type ToolServers,
  type ToolServersOptions,
} from "../../src/engine/models/tools/tool-servers.ts";
import { VirtualClock } from "../virtual-clock.ts";

/** A signal that never aborts. */
export const SIGNAL: AbortSignal = new AbortController().signal;

const opened: { readonly servers: ToolServers; readonly clock: ToolServersOptions["clock"] }[] = [];

afterEach(async () => {
  await Promise.all(
    opened
      .splice(0)
      .map(({ servers, clock }) =>
        clock instanceof VirtualClock ? timePasses(clock, servers.close()) : servers.close(),
      ),
  );
});

/** Opens servers that are closed after the test. */
export function open(
  servers: Readonly<Record<string, ToolServer>>,
  options: ToolServersOptions = {},
): ToolServers {
  const open = openToolServers(servers, options);
  opened.push({ servers: open, clock: options.clock });
  return open;
}

/** Advances a clock until a promise has settled: nothing that waits for this clock waits in real time. */
export async function timePasses<Value>(clock: VirtualClock, promise: Promise<Value>): Promise<Value> {
  let pending = true;
  const done = (): void => {
    pending = false;
  };
  promise.then(done, done);
  while (pending) await clock.advance(100);
  return promise;
}

/** Waits until a server has written a file. */
export async function written(file: string): Promise<void> {
  await vi.waitUntil(() => existsSync(file), { timeout: 25_000, interval: 5 });
}

/** The tool that a model would see by a name. */
export async function toolOf(servers: ToolServers, name: string): Promise<OfferedTool> {
  const { tools } = await servers.offered(undefined, SIGNAL);
  const tool = tools.find((offered) => offered.name === name);
  if (tool === undefined) throw new Error(`no ${name} among ${tools.map((offered) => offered.name)}`);
  return tool;
}

/** What a tool gives back. */
export async function callNamed(servers: ToolServers, name: string, input = {}): Promise<unknown> {
  return (await servers.call(await toolOf(servers, name), input, SIGNAL)).output;
}
