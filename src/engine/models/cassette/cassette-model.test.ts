import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallContext, Model, ModelReply, ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { Cassette, readCassette, writeCassette } from "./cassette.ts";
import { cassetteModel, recordingModel } from "./cassette-model.ts";

/** Answers each request with the number of requests there have been, unless told otherwise. */
let server: Server;
let requests = 0;
let respond: (() => { readonly status: number; readonly reply: object }) | undefined;
/** Requests wait for it, so that a test decides what happens while they are on their way. */
let gate: Promise<void> = Promise.resolve();

beforeEach(async () => {
  requests = 0;
  respond = undefined;
  gate = Promise.resolve();
  server = createServer(async (request, response) => {
    const count = ++requests;
    for await (const _ of request);
    await gate;
    const { status, reply } = respond?.() ?? {
      status: 200,
      reply: { text: `Reply ${count}`, finish: "stop" },
    };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A model behind HTTP, small enough to be seen through. */
function remoteModel(): Model {
  return {
    name: "test/remote",
    identity: { provider: "test", model: "remote", temperature: 0 },
    account: "test",
    price: { provider: "test", model: "remote" },
    async reply(request, { signal }) {
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}`, {
        method: "POST",
        body: JSON.stringify(request),
        signal,
      }).catch(() => {
        throw new ModelError("cancelled", "The call was cancelled.");
      });
      if (!response.ok) throw new ModelError("server", "The server failed.", { statusCode: response.status });
      return (await response.json()) as ModelReply;
    },
  };
}

function requestOf(content: string): ModelRequest {
  return { instructions: "Be brief.", messages: [{ role: "user", content }] };
}

function contextOf(parts: Partial<CallContext> = {}): CallContext {
  const signal = new AbortController().signal;
  const place = { scenario: "s", conversation: "s/1", node: "ask", turn: 1 };
  return { signal, purpose: "subject", ...place, replicate: 1, seed: 7, ...parts };
}

test("what was recorded is answered without the model, from a file, on another day", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cassette-model-"));
  try {
    const path = join(folder, "calls.jsonl");
    const cassette = new Cassette();
    const recording = recordingModel(remoteModel(), cassette);
    const replies = [];
    for (const text of ["One?", "Two?"]) replies.push(await recording.reply(requestOf(text), contextOf()));
    await writeCassette(path, cassette);

    const replay = cassetteModel(remoteModel(), await readCassette(path));
    expect(await replay.reply(requestOf("Two?"), contextOf())).toEqual({ ...replies[1], cached: true });
    expect(await replay.reply(requestOf("One?"), contextOf())).toEqual({ ...replies[0], cached: true });
    expect(requests).toBe(2);
    expect([replay.name, replay.identity, replay.price]).toEqual([
      "test/remote",
      remoteModel().identity,
      null,
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("without a fallback a miss explains itself", async () => {
  const cassette = new Cassette();
  const empty = cassetteModel(remoteModel(), cassette).reply(requestOf("What is two?"), contextOf());
  await expect(empty).rejects.toMatchObject({
    category: "cassette_miss",
    message:
      "test/remote: this call is not recorded. No call is recorded. Record it, or give a model to ask instead.",
  });
  await recordingModel(remoteModel(), cassette).reply(requestOf("What is two?"), contextOf());
  const other = { ...remoteModel(), identity: { provider: "test", model: "remote", temperature: 1 } };
  const misses: readonly [Promise<ModelReply>, string][] = [
    [
      cassetteModel(remoteModel(), cassette).reply(requestOf("What is ten?"), contextOf()),
      "message 1 of 1 (user)",
    ],
    [
      cassetteModel(remoteModel(), cassette).reply(requestOf("What is two?"), contextOf({ replicate: 2 })),
      "the replicate: 2 here, 1 there",
    ],
    [
      cassetteModel(other, cassette).reply(requestOf("What is two?"), contextOf()),
      String.raw`\"temperature\":1}" here`,
    ],
  ];
  for (const [miss, difference] of misses) await expect(miss).rejects.toThrow(difference);
  expect(requests).toBe(1);
});

test("with a fallback a miss is asked once, and recorded", async () => {
  const cassette = new Cassette();
  const model = cassetteModel(remoteModel(), cassette, { fallback: remoteModel() });
  const first = await model.reply(requestOf("One?"), contextOf());
  expect(await model.reply(requestOf("One?"), contextOf())).toEqual({ ...first, cached: true });
  expect([requests, cassette.size]).toEqual([1, 1]);
  expect([model.account, model.price]).toEqual(["test", remoteModel().price]);
});

test("failures and replies that were cut off are not recorded", async () => {
  const cassette = new Cassette();
  const model = cassetteModel(remoteModel(), cassette, { fallback: remoteModel() });
  respond = () => ({ status: 500, reply: {} });
  await expect(model.reply(requestOf("One?"), contextOf())).rejects.toMatchObject({ category: "server" });
  respond = () => ({ status: 200, reply: { text: "The ans", finish: "length" } });
  expect((await model.reply(requestOf("One?"), contextOf())).finish).toBe("length");
  expect([requests, cassette.size]).toEqual([2, 0]);
});
