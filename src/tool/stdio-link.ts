import { errorMessage } from "../value/error-message.ts";
import { isRecord } from "../value/json.ts";
import type { ServerLink } from "./server-link.ts";
import { StdioTransport, type StdioTransportOptions } from "./stdio-transport.ts";
import type { ToolProcess } from "./tool-server.ts";

const PING_MS = 2_000;

/** What a stdio link needs besides the server. */
export interface StdioLinkOptions extends StdioTransportOptions {
  /** Takes secrets out of what the server wrote. */
  readonly hide: (text: string) => string;
  readonly callTimeoutMs: number;
}

/** The link to a server that is a process of ours. */
export function stdioLink(server: ToolProcess, options: StdioLinkOptions): ServerLink {
  const { hide, callTimeoutMs } = options;
  const transport = new StdioTransport(server, options);
  const lastWords = (): string => {
    const words = transport.process.errors.show(hide) || transport.strayOutput.show(hide);
    return words === "" ? "" : ` Its last words: ${words}`;
  };
  return {
    transport,
    startsProcess: true,
    explain(error, doing) {
      const { end } = transport.process;
      if (transport.failure !== undefined) return `${transport.failure} while ${doing}.${lastWords()}`;
      if (end?.byItself === true)
        return `ended while ${doing} (${end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`}).${lastWords()}`;
      const code = isRecord(error) ? error.code : undefined;
      if (typeof code === "string") return spawnProblem(server, code);
      return `failed while ${doing}: ${hide(errorMessage(error)).slice(0, 1_000)}.${lastWords()}`;
    },
    silence: () =>
      `Check that its \`command\` starts an MCP server that speaks over stdio, and writes nothing else there.${lastWords()}`,
    isBroken: () => transport.failure !== undefined || transport.process.end !== undefined,
    note() {},
    responds: () => transport.responds(Math.min(PING_MS, callTimeoutMs)),
    close: () => transport.close(),
  };
}

function spawnProblem({ command, cwd }: ToolProcess, code: string): string {
  const { existsSync } = process.getBuiltinModule("node:fs");
  if (cwd !== undefined && !existsSync(cwd))
    return `could not be started: its folder "${cwd}" does not exist. Check its \`cwd\`.`;
  if (code === "ENOENT")
    return `could not be started: there is no command "${command}". Check its \`command\`, and that it is installed and on the PATH.`;
  if (code === "EACCES")
    return `could not be started: "${command}" may not be executed. Check its \`command\` and the file's permissions.`;
  return `could not be started (${code}). Check its \`command\`, \`args\` and \`env\`.`;
}
