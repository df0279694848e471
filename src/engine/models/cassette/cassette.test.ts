import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../core/values/json.ts";
import type { Message } from "../message.ts";
import { callIdentity, extendMessages, noMessages } from "../message-list.ts";
import type { ModelCard, ModelReply } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { Cassette, readCassette, writeCassette } from "./cassette.ts";
import { type CallRequest, callRequest, identityOfRequest, type RecordedCall } from "./recorded-call.ts";

// A file has no negative zero.
const json = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const jsonObject = fc.dictionary(fc.string(), json, { maxKeys: 3 }) as fc.Arbitrary<JsonObject>;
const name = fc.string({ unit: "binary", maxLength: 8 });
const toolCall = fc.record({ id: name, name, input: json });
const content = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("Yes.", "No.\nReally.", '"', "\u2028"),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content }),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content,
      toolCalls: fc.array(toolCall, { maxLength: 2 }),
      native: json,
    },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record({
    role: fc.constant("tool" as const),
    results: fc.array(
      fc.record(
        { id: name, name, output: json, isError: fc.boolean() },
        { requiredKeys: ["id", "name", "output"] },
      ),
      { maxLength: 2 },
    ),
  }),
);
const nothing = fc.constant(null);
const request: fc.Arbitrary<CallRequest> = fc.record({
  name: fc.constantFrom("a/b", "c/d"),
  model: jsonObject,
  instructions: fc.oneof(nothing, fc.string()),
  messages: fc.array(message, { maxLength: 4 }),
  tools: fc.oneof(nothing, fc.array(fc.record({ name, inputSchema: jsonObject }), { maxLength: 2 })),
  schema: fc.oneof(nothing, jsonObject),
  replicate: fc.integer({ min: 1, max: 3 }),
  seed: fc.integer({ min: 0, max: 2 ** 32 }),
});
const tokens = fc.nat();
const reply: fc.Arbitrary<ModelReply> = fc.record(
  {
    text: fc.string({ unit: "binary" }),
    finish: fc.constantFrom("stop", "tool_calls", "content_filter", "other"),
    object: json,
    toolCalls: fc.array(toolCall, { maxLength: 2 }),
    usage: fc.record({ inputTokens: tokens, outputTokens: tokens }),
    native: json,
  },
  { requiredKeys: ["text", "finish"] },
);
const call = fc.record({ request, reply, purpose: fc.constantFrom("subject" as const, "judge" as const) });

function recordedOf(calls: readonly Omit<RecordedCall, "identity">[]): Cassette {
  const cassette = new Cassette();
  for (const one of calls) cassette.set({ identity: identityOfRequest(one.request), ...one });
  return cassette;
}

function sortedCalls(cassette: Cassette): readonly RecordedCall[] {
  return [...cassette].sort((left, right) => (left.identity < right.identity ? -1 : 1));
}

test("the identity of a recorded call is that of the call", () => {
  fc.assert(
    fc.property(request, (given) => {
      const { name: model, model: identity, messages, instructions, tools, schema } = given;
      const card: ModelCard = { name: model, identity, account: "" };
      const request = {
        messages,
        ...(instructions === null ? {} : { instructions }),
        ...(tools === null ? {} : { tools }),
        ...(schema === null ? {} : { schema }),
      };
      expect(callRequest(card, request, given)).toEqual(given);
      expect(identityOfRequest(given)).toBe(callIdentity(card, request, given));
    }),
  );
});

test("what is recorded is found again, as it was, after a round trip through text", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 6 }), (calls) => {
      const cassette = recordedOf(calls);
      const parsed = Cassette.parse(cassette.toJsonLines());
      expect(sortedCalls(parsed)).toEqual(sortedCalls(cassette));
      expect(parsed.toJsonLines()).toBe(cassette.toJsonLines());
      for (const one of calls) {
        const identity = identityOfRequest(one.request);
        expect(parsed.get(identity)?.request).toEqual(one.request);
      }
    }),
  );
});

test("the order of recording leaves no trace in the text", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(call, { maxLength: 6, selector: ({ request: { seed } }) => seed }),
      (calls) => {
        expect(recordedOf(calls.toReversed()).toJsonLines()).toBe(recordedOf(calls).toJsonLines());
      },
    ),
  );
});

const REQUEST: CallRequest = {
  name: "a/b",
  model: { provider: "a" },
  instructions: null,
  messages: [{ role: "user", content: "Hello?" }],
  tools: null,
  schema: null,
  replicate: 1,
  seed: 1,
};
const CALL = { request: REQUEST, purpose: "subject", reply: { text: "Hello.", finish: "stop" } } as const;

test("a call that is recorded again replaces the first, in memory and in files put together", () => {
  const again = { ...CALL, reply: { text: "Hi.", finish: "stop" } } as const;
  expect([...recordedOf([CALL, again])].map((one) => one.reply.text)).toEqual(["Hi."]);
  const text = recordedOf([CALL]).toJsonLines() + recordedOf([again]).toJsonLines();
  expect([...Cassette.parse(text)].map((one) => one.reply.text)).toEqual(["Hi."]);
});

test("limits that a provider told are not recorded, and what no file can hold is refused", () => {
  const cassette = recordedOf([{ ...CALL, reply: { ...CALL.reply, rateLimit: { remainingRequests: 1 } } }]);
  expect([...cassette][0]?.reply).toEqual(CALL.reply);
  expect(new Cassette().set({ identity: "", ...CALL, reply: { ...CALL.reply, object: 1n } })).toBe(false);
});

test("the bytes of a conversation of 2,000 turns grow in proportion", () => {
  const sizes = [500, 2_000].map((turns) => {
    const cassette = new Cassette();
    let messages = noMessages();
    for (let turn = 1; turn <= turns; turn++) {
      messages = extendMessages(messages, [
        Object.freeze({ role: "user", content: `Question ${turn}? ${"x".repeat(200)}` }),
      ]);
      const text = `Answer ${turn}.`;
      const one = { ...CALL, request: { ...REQUEST, instructions: "y".repeat(5_000), messages, seed: turn } };
      cassette.set({ identity: identityOfRequest(one.request), ...one, reply: { text, finish: "stop" } });
      messages = extendMessages(messages, [Object.freeze({ role: "assistant", content: text })]);
    }
    const text = cassette.toJsonLines();
    expect(Cassette.parse(text).size).toBe(turns);
    return text.length;
  });
  expect((sizes[1] as number) / (sizes[0] as number)).toBeLessThan(4.2);
  expect(sizes[1] as number).toBeLessThan(2_000 * 600);
});

describe("a file that is wrong", () => {
  const lines = recordedOf([
    CALL,
    {
      ...CALL,
      request: { ...REQUEST, messages: [...REQUEST.messages, { role: "user", content: "Again?" }] },
    },
  ])
    .toJsonLines()
    .trim()
    .split("\n") as [string, string, string, string];

  test("has four lines here", () => {
    expect(lines).toHaveLength(4);
    expect(Cassette.parse(`\uFEFF${lines.join("\r\n\r\n")}`).size).toBe(2);
  });

  test.each<[string, readonly string[], string]>([
    ["nothing", [], "line 1: the file is empty"],
    ["something else", ["name,value"], "line 1: it is not JSON"],
    ["other JSON lines", ['{"a":1}'], "line 1: it is not the header of a cassette"],
    ["a newer version", ['{"format":"elenchus-cassette","version":2}'], "line 1: it is not the header"],
    ["half a line", [lines[0], lines[1], lines[2].slice(0, 50)], "line 3: it is not JSON"],
    ["a missing line of settings", [lines[0], lines[2]], "line 2: what it refers to is not in a line before"],
    [
      "a missing beginning",
      [lines[0], lines[1], lines[3]],
      "line 3: what it refers to is not in a line before",
    ],
    ["a list", [lines[0], "[]"], "line 2: it is not an object"],
    ["a reply without text", [lines[0], lines[1], lines[2].replace('"text"', '"test"')], "line 3: "],
    [
      "a message of nobody",
      [lines[0], lines[1], lines[2].replace('"role":"user"', '"role":"root"')],
      "line 3: ",
    ],
    [
      "a message without content",
      [lines[0], lines[1], lines[2].replace('"content":"Hello?"', '"toolCalls":[]')],
      "needs content",
    ],
    [
      "deep nesting",
      [lines[0], `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
      "line 2: it is nested more",
    ],
  ])("with %s is named by its line", (_, given, message) => {
    let error: unknown;
    try {
      Cassette.parse(given.join("\n"));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ModelError);
    expect((error as ModelError).category).toBe("bad_request");
    expect((error as ModelError).message).toContain(message);
  });

  test("whatever it holds, reading ends with a cassette or a ModelError", () => {
    const mutated = fc.record({
      line: fc.nat(3),
      at: fc.nat(400),
      text: fc.oneof(
        json.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
    });
    fc.assert(
      fc.property(mutated, ({ line, at, text }) => {
        const changed = lines.map((one, index) =>
          index === line ? one.slice(0, at) + text + one.slice(at + 3) : one,
        );
        try {
          Cassette.parse(changed.join("\n")).toJsonLines();
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("on disk", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "cassette-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("a cassette is read as it was written, and leaves nothing else behind", async () => {
    const path = join(folder, "calls.jsonl");
    const cassette = recordedOf(fc.sample(call, { numRuns: 50, seed: 1 }));
    await writeCassette(path, cassette);
    expect(sortedCalls(await readCassette(path))).toEqual(sortedCalls(cassette));
    expect(await readFile(path, "utf8")).toBe(cassette.toJsonLines());
    expect(await readdir(folder)).toEqual(["calls.jsonl"]);
  });

  test("a folder that is not there is made", async () => {
    const path = join(folder, "new", "calls.jsonl");
    await writeCassette(path, new Cassette());
    expect((await readCassette(path)).size).toBe(0);
  });

  test("errors name the file", async () => {
    const path = join(folder, "none.jsonl");
    await expect(readCassette(path)).rejects.toThrow(`There is no cassette at ${path}. Record one first.`);
    await writeFile(path, "{}");
    await expect(readCassette(path)).rejects.toThrow(`${path}: The cassette cannot be read: line 1: `);
    await expect(writeCassette(join(path, "in-a-file.jsonl"), new Cassette())).rejects.toThrow(
      "cannot be written",
    );
  });
});
