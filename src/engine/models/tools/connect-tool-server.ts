import type { MCPClient } from "@ai-sdk/mcp";
import { errorMessage } from "../../../core/error-message.ts";
import { isRecord } from "../../../core/values/json.ts";
import { redactSecrets } from "../../../system/secrets/redact-secrets.ts";
import { ModelError } from "../model-error.ts";
import { httpFetch, NO_ANSWER, networkCode } from "./http-fetch.ts";
import type { ResolvedServer, ToolEndpoint } from "./resolve-tool-servers.ts";
import type { ToolClock } from "./server-process.ts";
import { stdioLink } from "./stdio-link.ts";
import { type ServerLink, ToolConnection } from "./tool-connection.ts";

/** How a server is connected to. */
export interface ConnectOptions {
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Takes secrets out of a text. */
  readonly hide: (text: string) => string;
  /** Cancels the start; no process is left. */
  readonly signal: AbortSignal;
  readonly clock: ToolClock;
}

/** Starts a server, if it is a process, and does the handshake; throws `ModelError` if that fails. */
export async function connectToolServer(
  resolved: ResolvedServer,
  options: ConnectOptions,
): Promise<ToolConnection> {
  const started = await attempt(resolved, options, false);
  if (started instanceof ToolConnection) return started;
  // It refused the handshake of older protocol versions, so it may be a server that knows only the newest version.
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
  { startTimeoutMs, callTimeoutMs, hide, signal, clock }: ConnectOptions,
  discovery: boolean,
): Promise<ToolConnection | FailedStart> {
  const { createMCPClient, validateJSONRPCMessage } = await import("@ai-sdk/mcp");
  const link =
    "url" in server
      ? httpLink(server, hide)
      : stdioLink(server, { validate: validateJSONRPCMessage, discovery, hide, callTimeoutMs, clock });
  const timeout = new AbortController();
  const cancelTimeout = clock.after(startTimeoutMs, () => timeout.abort());
  try {
    const client: MCPClient = await createMCPClient({
      transport: link.transport,
      // Over HTTP, discovery costs one request; a process may crash on a message it does not know.
      protocolVersionDiscovery: "url" in server || discovery,
      initializationOptions: { signal: AbortSignal.any([signal, timeout.signal]) },
      clientName: "elenchus",
      onUncaughtError: () => {},
    });
    return new ToolConnection({ name, client, link, callTimeoutMs, clock });
  } catch (error) {
    await link.close();
    const refused = link.startsProcess && isRecord(error) && typeof error.code === "number";
    return {
      error: startError({ name, link, startTimeoutMs, timedOut: timeout.signal.aborted }, error),
      refused,
    };
  } finally {
    cancelTimeout();
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

/** The link to a server with a URL, which the run does not start. */
function httpLink({ url, headers = {} }: ToolEndpoint, hide: (text: string) => string): ServerLink {
  const { origin, pathname } = new URL(url);
  const shown = origin + pathname;
  let sessionLost = false;
  return {
    transport: { type: "http", url, headers: { ...headers }, fetch: httpFetch },
    startsProcess: false,
    explain(error, doing) {
      const status = statusOf(error);
      if (status === 401 || status === 403)
        return `refused access while ${doing} (HTTP ${status} from ${shown}). Check its \`headers\`, and the variables that they refer to.`;
      if (status === 404)
        return `was not found while ${doing} (HTTP 404 from ${shown}). Check its \`url\`, and that the server speaks streamable HTTP there.`;
      const message = redactSecrets(hide(errorMessage(error))).slice(0, 1_000);
      if (status !== undefined) return `failed while ${doing} (HTTP ${status} from ${shown}): ${message}`;
      if (codeOf(error) === NO_ANSWER) return `failed while ${doing} (at ${shown}): ${message}.`;
      if (error instanceof TypeError)
        return `cannot be reached at ${shown} (${networkCode(error)}), while ${doing}. Check its \`url\`, and that it runs.`;
      return `does not speak the protocol at ${shown}, noticed while ${doing}: ${message}.`;
    },
    silence: () => `Check that ${shown} is an MCP server that speaks streamable HTTP.`,
    isBroken: () => sessionLost,
    note(error) {
      // A server that was restarted does not know our session: 404 by the specification, 400 from many servers.
      const status = statusOf(error);
      if (status === 400 || status === 404) sessionLost = true;
    },
    // There is no process to end, and each request stands for itself.
    responds: async () => true,
    async close() {},
  };
}

function statusOf(error: unknown): number | undefined {
  const status = isRecord(error) ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

function codeOf(error: unknown): unknown {
  return isRecord(error) ? error.code : undefined;
}
