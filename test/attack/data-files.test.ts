// Data of strangers: datasets, labels, baselines, logs and checkpoints of other tools. Each is read, or refused in a sentence, in time and
// memory in proportion to its size.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { inspectLogs } from "../../src/apps/interchange/inspect/inspect-log.ts";
import { readInspectLog } from "../../src/apps/interchange/inspect/read-log.ts";
import { readKarenina, toKarenina } from "../../src/apps/interchange/karenina/checkpoint.ts";
import { Rng } from "../../src/core/rng.ts";
import { Dataset } from "../../src/engine/datasets/dataset.ts";
import { readParquet } from "../../src/engine/datasets/row-files.ts";
import { memoryStore } from "../../src/engine/journal/store/memory-store.ts";
import type { Store } from "../../src/engine/journal/store/store.ts";
import { toParquet } from "../../src/engine/journal/transfer/parquet.ts";
import { conversationTable } from "../../src/engine/journal/transfer/tables.ts";
import { runScenarios } from "../../src/engine/run/run-scenarios.ts";
import { baselineLines, readBaseline } from "../../src/insight/report/data/baseline.ts";
import { readLabels } from "../../src/insight/report/data/judge-agreement.ts";
import { fileLines } from "../../src/system/files/read-text-file.ts";
import { chainOf, memoryModel, yesJudge } from "../engine/held.ts";
import { mutated, TRIES } from "./mutations.ts";

const folder = mkdtempSync(join(tmpdir(), "elenchus-attack-data-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function heldRun(): Promise<Store> {
  const store = memoryStore();
  const subjects = memoryModel("subject", (message) => `yes ${message}`);
  await runScenarios({ scenarios: chainOf(2), subjects, judge: yesJudge(), replicates: 3, store, run: "r" })
    .results;
  return store;
}

/** Reads a dataset that a file contains; gives how many rows there are, or the message of its error. */
async function opened(name: string, content: string | Uint8Array): Promise<number | string> {
  const path = join(folder, name);
  writeFileSync(path, content);
  try {
    let rows = 0;
    for await (const _ of await Dataset.open({ file: path })) rows++;
    return rows;
  } catch (error) {
    expect((error as Error).name, (error as Error).stack).toBe("DatasetError");
    return (error as Error).message;
  }
}

function changedBytes(bytes: Uint8Array, seed: string): Uint8Array {
  const rng = new Rng(seed);
  const changed = Uint8Array.from(bytes);
  for (let change = 0; change < 1 + rng.next() * 20; change++)
    changed[Math.floor(rng.next() * changed.length)] = Math.floor(rng.next() * 256);
  return rng.next() < 0.2 ? changed.subarray(0, Math.floor(rng.next() * changed.length)) : changed;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array> | Iterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  return Buffer.concat(parts);
}

/** Data, or an error with one of these names and a sentence. */
function expectSentence(read: () => unknown, names: readonly string[]): void {
  try {
    read();
  } catch (error) {
    expect(names, (error as Error).stack).toContain((error as Error).name);
    expect((error as Error).message.slice(0, 200)).not.toMatch(/\bundefined\b|\[object|\bat \w+ \(/);
  }
}

describe("datasets", () => {
  const rows = [
    { id: "a", question: "Which?", answer: 7, more: { deep: [1, "x"] } },
    { id: "b", question: "Who?", answer: 8, more: null },
  ];
  const CONTENT: Readonly<Record<string, string>> = {
    csv: 'id,question,answer\na,"Which,\n""one""?",7\nb,Who?,8\n',
    tsv: "id\tquestion\na\tWhich?\nb\tWho?\n",
    jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    json: JSON.stringify({ rows }),
    yaml: "rows:\n  - &a { id: a, question: Which? }\n  - { <<: *a, id: b }\n",
  };

  test.each(Object.keys(CONTENT))(
    `${TRIES} mutated files: %s`,
    async (format) => {
      for (let index = 0; index < TRIES; index++)
        await opened(`mutated.${format}`, mutated(CONTENT[format] ?? "", `${format} ${index}`));
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
    600_000,
  );

  test(`${TRIES} Parquet files with changed bytes`, async () => {
    const original = await bytesOf(toParquet(conversationTable(await heldRun(), "r")));
    expect(await opened("whole.parquet", original)).toBe(3);
    for (let index = 0; index < TRIES; index++) {
      const changed = changedBytes(original, `parquet ${index}`);
      if (index < 150) await opened("changed.parquet", changed);
      // One in five hundred would be read until the limit of time, which is long.
      else await readWithin(500, changed);
    }
  }, 600_000);

  async function readWithin(limitMs: number, content: Uint8Array): Promise<void> {
    const path = join(folder, "changed.parquet");
    writeFileSync(path, content);
    try {
      for await (const _ of readParquet(path, limitMs));
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }

  test("a Parquet file that the library would read for ever", async () => {
    const path = fileURLToPath(new URL("../fixtures/endless.parquet", import.meta.url));
    const read = async (): Promise<void> => {
      for await (const _ of readParquet(path, 500));
    };
    await expect(read()).rejects.toThrow("it is damaged, or takes too much time or memory");
    // The next file is read by another thread.
    const whole = await bytesOf(toParquet(conversationTable(await heldRun(), "r")));
    expect(await opened("after.parquet", whole)).toBe(3);
  });

  test("a Parquet file that claims more rows than it has", async () => {
    const claim = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f];
    // Version 1, a schema of one column, the claim, and no groups.
    const schema = [0x48, 4, ...Buffer.from("root"), 0x15, 2, 0, 0x15, 12, 0x25, 0, 0x18, 1, 0x71, 0];
    const metadata = Buffer.from([0x15, 2, 0x19, 0x2c, ...schema, 0x16, ...claim, 0x19, 0x0c, 0]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    const file = Buffer.concat([Buffer.from("PAR1"), metadata, length, Buffer.from("PAR1")]);
    expect(await opened("claims.parquet", file)).toContain("is damaged: its groups do not have");
  });

  test.each([
    ["columns.csv", () => `${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join()}\nx\n`, "the header"],
    ["deep.json", () => `[{"q":${"[".repeat(50_000)}${"]".repeat(50_000)}}]`, "more than 100 levels deep"],
    ["deep.jsonl", () => `{"q":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "more than 100 levels deep"],
    ["brackets.json", () => "[".repeat(500_000) + "]".repeat(500_000), "is not an object"],
    ["brackets.yaml", () => "[".repeat(50_000), "is nested too deeply"],
    ["mixed.json", () => `[1${',{"q":1}'.repeat(200_000)}]`, "is not an object"],
    ["large.yaml", () => "- { q: abc }\n".repeat(1_000_000), "too large for its format"],
    ["unclosed.csv", () => `q\n"${"x".repeat(12_000_000)}`, "is longer than"],
  ])("%s is refused at once", async (name, content, problem) => {
    expect(await opened(name, content())).toContain(problem);
  });
});

test("a line of many pieces is read once", async () => {
  const path = join(folder, "long.txt");
  writeFileSync(path, `a\n${"x".repeat(40_000_000)}\n\nb`);
  const lines: (readonly [number, number])[] = [];
  for await (const { line, text } of fileLines(path, "long.txt")) lines.push([line, text.length]);
  expect(lines).toEqual([
    [1, 1],
    [2, 40_000_000],
    [4, 1],
  ]);
});

describe("files of other tools", () => {
  test(`${TRIES} mutated checkpoints`, () => {
    const { text } = toKarenina([chainOf(3)], { lossy: true });
    for (let index = 0; index < TRIES; index++)
      expectSentence(() => readKarenina(mutated(text, `karenina ${index}`)), ["KareninaError"]);
  }, 600_000);

  test(`${TRIES} logs with changed bytes`, async () => {
    const [log] = inspectLogs(await heldRun(), "r", { version: "1" });
    if (log === undefined) throw new Error("there is no log");
    const archive = await bytesOf(log.eval());
    const plain = (await bytesOf(log.json())).toString();
    expect([...readInspectLog(archive)]).toHaveLength(3);
    for (let index = 0; index < TRIES; index++) {
      const read = (bytes: Uint8Array) => (): unknown => [...readInspectLog(bytes)];
      expectSentence(read(changedBytes(archive, `eval ${index}`)), ["InspectLogError"]);
      expectSentence(read(Buffer.from(mutated(plain, `log ${index}`))), ["InspectLogError"]);
    }
  }, 600_000);

  test("an archive that unpacks to a thousand times its size", () => {
    const sample = JSON.stringify({
      id: 1,
      epoch: 1,
      messages: [
        { role: "user", content: " ".repeat(8_000_000) },
        { role: "assistant", content: "yes" },
      ],
    });
    const packed = deflateRawSync(sample);
    const header = JSON.stringify({ version: 2, eval: { task: "t", model: "m" } });
    const entries = [
      { name: "header.json", content: deflateRawSync(header), size: header.length },
      ...Array.from({ length: 20 }, (_, index) => ({
        name: `samples/${index}_epoch_1.json`,
        content: packed,
        size: sample.length,
      })),
    ];
    expect(() => [...readInspectLog(zipOf(entries))]).toThrow(/unpacks to more than 100 times its size/);
  });
});

describe("labels and baselines", () => {
  test(`${TRIES} mutated label files`, () => {
    const text = 'conversation,turn,field,value\na,1,city,"Can""berra"\nb,2,city,true\n';
    for (let index = 0; index < TRIES; index++)
      expectSentence(() => readLabels(mutated(text, `labels ${index}`), "labels.csv"), ["RunError"]);
  });

  test("a label of many characters, in quotes or never closed", () => {
    const head = "conversation,turn,field,value\na,1,city,";
    expect(readLabels(`${head}"${"x".repeat(5_000_000)}"\n`, "labels.csv")).toHaveLength(1);
    expect(() => readLabels(`${head}"${"x".repeat(5_000_000)}`, "labels.csv")).toThrow(/cannot be read/);
  });

  test(`${TRIES} mutated baselines`, async () => {
    const text = [...baselineLines(await heldRun(), "r")].join("");
    for (let index = 0; index < TRIES; index++)
      expectSentence(() => readBaseline(mutated(text, `baseline ${index}`), "baseline.jsonl"), ["RunError"]);
  }, 600_000);
});

describe("forged baselines", () => {
  const HEADER = {
    elenchus: "baseline",
    version: 1,
    run: "r",
    scenarios: [["s", "h"]],
    subjects: ["m"],
    judges: ["rules"],
    outcomes: ["ok"],
    rates: {},
  };
  const LINE: readonly unknown[] = [0, 0, 0, 1, null, null, null, ["t"], null];
  const read = (header: object, line: readonly unknown[] = LINE): unknown =>
    readBaseline(`${JSON.stringify(header)}\n${JSON.stringify(line)}\n`, "b.jsonl");

  test("are refused with the line that is wrong", () => {
    expect(() => read(HEADER)).not.toThrow();
    for (const wrong of [
      { rates: { x: null } },
      { rates: { x: { ratio: ["a"] } } },
      { scenarios: [5] },
      { scenarios: [["s"]] },
      { subjects: [{}] },
      { outcomes: [5] },
      { judges: null },
      { run: {} },
      { rates: undefined, rate: {} },
      { judges: undefined, judgess: [] },
    ])
      expect(() => read({ ...HEADER, ...wrong }), JSON.stringify(wrong)).toThrow(/^b\.jsonl:1: /);
    for (const [at, value] of [
      [0, 1],
      [0, []],
      [0, "length"],
      [1, 7],
      [2, null],
      [3, 0],
      [3, "1"],
      [5, { factor: 1 }],
      [7, ["constructor"]],
      [7, ["toString"]],
      [7, [{}]],
    ] as const)
      expect(() => read(HEADER, LINE.with(at, value)), `${at} ${value}`).toThrow(/^b\.jsonl:2: /);
  });
});

/** An archive whose entries are packed already. */
function zipOf(
  entries: readonly { readonly name: string; readonly content: Buffer; readonly size: number }[],
): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content, size } of entries) {
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt32LE(size, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    local.push(head, Buffer.from(name), content);
    central.push(entry, Buffer.from(name));
    offset += head.length + name.length + content.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}
