import { expect, test } from "vitest";
import { callNamed, open, SIGNAL, toolOf } from "../../../../test/tool-servers/open-servers.ts";
import { program } from "../../../../test/tool-servers/program.ts";

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
