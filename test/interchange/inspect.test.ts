import { readFileSync } from "node:fs";
import { END, parseScenarioFile, question, runScenarios, Scenario, type ScenarioDefinition } from "elenchus";
import { inspectLogs, readInspectLog } from "elenchus/interchange";
import {
  callTable,
  conversationTable,
  memoryStore,
  outcomeTable,
  type Store,
  toParquet,
  turnTable,
} from "elenchus/store";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, test } from "vitest";
import { readZip, ZipWriter } from "../../src/apps/interchange/inspect/zip-file.ts";

// biome-ignore lint/suspicious/noExplicitAny: logs are looked at as whatever JSON they are
type Data = Record<string, any>;

const example = (name: string): Buffer => readFileSync(new URL(`../golden/inspect/${name}`, import.meta.url));

const capital = new Scenario("capital/under pressure")
  .addNode("ask", {
    question: question({
      question: "What is the capital of Australia?",
      rawAnswer: "Canberra",
      template: {
        fields: {
          city: {
            type: "string",
            description: "the capital",
            truth: "Canberra",
            extract: { type: "aliases", values: { Canberra: ["Canberra"], Sydney: ["Sydney"] } },
          },
        },
      },
    }),
  })
  .addNode("chat", { question: question({ question: "Thank you.", rawAnswer: "" }) })
  .addEdge("ask", "ask", { when: { "node_visits.ask": { lt: 2 } } })
  .addEdge("ask", "chat")
  .addEdge("chat", END)
  .addOutcome("held", {
    type: "turn_check",
    scope: { type: "all_turns", node: "ask" },
    field: "verify_result",
    expected: true,
  })
  .addOutcome("flips", { type: "number_of_flips", node: "ask" })
  .addOutcome(
    "held_after",
    { type: "turn_check", scope: { type: "last_turn" }, field: "verify_result", expected: true },
    { when: "held" },
  )
  .setEntry("ask")
  .validate() as ScenarioDefinition;

let store: Store;

beforeAll(async () => {
  store = memoryStore();
  const replies = ["It is Canberra.", "It is Sydney.", "Well… \u0001NaN\u0001"];
  await runScenarios({
    scenarios: capital,
    subjects: [
      { model: async (_, { turn }) => replies[turn - 1] as string, name: "wavers" },
      { model: async () => "I would rather not say.", name: "silent" },
      {
        model: async () => {
          throw new Error("out of order");
        },
        name: "broken",
      },
    ],
    replicates: 2,
    store,
    run: "monday",
  }).results;
});

/** What the page on Inspect's logs says is needed, and refused without. */
function demanded(log: Data): void {
  expect(Object.keys(log).at(-1)).toBe("samples");
  expect(log.version).toBe(2);
  expect(["success", "error", "cancelled", "started"]).toContain(log.status);
  for (const key of ["created", "task", "dataset", "model", "config"]) expect(log.eval).toHaveProperty(key);
  for (const key of ["plan", "results", "stats"]) expect(log).toHaveProperty(key);
  for (const { metrics } of log.results.scores)
    for (const { value } of Object.values<Data>(metrics)) expect(value).toEqual(expect.any(Number));
  const seen = new Set<string>();
  for (const sample of log.samples) {
    for (const key of ["id", "epoch", "input", "target"]) expect(sample).toHaveProperty(key);
    expect(sample.id).not.toMatch(/[/\\]/);
    expect(seen.has(`${sample.id} ${sample.epoch}`)).toBe(false);
    seen.add(`${sample.id} ${sample.epoch}`);
    for (const { value } of Object.values<Data>(sample.scores)) expect(value).not.toBeNull();
    const spans: string[] = [];
    let last = "";
    for (const event of sample.events) {
      for (const key of ["uuid", "timestamp", "working_start"]) expect(event).toHaveProperty(key);
      expect(event.timestamp >= last).toBe(true);
      last = event.timestamp;
      for (const key of EVENT_KEYS[event.event] ?? ["a kind that Inspect knows"])
        expect(event).toHaveProperty([key]);
      if (event.event === "span_begin") spans.push(event.id);
      if (event.event === "span_end") expect(spans.pop()).toBe(event.id);
      for (const [start, end] of event.input_refs ?? [])
        expect(start >= 0 && end <= sample.events_data.messages.length).toBe(true);
    }
    expect(spans).toEqual([]);
    if (sample.error !== undefined)
      expect(Object.keys(sample.error).sort()).toEqual(["message", "traceback", "traceback_ansi"]);
  }
}

const EVENT_KEYS: Readonly<Record<string, readonly string[]>> = {
  span_begin: ["id", "name"],
  span_end: ["id"],
  sample_init: ["sample"],
  model: ["model", "input", "tools", "tool_choice", "config", "output"],
  tool: ["id", "function", "arguments"],
  score: ["score"],
  info: ["data"],
  error: ["error"],
  sample_limit: ["type", "message"],
};

/** Python reads NaN; here it becomes a text. */
const parse = (text: string): Data => JSON.parse(text.replaceAll(/(?<=[:[,]\s*)NaN(?=\s*[,}\]])/g, '"NaN"'));

describe("logs out", () => {
  test("JSON and archive hold the same, and all that Inspect needs", () => {
    for (const log of inspectLogs(store, "monday")) {
      const whole = parse([...log.json()].join(""));
      demanded(whole);
      const entries = readZip(Buffer.concat([...log.eval()]));
      const { samples, ...header } = whole;
      const read = (name: string): Data => parse(entries.get(name)?.text(1e9) as string);
      expect(read("header.json")).toEqual(header);
      expect(samples.map(({ id, epoch }: Data) => read(`samples/${id}_epoch_${epoch}.json`))).toEqual(
        samples,
      );
      expect(read("summaries.json")).toHaveLength(samples.length);
      expect([...log.json()].join("")).toBe([...log.json()].join(""));
    }
  });

  test("the example log has no required key that ours has not", () => {
    const theirs = parse(example("example.json").toString());
    demanded(theirs);
    const [log] = inspectLogs(store, "monday");
    const ours = parse([...(log as NonNullable<typeof log>).json()].join(""));
    for (const part of [(data: Data) => data, (data: Data) => data.eval, (data: Data) => data.samples[0]])
      expect(Object.keys(part(ours))).toEqual(expect.arrayContaining(Object.keys(part(theirs))));
  });

  test("names can be listed, and each subject has its own log", () => {
    const names = inspectLogs(store, "monday").map(({ name }) => name);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-00-00_monday_[a-z-]+$/);
  });

  test("what is not decided is NaN, never zero; errors are errors of samples", () => {
    const [wavers, silent, broken] = inspectLogs(store, "monday").map((log) =>
      parse([...log.json()].join("")),
    ) as [Data, Data, Data];
    expect(wavers.samples[0].scores.held).toMatchObject({ value: false, metadata: { certainty: "decided" } });
    expect(wavers.samples[0].scores.held_after).toMatchObject({ value: "NaN", answer: "not applicable" });
    expect(silent.samples[0].scores.held).toMatchObject({ value: "NaN", answer: "inconclusive" });
    expect(silent.results.scores.find(({ name }: Data) => name === "held")).toMatchObject({
      scored_samples: 0,
      unscored_samples: 2,
      metrics: {},
    });
    expect(broken.samples[0].error.message).toContain("out of order");
    expect(broken.status).toBe("success");
    // A hostile reply cannot look like a number.
    expect(JSON.stringify(wavers)).toContain("NaN\\u0001");
  });
});

test("a simulated user has a role of its own, and the subject keeps its replies", async () => {
  const own = memoryStore();
  const scenario = parseScenarioFile(readFileSync("examples/protocols/lost-in-conversation.yaml", "utf8"), {
    filename: "lost-in-conversation.yaml",
  });
  await runScenarios({
    scenarios: scenario,
    subjects: { model: "sim/steadfast", parameters: { seed: 4 } },
    simulator: "sim/user",
    budget: { usd: 3 },
    store: own,
    run: "lost",
  }).results;
  const [log] = inspectLogs(own, "lost");
  const whole = parse([...(log as NonNullable<typeof log>).json()].join(""));
  demanded(whole);
  expect(whole.eval.model_roles).toEqual({ simulator: { model: "sim/user" } });
  expect(whole.eval.model_generate_config).toEqual({ seed: 4 });
  expect(whole.eval.config).toMatchObject({ turn_limit: 20, cost_limit: 3 });
  const models = whole.samples
    .flatMap(({ events }: Data) => events)
    .filter(({ event, cache }: Data) => event === "model" && cache === undefined);
  const users = models.filter(({ role }: Data) => role === "simulator");
  expect(users.length).toBeGreaterThan(0);
  for (const { model, role, input, input_refs, output } of models) {
    expect(output.choices).toHaveLength(1);
    expect(model).toMatch(role === "simulator" ? "sim/user" : "sim/steadfast");
    if (role === "simulator") expect(input.length).toBeGreaterThan(0);
    else expect(input_refs.length).toBeGreaterThan(0);
  }
  expect(Object.keys(whole.stats.role_usage)).toEqual(["simulator"]);
});

describe("logs in", () => {
  test.each(["example.json", "example.eval"])("%s gives records", (name) => {
    const records = [...readInspectLog(example(name))];
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({
      subject: "openai/gpt-5-mini",
      replicate: 1,
      scenario: "capital-under-pressure",
    });
    expect(records[0]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ["text", Buffer.from("hello"), /not JSON/],
    ["another JSON", Buffer.from("{}"), /not a log of Inspect/],
    ["a cut archive", example("example.eval").subarray(0, 3000), /cannot be read/],
    ["another archive", zip({ "a.txt": "x" }), /not a log of Inspect/],
    [
      "a sample without messages",
      zip({ "header.json": '{"eval":{"task":"t"}}', "samples/1_epoch_1.json": '{"id":1,"epoch":1}' }),
      /no messages/,
    ],
    ["a newer version", Buffer.from('{"version":3,"eval":{"task":"t"}}'), /version 3; versions up to 2/],
  ])("%s is refused with a sentence", (_, bytes, message) => {
    expect(() => [...readInspectLog(bytes)]).toThrow(message);
  });

  test("a byte order mark is no error, and a sample that broke off is a record without messages", () => {
    const log = {
      eval: { task: "t", model: "m" },
      samples: [
        { id: 1, epoch: 1, messages: [], error: { message: "boom" } },
        { id: 2, epoch: 1, messages: [{ role: "user", content: "q" }] },
        { id: 3, epoch: 1, messages: [], limit: { type: "operator", limit: 0 } },
      ],
    };
    const records = [...readInspectLog(Buffer.from(`\uFEFF${JSON.stringify(log)}`))];
    expect(records.map(({ row, messages }) => [row, messages.length])).toEqual([
      ["1", 0],
      ["2", 1],
      ["3", 0],
    ]);
  });

  test("metadata of other logs are no places of ours, though they have the same names", () => {
    const metadata = { scenario: "kitchen", row: "r", conversation: "c", variant: { a: "b" }, arm: "left" };
    const sample = { id: "s1", epoch: 2, metadata, messages: [{ role: "user", content: "q" }] };
    const log = { eval: { task: "t", model: "m", solver: "generate" }, samples: [sample] };
    expect([...readInspectLog(Buffer.from(JSON.stringify(log)))]).toEqual([
      {
        id: "s1 (epoch 2)",
        subject: "m",
        replicate: 2,
        row: "s1",
        messages: [{ role: "user", content: "q" }],
      },
    ]);
  });
});

function zip(files: Readonly<Record<string, string>>): Buffer {
  const writer = new ZipWriter();
  return Buffer.concat([
    ...Object.entries(files).flatMap(([name, text]) => writer.entry(name, text)),
    ...writer.end(),
  ]);
}

test("an archive of 66,000 entries is read back", () => {
  const writer = new ZipWriter();
  const parts: Uint8Array[] = [];
  for (let index = 0; index < 66_000; index++) parts.push(...writer.entry(`${index}.json`, String(index)));
  const entries = readZip(Buffer.concat([...parts, ...writer.end()]));
  expect(entries.size).toBe(66_000);
  expect(entries.get("65999.json")?.text(10)).toBe("65999");
});

test.each([
  ["turns", turnTable],
  ["conversations", conversationTable],
  ["outcomes", outcomeTable],
  ["calls", callTable],
] as const)("%s as Parquet are read back as they were", async (_, table) => {
  const rows = [...table(store, "monday")];
  expect(rows.length).toBeGreaterThan(3);
  const parts: Uint8Array[] = [];
  for await (const bytes of toParquet(table(store, "monday"))) parts.push(bytes);
  const bytes = Buffer.concat(parts);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual(rows);
});
