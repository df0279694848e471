import { execFileSync, spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { ModelError } from "../model-error.ts";
import { networkFailure } from "../network-error.ts";
import { exchange, type HttpRequest, type HttpResponse } from "./http-exchange.ts";
import { ConnectionPool } from "./http-sockets.ts";

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
}

/** A server that answers the n-th request it hears, on whatever connection, with the n-th of some actions. */
async function speaking(answer: (socket: Socket, request: number) => void): Promise<Heard> {
  const heard = { requests: [] as string[], connections: 0 };
  const server = createServer({ noDelay: true }, (socket) => {
    heard.connections++;
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const end = text.indexOf("\r\n\r\n") + 4;
      if (end < 4) return;
      const length = end + Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (text.length < length) return;
      heard.requests.push(text.slice(0, length));
      text = text.slice(length);
      answer(socket, heard.requests.length);
    });
  });
  const url = new URL(`http://127.0.0.1:${await listening(server)}/v1/chat?a=b%20c`);
  return Object.assign(heard, { url });
}

function send(url: URL, given: Partial<HttpRequest> = {}, pool?: ConnectionPool): Promise<HttpResponse> {
  const { signal } = new AbortController();
  return exchange(url, { method: "POST", headers: {}, body: "{}", signal, name: "m", ...given }, pool);
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing failed.");
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const HI = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\nx-a: 2\r\n\r\nhi";

describe("requests", () => {
  test("head and body as they are sent", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    const headers = {
      "X-Team": "bl\xe9u",
      "Content-Length": "77",
      "transfer-encoding": "chunked",
      "Accept-Encoding": "br",
    };
    expect(await send(heard.url, { headers, body: "ü" })).toEqual({
      status: 200,
      headers: { "content-length": "2", "x-a": "1, 2" },
      text: "hi",
    });
    expect(heard.requests).toEqual([
      `POST /v1/chat?a=b%20c HTTP/1.1\r\nX-Team: bl\xe9u\r\nHost: ${heard.url.host}\r\nConnection: keep-alive\r\nAccept-Encoding: identity\r\nContent-Length: 2\r\n\r\n\xc3\xbc`,
    ]);
  });

  test("a host and a connection of one's own", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    await send(heard.url, { headers: { host: "other.example", connection: "close" } });
    expect(heard.requests[0]).toMatch(/\r\nhost: other\.example\r\nconnection: close\r\nAccept/);
    expect(heard.requests[0]).not.toMatch(/Host: 127|keep-alive/);
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
    const error = await failure(send(heard.url, { headers: { [name]: value } }));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ category: "bad_request" });
    expect(String(error)).toContain(`m: the header ${JSON.stringify(name)} cannot be sent.`);
    expect(String(error)).not.toContain("secret");
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
  test("one for requests that follow each other, the last used first", async () => {
    const used: Socket[] = [];
    const heard = await speaking((socket, request) => {
      used.push(socket);
      if (request === 2) for (const one of used) one.write(HI);
      else if (request > 2) socket.write(HI);
    });
    const pool = new ConnectionPool();
    await Promise.all([send(heard.url, {}, pool), send(heard.url, {}, pool)]);
    expect(pool.size).toBe(2);
    for (let more = 0; more < 5; more++) await send(heard.url, {}, pool);
    expect(heard.connections).toBe(2);
    expect(new Set(used.slice(2)).size).toBe(1);
  });

  test.each<[string, string]>([
    ["close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"],
    ["bytes too many", `${HI}!`],
  ])("none is used again after %s", async (_what, response) => {
    const heard = await speaking((socket) => socket.write(response));
    const pool = new ConnectionPool();
    for (let count = 0; count < 3; count++) {
      expect((await send(heard.url, {}, pool)).text).toBe("hi");
      expect(pool.size).toBe(0);
    }
    expect(heard.connections).toBe(3);
    await until(() => sockets.size === 0);
  });

  test("one that speaks unasked is closed", async () => {
    let last: Socket | undefined;
    const heard = await speaking((socket) => {
      last = socket;
      socket.write(HI);
    });
    const pool = new ConnectionPool();
    await send(heard.url, {}, pool);
    expect(pool.size).toBe(1);
    last?.write(HI);
    await until(() => pool.size === 0);
    expect((await send(heard.url, {}, pool)).text).toBe("hi");
    expect(heard.connections).toBe(2);
  });

  test("one that is closed while idle is forgotten", async () => {
    const heard = await speaking((socket) => socket.end(HI));
    const pool = new ConnectionPool();
    await send(heard.url, {}, pool);
    await until(() => pool.size === 0);
  });

  test("idle ones are closed in the end, and never too many are kept", async () => {
    const server = createHttpServer((_request, response) => void response.end("hi"));
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    const pool = new ConnectionPool({ idleMs: 20, mostIdle: 3 });
    await Promise.all(Array.from({ length: 10 }, () => send(url, {}, pool)));
    expect(pool.size).toBeLessThanOrEqual(3);
    await until(() => pool.size === 0 && sockets.size === 0);
  });

  test("idle ones do not keep the process alive", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    const program = `
      import { exchange } from ${JSON.stringify(fileURLToPath(new URL("./http-exchange.ts", import.meta.url)))};
      const signal = new AbortController().signal;
      await exchange(new URL(${JSON.stringify(heard.url.href)}), { method: "POST", headers: {}, body: "", signal, name: "m" });
      console.log(process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).join());`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (bytes) => {
      said += String(bytes);
    });
    const [code] = await once(child, "close");
    expect({ code, said }).toEqual({ code: 0, said: "\n" });
  });

  test("an old one found closed is replaced once", async () => {
    // The second request is the first on an old connection.
    const heard = await speaking((socket, request) => (request === 2 ? socket.end() : socket.write(HI)));
    const pool = new ConnectionPool();
    await send(heard.url, {}, pool);
    expect((await send(heard.url, {}, pool)).text).toBe("hi");
    expect(heard).toMatchObject({ connections: 2 });
    expect(heard.requests).toHaveLength(3);
  });

  test("but only once, only an old one, and not after a first byte", async () => {
    const heard = await speaking((socket, request) => {
      if (request === 1 || request === 4) socket.write(HI);
      else socket.end(request === 5 ? "HTTP" : "");
    });
    const pool = new ConnectionPool();
    await send(heard.url, {}, pool);
    expect(await failure(send(heard.url, {}, pool))).toMatchObject({
      code: "ECONNRESET",
      message: "socket hang up",
    });
    expect(heard.requests).toHaveLength(3);
    await send(heard.url, {}, pool);
    expect(await failure(send(heard.url, {}, pool))).toMatchObject({ code: "ECONNRESET" });
    expect(await failure(send(heard.url, {}, pool))).toMatchObject({ code: "ECONNRESET" });
    expect(heard.requests).toHaveLength(6);
  });

  test("a server that answers before it has read all gets no second request into the first", async () => {
    const server = createServer((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write(HI);
      });
    });
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    const pool = new ConnectionPool();
    expect((await send(url, { body: "x".repeat(30_000_000) }, pool)).text).toBe("hi");
    expect(pool.size).toBe(0);
  });

  test("200 at once get their own replies, on one signal, which keeps no listener", async () => {
    const server = createHttpServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const pieces = [...`Reply to ${text}`];
      setTimeout(() => {
        for (const piece of pieces) response.write(piece);
        response.end();
      }, Number(text) % 7);
    });
    const url = new URL(`http://127.0.0.1:${await listening(server)}`);
    const { signal } = new AbortController();
    const pool = new ConnectionPool();
    const ask = async (from: number): Promise<string[]> => {
      const texts: string[] = [];
      for (let turn = 0; turn < 5; turn++) {
        texts.push((await send(url, { body: String(from * 5 + turn), signal }, pool)).text);
      }
      return texts;
    };
    const all = (await Promise.all(Array.from({ length: 200 }, (_, from) => ask(from)))).flat();
    expect(all).toEqual(Array.from({ length: 1000 }, (_, number) => `Reply to ${number}`));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(pool.size).toBeLessThanOrEqual(200);
  });
});

describe("failures", () => {
  test.each<[string, string, object]>([
    [
      "another protocol",
      "220 mail.example ESMTP\r\n",
      { message: "m did not answer in HTTP. Check its URL." },
    ],
    ["a broken length", "HTTP/1.1 500 x\r\ncontent-length: x\r\n\r\n", { statusCode: 500 }],
  ])("%s is a bad response, told at once", async (_what, text, expected) => {
    const heard = await speaking((socket) => socket.write(text));
    const error = await failure(send(heard.url));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ category: "bad_response", ...expected });
    await until(() => sockets.size === 0);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["closed without a word", (socket) => socket.end()],
    ["reset", (socket) => socket.resetAndDestroy()],
    ["cut off", (socket) => socket.end(HI.slice(0, -1))],
    ["cut off in the head", (socket) => socket.end(HI.slice(0, 20))],
  ])("%s is a closed connection", async (_what, act) => {
    const heard = await speaking(act);
    const { signal } = new AbortController();
    const error = await failure(send(heard.url, { signal }));
    expect(error).toMatchObject({ code: "ECONNRESET" });
    expect(networkFailure(error)).toMatchObject({ category: "connection", what: "closed the connection" });
    expect(heard.requests).toHaveLength(1);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("signals", () => {
  test.each(["", "HTTP/1.1 200 OK\r\n", HI.slice(0, -1)])("given up after %j", async (said) => {
    const heard = await speaking((socket) => socket.write(said));
    const controller = new AbortController();
    const failed = failure(send(heard.url, { signal: controller.signal }));
    await until(() => heard.requests.length === 1);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    await until(() => sockets.size === 0);
  });

  test("given up before, and while connecting", async () => {
    const heard = await speaking((socket) => socket.write(HI));
    const reason = new Error("enough");
    expect(await failure(send(heard.url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    const failed = failure(send(heard.url, { signal: controller.signal }));
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect(heard.requests).toEqual([]);
  });

  test("given up on a connection of the pool", async () => {
    const heard = await speaking((socket, request) => request !== 2 && socket.write(HI));
    const pool = new ConnectionPool();
    await send(heard.url, {}, pool);
    const controller = new AbortController();
    const failed = failure(send(heard.url, { signal: controller.signal }, pool));
    await until(() => heard.requests.length === 2);
    controller.abort();
    expect(await failed).toMatchObject({ name: "AbortError" });
    expect(pool.size).toBe(0);
    expect((await send(heard.url, {}, pool)).text).toBe("hi");
    expect(heard.connections).toBe(2);
  });
});

describe("TLS", () => {
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
    const port = await listening(server);
    const error = await failure(
      send(new URL(`https://localhost:${port}`), { headers: { "x-key": "secret" } }),
    );
    expect(networkFailure(error)).toMatchObject({
      category: "connection",
      what: expect.stringContaining("certificate that cannot be trusted"),
    });
    await until(() => sockets.size === 0);
    expect(heard).toBe("");
  });

  test("one that can is used, by its name, and kept", async () => {
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
    // Trust is given to a process as a whole, when it starts.
    const program = `
      import { exchange } from ${JSON.stringify(fileURLToPath(new URL("./http-exchange.ts", import.meta.url)))};
      const signal = new AbortController().signal;
      const send = (host) => exchange(new URL("https://" + host + ":${port}"), { method: "POST", headers: {}, body: "ü", signal, name: "m" });
      for (let count = 0; count < 3; count++) console.log((await send("localhost")).text);
      console.log(await send("127.0.0.1").catch((error) => error.code));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") },
    });
    let said = "";
    child.stdout.on("data", (bytes) => {
      said += String(bytes);
    });
    await once(child, "close");
    rmSync(folder, { recursive: true });
    // The certificate is for a name, so the address is another server.
    expect(said).toBe(`${`hi localhost:${port}\n`.repeat(3)}ERR_TLS_CERT_ALTNAME_INVALID\n`);
    expect(names.slice(0, 2)).toEqual(["localhost", "http/1.1"]);
    expect(connections).toBeLessThanOrEqual(2);
  });
});
