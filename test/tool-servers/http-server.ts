import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { sampleTools } from "./sample-tools.ts";

/** A server on the loopback address. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Listens on the loopback address; the connections end with it. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<LoopbackServer> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this kind.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A real MCP server over streamable HTTP that keeps sessions, and wants a token if one is given. */
export function serveTools(token?: string, port?: number): Promise<LoopbackServer> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const refuse = (response: ServerResponse, status: number): void => {
    response.writeHead(status, { "content-type": "text/plain" }).end(`no: ${status}`);
  };
  return listen(async (request, response) => {
    if (request.url !== "/mcp") return refuse(response, 404);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return refuse(response, 401);
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string") {
      const known = sessions.get(id);
      return known === undefined ? refuse(response, 404) : known.handleRequest(request, response);
    }
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        sessions.set(session, transport);
      },
    });
    await sampleTools().connect(transport);
    await transport.handleRequest(request, response);
  }, port);
}
