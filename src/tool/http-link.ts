import { errorMessage } from "../value/error-message.ts";
import { isRecord } from "../value/json.ts";
import { httpFetch, NO_ANSWER, networkCode } from "./http-fetch.ts";
import type { ServerLink } from "./server-link.ts";
import type { ToolEndpoint } from "./tool-server.ts";

/** The link to a server that somebody else runs. */
export function httpLink({ url, headers = {} }: ToolEndpoint, hide: (text: string) => string): ServerLink {
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
      const message = hide(errorMessage(error)).slice(0, 1_000);
      if (status !== undefined) return `failed while ${doing} (HTTP ${status} from ${shown}): ${message}`;
      if (codeOf(error) === NO_ANSWER) return `failed while ${doing} (at ${shown}): ${message}.`;
      if (error instanceof TypeError)
        return `cannot be reached at ${shown} (${networkCode(error)}), while ${doing}. Check its \`url\`, and that it runs.`;
      return `does not speak the protocol at ${shown}, noticed while ${doing}: ${message}.`;
    },
    silence: () => `Check that ${shown} is an MCP server that speaks streamable HTTP.`,
    isBroken: () => sessionLost,
    note(error) {
      // A server that was started anew does not know our session: 404 by the book, 400 by many.
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
