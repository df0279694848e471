import type { RunEvent } from "../../engine/journal/run-event.ts";
import type { RecordedCall } from "../../engine/models/cassette/recorded-call.ts";
import type { Message } from "../../engine/models/message.ts";
import { RUN_RULES } from "./store-contract-runs.ts";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  demand,
  demandEqual,
  recordedCall,
  runStart,
  type StoreCase,
  type StoreHarness,
  type StoreRule,
  turnEvents,
} from "./store-contract-samples.ts";

export type { StoreCase, StoreHarness } from "./store-contract-samples.ts";

/**
 * What every store must do, as cases for any test framework. Each case makes a store of its own with `make`, empty.
 *
 * @example
 * for (const { name, run } of storeContract(() => myHarness())) test(name, run);
 */
export function storeContract(make: () => Promise<StoreHarness>): readonly StoreCase[] {
  return Object.entries({ ...RUN_RULES, ...JOURNAL_RULES, ...CALL_RULES }).map(([name, test]) => ({
    name,
    run: async () => {
      const harness = await make();
      try {
        await test(harness);
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
const CALL_RULES: Readonly<Record<string, StoreRule>> = {
  "answers calls by their identity, at once and after opening it again": async ({ store, reopen }) => {
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
  "keeps tools, schemas, structured replies and what looks like its own marks": async ({ store }) => {
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
  "replaces an answer, and forgets the limits that a provider reported": async ({ store }) => {
    const call = recordedCall(conversation(1), "first");
    store.calls.keep(call);
    const reply = { ...call.reply, text: "second", rateLimit: { remainingRequests: 3 } };
    store.calls.keep({ ...call, reply });
    demandEqual(await store.calls.find(call.identity), { ...call.reply, text: "second" }, "the answer");
    demandEqual(store.calls.size, 1, "the number of calls");
  },
  "does not keep an answer that is not data": async ({ store }) => {
    const call = recordedCall(conversation(1), "first");
    const circle: { self?: unknown } = {};
    circle.self = circle;
    store.calls.keep({ ...call, reply: { ...call.reply, object: circle } });
    demandEqual(await store.calls.find(call.identity), undefined, "the answer");
  },
  "finds calls that begin alike, and then those of the same model": async ({ store }) => {
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
  "keeps the answers that came with a run apart from those of the project": async ({ store, reopen }) => {
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
  "removes calls that are older than a time, if that is asked for": async ({ store }) => {
    const call = recordedCall(conversation(3), LONG);
    store.calls.keep(call);
    store.compact({ callsBefore: 0 });
    demandEqual(store.calls.get(call.identity), call, "a call that is not that old");
    store.compact({ callsBefore: Date.now() + 60_000 });
    demandEqual(await store.calls.find(call.identity), undefined, "a call that is older");
    store.calls.keep(call);
    demandEqual(store.calls.get(call.identity), call, "a call that is kept again");
  },
};

const STAR = "The sun is a star, and it is nearer than any other one of them. ".repeat(40);

/** Data that looks like whatever a store may use for itself. */
const HOSTILE = {
  marked: ["~", "~~", `~${"a".repeat(32)}`, `~${STAR}`, `"~${"a".repeat(32)}"`],
  signs: ["\0", "\u2028", "'; DROP TABLE event; --", "\\", '"', "{{row.x}}", "\ud83c\udf0d"],
  halves: ["\ud83c", `${STAR}\udf0d`],
  numbers: [0, 1e308, -1.5, 9007199254740991],
  nothing: [null, [], {}, ""],
  ...Object.fromEntries([["__proto__", { polluted: `~${STAR}` }]]),
  [`a key that is as long as a text, which is stored elsewhere ${STAR}`]: STAR,
};

function conversationEvents(conversation: string, reply: string): readonly RunEvent[] {
  return [
    conversationStart(conversation, cellOf(0)),
    ...turnEvents({ conversation, turn: 1, reply, verdict: true, at: 1100 }),
    ...turnEvents({ conversation, turn: 2, reply, verdict: false, at: 1200 }),
    conversationEnd(conversation, cellOf(0), { status: "completed", turns: 2 }),
  ];
}

/** What becomes of events. */
const JOURNAL_RULES: Readonly<Record<string, StoreRule>> = {
  "gives the events back as they were, in their order": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    const [left, right] = [conversationEvents("left", STAR), conversationEvents("right", "Hm.")];
    const mixed = left.flatMap((event, index) => [event, right[index] as RunEvent]);
    for (const event of mixed) journal.append(event);
    const warning: RunEvent = { type: "warning", code: "late", message: "It is late.", at: 3000 };
    journal.append(warning);
    await journal.durable();
    demandEqual([...store.events("one", "left")], left, "the events of a conversation");
    demandEqual([...store.events("one", "right")], right, "the events of the other one");
    demandEqual([...store.events("one")], [runStart("one"), ...mixed, warning], "the events of the run");
    demandEqual([...store.events("one", "missing")], [], "the events of a conversation that is not there");
  },
  "gives back data that looks like its own marks, signs and keys": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    const [, , , , end] = turnEvents({ conversation: "~c", turn: 1, reply: STAR, verdict: true, at: 1100 });
    demand(end?.type === "turn-end", "the last event of a turn is its end");
    const event: RunEvent = { ...end, result: { ...end.result, parsed: HOSTILE } };
    journal.append(event);
    await journal.durable();
    demandEqual([...store.events("one", "~c")], [event], "the event");
    demand(!("polluted" in {}), "a prototype was changed");
  },
  "can be read at once, and is durable when it says so": async ({ store, reopen }) => {
    const journal = store.begin(runStart("one"));
    const events = conversationEvents("c0", STAR);
    for (const event of events) journal.append(event);
    demandEqual([...store.events("one", "c0")], events, "the events before they are durable");
    await journal.durable();
    const again = (await reopen?.()) ?? store;
    demandEqual([...again.events("one", "c0")], events, "the events after opening it again");
    demandEqual(again.results("one")[0]?.turns.failed, 1, "the results after opening it again");
  },
  "says nothing about what is durable already, and the same to all who wait": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    await journal.durable();
    demandEqual(journal.durable(), undefined, "what is durable already");
    for (const event of conversationEvents("c0", STAR)) journal.append(event);
    await Promise.all(Array.from({ length: 100 }, () => journal.durable()));
    demandEqual(journal.durable(), undefined, "what has become durable");
  },
  "keeps what was appended, whatever becomes of the object": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    const parsed: Record<string, unknown> = { right: true };
    const [, , , , end] = turnEvents({ conversation: "c0", turn: 1, reply: STAR, verdict: true, at: 1100 });
    demand(end?.type === "turn-end", "the last event of a turn is its end");
    const event = { ...end, result: { ...end.result, parsed } };
    const before = structuredClone(event);
    journal.append(event);
    parsed.right = false;
    await journal.durable();
    demandEqual([...store.events("one", "c0")], [before], "the event");
  },
  "leaves out how far the run is": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
    journal.append({ type: "progress", finished: 0, running: 1, total: 2, spending, at: 1001 });
    await journal.durable();
    demandEqual([...store.events("one")], [runStart("one")], "the events");
  },
  "keeps earlier attempts, and shows the latest": async ({ store }) => {
    const first = store.begin(runStart("one"));
    const spending = { calls: 2, cached: 0, tokens: 30, cost: 0.5 };
    const outcome = { type: "outcome", conversation: "c0", turns: [], at: 1300 } as const;
    const before: readonly RunEvent[] = [
      conversationStart("c0", cellOf(0)),
      ...turnEvents({ conversation: "c0", turn: 1, reply: STAR, verdict: true, at: 1100 }),
      ...turnEvents({ conversation: "c0", turn: 2, reply: "Hm.", verdict: null, at: 1200 }),
      { ...outcome, name: "kept", value: null, status: "inconclusive" },
      { ...outcome, name: "late", value: null, status: "inconclusive" },
      conversationEnd("c0", cellOf(0), { status: "error", turns: 2 }),
      { type: "run-end", statuses: { error: 1 }, spending, at: 2100 },
    ];
    for (const event of before) first.append(event);
    demandEqual(store.run("one")?.endedAt, 2100, "the end of the run");
    const second = store.reopen("one");
    demandEqual(store.run("one")?.endedAt, null, "the end of the run that goes on");
    const resumed: RunEvent = {
      type: "conversation-resume",
      conversation: "c0",
      attempt: 2,
      retriesErrors: true,
      at: 3000,
    };
    second.append(resumed);
    demandEqual([...store.conversations("one")][0]?.status, null, "the status while it goes on");
    const after: readonly RunEvent[] = [
      ...turnEvents({ conversation: "c0", turn: 2, reply: "No.", verdict: false, at: 3100 }),
      { ...outcome, name: "kept", value: false, status: "decided" },
      conversationEnd("c0", cellOf(0), { status: "completed", turns: 2 }),
    ];
    for (const event of after) second.append(event);
    await second.durable();
    const all = [...before, resumed, ...after].filter(({ type }) => type !== "run-end");
    demandEqual([...store.events("one", "c0")], all, "the events of both attempts");
    const [line] = store.results("one");
    demandEqual(line?.statuses, { completed: 1 }, "the statuses");
    demandEqual(
      line?.turns,
      { passed: 1, failed: 1, unreadable: 0, unjudged: 0, unverified: 0 },
      "the turns of the latest attempt",
    );
    demandEqual(
      line?.outcomes,
      { kept: { yes: 0, no: 1, numbers: 0, mean: null, inconclusive: 0, infrastructure: 0 } },
      "the outcomes",
    );
  },
  "can be read while it is written": async ({ store }) => {
    const journal = store.begin(runStart("one"));
    const warn = (turn: number): void =>
      journal.append({ type: "warning", conversation: "c0", turn, code: "x", message: "", at: turn });
    for (let turn = 0; turn < 1000; turn++) warn(turn);
    let read = 0;
    for (const event of store.events("one", "c0")) {
      demandEqual("turn" in event ? event.turn : -1, read, "the order");
      warn(1000 + read++);
      if (read % 100 === 0) await journal.durable();
    }
    demandEqual(read, 1000, "the number of events");
    for (const _ of store.events("one", "c0")) break;
    await journal.durable();
    demandEqual([...store.events("one", "c0")].length, 2000, "the number of events afterwards");
  },
};
