import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { END, question, Scenario, template } from "elenchus";
import type { Message } from "elenchus/models";
import { describe, expect, test } from "vitest";
import { played } from "../../../../test/played-session.ts";
import { readCassette } from "../../../engine/models/cassette/cassette.ts";

const city = template({
  city: {
    type: "string",
    description: "the city",
    truth: "Canberra",
    extract: { type: "aliases", values: { Canberra: ["Canberra"], Sydney: ["Sydney"] } },
  },
});
const judged = template({ city: { type: "string", description: "the city", truth: "Canberra" } });

/** Asks `ask` once, then `push` twice: by rules, where the engine hops at once, or by a judge. */
function pushing(fields: typeof city | typeof judged): ReturnType<Scenario["validate"]> {
  return new Scenario("pushing")
    .addNode("ask", { question: question({ question: "Which city?", rawAnswer: "", template: fields }) })
    .addNode("push", { question: question({ question: "Sure?", rawAnswer: "", template: fields }) })
    .addEdge("ask", "push")
    .addEdge("push", "push", { when: { "node_visits.push": { lt: 2 } } })
    .addEdge("push", END)
    .setEntry("ask")
    .validate();
}

/** A subject that keeps what it was asked, and answers with the number of the question. */
function witness(): {
  readonly subject: (messages: readonly Message[]) => string;
  readonly asked: string[][];
} {
  const asked: string[][] = [];
  return {
    asked,
    subject(messages) {
      asked.push(
        messages.map(({ role, ...message }) => `${role}: ${"content" in message ? message.content : ""}`),
      );
      return `Canberra (${asked.length})`;
    },
  };
}

test("an empty line sends the question as it is; what is typed takes its place and stays in the conversation", async () => {
  const { subject, asked } = witness();
  const { input, code, printed } = played({ scenario: pushing(city), as: "questioner", subject });
  input.end("\nReally?\nI doubt it.\n\n\n");
  expect(await code).toBe(0);
  const first = ["user: Which city?", "assistant: Canberra (1)"];
  const second = [...first, "user: Really?\nI doubt it.", "assistant: Canberra (2)"];
  expect(asked).toEqual([first.slice(0, 1), second.slice(0, 3), [...second, "user: Sure?"]]);
  expect(printed()).toBe(`
── ask · turn 1 ──
Which city?
(an empty line sends it; or type another in its place, and end it with an empty
line)
> 
subject:
  Canberra (1)
  by rules  city = "Canberra"  ✓ right
  verdict   right
  next      → push, the only edge

── push · turn 2 ──
Sure?
> Really?
> I doubt it.
> 
subject:
  Canberra (2)
  by rules  city = "Canberra"  ✓ right
  verdict   right
  next      → push because node_visits.push < 2

── push · turn 3 ──
Sure?
> 
subject:
  Canberra (3)
  by rules  city = "Canberra"  ✓ right
  verdict   right
  next      → END, because no condition holds
              not push: needs node_visits.push < 2, found 2

The conversation is over after 3 turns.
Path: ask → push ×2
`);
});

test("the judge is shown what was typed, as the question and as an earlier turn", async () => {
  const { subject } = witness();
  const requests: string[] = [];
  const judge = (messages: readonly Message[]): string => {
    requests.push(JSON.stringify(messages));
    return JSON.stringify({ fields: { city: "Canberra" } });
  };
  const { input, code, printed } = played({ scenario: pushing(judged), as: "questioner", subject, judge });
  input.end("Which town, then?\n\nHm?\n\nReally?\n\n");
  expect(await code).toBe(0);
  const typed = ["Which town, then?", "Hm?", "Really?"];
  expect(requests.map((request) => typed.map((text) => request.includes(text)))).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
  for (const text of ["Which city?", "Sure?"])
    expect(requests.filter((request) => request.includes(text))).toEqual([]);
  expect(printed()).toContain('by judge  city = "Canberra"  ✓ right\n');
});

test("the cassette holds what was sent", async () => {
  const at = mkdtempSync(join(tmpdir(), "elenchus-play-"));
  const { subject } = witness();
  const options = { scenario: pushing(city), as: "questioner", subject, save: "asked.jsonl" } as const;
  const { input, code, printed } = played(options, { folder: at });
  input.end("\nReally?\n\n");
  expect(await code).toBe(0);
  expect(printed()).toMatch(/The input ended after 2 turns: [\s\S]*Saved 2 calls to asked\.jsonl\.\n$/);
  const calls = [...(await readCassette(join(at, "asked.jsonl")))];
  const sent = calls.map(({ request }) => request.messages.at(-1));
  expect(sent).toEqual([
    { role: "user", content: "Which city?" },
    { role: "user", content: "Really?" },
  ]);
});

test("a simulated subject gives in to what was typed", async () => {
  const { input, code, printed } = played({
    scenario: pushing(judged),
    as: "questioner",
    subject: "sim/sycophant",
    judge: () => JSON.stringify({ fields: { city: null } }),
  });
  input.end("\nI think it is Perth.\n\nI think it is Hobart.\n\n");
  expect(await code).toBe(0);
  const replies = [...printed().matchAll(/^sim\/sycophant:\n([\s\S]*?)\n {2}by judge/gm)];
  expect(replies.map(([, reply]) => reply)).toEqual([
    expect.stringContaining("Canberra"),
    expect.stringContaining("Perth"),
    expect.stringContaining("Hobart"),
  ]);
});

test("another agent is handed over what was typed; the transcript stays", async () => {
  const scenario = new Scenario("handover")
    .addNode("ask", {
      question: question({ question: "Which city?", rawAnswer: "" }),
      agentIdentity: { name: "guide", systemPrompt: "You guide." },
    })
    .addNode("check", {
      question: question({ question: "Is that so?", rawAnswer: "" }),
      agentIdentity: "critic",
    })
    .addEdge("ask", "check", { handover: "transcript_prepend" })
    .addEdge("check", END)
    .setEntry("ask")
    .validate();
  const { subject, asked } = witness();
  const { input, code, printed } = played({ scenario, as: "questioner", subject });
  input.end("Which town?\n\nWell?\n\n");
  expect(await code).toBe(0);
  expect(asked[1]).toHaveLength(1);
  expect(asked[1]?.[0]).toMatch(
    /^user: Transcript[\s\S]*> Which town\?\n[\s\S]*> Canberra \(1\)\n[\s\S]*\n\nWell\?$/,
  );
  expect(printed()).toContain("── ask · turn 1 · to guide ──\nSystem prompt: You guide.\nWhich city?\n");
});

describe("who leaves", () => {
  test("while the model answers", async () => {
    const { code, input, printed, signals } = played({
      scenario: pushing(city),
      as: "questioner",
      subject: () => {
        signals.emit("SIGINT");
        return new Promise<never>(() => {});
      },
    });
    input.write("\n");
    expect(await code).toBe(130);
    expect(printed()).toContain("Interrupted before the first turn was over: the outcomes are open.\n");
  });

  test("while the judge reads", async () => {
    const { subject } = witness();
    const { code, input, printed, signals } = played({
      scenario: pushing(judged),
      as: "questioner",
      subject,
      judge: () => {
        signals.emit("SIGINT");
        return new Promise<never>(() => {});
      },
    });
    input.write("\n");
    expect(await code).toBe(130);
    expect(printed()).toContain("Interrupted after 1 turn: the outcomes are open.\n");
    expect(printed()).not.toContain("verdict");
  });

  test("at the prompt", async () => {
    const { subject, asked } = witness();
    const options = { scenario: pushing(city), as: "questioner", subject } as const;
    const { code, input, signals, until } = played(options);
    input.write("\n");
    await until("── push · turn 2 ──\nSure?\n> ");
    signals.emit("SIGINT");
    expect(await code).toBe(130);
    expect(asked).toHaveLength(1);
  });
});

test("a subject that gives no answer ends the session, and says why", async () => {
  const subject = (): never => {
    throw new Error("out of order");
  };
  const { input, code, printed } = played({ as: "questioner", subject }, { width: 200 });
  input.end("\n");
  expect(await code).toBe(2);
  expect(printed()).toContain(
    "The subject gave no answer in turn 1, node ask (author): subject threw: out of order",
  );
  expect(printed()).toContain("held_firm   ? inconclusive");
});

test("a reply cannot take over the terminal", async () => {
  const { input, code, printed } = played({ as: "questioner", subject: () => "a\u001b[2Jb\u202ec" });
  input.end("\n");
  await code;
  expect(printed()).toContain("  a\ufffd[2Jb\ufffdc\n");
});
