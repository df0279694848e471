import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Speaks just enough of the protocol, by hand, to break it in the way that its argument names. */
const way = process.argv[2] ?? "";

type Message = { readonly id?: number; readonly method?: string };

/** Deeper than any function that calls itself can go, which is why it is put in as text. */
const DEEP = "<deep>";
const deepText = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;

const say = (value: unknown): void => {
  const line = typeof value === "string" ? value : JSON.stringify(value);
  process.stdout.write(`${line.replace(`"${DEEP}"`, () => deepText)}\n`);
};
const answer = ({ id }: Message, result: unknown): void => say({ jsonrpc: "2.0", id, result });
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const tool = (name: string, inputSchema: unknown = { type: "object" }) => ({ name, inputSchema });

/** Writes a line, and a file when the line is in the pipe. */
function talk(line: string): void {
  process.stdout.write(`${line}\n`, () => {
    if (process.env.SAID_FILE !== undefined) writeFileSync(process.env.SAID_FILE, "");
  });
}

/** Writes for ever, as fast as the other side reads. */
function flood(line: string): void {
  const write = (): void => {
    while (process.stdout.write(line));
    process.stdout.once("drain", write);
  };
  write();
}

const LISTS: Readonly<Record<string, () => unknown>> = {
  many: () => Array.from({ length: 10_000 }, (_, index) => tool(`tool-${index}`)),
  schemas: () => [
    tool("good"),
    tool("huge", { type: "object", description: "x".repeat(200_000) }),
    tool("deep", { type: "object", properties: DEEP }),
    tool("text", { type: "string" }),
    tool("untyped", { properties: {} }),
    tool("good"),
    tool(""),
    { ...tool("polluted"), inputSchema: JSON.parse('{"type":"object","__proto__":{"x":1}}') },
  ],
  names: () => [
    tool("a.b"),
    tool("a b"),
    tool("a_b"),
    tool("naïve/π"),
    tool("9lives"),
    tool("y".repeat(200)),
  ],
  notObject: () => [tool("good"), tool("bad", 5)],
};

function list(message: Message): void {
  if (way === "circle")
    say({ jsonrpc: "2.0", id: message.id, result: { tools: [tool("one")], nextCursor: "again" } });
  else answer(message, { tools: LISTS[way]?.() ?? [tool("go")] });
}

const CALLS: Readonly<Record<string, (message: Message) => void>> = {
  endless: () => flood("x".repeat(100_000)),
  flood: () => flood(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: {} })}\n`),
  broken: ({ id }) => say({ jsonrpc: "2.0", id, result: 5 }),
  chatty: (message) => {
    say("Listening on port 3000");
    say({ jsonrpc: "2.0", id: 4711, result: {} });
    say("{broken");
    say(deepText);
    say([5, { jsonrpc: "2.0", method: "notifications/message", params: DEEP }]);
    say({ jsonrpc: "2.0", id: "other", method: "sampling/createMessage", params: {} });
    answer(message, text("fine"));
  },
  deepResult: (message) => answer(message, { content: [], structuredContent: DEEP }),
  deepOnly: (message) => answer(message, { structuredContent: DEEP }),
  notResult: (message) => answer(message, { content: "no list" }),
  methodNotFound: ({ id }) => say({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }),
  ownError: ({ id }) => say({ jsonrpc: "2.0", id, error: { code: 42, message: "out of paper" } }),
  asking: () => {
    process.stdin.pause();
    flood(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(500) })}\n`);
  },
  deaf: () => process.stdin.pause(),
};

function greet(message: Message): void {
  const protocolVersion = way === "oldVersion" ? "1999-01-01" : "2025-06-18";
  const capabilities = way === "noTools" ? {} : { tools: {} };
  answer(message, { protocolVersion, capabilities, serverInfo: { name: "hostile", version: "1" } });
}

const stubborn = way === "stubborn" || process.env.STUBBORN !== undefined;
if (process.env.PID_FILE !== undefined) writeFileSync(process.env.PID_FILE, String(process.pid));
if (stubborn) for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
if (stubborn) setInterval(() => {}, 1_000);
if (way === "exits") {
  process.stderr.write(`\u001b[31mcannot open ${process.env.PLANTED}\u001b[0m\n`);
  process.exit(1);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message: Message = JSON.parse(line);
  if (way === "silent") return;
  if (way === "garbage") return talk("hello, I am not a server");
  if (message.method === "initialize") greet(message);
  if (message.method === "tools/list") list(message);
  if (message.method === "tools/call")
    (CALLS[way] ?? ((asked) => answer(asked, text(String(process.pid)))))(message);
});
