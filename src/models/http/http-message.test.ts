import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BrokenResponse } from "./http-head.ts";
import { ResponseParser } from "./http-message.ts";
import { LARGEST_RESPONSE } from "./response-body.ts";

const OK = "HTTP/1.1 200 OK\r\n";

/** What becomes of pieces that come one after the other before the connection ends. */
function outcomeOf(pieces: readonly Buffer[]): unknown {
  const parser = new ResponseParser();
  try {
    for (const [index, piece] of pieces.entries()) {
      if (!parser.push(piece)) continue;
      const hasMore = pieces.slice(index + 1).some(({ length }) => length > 0);
      return { ...parser.response(), reusable: parser.reusable && !hasMore };
    }
    return parser.end() ? { ...parser.response(), reusable: parser.reusable } : "cut off";
  } catch (error) {
    if (!(error instanceof BrokenResponse)) throw error;
    return error.message;
  }
}

const read = (text: string): unknown => outcomeOf([Buffer.from(text)]);

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...sorted, bytes.length].map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

describe("whole responses", () => {
  test.each<[string, string, object]>([
    ["a length", `${OK}Content-Length: 5\r\n\r\nhëlo`, { status: 200, text: "hëlo", reusable: true }],
    ["no body at all", `${OK}content-length: 0\r\n\r\n`, { text: "", reusable: true }],
    ["the same length twice", `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\nhi`, { text: "hi" }],
    ["no reason", "HTTP/1.1 503\r\ncontent-length: 2\r\n\r\nhi", { status: 503, text: "hi" }],
    ["lines without returns", "HTTP/1.1 200 OK\ncontent-length: 2\n\nhi", { text: "hi" }],
    ["204", "HTTP/1.1 204 No\r\ncontent-length: 3\r\n\r\n", { status: 204, text: "", reusable: true }],
    ["304", "HTTP/1.1 304 No\r\n\r\n", { status: 304, text: "", reusable: true }],
    ["until close", `${OK}\r\nhello`, { text: "hello", reusable: false }],
    ["interim ones", `HTTP/1.1 100 Go\r\na: b\r\n\r\nHTTP/1.1 103 x\r\n\r\n${OK}\r\nhi`, { headers: {} }],
    [
      "chunks",
      `${OK}Transfer-Encoding: Chunked\r\n\r\n3;a=b;c="d"\r\nhel\r\n0002 \r\nlo\r\n0\r\nx: y\r\n\r\n`,
      { text: "hello", reusable: true },
    ],
    ["close", `${OK}connection: Keep-Alive, Close\r\ncontent-length: 0\r\n\r\n`, { reusable: false }],
    ["1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", { reusable: false }],
    [
      "1.0 alive",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\ncontent-length: 0\r\n\r\n",
      { reusable: true },
    ],
    ["more than there should be", `${OK}content-length: 2\r\n\r\nhi!`, { text: "hi", reusable: false }],
    [
      "headers",
      `${OK}X-A:  1 \t\r\nx-a:2\r\n__proto__: p\r\nempty:\r\ncontent-length: 0\r\n\r\n`,
      { headers: { "x-a": "1, 2", ["__proto__"]: "p", empty: "", "content-length": "0" } },
    ],
  ])("%s", (_what, text, expected) => {
    expect({ ...(read(text) as object) }).toMatchObject(expected);
  });
});

describe("what is no response", () => {
  const big = LARGEST_RESPONSE + 1;
  const many = `a: ${"b".repeat(1000)}\r\n`.repeat(70);
  test.each<[string, string, string]>([
    ["another protocol", "SSH-2.0-OpenSSH", "did not answer in HTTP. Check its URL"],
    ["HTTP/2", "HTTP/2 200\r\n\r\n", "did not answer in HTTP. Check its URL"],
    ["a status that is none", "HTTP/1.1 20 OK\r\n\r\n", "did not answer in HTTP. Check its URL"],
    ["a name with a blank", `${OK}a : b\r\n\r\n`, "sent headers that are not HTTP"],
    ["no colon", `${OK}abc\r\n\r\n`, "sent headers that are not HTTP"],
    ["a fold", `${OK}a: b\r\n c\r\n\r\n`, "sent headers that are not HTTP"],
    ["a null", `${OK}a: \0\r\n\r\n`, "sent headers that are not HTTP"],
    ["a lone return", `${OK}a: b\rc: d\r\n\r\n`, "sent headers that are not HTTP"],
    ["too many headers", `${OK}${many}\r\n`, "sent more than 64 kB of headers"],
    ["a header without end", `${OK}${"a".repeat(66_000)}`, "sent more than 64 kB of headers"],
    ["interim ones for ever", "HTTP/1.1 100 Go\r\n\r\n".repeat(5000), "sent more than 64 kB of headers"],
    ["another protocol, later", "HTTP/1.1 101 x\r\n\r\n", "left HTTP for another protocol"],
    ["a length below 0", `${OK}content-length: -1\r\n\r\n`, "sent a length of its answer that is no number"],
    ["a length in hex", `${OK}content-length: 0x5\r\n\r\n`, "sent a length of its answer that is no number"],
    [
      "two lengths",
      `${OK}content-length: 5\r\ncontent-length: 6\r\n\r\n`,
      "sent two different lengths of its answer",
    ],
    ["a great length", `${OK}content-length: ${big}\r\n\r\n`, "sent more than 10 MB"],
    ["an absurd length", `${OK}content-length: ${"9".repeat(400)}\r\n\r\n`, "sent more than 10 MB"],
    ["too much until close", `${OK}\r\n${"x".repeat(big)}`, "sent more than 10 MB"],
    [
      "gzip",
      `${OK}transfer-encoding: gzip, chunked\r\n\r\n`,
      "sent its answer in a transfer encoding unknown here",
    ],
    [
      "chunks with a length",
      `${OK}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`,
      "sent both chunks and a length for its answer",
    ],
    ["a chunk without size", `${OK}transfer-encoding: chunked\r\n\r\n\r\n`, "sent a chunk without its size"],
    ["a chunk with a sign", `${OK}transfer-encoding: chunked\r\n\r\n+5\r\n`, "sent a chunk without its size"],
    [
      "a size beyond numbers",
      `${OK}transfer-encoding: chunked\r\n\r\n${"f".repeat(20)}\r\n`,
      "sent a chunk without its size",
    ],
    ["a great chunk", `${OK}transfer-encoding: chunked\r\n\r\nffffff\r\n`, "sent more than 10 MB"],
    [
      "too long a chunk",
      `${OK}transfer-encoding: chunked\r\n\r\n2\r\nhi!\r\n`,
      "sent a chunk that is longer than it says",
    ],
    [
      "extensions for ever",
      `${OK}transfer-encoding: chunked\r\n\r\n${`1;${"e".repeat(999)}\r\nx\r\n`.repeat(70)}`,
      "sent more than 64 kB of headers",
    ],
    [
      "trailers for ever",
      `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${many}`,
      "sent more than 64 kB of headers",
    ],
    ["nothing", "", "cut off"],
    ["half a head", `${OK}content-le`, "cut off"],
    ["half a body", `${OK}content-length: 5\r\n\r\nhell`, "cut off"],
    ["chunks without the last", `${OK}transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n`, "cut off"],
    ["no end of trailers", `${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, "cut off"],
  ])("%s", (_what, text, problem) => {
    expect(read(text)).toBe(problem);
  });

  test("another protocol is known by its first byte", () => {
    expect(() => new ResponseParser().push(Buffer.from("S"))).toThrow(BrokenResponse);
  });
});

test("a body may have any number of chunks, and come byte by byte", () => {
  const count = 50_000;
  const text = `${OK}transfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`;
  const bytes = Buffer.from(text);
  const parser = new ResponseParser();
  for (let at = 0; at < bytes.length; at++) parser.push(bytes.subarray(at, at + 1));
  expect(parser.response().text).toBe("x".repeat(count));
});

const header = fc.tuple(
  fc.constantFrom("X-A", "x-a", "content-type", "Connection", "__proto__"),
  fc.constantFrom("", "a", "close", "keep-alive", "\xe9 b", "application/json"),
);

const response = fc
  .record({
    interim: fc.boolean(),
    version: fc.constantFrom("1.1", "1.0"),
    status: fc.constantFrom(200, 204, 304, 404, 429, 500),
    headers: fc.array(header, { maxLength: 4 }),
    bodies: fc.array(fc.string({ unit: "binary", maxLength: 30, minLength: 1 }), { maxLength: 4 }),
    framing: fc.constantFrom("length", "chunks", "close"),
    rest: fc.constantFrom("", "", "\r\n", OK),
  })
  .map(({ interim, version, status, headers, bodies, framing, rest }) => {
    const pieces = bodies.map((body) => Buffer.from(body));
    const body = Buffer.concat(pieces);
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const head = `${interim ? "HTTP/1.1 100 Continue\r\n\r\n" : ""}HTTP/${version} ${status} So\r\n${lines}`;
    const framed =
      framing === "length"
        ? [`content-length: ${body.length}\r\n\r\n`, body]
        : framing === "close"
          ? ["\r\n", body]
          : [
              "transfer-encoding: chunked\r\n\r\n",
              ...pieces.flatMap((piece) => [`${piece.length.toString(16)};x=y\r\n`, piece, "\r\n"]),
              "0\r\nx-trailer: 1\r\n\r\n",
            ];
    const parts = [head, ...framed, rest].map((part) =>
      typeof part === "string" ? Buffer.from(part, "latin1") : part,
    );
    return { bytes: Buffer.concat(parts), status, framing, body: body.toString("utf8") };
  });

test("however a response is cut, it is the same", () => {
  fc.assert(
    fc.property(
      response,
      fc.array(fc.nat(2000), { maxLength: 20 }),
      ({ bytes, status, framing, body }, places) => {
        const whole = outcomeOf([bytes]);
        expect(outcomeOf(cut(bytes, places))).toEqual(whole);
        expect(outcomeOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
        expect(whole).toMatchObject({ status });
        if (status !== 204 && status !== 304 && framing !== "close")
          expect(whole).toMatchObject({ text: body });
      },
    ),
    { numRuns: 300 },
  );
});

test("whatever bytes come, they are a response, a problem or cut off, and the same however they are cut", () => {
  const change = fc.record({ at: fc.nat(2000), remove: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) });
  fc.assert(
    fc.property(
      response,
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(2000), { maxLength: 9 }),
      ({ bytes }, changes, places) => {
        let changed = bytes;
        for (const { at, remove, insert } of changes) {
          const place = at % (changed.length + 1);
          changed = Buffer.concat([changed.subarray(0, place), insert, changed.subarray(place + remove)]);
        }
        const whole = outcomeOf([changed]);
        expect(outcomeOf(cut(changed, places))).toEqual(whole);
        expect(outcomeOf([...changed].map((byte) => Buffer.from([byte])))).toEqual(whole);
      },
    ),
    { numRuns: 1000 },
  );
});
