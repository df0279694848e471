import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { END, lastTurn, type RunEvent, type RunOptions, Scenario, type ScenarioDefinition } from "elenchus";
import {
  Cassette,
  cassetteModel,
  type Model,
  type ModelReply,
  readCassette,
  recordingModel,
  writeCassette,
} from "elenchus/models";
import { cassetteFromRun, memoryStore } from "elenchus/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { program } from "../tool-servers/program.ts";
import { chainOf, held, judgedQuestion, memoryModel, only, yesJudge } from "./held.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-cassette-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** Four questions in a row, of which the third depends on how the second was answered. */
function scenario(third = "Are you sure?"): ScenarioDefinition {
  return new Scenario("recorded")
    .addNode("one", { question: judgedQuestion("Is it one?") })
    .addNode("two", { question: judgedQuestion("Is it two?") })
    .addNode("doubt", { question: judgedQuestion(third) })
    .addNode("last", { question: judgedQuestion("Is it so?") })
    .addEdge("one", "two")
    .addEdge("two", "doubt", { when: { verify_result: true } })
    .addEdge("two", END)
    .addEdge("doubt", "last")
    .addEdge("last", END)
    .addOutcome("kept", lastTurn({ verify_result: true }))
    .setEntry("one")
    .validate();
}

/** A model whose every answer is new, so that an answer can only come from where it was first given. */
function subject(): ReturnType<typeof memoryModel> {
  return memoryModel("subject", (message, call) => `${call % 5 === 0 ? "no" : "yes"}, ${call}: ${message}`);
}

const SETTINGS = { replicates: 4, seed: 7, run: "run" } as const;

/** What a run of the two models gives, recorded into a file and read back. */
async function recorded(
  options: Partial<RunOptions> = {},
  model: Model = subject(),
): Promise<Awaited<ReturnType<typeof held>> & { readonly cassette: Cassette }> {
  const cassette = new Cassette();
  const kept = await held({
    scenarios: scenario(),
    ...SETTINGS,
    ...options,
    subjects: recordingModel(model, cassette),
    judge: recordingModel(yesJudge(), cassette),
  });
  const path = join(folder, "calls.jsonl");
  await writeCassette(path, cassette);
  return { ...kept, cassette: await readCassette(path) };
}

/** What is not the same for an answer that was known: times, and what it took. */
const OF_THE_CALL: ReadonlySet<string> = new Set(["at", "latencyMs", "cached", "cost", "spending"]);

/** The journals by conversation, without what is not the same. */
function journals(events: readonly RunEvent[]): Readonly<Record<string, readonly string[]>> {
  const byConversation: Record<string, string[]> = {};
  for (const event of events) {
    if (!("conversation" in event) || event.conversation === undefined) continue;
    byConversation[event.conversation] ??= [];
    byConversation[event.conversation]?.push(
      JSON.stringify(event, (key, value) => (OF_THE_CALL.has(key) ? undefined : value)),
    );
  }
  // An answer may overtake a judgement of the turn before; the events themselves are the same.
  for (const journal of Object.values(byConversation)) journal.sort();
  return byConversation;
}

function free<Result extends { readonly turns: readonly object[] }>(result: Result): object {
  const { turns, ...rest } = result;
  const unspent = { cost: 0, tokens: 0, spending: null };
  return { ...rest, ...unspent, turns: turns.map((turn) => ({ ...turn, spending: null })) };
}

test("a recorded run is the same run again, without a call", async () => {
  const first = await recorded();
  // Each conversation has four turns, but for those in which the second answer was no.
  expect(new Set(first.results.map(({ turnCount }) => turnCount))).toEqual(new Set([2, 4]));
  const again = await held({
    scenarios: scenario(),
    ...SETTINGS,
    subjects: cassetteModel(subject(), first.cassette),
    judge: cassetteModel(yesJudge(), first.cassette),
  });
  expect(again.results.map(free)).toEqual(first.results.map(free));
  expect(journals(again.events)).toEqual(journals(first.events));
  const calls = only(first.events, "run-end")[0]?.spending.calls;
  expect(calls).toBe(first.cassette.size);
  expect(only(again.events, "run-end")[0]?.spending).toEqual({ calls: 0, cached: calls, tokens: 0, cost: 0 });
  expect(only(again.events, "call-end").every(({ cached }) => cached)).toBe(true);
  expect(only(first.events, "call-end").every(({ cached }) => !cached)).toBe(true);
});

test("recording the same run twice writes the same file, in whatever order conversations ended", async () => {
  const model = (): Model => memoryModel("subject", (message) => `yes: ${message}`);
  const one = await recorded({ concurrency: 1 }, model());
  const other = await recorded({}, model());
  expect(other.cassette.toJsonLines()).toBe(one.cassette.toJsonLines());
});

test("another text at one node is a miss at that turn, and the message is named", async () => {
  const first = await recorded();
  const { results } = await held({
    scenarios: scenario("Are you very sure?"),
    ...SETTINGS,
    subjects: cassetteModel(subject(), first.cassette),
    judge: cassetteModel(yesJudge(), first.cassette),
  });
  for (const [index, { status, turnCount, failure, turns }] of results.entries()) {
    const before = first.results[index]?.turns.slice(0, 2);
    expect(turns.map(({ reply, verifyResult }) => [reply, verifyResult])).toEqual(
      before?.map(({ reply, verifyResult }) => [reply, verifyResult]),
    );
    expect(turnCount).toBe(2);
    if (before?.[1]?.verifyResult === false) expect(status).toBe("completed");
    else {
      expect(status).toBe("error");
      expect(failure).toMatchObject({
        category: "cassette_miss",
        stage: "subject",
        node: "doubt",
        turn: 3,
        message: expect.stringContaining("it differs in message 5 of 5 (user): "),
      });
      expect(failure?.message).toContain("very");
    }
  }
  expect(results.filter(({ status }) => status === "error").length).toBeGreaterThan(0);
});

test("with a model to fall back on, only that turn and those after it are asked", async () => {
  const first = await recorded();
  const size = first.cassette.size;
  const [asked, judged] = [subject(), yesJudge()];
  const options = {
    scenarios: scenario("Are you very sure?"),
    ...SETTINGS,
    subjects: cassetteModel(asked, first.cassette, { fallback: asked }),
    judge: cassetteModel(judged, first.cassette, { fallback: judged }),
  };
  const { results, events } = await held(options);
  const long = first.results.filter(({ turnCount }) => turnCount === 4).length;
  expect(results.map(({ status }) => status)).toEqual(Array(4).fill("completed"));
  expect(asked.asked.map(([, { turn }]) => turn).sort()).toEqual([
    ...Array(long).fill(3),
    ...Array(long).fill(4),
  ]);
  expect(judged.asked.map(([, { turn }]) => turn).sort()).toEqual([
    ...Array(long).fill(3),
    ...Array(long).fill(4),
  ]);
  for (const { turn, call, cached } of only(events, "call-end"))
    expect([call, cached]).toEqual([call, turn < 3]);
  for (const [index, { turns }] of results.entries())
    expect(turns.slice(0, 2).map(({ reply }) => reply)).toEqual(
      first.results[index]?.turns.slice(0, 2).map(({ reply }) => reply),
    );
  // What was asked is recorded now, beside what was there.
  expect(first.cassette.size).toBe(size + 4 * long);
  const third = await held(options);
  expect(asked.asked).toHaveLength(2 * long);
  expect(third.results.map(free)).toEqual(results.map(free));
});

test("another replicate, seed or system prompt is another call, and the miss says which", async () => {
  const first = await recorded();
  const strict = {
    scenarios: scenario(),
    judge: cassetteModel(yesJudge(), first.cassette),
    subjects: cassetteModel(subject(), first.cassette),
  };
  const more = await held({ ...strict, ...SETTINGS, replicates: 5 });
  expect(more.results.map(({ status }) => status)).toEqual([...Array(4).fill("completed"), "error"]);
  expect(more.results[4]?.failure?.message).toContain("it differs in the replicate: 5 here");
  const seeded = await held({ ...strict, ...SETTINGS, seed: 8 });
  expect(seeded.results[0]?.failure?.message).toContain("it differs in the seed: 8 here, 7 there");
  const prompted = await held({
    ...strict,
    ...SETTINGS,
    subjects: { model: strict.subjects, systemPrompt: "Be brief." },
  });
  expect(prompted.results[0]?.failure?.message).toContain("it differs in the system prompt");
});

test("a judge that is not recorded leaves its turn unreadable, and says why", async () => {
  const first = await recorded();
  const { results } = await held({
    scenarios: scenario(),
    ...SETTINGS,
    subjects: cassetteModel(subject(), first.cassette),
    judge: cassetteModel(yesJudge("another judge"), first.cassette),
  });
  for (const { status, path, turns } of results) {
    expect(status).toBe("completed");
    // Nothing is known, so the fallback is taken.
    expect(path).toEqual(["one", "two"]);
    expect(turns[0]).toMatchObject({ verifyResult: null, judgeFailure: { category: "cassette_miss" } });
  }
});

test("turns with tools are recorded, too: the model is played back, the tools are called", async () => {
  const calling = memoryModel("subject", (message, call): string | Partial<ModelReply> =>
    message === ""
      ? `yes ${call}`
      : { toolCalls: [{ id: "1", name: "add", input: { a: 20, b: 22 } }], finish: "tool_calls" },
  );
  const tools = { files: program("stdio-server") };
  const first = await recorded({ tools, replicates: 1 }, calling);
  expect(first.results[0]).toMatchObject({ status: "completed", turnCount: 4 });
  const again = await held({
    scenarios: scenario(),
    ...SETTINGS,
    replicates: 1,
    tools,
    subjects: cassetteModel(calling, first.cassette),
    judge: cassetteModel(yesJudge(), first.cassette),
  });
  expect(again.results.map(free)).toEqual(first.results.map(free));
  expect(journals(again.events)).toEqual(journals(first.events));
});

test("a run is replayed from a cassette without keys, without asking the store, and keeping nothing in it", async () => {
  const options = { scenarios: chainOf(2), judge: yesJudge(), run: "r", store: memoryStore() };
  const asked = { model: memoryModel("openai/gpt-5-mini", () => "yes"), name: "gpt" };
  const first = await held({ ...options, subjects: asked });
  const cassette = cassetteFromRun(options.store, "r");
  expect(cassette.size).toBe(4);

  const store = memoryStore();
  const silent = memoryModel("openai/gpt-5-mini", () => "never asked");
  const replayed = await held({
    ...options,
    store,
    subjects: { model: silent, name: "gpt" },
    replay: cassette,
  });
  expect(silent.asked).toEqual([]);
  expect(replayed.results.map(free)).toEqual(first.results.map(free));
  expect(store.calls.size).toBe(0);

  const keyless = { ...options, store, run: "other", subjects: "openai/gpt-5-mini", environment: {} };
  const { results } = await held({ ...keyless, replay: cassette });
  expect(results[0]?.failure?.category).toBe("cassette_miss");
});
