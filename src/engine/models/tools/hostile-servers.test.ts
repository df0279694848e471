import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { open, SIGNAL, timePasses, written } from "../../../../test/tool-servers/open-servers.ts";
import { program } from "../../../../test/tool-servers/program.ts";
import { VirtualClock } from "../../../../test/virtual-clock.ts";
import type { ToolProcess } from "./resolve-tool-servers.ts";
import type { ToolServers, ToolServersOptions } from "./tool-servers.ts";

const hostile = (way: string): ToolProcess => program("hostile-server", way);

function it(server: ToolProcess | string, options: ToolServersOptions = {}): ToolServers {
  return open({ it: typeof server === "string" ? hostile(server) : server }, options);
}

async function callFirst(servers: ToolServers): Promise<unknown> {
  const { tools } = await servers.offered(undefined, SIGNAL);
  const [first] = tools;
  if (first === undefined) throw new Error("no tool was offered");
  return servers.call(first, {}, SIGNAL);
}

/** What is thrown, which must be an error of the right kind. */
async function failure(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: "ModelError", category: "tool" });
  // It has just been seen to be an error.
  return (error as Error).message;
}

test("a server that cannot be started says what to check", async () => {
  const starting = async (server: ToolProcess): Promise<string> =>
    failure(it(server).offered(undefined, SIGNAL));
  expect(await starting({ command: "no-such-command" })).toBe(
    'The tool server "it" could not be started: there is no command "no-such-command". Check its `command`, and that it is installed and on the PATH.',
  );
  expect(await starting({ command: "node", cwd: "/no/such/folder" })).toBe(
    'The tool server "it" could not be started: its folder "/no/such/folder" does not exist. Check its `cwd`.',
  );
  expect(await starting({ command: fileURLToPath(import.meta.url) })).toContain("may not be executed");
  expect(await starting({ command: "node", args: ["\0"] })).toContain(
    "could not be started (ERR_INVALID_ARG_VALUE)",
  );
});

test("a server that ends at once is quoted, without colours and secrets", async () => {
  const environment = { ...process.env, SECRET: "planted-secret" };
  const servers = it({ ...hostile("exits"), env: { PLANTED: "$SECRET" } }, { environment });
  expect(await failure(servers.offered(undefined, SIGNAL))).toBe(
    'The tool server "it" ended while it was started (exit code 1). Its last output: cannot open [redacted]',
  );
});

test("a server that never answers, or only talks, is given up", async () => {
  const clock = new VirtualClock();
  const options = { startTimeoutMs: 300, clock };
  const silent = await failure(timePasses(clock, it("silent", options).offered(undefined, SIGNAL)));
  expect(silent).toContain(
    'The tool server "it" did not answer within 0.3 s of its start. Check that its `command`',
  );
  expect(silent).not.toContain("last output");
  const folder = mkdtempSync(join(tmpdir(), "elenchus-"));
  const said = join(folder, "said");
  const talking = it({ ...hostile("garbage"), env: { SAID_FILE: said } }, options).offered(undefined, SIGNAL);
  const refused = failure(talking);
  await written(said);
  await timePasses(clock, refused);
  const garbage = await refused;
  rmSync(folder, { recursive: true });
  expect(garbage).toContain("Its last output: hello, I am not a server");
});

test("a server of another protocol is refused", async () => {
  expect(await failure(it("oldVersion").offered(undefined, SIGNAL))).toContain(
    "Server's protocol version is not supported: 1999-01-01",
  );
});

test("a server without tools offers none", async () => {
  const offer = await it("noTools").offered(undefined, SIGNAL);
  expect(offer).toMatchObject({ tools: [], warnings: ['The tool server "it" offers no tools.'] });
});

test("a server may list ten thousand tools, or list them for ever", async () => {
  const many = await it("many").offered(undefined, SIGNAL);
  expect(many.tools).toHaveLength(1_000);
  expect(many.warnings).toEqual([
    'The tool server "it" lists what cannot be offered: more than 1000 tools are too many.',
  ]);
  const circle = await it("circle").offered(undefined, SIGNAL);
  expect(circle.tools.map(({ name }) => name)).toEqual(["one"]);
});

test("tools that no model could use are left out", async () => {
  const { tools, warnings } = await it("schemas").offered(undefined, SIGNAL);
  expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
    ["good", { type: "object" }],
    ["untyped", { type: "object", properties: {} }],
    ["polluted", { type: "object" }],
  ]);
  const reasons = [
    'the input schema of "huge" is larger than 100 kB',
    'the input schema of "deep" is not an object, or too deep',
    'the input schema of "text" does not describe an object',
    '"good" is listed twice',
    "a tool has no name",
  ];
  expect(warnings).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
  expect(await failure(it("notObject").offered(undefined, SIGNAL))).toContain(
    "its answer is not what the protocol says (tools.1.inputSchema",
  );
});

test("names become fit for all providers, and stay different", async () => {
  const { tools } = await it("names").offered(undefined, SIGNAL);
  expect(tools.map(({ name }) => name)).toEqual([
    "it__a_b",
    expect.stringMatching(/^it__a_b_[0-9a-f]{8}$/),
    expect.stringMatching(/^it__a_b_[0-9a-f]{8}$/),
    "na_ve__",
    "_9lives",
    expect.stringMatching(/^y{55}_[0-9a-f]{8}$/),
  ]);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(6);
});

test("endless output ends the server, not us", async () => {
  expect(await failure(callFirst(it("endless")))).toMatch(
    /^The tool server "it" wrote a line of more than 16 MB while the tool "go" was called\./,
  );
  expect(await failure(callFirst(it("flood")))).toContain("wrote more than 32 MB without an answer");
});

test("noise around an answer does not matter", async () => {
  expect(await callFirst(it("chatty"))).toEqual({ output: "fine", isError: false });
});

test("an answer that is none fails the call at once", async () => {
  expect(await failure(callFirst(it("broken")))).toContain("its answer is not a JSON-RPC response");
  expect(await failure(callFirst(it("notResult")))).toContain("its answer is not what the protocol says");
  expect(await failure(callFirst(it("methodNotFound")))).toContain("no such method");
});

test("an error that a server makes up is for the model to see", async () => {
  expect(await callFirst(it("ownError"))).toEqual({ output: "out of paper", isError: true });
});

test("a result that is too deep is left out", async () => {
  expect(await failure(callFirst(it("deepOnly")))).toContain("Failed to parse server response");
  expect(await callFirst(it("deepResult"))).toEqual({ output: "", isError: false });
});

test("a server that asks and asks, but reads no answers, is ended", async () => {
  expect(await failure(callFirst(it("asking")))).toMatch(/does not read what it is sent|more than 32 MB/);
});

test("a server that reads nothing any more is ended", async () => {
  const clock = new VirtualClock();
  const servers = it("deaf", { callTimeoutMs: 1_000, clock });
  await servers.offered(undefined, SIGNAL);
  expect(await failure(timePasses(clock, callFirst(servers)))).toContain(
    "It does not react to anything any more",
  );
});
