import { afterEach } from "vitest";
import type { OfferedTool } from "../../src/models/tools/offered-tools.ts";
import type { ToolServer } from "../../src/models/tools/resolve-tool-servers.ts";
import {
  openToolServers,
  type ToolServers,
  type ToolServersOptions,
} from "../../src/models/tools/tool-servers.ts";

/** A signal that never aborts. */
export const SIGNAL: AbortSignal = new AbortController().signal;

const opened: ToolServers[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((servers) => servers.close()));
});

/** Opens servers that are closed after the test. */
export function open(
  servers: Readonly<Record<string, ToolServer>>,
  options: ToolServersOptions = {},
): ToolServers {
  const open = openToolServers(servers, options);
  opened.push(open);
  return open;
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
