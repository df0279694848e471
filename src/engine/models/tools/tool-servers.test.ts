import { expect, test } from "vitest";
import { callNamed, open, SIGNAL, toolOf } from "../../../../test/tool-servers/open-servers.ts";
import { program } from "../../../../test/tool-servers/program.ts";
import { ModelError } from "../model-error.ts";

test("tools are listed and called", async () => {
  const servers = open({ files: program("stdio-server") });
  const { tools, removed, warnings } = await servers.offered(undefined, SIGNAL);
  expect(tools[0]).toMatchObject({
    name: "add",
    description: "Adds two numbers",
    inputSchema: { type: "object", required: ["a", "b"] },
    server: "files",
    tool: "add",
  });
  expect([removed, warnings]).toEqual([[], []]);
  expect(await callNamed(servers, "add", { a: 1, b: 2 })).toBe("3");
  expect(await callNamed(servers, "weather")).toEqual({ celsius: 21 });
  expect(await callNamed(servers, "picture")).toBe("A cat:\n[image, image/png, 1 kB: not shown]");
  expect(await callNamed(servers, "long")).toBe(`${"x".repeat(200_000)}\n[cut: 100000 more characters]`);
});

test("what a tool says of its own failure is a result", async () => {
  const servers = open({ files: program("stdio-server") });
  const add = await toolOf(servers, "add");
  expect(await servers.call(add, { a: "one" }, SIGNAL)).toEqual({
    output: expect.stringContaining("expected number"),
    isError: true,
  });
  expect(await servers.call(add, [1, 2], SIGNAL)).toEqual({
    output: 'The input of the tool "add" must be an object, not array.',
    isError: true,
  });
  expect(await servers.call({ ...add, tool: "gone" }, {}, SIGNAL)).toEqual({
    output: "Tool gone not found",
    isError: true,
  });
  expect(await servers.call(await toolOf(servers, "fail"), {}, SIGNAL)).toEqual({
    output: "the disk is full",
    isError: true,
  });
});

test("a filter removes single tools and whole servers, which are then not even started", async () => {
  const servers = open({
    files: program("stdio-server", "files"),
    web: program("stdio-server", "web"),
    broken: { command: "no-such-command-anywhere" },
  });
  const remove = [
    { server: "broken" },
    { server: "web", tool: "search" },
    { server: "web", tool: "nothing" },
  ];
  const offer = await servers.offered({ remove: [...remove, { server: "mail" }] }, SIGNAL);
  const names = offer.tools.map(({ name }) => name);
  expect(names.filter((name) => name.endsWith("search"))).toEqual(["files__search"]);
  expect(offer.removed).toEqual(["broken", "web/search"]);
  expect(offer.warnings).toEqual([
    'The tool filter names the tool "nothing", which the server "web" does not have.',
    'The tool filter names the server "mail", which the run does not have.',
  ]);
  const both = await servers.offered({ remove: [{ server: "broken" }] }, SIGNAL);
  const searches = both.tools.filter(({ tool }) => tool === "search");
  expect(searches.map(({ name }) => name)).toEqual(["files__search", "web__search"]);
  const found = await Promise.all(searches.map((tool) => servers.call(tool, { query: "it" }, SIGNAL)));
  expect(found.map(({ output }) => output)).toEqual(["files found it", "web found it"]);
  const one = await servers.offered({ remove: [{ server: "broken" }, { server: "web" }] }, SIGNAL);
  expect(one.tools.some(({ name }) => name === "search")).toBe(true);
  await expect(servers.offered(undefined, SIGNAL)).rejects.toThrow(/"broken" could not be started/);
});

test("fifty calls at once share one server, and their answers are not mixed up", async () => {
  const servers = open({ files: program("stdio-server") });
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const sums = await Promise.all(numbers.map((a) => callNamed(servers, "add", { a, b: 1_000 })));
  expect(sums).toEqual(numbers.map((a) => String(a + 1_000)));
  const pids = await Promise.all(numbers.map(() => callNamed(servers, "pid")));
  expect(new Set(pids).size).toBe(1);
});

test("a signal ends the waiting of one, not the server", async () => {
  const servers = open({ files: program("stdio-server") });
  const early = new AbortController();
  const waiting = servers.offered(undefined, early.signal);
  early.abort();
  await expect(waiting).rejects.toMatchObject({ category: "cancelled" });
  const hang = await toolOf(servers, "hang");
  const pid = await callNamed(servers, "pid");
  const late = new AbortController();
  const call = servers.call(hang, {}, late.signal);
  setImmediate(() => late.abort());
  await expect(call).rejects.toMatchObject({ category: "cancelled" });
  expect(await callNamed(servers, "pid")).toBe(pid);
});

test("a signal that says why ends it for that reason", async () => {
  const servers = open({ files: program("stdio-server") });
  const reason = new ModelError("timeout", "The turn took too long.");
  await expect(servers.offered(undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
  const hang = await toolOf(servers, "hang");
  const late = new AbortController();
  const call = servers.call(hang, {}, late.signal);
  setImmediate(() => late.abort(reason));
  await expect(call).rejects.toBe(reason);
});

test("a process sees a minimal environment and what is named for it", async () => {
  const environment = {
    PATH: process.env.PATH,
    HOME: "/home/me",
    // Too short to be masked in what tools answer.
    API_KEY: "key-012",
    OTHER: "hidden",
  };
  const env = { KEY: "$API_KEY", MODE: "test" };
  const servers = open({ files: { ...program("stdio-server"), env } }, { environment });
  expect(JSON.parse(String(await callNamed(servers, "environment")))).toEqual({
    PATH: process.env.PATH,
    HOME: "/home/me",
    KEY: "key-012",
    MODE: "test",
  });
});

test("a server that knows only the newest protocol is greeted its way", async () => {
  const servers = open({ modern: program("modern-server") });
  expect(await callNamed(servers, "add", { a: 1, b: 2 })).toBe("3");
});

test("the same tools are the same offer", async () => {
  const servers = open({ files: program("stdio-server") });
  const filter = { remove: [{ server: "files", tool: "crash" }] };
  const first = await servers.offered(filter, SIGNAL);
  expect(await servers.offered({ remove: [...filter.remove] }, SIGNAL)).toBe(first);
  expect(await servers.offered(undefined, SIGNAL)).not.toBe(first);
});
