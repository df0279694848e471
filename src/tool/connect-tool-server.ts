import type { MCPClient } from "@ai-sdk/mcp";
import { ModelError } from "../model/model-error.ts";
import { isRecord } from "../value/json.ts";
import { httpLink } from "./http-link.ts";
import type { ResolvedServer } from "./resolve-tool-servers.ts";
import type { ServerLink } from "./server-link.ts";
import { stdioLink } from "./stdio-link.ts";
import { ToolConnection } from "./tool-connection.ts";

/** How a server is connected to. */
export interface ConnectOptions {
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Takes secrets out of a text. */
  readonly hide: (text: string) => string;
  /** Gives up, and leaves nothing behind. */
  readonly signal: AbortSignal;
}

/** Starts a server, if it is a process, and greets it; throws `ModelError` if that does not succeed. */
export async function connectToolServer(
  resolved: ResolvedServer,
  options: ConnectOptions,
): Promise<ToolConnection> {
  const started = await attempt(resolved, options, false);
  if (started instanceof ToolConnection) return started;
  // It refused the greeting that all older servers know, so it may be one that only knows the newer way.
  const again = started.refused ? await attempt(resolved, options, true) : started;
  if (again instanceof ToolConnection) return again;
  throw started.error;
}

interface FailedStart {
  readonly error: ModelError;
  /** True if the server answered, and did not accept. */
  readonly refused: boolean;
}

async function attempt(
  { name, server }: ResolvedServer,
  { startTimeoutMs, callTimeoutMs, hide, signal }: ConnectOptions,
  discovery: boolean,
): Promise<ToolConnection | FailedStart> {
  const { createMCPClient, validateJSONRPCMessage } = await import("@ai-sdk/mcp");
  const link =
    "url" in server
      ? httpLink(server, hide)
      : stdioLink(server, { validate: validateJSONRPCMessage, discovery, hide, callTimeoutMs });
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), startTimeoutMs);
  try {
    const client: MCPClient = await createMCPClient({
      transport: link.transport,
      // Over HTTP, asking first costs one request; a process may fall over a message it does not know.
      protocolVersionDiscovery: "url" in server || discovery,
      initializationOptions: { signal: AbortSignal.any([signal, timeout.signal]) },
      clientName: "elenchus",
      onUncaughtError: () => {},
    });
    return new ToolConnection({ name, client, link, callTimeoutMs });
  } catch (error) {
    await link.close();
    const refused = link.startsProcess && isRecord(error) && typeof error.code === "number";
    return {
      error: startError({ name, link, startTimeoutMs, timedOut: timeout.signal.aborted }, error),
      refused,
    };
  } finally {
    clearTimeout(timer);
  }
}

interface Circumstances {
  readonly name: string;
  readonly link: ServerLink;
  readonly startTimeoutMs: number;
  readonly timedOut: boolean;
}

function startError({ name, link, startTimeoutMs, timedOut }: Circumstances, error: unknown): ModelError {
  const words = timedOut
    ? `did not answer within ${startTimeoutMs / 1_000} s of its start. ${link.silence()}`
    : link.explain(error, "it was started");
  return new ModelError("tool", `The tool server "${name}" ${words}`);
}
