// Hostile HTTP: servers that send raw bytes. Each call must end with a reply or a `ModelError` of the right kind, in bounded time
// and memory, must leave nothing behind, and the next call to a healthy server must work.
import { createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpModel } from "../../src/engine/models/http/http-model.ts";
import type { CallContext, Model } from "../../src/engine/models/model.ts";
import { type ErrorCategory, ModelError } from "../../src/engine/models/model-error.ts";
import { resolveModel } from "../../src/engine/models/resolve-model.ts";

type Script = (socket: Socket) => void;

/** What may come of it: the text of a reply, or one of these kinds of error. */
type Expected = { readonly reply: string } | readonly ErrorCategory[];

interface Attack {
  readonly name: string;
  readonly script: Script;
  readonly expected: Expected;
  /** Sends without end: the time limit of the call ends it. Left out of the short version. */
  readonly isSlow?: boolean;
}

const CHAT = JSON.stringify({
  id: "1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "fine" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const FINE: Expected = { reply: "fine" };
const BROKEN: Expected = ["connection", "bad_response"];
const LATE: Expected = ["timeout", "cancelled"];

const send =
  (...parts: readonly (string | Buffer)[]): Script =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };
const sendAndEnd =
  (...parts: readonly (string | Buffer)[]): Script =>
  (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };
const head = (...lines: readonly string[]): string => `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;
const json = (...lines: readonly string[]): string => head("Content-Type: application/json", ...lines);
const sized = (body: string | Buffer, ...lines: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from(json(`Content-Length: ${Buffer.byteLength(body)}`, ...lines)),
    Buffer.from(body),
  ]);
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const CHUNKED = json("Transfer-Encoding: chunked");
const status = (code: string, ...lines: readonly string[]): string =>
  `HTTP/1.1 ${code}\r\nContent-Length: 2\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n{}`;

/** Writes the same again and again, as fast as it is read. */
function endless(first: string, again: string | Buffer): Script {
  return (socket) => {
    socket.write(first);
    const more = (): void => {
      while (!socket.destroyed && socket.write(again));
      socket.once("drain", more);
    };
    more();
  };
}

/** Three times the limit in a few kilobytes. */
const BOMB = Buffer.alloc(30 * 1024 * 1024);

const ATTACKS: readonly Attack[] = [
  // Well-formed, if odd.
  { name: "an ordinary answer", script: send(sized(CHAT)), expected: FINE },
  {
    name: "without length, ended by the end",
    script: sendAndEnd(json("Connection: close"), CHAT),
    expected: FINE,
  },
  { name: "in chunks", script: send(CHUNKED, chunk(CHAT), "0\r\n\r\n"), expected: FINE },
  {
    name: "in chunks of one byte",
    script: send(CHUNKED, ...[...CHAT].map(chunk), "0\r\n\r\n"),
    expected: FINE,
  },
  {
    name: "chunks with extensions and trailers",
    script: send(CHUNKED, `${CHAT.length.toString(16)};a=b\r\n${CHAT}\r\n`, "0\r\nX-T: 1\r\n\r\n"),
    expected: FINE,
  },
  {
    name: "103 Early Hints first",
    script: send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", sized(CHAT)),
    expected: FINE,
  },
  { name: "HTTP/1.0", script: sendAndEnd(`HTTP/1.0 200 OK\r\n\r\n${CHAT}`), expected: FINE },
  {
    name: "byte by byte",
    script: (socket) =>
      void (async () => {
        for (const byte of sized(CHAT)) {
          if (socket.destroyed) return;
          socket.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
      })(),
    expected: FINE,
  },
  { name: "gzip", script: send(sized(gzipSync(CHAT), "Content-Encoding: gzip")), expected: FINE },
  {
    name: "raw deflate",
    script: send(sized(deflateRawSync(CHAT), "Content-Encoding: deflate")),
    expected: ["bad_response"],
  },
  { name: "null", script: send(sized("null")), expected: ["bad_response"] },
  { name: "reset at once", script: (socket) => socket.resetAndDestroy(), expected: BROKEN },
  {
    name: "a refusal with a broken time",
    script: send(status("429 Slow", "Retry-After: soon")),
    expected: ["rate_limit"],
  },
  { name: "a status of 599", script: send(status("599 Odd")), expected: ["server"] },
  { name: "brotli", script: send(sized(brotliCompressSync(CHAT), "Content-Encoding: br")), expected: FINE },
  {
    name: "gzip twice",
    script: send(sized(gzipSync(gzipSync(CHAT)), "Content-Encoding: gzip, gzip")),
    expected: ["bad_response"],
  },
  // Bodies that are cut off or of another length than they say.
  { name: "nothing, then the end", script: sendAndEnd(), expected: BROKEN },
  { name: "the end in the headers", script: sendAndEnd("HTTP/1.1 200 OK\r\nContent-Le"), expected: BROKEN },
  { name: "the end in the body", script: sendAndEnd(json("Content-Length: 1000"), CHAT), expected: BROKEN },
  {
    name: "reset in the body",
    script: (socket) => {
      socket.write(json("Content-Length: 1000"));
      setImmediate(() => socket.resetAndDestroy());
    },
    expected: BROKEN,
  },
  { name: "the end in a chunk", script: sendAndEnd(CHUNKED, "ffff\r\n", CHAT), expected: BROKEN },
  { name: "a length of 0", script: send(json("Content-Length: 0"), CHAT), expected: BROKEN },
  { name: "no content", script: send("HTTP/1.1 204 No Content\r\n\r\n"), expected: BROKEN },
  { name: "half a JSON text", script: send(sized(CHAT.slice(0, 40))), expected: BROKEN },
  {
    name: "half a gzip",
    script: send(sized(gzipSync(CHAT).subarray(0, 20), "Content-Encoding: gzip")),
    expected: BROKEN,
  },
  // Lengths and framings that contradict themselves.
  { name: "a negative length", script: send(json("Content-Length: -5"), CHAT), expected: BROKEN },
  {
    name: "two lengths that differ",
    script: send(json(`Content-Length: ${CHAT.length}`, "Content-Length: 5"), CHAT),
    expected: BROKEN,
  },
  {
    name: "a length of a terabyte",
    script: send(json("Content-Length: 1099511627776"), CHAT),
    expected: BROKEN,
  },
  {
    name: "a length and chunks",
    script: send(
      json(`Content-Length: ${CHAT.length}`, "Transfer-Encoding: chunked"),
      chunk(CHAT),
      "0\r\n\r\n",
    ),
    expected: BROKEN,
  },
  // Chunks that are wrong.
  {
    name: "a chunk size that is no number",
    script: send(CHUNKED, "zz\r\nabc\r\n0\r\n\r\n"),
    expected: BROKEN,
  },
  {
    name: "a chunk size beyond all numbers",
    script: send(CHUNKED, "ffffffffffffffffffff\r\nabc\r\n"),
    expected: BROKEN,
  },
  {
    name: "a chunk longer than it says",
    script: send(CHUNKED, `3\r\n${CHAT}\r\n0\r\n\r\n`),
    expected: BROKEN,
  },
  // Heads that are wrong, or bombs.
  { name: "not HTTP at all", script: sendAndEnd("hello\r\n\r\n"), expected: BROKEN },
  { name: "an alert of TLS", script: sendAndEnd(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])), expected: BROKEN },
  {
    name: "HTTP/2 without being asked",
    script: sendAndEnd("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    expected: BROKEN,
  },
  {
    name: "a status line of a megabyte",
    script: sendAndEnd(`HTTP/1.1 200 ${"O".repeat(1_000_000)}\r\n\r\n{}`),
    expected: BROKEN,
  },
  {
    name: "one header of a megabyte",
    script: sendAndEnd(json(`X: ${"y".repeat(1_000_000)}`), CHAT),
    expected: BROKEN,
  },
  { name: "a header with a null byte", script: sendAndEnd(json("X: a\0b"), CHAT), expected: BROKEN },
  {
    name: "a header called __proto__",
    script: send(sized(CHAT, "__proto__: polluted", "constructor: 1")),
    expected: FINE,
  },
  // Contents.
  {
    name: "a gzip bomb",
    script: send(sized(gzipSync(BOMB), "Content-Encoding: gzip")),
    expected: ["bad_response"],
  },
  {
    name: "a brotli bomb",
    script: send(sized(brotliCompressSync(BOMB), "Content-Encoding: br")),
    expected: ["bad_response"],
  },
  {
    name: "gzip that is none",
    script: send(sized(CHAT, "Content-Encoding: gzip")),
    expected: ["bad_response"],
  },
  {
    name: "an encoding that was not offered",
    script: send(sized(CHAT, "Content-Encoding: zstd, exotic")),
    expected: ["bad_response"],
  },
  { name: "a million brackets", script: send(sized("[".repeat(1_000_000))), expected: ["bad_response"] },
  {
    name: "bytes that are no UTF-8",
    script: send(sized(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
    expected: ["bad_response"],
  },
  {
    name: "a page instead of data",
    script: send(sized("<html><title>Welcome</title></html>")),
    expected: ["bad_response"],
  },
  // Statuses.
  {
    name: "101 Switching Protocols",
    script: sendAndEnd("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    expected: [...BROKEN, "internal"],
  },
  { name: "a redirect to itself", script: send(status("302 Found", "Location: /")), expected: ["not_found"] },
  {
    name: "a redirect to a file",
    script: send(status("301 Moved", "Location: file:///etc/passwd")),
    expected: ["not_found"],
  },
  {
    name: "a refusal for a billion years",
    script: send(status("429 Slow", "Retry-After: 99999999999999999")),
    expected: ["rate_limit"],
  },
  { name: "a status of 999", script: send(status("999 Odd")), expected: ["server", ...BROKEN] },
  // Without end.
  { name: "silence", script: () => {}, expected: LATE, isSlow: true },
  {
    name: "headers without end",
    script: endless("HTTP/1.1 200 OK\r\n", "X: y\r\n".repeat(1_000)),
    expected: BROKEN,
  },
  {
    name: "a body without end",
    script: endless(json("Connection: close"), Buffer.alloc(65_536, 32)),
    expected: ["bad_response"],
  },
  {
    name: "chunks without end",
    script: endless(CHUNKED, chunk(" ".repeat(10_000))),
    expected: ["bad_response"],
  },
  {
    name: "1xx without end",
    script: endless("", "HTTP/1.1 102 Processing\r\n\r\n"),
    expected: [...LATE, ...BROKEN],
    isSlow: true,
  },
];

const LIMIT_MS = 1_500;
/** `npm run attack` has time for all of them. */
const attacks = process.env.ELENCHUS_ATTACK === undefined ? ATTACKS.filter(({ isSlow }) => !isSlow) : ATTACKS;

let server: Server;
let models: readonly Model[];
let script: Script = send(sized(CHAT));
const sockets = new Set<Socket>();
const unhandled: unknown[] = [];
const onUnhandled = (error: unknown): unknown => unhandled.push(error);

beforeAll(async () => {
  process.on("unhandledRejection", onUnhandled);
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.once("data", () => script(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  models = [
    httpModel({ url: `${url}/v1/chat/completions` }),
    (await resolveModel("openai-compatible/m", {
      environment: { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` },
    })) as Model,
  ];
});

afterAll(() => {
  process.off("unhandledRejection", onUnhandled);
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function outcome(
  model: Model,
  attack: Script,
  isLate: boolean,
): Promise<{ readonly reply: string } | ErrorCategory> {
  // What is left of earlier connections must not be used again.
  for (const socket of sockets) socket.destroy();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  script = attack;
  const context: CallContext = {
    // Where an error must come by itself, however busy the machine is, no time limit may come before it.
    signal: isLate ? AbortSignal.timeout(LIMIT_MS) : new AbortController().signal,
    purpose: "subject",
    scenario: "s",
    conversation: "c",
    node: "n",
    turn: 1,
    replicate: 1,
    seed: 0,
  };
  try {
    const { text } = await model.reply({ messages: [{ role: "user", content: "Well?" }] }, context);
    return { reply: text };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    expect(error.message.length).toBeLessThan(1_000);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not reach a terminal
    expect(error.message).not.toMatch(/[\u0000-\u0008\u001b]/);
    return error.category;
  }
}

test.each(attacks)("$name", async ({ script: attack, expected }) => {
  for (const model of models) {
    const isLate = Array.isArray(expected) && expected.includes("timeout");
    const came = await outcome(model, attack, isLate);
    if (typeof came === "object") expect(came).toEqual(expected);
    else expect(expected).toContain(came);
  }
  expect(unhandled).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("after all of that a healthy server is heard, and little memory is in use", async () => {
  for (const model of models) expect(await outcome(model, send(sized(CHAT)), false)).toEqual(FINE);
  expect(process.memoryUsage().external).toBeLessThan(400 * 1024 * 1024);
});
