import { execFileSync, spawn } from "node:child_process";
import { EventEmitter, getEventListeners, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { contextOf, failureOf, requestOf } from "../../../apps/contracts/model-contract-calls.ts";
import type { ModelReply } from "../model.ts";
import { resolveModel } from "../resolve-model.ts";
import { networkFailure } from "../to-model-error.ts";
import { streamingFetch } from "./client-fetch.ts";
import { type HttpRequest, sendRequest } from "./http-client.ts";
import { httpModel } from "./http-model.ts";

let servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  servers = [];
});

async function listening(server: Server, host = "127.0.0.1"): Promise<number> {
  servers.push(server);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

interface Heard {
  readonly url: URL;
  /** The requests, each as text. */
  readonly requests: string[];
  connections: number;
  /** Emits "request" and "closed". */
  readonly events: EventEmitter;
}

/** A server that answers the n-th request it hears, on whatever connection, with the n-th of some actions. */
async function speaking(answer: (socket: Socket, request: number) => void): Promise<Heard> {
  const heard = { requests: [] as string[], connections: 0, events: new EventEmitter() };
  const server = createServer({ noDelay: true }, (socket) => {
    heard.connections++;
    let text = "";
    socket.on("close", () => heard.events.emit("closed"));
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const end = text.indexOf("\r\n\r\n") + 4;
      if (end < 4) return;
      const length = end + Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (text.length < length) return;
      heard.requests.push(text.slice(0, length));
      text = text.slice(length);
      answer(socket, heard.requests.length);
      heard.events.emit("request");
    });
  });
  const url = new URL(`http://127.0.0.1:${await listening(server)}/v1/chat?a=b%20c`);
  return Object.assign(heard, { url });
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function send(url: URL, given: Partial<HttpRequest> = {}): Promise<Received> {
  const request = { method: "POST", headers: {}, body: "{}", name: "m", ...given };
  const { status, headers, bytes } = await sendRequest(url, request);
  return { status, headers, text: bytes.toString("utf8") };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing failed.");
}

const HI = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\nx-a: 2\r\n\r\nhi";

describe("requests", () => {
  test("method, path, headers and body as they are sent", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    const headers = { "X-Team": "bl\xe9u", "Content-Length": "77", "transfer-encoding": "chunked" };
    expect(await send(heard.url, { headers, body: "ü" })).toEqual({
      status: 200,
      headers: { "content-length": "2", "x-a": "1, 2" },
      text: "hi",
    });
    expect(heard.requests).toEqual([
      `POST /v1/chat?a=b%20c HTTP/1.1\r\nhost: ${heard.url.host}\r\nconnection: keep-alive\r\nX-Team: bl\xe9u\r\naccept-encoding: gzip, br, deflate\r\ncontent-length: 2\r\n\r\n\xc3\xbc`,
    ]);
  });

  test("an encoding and a connection of one's own", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    await send(heard.url, { headers: { connection: "close", "Accept-Encoding": "identity" } });
    expect(heard.requests[0]).toMatch(/\r\nconnection: close\r\nAccept-Encoding: identity/);
    expect(heard.requests[0]).not.toMatch(/keep-alive|gzip/);
  });

  test.each(["host", "Host", "HOST"])("the header %s leads no request to another server", async (name) => {
    const heard = await speaking((socket) => socket.write(HI));
    const headers = { [name]: "other.example", authorization: "Bearer secret" };
    const model = httpModel({ url: heard.url.href, name: "m", headers });
    const error = await failureOf(model.reply(requestOf("?"), contextOf()));
    expect([error.category, error.message]).toEqual([
      "bad_request",
      expect.stringContaining('The header "host" cannot be set'),
    ]);
    await expect(streamingFetch(heard.url, { method: "POST", headers })).rejects.toThrow('"host"');
    expect(heard.connections).toBe(0);
  });

  test.each<[string, string]>([
    ["x-a", "secret\r\nx-b: 1"],
    ["x-a", "secret\n"],
    ["x-a", "secret\0"],
    ["x-a", "secret ☃"],
    ["x a", "secret"],
    ["x\r\ny", "secret"],
    ["", "secret"],
  ])("the header %j: %j is refused, without its value", async (name, value) => {
    const heard = await speaking((socket) => socket.write(HI));
    const model = httpModel({ url: heard.url.href, name: "m", headers: { [name]: value } });
    const error = await failureOf(model.reply(requestOf("?"), contextOf()));
    expect(error.category).toBe("bad_request");
    expect(error.message).toContain("a header has characters that HTTP does not allow");
    if (name === "x-a") expect(error.message).toContain('Check the header "x-a"');
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain("secret");
    expect(heard.connections).toBe(0);
  });

  test("large bodies, both ways", async () => {
    const server = createHttpServer((request, response) => void request.pipe(response));
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    const body = "aä☃".repeat(500_000);
    expect((await send(url, { body })).text).toBe(body);
  });

  test("IPv6", async () => {
    const server = createHttpServer((request, response) => void response.end(request.headers.host));
    const port = await listening(server, "::1");
    expect((await send(new URL(`http://[::1]:${port}`))).text).toBe(`[::1]:${port}`);
  });
});

describe("connections", () => {
  test("requests that follow each other share one", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    for (let count = 0; count < 5; count++) await send(heard.url);
    expect(heard).toMatchObject({ connections: 1, requests: { length: 5 } });
  });

  test.each<[string, string]>([
    ["close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"],
  ])("none is used again after %s", async (_what, response) => {
    const heard = await speaking((socket) => socket.write(response));
    for (let count = 0; count < 3; count++) expect((await send(heard.url)).text).toBe("hi");
    expect(heard.connections).toBe(3);
  });

  test("500 calls at once wait for no connection", async () => {
    const waiting: Socket[] = [];
    const heard = await speaking((socket) => {
      waiting.push(socket);
      // Nobody is answered before all have asked.
      if (waiting.length === 500) for (const one of waiting) one.write(HI);
    });
    const answers = await Promise.all(Array.from({ length: 500 }, () => send(heard.url)));
    expect(answers.every(({ text }) => text === "hi")).toBe(true);
    expect(heard.connections).toBe(500);
  });

  test("idle ones do not keep the process alive", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    expect(
      await inChild(`console.log((await send(${JSON.stringify(heard.url.href)})).bytes.toString())`),
    ).toBe("hi\n");
  });

  test("a server may answer before it has read all", async () => {
    const server = createServer((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.end(HI);
      });
    });
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    expect((await send(url, { body: "x".repeat(30_000_000) })).text).toBe("hi");
  });

  test("1000 requests get their own replies, on one signal, which keeps no listener", async () => {
    const server = createHttpServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      for (const piece of `Reply to ${text}`) response.write(piece);
      setImmediate(() => response.end());
    });
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    const { signal } = new AbortController();
    const ask = async (from: number): Promise<string[]> => {
      const texts: string[] = [];
      for (let turn = 0; turn < 5; turn++) {
        texts.push((await send(url, { body: String(from * 5 + turn), signal })).text);
      }
      return texts;
    };
    const all = (await Promise.all(Array.from({ length: 200 }, (_, from) => ask(from)))).flat();
    expect(all).toEqual(Array.from({ length: 1000 }, (_, number) => `Reply to ${number}`));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const encoded = (encoding: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`),
    body,
  ]);

/** A model of each path to a server: the bare URL, and a provider of the AI SDK. */
const PATHS: readonly (readonly [
  string,
  (url: URL) => Promise<{ reply: ReturnType<typeof httpModel>["reply"] }>,
])[] = [
  ["URL", async (url) => httpModel({ url: url.href, name: "m", headers: { "x-api-key": "planted-secret" } })],
  [
    "provider",
    (url) =>
      resolveModel("mine/m", {
        environment: { KEY: "planted-secret" },
        providers: { mine: { baseUrl: `${url.origin}/v1`, apiKeyVariable: "KEY" } },
      }),
  ],
];

describe.each(PATHS)("a careless server behind a %s", (_path, make) => {
  test("an old connection that closes instead of answering fails the call, and is not tried again", async () => {
    const good = JSON.stringify({
      id: "1",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
    });
    const heard = await speaking((socket, request) => {
      if (request === 2) socket.end();
      else
        socket.write(`${OK}Content-Type: application/json\r\nContent-Length: ${good.length}\r\n\r\n${good}`);
    });
    const model = await make(heard.url);
    const ask = (): Promise<ModelReply> => model.reply(requestOf("?"), contextOf());
    expect(await ask()).toMatchObject({ text: "hi" });
    expect(await failureOf(ask())).toMatchObject({ category: "connection" });
    expect(heard).toMatchObject({ connections: 1, requests: { length: 2 } });
    expect(await ask()).toMatchObject({ text: "hi" });
    expect(heard).toMatchObject({ connections: 2, requests: { length: 3 } });
  });

  test("bytes after an answer are not taken for the next one", async () => {
    const body = (content: string): string =>
      JSON.stringify({
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      });
    const response = (content: string): string =>
      `${OK}Content-Length: ${body(content).length}\r\n\r\n${body(content)}`;
    const heard = await speaking((socket, request) => {
      socket.write(request === 1 ? response("one") + response("planted") : response("two"));
    });
    const model = await make(heard.url);
    const ask = (): Promise<ModelReply> => model.reply(requestOf("?"), contextOf());
    expect(await ask()).toMatchObject({ text: "one" });
    expect(await ask()).toMatchObject({ text: "two" });
    expect(heard.requests).toHaveLength(2);
  });
});

test("single bytes, many chunks, interim answers", async () => {
  const heard = await speaking((socket) => {
    socket.write(`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early\r\n\r\n${CHUNKED}`);
    socket.write(`${"1;x=y\r\nx\r\n".repeat(50_000)}0\r\nx-trailer: 1\r\n\r\n`);
  });
  expect(await send(heard.url)).toMatchObject({ status: 200, text: "x".repeat(50_000) });
});

test.each<[string, Buffer]>([
  ["gzip", gzipSync("h\xfcllo")],
  ["br", brotliCompressSync("h\xfcllo")],
  ["deflate", deflateSync("h\xfcllo")],
  ["identity", Buffer.from("h\xfcllo")],
  ["GZIP", gzipSync("h\xfcllo")],
])("%s is decompressed", async (encoding, body) => {
  const heard = await speaking((socket) => socket.write(encoded(encoding, body)));
  expect((await send(heard.url)).text).toBe("h\xfcllo");
  if (body[0] === 0x1f || encoding === "br")
    expect(await (await streamingFetch(heard.url, { method: "POST", body: "{}" })).text()).toBe("h\xfcllo");
});

test("a stream is read while it arrives, and can be cancelled", async () => {
  const heard = await speaking((socket) => socket.write(`${CHUNKED}2\r\nhi\r\n`));
  const response = await streamingFetch(heard.url, { method: "POST", body: "{}" });
  const reader = response.body?.getReader();
  expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe("hi");
  const closed = once(heard.events, "closed");
  await reader?.cancel();
  await closed;
});

describe("signals", () => {
  test.each(["", "HTTP/1.1 200 OK\r\n", HI.slice(0, -1)])("given up after %j", async (said) => {
    const heard = await speaking((socket) => socket.write(said));
    const controller = new AbortController();
    const [failed, asked] = [
      failure(send(heard.url, { signal: controller.signal })),
      once(heard.events, "request"),
    ];
    await asked;
    const closed = once(heard.events, "closed");
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    await closed;
  });

  test("given up before, and while connecting", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    const reason = new Error("enough");
    expect(await failure(send(heard.url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const failed = failure(send(heard.url, { signal: controller.signal }));
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect((await send(heard.url, { body: "later" })).text).toBe("hi");
    expect(heard.requests).toEqual([expect.stringContaining("later")]);
  });

  test("given up on a connection that was used before", async () => {
    const heard = await speaking((socket, request) => request !== 2 && socket.write(HI));
    await send(heard.url);
    const controller = new AbortController();
    const [failed, asked] = [
      failure(send(heard.url, { signal: controller.signal })),
      once(heard.events, "request"),
    ];
    await asked;
    controller.abort();
    expect(await failed).toMatchObject({ name: "AbortError" });
    expect((await send(heard.url)).text).toBe("hi");
    expect(heard.connections).toBe(2);
  });
});

const CLIENT = fileURLToPath(new URL("./http-client.ts", import.meta.url));

/** What a program prints that can `send(url, headers)`; trust and proxies are given to a process when it starts. */
async function inChild(program: string, environment: Record<string, string> = {}): Promise<string> {
  const setup = `
    import { sendRequest } from ${JSON.stringify(CLIENT)};
    const send = (url, headers = {}) => sendRequest(new URL(url), { method: "POST", headers, body: "ü", name: "m" });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", `${setup}\n${program}`], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
  });
  let said = "";
  child.stdout.on("data", (bytes) => {
    said += String(bytes);
  });
  await once(child, "close");
  return said;
}

describe("proxies", () => {
  /** A proxy that keeps the first lines of what it is asked. */
  async function proxy(): Promise<{ readonly port: number; readonly asked: string[] }> {
    const asked: string[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      response.end("by proxy");
    });
    server.on("connect", (request, socket: Socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      const { hostname, port } = new URL(`http://${request.url}`);
      const there = connect(Number(port), hostname === "target.invalid" ? "127.0.0.1" : hostname, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        there.pipe(socket).pipe(there);
      });
      there.on("error", () => socket.destroy());
      socket.on("error", () => there.destroy());
    });
    return { port: await listening(server), asked };
  }

  const SHOW =
    "console.log((await send(URL_).catch((error) => ({ bytes: error.code ?? error.message }))).bytes.toString())";

  test.each(["HTTP_PROXY", "http_proxy"])("%s: servers are reached through it", async (variable) => {
    const heard = await speaking((socket) => socket.write(HI));
    const { port, asked } = await proxy();
    const url = `http://target.invalid:${heard.url.port}/v1`;
    const said = await inChild(SHOW.replace("URL_", JSON.stringify(url)), {
      [variable]: `http://user:pw@127.0.0.1:${port}`,
    });
    expect(["hi\n", "by proxy\n"]).toContain(said);
    expect(asked).toEqual([expect.stringMatching(/target\.invalid:\d+\S* Basic dXNlcjpwdw==$/)]);
  });

  test.each(["HTTPS_PROXY", "https_proxy"])("%s: TLS is tunnelled", async (variable) => {
    const { key, cert, folder } = certificate();
    const server = createHttpsServer({ key, cert }, (_request, response) => void response.end("safe"));
    const target = await listening(server);
    const { port, asked } = await proxy();
    const said = await inChild(SHOW.replace("URL_", `"https://localhost:${target}"`), {
      [variable]: `127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
    });
    rmSync(folder, { recursive: true });
    expect(said).toBe("safe\n");
    expect(asked).toEqual([`CONNECT localhost:${target}`]);
  });

  test.each(["NO_PROXY", "no_proxy"])("%s: not for these", async (variable) => {
    const heard = await speaking((socket) => socket.write(HI));
    const { port, asked } = await proxy();
    const said = await inChild(SHOW.replace("URL_", JSON.stringify(heard.url.href)), {
      HTTP_PROXY: `http://127.0.0.1:${port}`,
      [variable]: "example.com, 127.0.0.1",
    });
    expect(said).toBe("hi\n");
    expect(asked).toEqual([]);
  });

  test("a proxy that is no URL is named, without what it holds", async () => {
    const said = await inChild(SHOW.replace("URL_", '"http://target.invalid"'), {
      HTTPS_PROXY: "socks5://user:pw@localhost",
    });
    expect(said).toBe("The proxy in HTTPS_PROXY is not an http or https URL.\n");
  });
});

/** A key and a certificate for `localhost` that nobody has signed. */
function certificate(): { readonly key: string; readonly cert: string; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...made, "-keyout", key, "-out", cert, ...subject], {
    stdio: "ignore",
  });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8"), folder };
}

describe("TLS", () => {
  test("a certificate that cannot be trusted is refused before anything is said", async () => {
    const { key, cert, folder } = certificate();
    rmSync(folder, { recursive: true });
    let heard = "";
    const server = createTlsServer({ key, cert }, (socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        heard += bytes.toString("latin1");
      });
    });
    const closed = new Promise((resolve) => server.on("tlsClientError", resolve));
    const port = await listening(server);
    const error = await failure(
      send(new URL(`https://localhost:${port}`), { headers: { "x-key": "secret" } }),
    );
    expect(networkFailure(error)).toMatchObject({
      category: "connection",
      what: expect.stringContaining("DEPTH_ZERO_SELF_SIGNED_CERT"),
    });
    await closed;
    expect(heard).toBe("");
  });

  test("one of NODE_EXTRA_CA_CERTS is used, by its name, and the connection kept", async () => {
    const { key, cert, folder } = certificate();
    const names: unknown[] = [];
    let connections = 0;
    const server = createHttpsServer({ key, cert }, (request, response) => {
      request.on("data", () => {});
      request.on("end", () => response.end(`hi ${request.headers.host}`));
    });
    server.on("secureConnection", (socket) => {
      connections++;
      names.push(socket.servername, socket.alpnProtocol);
    });
    const port = await listening(server);
    const said = await inChild(
      `for (let count = 0; count < 3; count++) console.log((await send("https://localhost:${port}")).bytes.toString());
       console.log(await send("https://127.0.0.1:${port}").catch((error) => error.code));`,
      { NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") },
    );
    rmSync(folder, { recursive: true });
    // The certificate is for a name, so the address is another server.
    expect(said).toBe(`${`hi localhost:${port}\n`.repeat(3)}ERR_TLS_CERT_ALTNAME_INVALID\n`);
    expect(names.slice(0, 2)).toEqual(["localhost", "http/1.1"]);
    expect(connections).toBeLessThanOrEqual(2);
  });
});
