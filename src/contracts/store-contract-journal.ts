import type { RunEvent } from "../journal/run-event.ts";
import {
  cellOf,
  conversationEnd,
  conversationStart,
  demand,
  demandEqual,
  runStart,
  type StoreRule,
  turnEvents,
} from "./store-contract-samples.ts";

const LONG = "The sun is a star, and it is nearer than any other one of them. ".repeat(40);

/** Data that looks like whatever a store may use for itself. */
const HOSTILE = {
  marked: ["~", "~~", `~${"a".repeat(32)}`, `~${LONG}`, `"~${"a".repeat(32)}"`],
  signs: ["\0", "\u2028", "'; DROP TABLE event; --", "\\", '"', "{{row.x}}", "\ud83c\udf0d"],
  halves: ["\ud83c", `${LONG}\udf0d`],
  numbers: [0, 1e308, -1.5, 9007199254740991],
  nothing: [null, [], {}, ""],
  ...Object.fromEntries([["__proto__", { polluted: `~${LONG}` }]]),
  [`a key that is as long as a text, which is stored elsewhere ${LONG}`]: LONG,
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
export const JOURNAL_RULES: readonly StoreRule[] = [
  {
    name: "gives the events back as they were, in their order",
    test: async ({ store }) => {
      const journal = store.begin(runStart("one"));
      const [left, right] = [conversationEvents("left", LONG), conversationEvents("right", "Hm.")];
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
  },
  {
    name: "gives back data that looks like its own marks, signs and keys",
    test: async ({ store }) => {
      const journal = store.begin(runStart("one"));
      const [, , , , end] = turnEvents({ conversation: "~c", turn: 1, reply: LONG, verdict: true, at: 1100 });
      demand(end?.type === "turn-end", "the last event of a turn is its end");
      const event: RunEvent = { ...end, result: { ...end.result, parsed: HOSTILE } };
      journal.append(event);
      await journal.durable();
      demandEqual([...store.events("one", "~c")], [event], "the event");
      demand(!("polluted" in {}), "a prototype was changed");
    },
  },
  {
    name: "can be read at once, and is durable when it says so",
    reopens: true,
    test: async ({ store, reopen }) => {
      const journal = store.begin(runStart("one"));
      const events = conversationEvents("c0", LONG);
      for (const event of events) journal.append(event);
      demandEqual([...store.events("one", "c0")], events, "the events before they are durable");
      await journal.durable();
      const again = (await reopen?.()) ?? store;
      demandEqual([...again.events("one", "c0")], events, "the events after opening it again");
      demandEqual(again.results("one")[0]?.turns.failed, 1, "the results after opening it again");
    },
  },
  {
    name: "says nothing about what is durable already, and the same to all who wait",
    test: async ({ store }) => {
      const journal = store.begin(runStart("one"));
      await journal.durable();
      demandEqual(journal.durable(), undefined, "what is durable already");
      for (const event of conversationEvents("c0", LONG)) journal.append(event);
      await Promise.all(Array.from({ length: 100 }, () => journal.durable()));
      demandEqual(journal.durable(), undefined, "what has become durable");
    },
  },
  {
    name: "keeps what was appended, whatever becomes of the object",
    test: async ({ store }) => {
      const journal = store.begin(runStart("one"));
      const parsed: Record<string, unknown> = { right: true };
      const [, , , , end] = turnEvents({ conversation: "c0", turn: 1, reply: LONG, verdict: true, at: 1100 });
      demand(end?.type === "turn-end", "the last event of a turn is its end");
      const event = { ...end, result: { ...end.result, parsed } };
      const before = structuredClone(event);
      journal.append(event);
      parsed.right = false;
      await journal.durable();
      demandEqual([...store.events("one", "c0")], [before], "the event");
    },
  },
  {
    name: "leaves out how far the run is",
    test: async ({ store }) => {
      const journal = store.begin(runStart("one"));
      const spending = { calls: 0, cached: 0, tokens: 0, cost: 0 };
      journal.append({ type: "progress", finished: 0, running: 1, total: 2, spending, at: 1001 });
      await journal.durable();
      demandEqual([...store.events("one")], [runStart("one")], "the events");
    },
  },
  {
    name: "keeps earlier attempts, and shows the latest",
    test: async ({ store }) => {
      const first = store.begin(runStart("one"));
      const spending = { calls: 2, cached: 0, tokens: 30, cost: 0.5 };
      const outcome = { type: "outcome", conversation: "c0", turns: [], at: 1300 } as const;
      const before: readonly RunEvent[] = [
        conversationStart("c0", cellOf(0)),
        ...turnEvents({ conversation: "c0", turn: 1, reply: LONG, verdict: true, at: 1100 }),
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
  },
  {
    name: "can be read while it is written",
    test: async ({ store }) => {
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
  },
];
