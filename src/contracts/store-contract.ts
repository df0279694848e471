import type { RecordedCall } from "../models/cassette/recorded-call.ts";
import type { Message } from "../models/message.ts";
import { JOURNAL_RULES } from "./store-contract-journal.ts";
import { RUN_RULES } from "./store-contract-runs.ts";
import {
  demand,
  demandEqual,
  recordedCall,
  runStart,
  type StoreCase,
  type StoreHarness,
  type StoreRule,
} from "./store-contract-samples.ts";

export type { StoreCase, StoreHarness } from "./store-contract-samples.ts";

/**
 * What every store must do, as cases for any test framework. Each case makes a store of its own with `make`, empty.
 *
 * @example
 * for (const { name, run } of storeContract(() => myHarness())) test(name, run);
 */
export function storeContract(make: () => Promise<StoreHarness>): readonly StoreCase[] {
  return [...RUN_RULES, ...JOURNAL_RULES, ...CALL_RULES].map(({ name, reopens = false, test }) => ({
    name,
    run: async () => {
      const harness = await make();
      try {
        if (!reopens || harness.reopen !== undefined) await test(harness);
      } finally {
        await harness.dispose();
      }
    },
  }));
}

const LONG = "I would say that it is the sun, and I would say so again. ".repeat(20);

function conversation(turns: number, last = LONG): readonly Message[] {
  const messages: Message[] = [];
  for (let turn = 1; turn < turns; turn++) {
    messages.push({ role: "user", content: `Question ${turn}?` });
    messages.push({ role: "assistant", content: `${turn}: ${LONG}` });
  }
  return [...messages, { role: "user", content: last }];
}

/** What becomes of answered calls. */
const CALL_RULES: readonly StoreRule[] = [
  {
    name: "answers calls by their identity, at once and after opening it again",
    reopens: true,
    test: async ({ store, reopen }) => {
      const calls = [1, 2, 5].map((turns) => recordedCall(conversation(turns), `${turns} ${LONG}`));
      for (const call of calls) store.calls.keep(call);
      const check = async ({ calls: known }: typeof store): Promise<void> => {
        for (const call of calls) {
          demandEqual(await known.find(call.identity), call.reply, "the answer");
          demandEqual(known.get(call.identity), call, "the call");
        }
        demandEqual(known.size, 3, "the number of calls");
        demandEqual(await known.find("f".repeat(64)), undefined, "the answer to a call that was never made");
        demandEqual(known.get("nothing like a hash"), undefined, "a call that was never made");
      };
      await check(store);
      await check((await reopen?.()) ?? store);
    },
  },
  {
    name: "keeps tools, schemas, structured replies and what looks like its own marks",
    test: async ({ store }) => {
      const messages: readonly Message[] = [
        { role: "user", content: `~${LONG}` },
        { role: "assistant", content: "", toolCalls: [{ id: "1", name: "look", input: { at: LONG } }] },
        { role: "tool", results: [{ id: "1", name: "look", output: [null, "~", LONG], isError: true }] },
        { role: "assistant", content: LONG, native: { signed: [LONG, "~~"] } },
      ];
      const call = recordedCall(messages, "", {
        tools: [{ name: "look", description: LONG, inputSchema: { type: "object" } }],
        schema: { type: "object", properties: { right: { description: LONG } } },
        instructions: null,
        seed: -3,
      });
      const rich: RecordedCall = {
        ...call,
        purpose: "judge",
        reply: { ...call.reply, text: "~", object: { right: [true, "~", LONG] }, native: null },
      };
      store.calls.keep(rich);
      demandEqual(store.calls.get(call.identity), rich, "the call");
    },
  },
  {
    name: "replaces an answer, and forgets the limits that a provider reported",
    test: async ({ store }) => {
      const call = recordedCall(conversation(1), "first");
      store.calls.keep(call);
      const reply = { ...call.reply, text: "second", rateLimit: { remainingRequests: 3 } };
      store.calls.keep({ ...call, reply });
      demandEqual(await store.calls.find(call.identity), { ...call.reply, text: "second" }, "the answer");
      demandEqual(store.calls.size, 1, "the number of calls");
    },
  },
  {
    name: "does not keep an answer that is not data",
    test: async ({ store }) => {
      const call = recordedCall(conversation(1), "first");
      const circle: { self?: unknown } = {};
      circle.self = circle;
      store.calls.keep({ ...call, reply: { ...call.reply, object: circle } });
      demandEqual(await store.calls.find(call.identity), undefined, "the answer");
    },
  },
  {
    name: "finds calls that begin alike, and then those of the same model",
    test: async ({ store }) => {
      const near = recordedCall(conversation(4, "And why?"), "near");
      const elsewhere = conversation(1, "Something else.");
      const same = recordedCall(elsewhere, "same model");
      const other = recordedCall(elsewhere, "other", { name: "sim/x", model: { name: "x" } });
      for (const call of [other, same, near]) store.calls.keep(call);
      const { request } = recordedCall(conversation(4, "And why not?"), "");
      const found = store.calls.near(request).map(({ reply }) => reply.text);
      demandEqual(found[0], "near", "the nearest call");
      demand(found.includes("same model"), "a call of the same model is not among the near ones");
      demandEqual(store.calls.near(request, 1).length, 1, "the number of calls with a limit of one");
      demandEqual(store.calls.near(near.request)[0], near, "the nearest call of one that is known");
    },
  },
  {
    name: "keeps the answers that came with a run apart from those of the project",
    reopens: true,
    test: async ({ store, reopen }) => {
      const own = recordedCall(conversation(2), "mine");
      const theirs = { ...own, reply: { ...own.reply, text: LONG } };
      const other = recordedCall(conversation(3), "another");
      store.calls.keep(own);
      for (const run of ["one", "two"]) store.begin(runStart(run));
      store.callsOf("one").keep(theirs);
      store.callsOf("one").keep(other);
      const check = async (opened: typeof store): Promise<void> => {
        const calls = opened.callsOf("one");
        demandEqual(await calls.find(own.identity), theirs.reply, "the answer that came with the run");
        demandEqual(calls.get(other.identity), other, "another call that came with the run");
        demandEqual(calls.size, 2, "the number of calls that came with the run");
        demandEqual(await opened.callsOf("two").find(own.identity), undefined, "an answer of another run");
        demandEqual(await opened.calls.find(own.identity), own.reply, "the answer of the project");
        demandEqual(
          await opened.calls.find(other.identity),
          undefined,
          "an answer that the project does not have",
        );
        demandEqual(opened.calls.size, 1, "the number of calls of the project");
      };
      await check(store);
      const again = (await reopen?.()) ?? store;
      again.compact();
      await check(again);
      again.delete("one");
      again.begin(runStart("one"));
      demandEqual(again.callsOf("one").size, 0, "the number of calls of a new run of the same name");
    },
  },
  {
    name: "removes calls that are older than a time, if that is asked for",
    test: async ({ store }) => {
      const call = recordedCall(conversation(3), LONG);
      store.calls.keep(call);
      store.compact({ callsBefore: 0 });
      demandEqual(store.calls.get(call.identity), call, "a call that is not that old");
      store.compact({ callsBefore: Date.now() + 60_000 });
      demandEqual(await store.calls.find(call.identity), undefined, "a call that is older");
      store.calls.keep(call);
      demandEqual(store.calls.get(call.identity), call, "a call that is kept again");
    },
  },
];
