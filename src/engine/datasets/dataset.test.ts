import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, onTestFinished, test } from "vitest";
import { CsvReader, type CsvRecord } from "./csv-records.ts";
import { Dataset, type DatasetRow, readDataset } from "./dataset.ts";

function file(name: string, content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-dataset-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function rowsOf(dataset: Promise<Dataset>): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  for await (const row of await dataset) rows.push(row);
  return rows;
}

const ROWS = [
  { id: "a", q: "One?", n: 1, tags: ["x"] },
  { id: "b", q: 'Two, "really"?\nYes', n: 2.5, tags: [] },
];

test.each<[string, string | Uint8Array]>([
  ["rows.jsonl", `\uFEFF${ROWS.map((row) => JSON.stringify(row)).join("\r\n")}\n\n`],
  ["rows.json", JSON.stringify(ROWS, null, 2)],
  [
    "rows.yaml",
    'rows:\n  - { id: a, q: "One?", n: 1, tags: [x] }\n  - { id: b, q: "Two, \\"really\\"?\\nYes", n: 2.5, tags: [] }\n',
  ],
  ["rows.csv", '\uFEFFid,q,n,tags\r\na,One?,1,"[""x""]"\r\n\r\nb,"Two, ""really""?\nYes",2.5,[]\r\n'],
  ["semicolons.csv", '\uFEFF"id";q;n;tags\r\na;One?;1;"[""x""]"\r\nb;"Two, ""really""?\nYes";2.5;[]\r\n'],
  ["rows.tsv", 'id\tq\tn\ttags\na\tOne?\t1\t"[""x""]"\nb\t"Two, ""really""?\nYes"\t2.5\t[]'],
  [
    "rows.parquet",
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: "id", data: ["a", "b"] },
          { name: "q", data: ROWS.map(({ q }) => q) },
          { name: "n", data: [1, 2.5], type: "DOUBLE" },
          { name: "tags", data: ['["x"]', "[]"] },
        ],
      }),
    ),
  ],
])("%s has the same rows", async (name, content) => {
  const columns = { n: "number", tags: "json" } as const;
  const rows = await rowsOf(readDataset(file(name, content), { id: "id", columns }));
  expect(rows).toEqual(ROWS.map((values, index) => ({ id: values.id, index, values })));
});

test.each([
  ["GZIP", gzipSync],
  ["ZSTD", zstdCompressSync],
  ["BROTLI", brotliCompressSync],
] as const)("Parquet packed with %s is read", async (codec, compress) => {
  const columnData = [{ name: "id", data: ["a", "b"] }];
  const compressors = { [codec]: (bytes: Uint8Array) => new Uint8Array(compress(bytes)) };
  const content = parquetWriteBuffer({ columnData, codec, compressors });
  const rows = await rowsOf(readDataset(file(`${codec}.parquet`, new Uint8Array(content)), { id: "id" }));
  expect(rows.map(({ id }) => id)).toEqual(["a", "b"]);
});

test.each([
  [
    "ids.jsonl",
    '{"id":12345678901234567890,"n":9007199254740993,"x":[-9007199254740993],"f":1e20,"s":1234567890123456}',
  ],
  [
    "ids.json",
    '[{"id":12345678901234567890,"n":9007199254740993,"x":[-9007199254740993],"f":1e20,"s":1234567890123456}]',
  ],
])("%s: a whole number that cannot be held exactly stays what it is, as a text", async (name, text) => {
  const [row] = await rowsOf(readDataset(file(name, text)));
  expect(row?.values).toEqual({
    id: "12345678901234567890",
    n: "9007199254740993",
    x: ["-9007199254740993"],
    f: 1e20,
    s: 1234567890123456,
  });
});

test("the reader of CSV agrees with csv-parse, wherever the pieces are cut", () => {
  const field = fc.string({ unit: fc.constantFrom("a", "b", ",", '"', "\n", "\r\n", " ", "é", "😀") });
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(field, fc.boolean()), { minLength: 2, maxLength: 4 }), { minLength: 1 }),
      fc.constantFrom("\n", "\r\n"),
      fc.integer({ min: 1, max: 7 }),
      (table, newline, size) => {
        const text = table
          .map((fields) =>
            fields
              .map(([value, isQuoted]) => (isQuoted || /[",\n\r]/.test(value) ? quoted(value) : value))
              .join(","),
          )
          .join(newline);
        const expected = parse(text, {
          relax_column_count: true,
          skip_empty_lines: true,
          record_delimiter: ["\r\n", "\n"],
        });
        const reader = new CsvReader();
        const records: CsvRecord[] = [];
        for (let at = 0; at < text.length; at += size)
          records.push(...reader.read(text.slice(at, at + size)));
        records.push(...reader.end());
        expect(records.map((record) => ("fields" in record ? record.fields : record.problem))).toEqual(
          expected,
        );
      },
    ),
    { numRuns: 300 },
  );
});

test("rows that cannot be used are told all at once, with file and line, or left out", async () => {
  const path = file("bad.csv", 'id,n\na,1\nb,two\nc\n"d"x,4\n\ne,"5\n6"\na,7\nf,8\n,9\n');
  const options = { id: "id", columns: { n: "integer" } } as const;
  await expect(readDataset(path, options)).rejects.toMatchObject({
    name: "DatasetError",
    problems: [
      `${path}:3: the column "n" must be a whole number, but is "two". The same in line 7.`,
      `${path}:4: it has 1 fields, and the header has 2.`,
      `${path}:5: something stands after a closing quote.`,
      `${path}:9: another row has the id "a".`,
      `${path}:11: the column "id" has no id, but "".`,
    ],
  });
  const dataset = await readDataset(path, { ...options, skipBadRows: true });
  expect([dataset.count, dataset.skipped]).toEqual([2, 6]);
  expect((await rowsOf(Promise.resolve(dataset))).map(({ id, index }) => `${id} ${index}`)).toEqual([
    "a 0",
    "f 1",
  ]);
  const json = file("bad.json", '[\n  { "id": "a", "n": 1 },\n  { "id": "a",\n    "n": 2 }, 7]');
  await expect(readDataset(json, { id: "id" })).rejects.toThrow(
    /bad\.json:3: another row has the id "a"\.\n.*bad\.json:4: it is not an object/,
  );
  await expect(readDataset(file("bad.jsonl", '{"a":1}\n{"a":\n[1]\n'))).rejects.toThrow(
    /bad\.jsonl:2: it is not JSON\.\n.*bad\.jsonl:3: it is not an object/,
  );
});

test("the nearest file is named in place of one that is missing", async () => {
  await expect(readDataset(file("rows.csv", "a\n1\n").replace("rows", "row"))).rejects.toThrow(
    /row\.csv\. Did you mean "rows\.csv"\?$/,
  );
});

test.each([
  ["no.csv", undefined, "There is no dataset at"],
  ["rows.txt", "x", "has no known format. Its name must end in .csv"],
  ["rows.xlsx", "x", "is a spreadsheet. Save its sheet as CSV"],
  ["empty.csv", "", "is empty"],
  ["header.csv", "a,b\n", "has no rows"],
  ["twice.csv", "a,a\n1,2\n", 'Two columns are called "a"'],
  ["proto.csv", "a,__proto__\n1,2\n", 'A column cannot be called "__proto__"'],
  ["proto.jsonl", '{"a":1,"__proto__":{"x":1}}\n', 'A column cannot be called "__proto__"'],
  ["latin.csv", Buffer.from("a\n\xe9\n", "latin1"), "is not UTF-8"],
  ["list.json", '{"a":1}', "is not a list of rows"],
  ["broken.json", "[1,", "cannot be read"],
  ["open.csv", 'a\n"x', "a quote is not closed"],
  ["broken.parquet", "PAR1nonsense", "cannot be read"],
])("%s is refused", async (name, content, message) => {
  const path = content === undefined ? join(tmpdir(), "elenchus-none", name) : file(name, content);
  await expect(readDataset(path)).rejects.toThrow(message);
});

test("where there are no rows, nothing is said about columns", async () => {
  const testColumns = (): string[] => ["a column is missing"];
  await expect(Dataset.open({ file: file("only-header.csv", "a,b\n") }, { testColumns })).rejects.toThrow(
    "only-header.csv has no rows.",
  );
});

test("a wrong name of a column has a suggestion", async () => {
  const path = file("rows.csv", "ident,level\na,1\n");
  await expect(readDataset(path, { id: "idnet" })).rejects.toThrow(
    'has no column "idnet". Did you mean "ident"?',
  );
  await expect(readDataset(path, { where: { levle: 1 } })).rejects.toThrow('Did you mean "level"?');
});

test("filters are written like conditions; samples are stable; a limit comes last", async () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({
    key: `q${index}`,
    level: index % 3,
    meta: { even: index % 2 === 0 },
  }));
  const ids = async (options: object): Promise<readonly string[]> =>
    (await rowsOf(Dataset.open({ rows, id: "key", ...options }))).map(({ id }) => id);
  expect(await ids({ where: { level: 1 }, limit: 2 })).toEqual(["q1", "q4"]);
  expect(await ids({ where: [{ level: { in: [1, 2] } }, { "meta.even": true }], limit: 2 })).toEqual([
    "q2",
    "q4",
  ]);
  expect(await ids({ where: { type: "not", condition: { "row.level": { lt: 2 } } }, limit: 1 })).toEqual([
    "q2",
  ]);
  const sample = await ids({ sample: { n: 10, seed: 1 } });
  expect(sample).toHaveLength(10);
  expect(sample).not.toEqual(await ids({ sample: { n: 10, seed: 2 } }));
  const without = await rowsOf(
    Dataset.open({
      rows: rows.toReversed().filter(({ key }) => key !== sample[0]),
      id: "key",
      sample: { n: 10, seed: 1 },
    }),
  );
  // The row that is gone is replaced by another one, and nothing else changes.
  expect(without.filter(({ id }) => sample.includes(id))).toHaveLength(9);
});

test("Parquet files that are read at the same time keep their own rows", async () => {
  const read = async (first: number): Promise<readonly unknown[]> => {
    const data = Array.from({ length: 12_000 }, (_, index) => first + index);
    const content = parquetWriteBuffer({ columnData: [{ name: "n", data, type: "INT32" }] });
    const rows = await rowsOf(readDataset(file("rows.parquet", new Uint8Array(content))));
    return rows.map(({ values }) => values.n);
  };
  const starts = [0, 20_000, 40_000];
  const all = await Promise.all(starts.map(read));
  for (const [index, first] of starts.entries())
    expect(all[index]).toEqual(Array.from({ length: 12_000 }, (_, row) => first + row));
});
