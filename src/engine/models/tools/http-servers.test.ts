import type { ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { type LoopbackServer, listen, serveTools } from "../../../../test/tool-servers/http-server.ts";
import { open, SIGNAL, timePasses, toolOf } from "../../../../test/tool-servers/open-servers.ts";
import { sampleTools } from "../../../../test/tool-servers/sample-tools.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import type { ToolEndpoint } from "./resolve-tool-servers.ts";
import type { ToolServers, ToolServersOptions } from "./tool-servers.ts";

function web(endpoint: ToolEndpoint, options: ToolServersOptions = {}): ToolServers {
  return open({ web: endpoint }, options);
}

const offering = (servers: ToolServers): Promise<unknown> => servers.offered(undefined, SIGNAL);

test("tools are listed and called over HTTP, fifty at once", async () => {
  await using server = await serveTools("token-0123456789");
  const headers = { Authorization: `Bearer $${"{TOKEN}"}` };
  const servers = web({ url: server.url, headers }, { environment: { TOKEN: "token-0123456789" } });
  const add = await toolOf(servers, "add");
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const sums = await Promise.all(numbers.map((a) => servers.call(add, { a, b: 1 }, SIGNAL)));
  expect(sums.map(({ output }) => output)).toEqual(numbers.map((a) => String(a + 1)));
  expect(await servers.call(await toolOf(servers, "fail"), {}, SIGNAL)).toEqual({
    output: "the disk is full",
    isError: true,
  });
  const left = await servers.offered({ remove: [{ server: "web", tool: "add" }] }, SIGNAL);
  expect(left.tools.some(({ tool }) => tool === "add")).toBe(false);
});

test("a server that knows only the newest protocol is understood", async () => {
  const handler = toNodeHandler(createMcpHandler(sampleTools, { legacy: "reject" }));
  await using server = await listen((request, response) => {
    // The types of the two packages differ in what may be undefined, and in nothing else.
    void handler(request as NodeIncomingMessageLike, response);
  });
  const servers = web({ url: server.url });
  const results = [
    await servers.call(await toolOf(servers, "add"), { a: 1, b: 2 }, SIGNAL),
    await servers.call(await toolOf(servers, "fail"), {}, SIGNAL),
  ];
  expect(results).toEqual([
    { output: "3", isError: false },
    { output: "the disk is full", isError: true },
  ]);
});

test("a server that refuses, is not there, or is not one says what to check", async () => {
  await using server = await serveTools("token-0123456789");
  await expect(offering(web({ url: server.url }))).rejects.toThrow(
    `The tool server "web" refused access while it was started (HTTP 401 from ${server.url}). Check its \`headers\``,
  );
  await expect(offering(web({ url: server.url.replace("mcp", "other?key=hidden") }))).rejects.toThrow(
    /HTTP 404 from http:\/\/127\.0\.0\.1:\d+\/other\)\. Check its `url`/,
  );
  await using page = await listen((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
  });
  await expect(offering(web({ url: page.url }))).rejects.toThrow(/Unexpected content type: text\/html/);
  const gone = await listen(() => {});
  await gone[Symbol.asyncDispose]();
  await expect(offering(web({ url: gone.url }))).rejects.toThrow(
    `The tool server "web" cannot be reached at ${gone.url} (ECONNREFUSED)`,
  );
  await using silent = await listen(() => {});
  const clock = new VirtualClock();
  const late = offering(web({ url: silent.url }, { startTimeoutMs: 200, clock }));
  await expect(timePasses(clock, late)).rejects.toThrow(
    'The tool server "web" did not answer within 0.2 s of its start.',
  );
});

test("a hanging tool runs out of time, and a signal ends the waiting", async () => {
  await using server = await serveTools();
  const clock = new VirtualClock();
  const servers = web({ url: server.url }, { callTimeoutMs: 1_000, clock });
  const hang = await toolOf(servers, "hang");
  const late = expect(servers.call(hang, {}, SIGNAL)).rejects.toThrow("did not answer within 1 s");
  await clock.advance(1_000);
  await late;
  const controller = new AbortController();
  const call = servers.call(hang, {}, controller.signal);
  setImmediate(() => controller.abort());
  await expect(call).rejects.toMatchObject({ category: "cancelled" });
  expect(await servers.call(await toolOf(servers, "add"), { a: 1, b: 2 }, SIGNAL)).toMatchObject({
    output: "3",
  });
});

test("a server that dies fails its calls at once; after it is back, it is connected to anew", async () => {
  const server: LoopbackServer = await serveTools();
  const servers = web({ url: server.url });
  const [hang, add] = [await toolOf(servers, "hang"), await toolOf(servers, "add")];
  const call = servers.call(hang, {}, SIGNAL);
  const failed = expect(call).rejects.toThrow(/the connection broke \(\w+\)/);
  await servers.call(add, { a: 1, b: 2 }, SIGNAL);
  await server[Symbol.asyncDispose]();
  await failed;
  await expect(servers.call(add, { a: 1, b: 2 }, SIGNAL)).rejects.toThrow("cannot be reached");
  await using _again = await serveTools(undefined, server.port);
  // The new server does not know the session; who calls first learns that, all others get a new one.
  await expect(servers.call(add, { a: 1, b: 2 }, SIGNAL)).rejects.toMatchObject({ category: "tool" });
  expect(await servers.call(add, { a: 1, b: 2 }, SIGNAL)).toEqual({ output: "3", isError: false });
});

/** Speaks by hand up to the call of a tool, which is answered in a way of its own. */
function handmade(answerCall: (response: ServerResponse, id: number) => void): Promise<LoopbackServer> {
  return listen(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body || "{}");
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "handmade", version: "1" },
      },
      "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
    };
    if (method === "tools/call") return answerCall(response, id);
    if (results[method] === undefined) return void response.writeHead(id === undefined ? 202 : 400).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
  });
}

async function callHandmade(answerCall: (response: ServerResponse, id: number) => void): Promise<unknown> {
  await using server = await handmade(answerCall);
  const servers = web({ url: server.url });
  return await servers.call(await toolOf(servers, "go"), {}, SIGNAL);
}

test("whatever a server answers to a call, the call ends", async () => {
  const stream = { "content-type": "text/event-stream" };
  const json = { "content-type": "application/json" };
  const cases: readonly [(response: ServerResponse, id: number) => void, RegExp][] = [
    [(response) => response.writeHead(202).end(), /answered with HTTP 202 and no content/],
    [(response) => response.writeHead(200, stream).end(": nothing\n\n"), /ended its answer too early/],
    [(response) => response.writeHead(200, stream).end("data: {broken\n\n"), /ended its answer too early/],
    [(response) => response.writeHead(200, json).end("{broken"), /does not speak the protocol/],
    [(response) => response.writeHead(200, json).end('{"jsonrpc":"2.0","id":4711,"result":{}}'), /protocol/i],
    [(response) => response.writeHead(200, json).end(`"${"x".repeat(17_000_000)}"`), /larger than 16 MB/],
    [
      (response) => response.writeHead(200, stream).end(`data: ${"x".repeat(17_000_000)}`),
      /larger than 16 MB/,
    ],
    [(response) => response.writeHead(500).end("x".repeat(100_000)), /HTTP 500 from/],
    [(response) => response.destroy(), /cannot be reached at \S+ \(UND_ERR_SOCKET\)/],
  ];
  for (const [answerCall, message] of cases) {
    const call = callHandmade(answerCall);
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.toMatchObject({ name: "ModelError", category: "tool" });
  }
});

test("an error of the network never shows a header", async () => {
  await using server = await listen((_, response) => {
    response.writeHead(500).end(`who are you, Bearer planted-secret, and planted-secret?`);
  });
  const servers = web({ url: server.url, headers: { Authorization: "Bearer planted-secret" } });
  const error = await offering(servers).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    message: expect.stringContaining("who are you, [redacted], and [redacted]?"),
  });
});
