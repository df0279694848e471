import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toCsv, toJson } from "./table-text.ts";

function csv(rows: Parameters<typeof toCsv>[0]): string {
  return [...toCsv(rows)].join("");
}

test("writes values so that they can be told apart", () => {
  const rows = [
    { text: "plain", number: 1.5, yes: true, nothing: null },
    { text: 'say "hi",\nthen go', number: -2, yes: false, nothing: null },
  ];
  expect(csv(rows)).toBe(
    'text,number,yes,nothing\r\nplain,1.5,true,\r\n"say ""hi"",\nthen go",-2,false,\r\n',
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ["-2+3", "'-2+3"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1", '"\'\r=1"'],
  ["\n=1", '"\'\n=1"'],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ["＝1+1", "'＝1+1"],
  ["-5", "-5"],
  ["+3.25", "+3.25"],
  ["-1e-7", "-1e-7"],
  ["-", "'-"],
  ["- a list", "'- a list"],
  ["'quoted", "'quoted"],
  [" =1", '" =1"'],
])("%j is the cell %j", (text, cell) => {
  expect(csv([{ text }])).toBe(`text\r\n${cell}\r\n`);
});

test("a name of a column is a cell, too", () => {
  expect(csv([{ "=x": 1 }])).toBe("'=x\r\n1\r\n");
});

test("a table without rows has a header", () => {
  expect(csv(Object.assign([], { columns: ["a", "b"] }))).toBe("a,b\r\n");
  expect(csv([])).toBe("");
});

test("the columns of a table come in its order", () => {
  expect(csv(Object.assign([{ b: 2, a: 1 }, { a: 3 }], { columns: ["a", "b"] }))).toBe(
    "a,b\r\n1,2\r\n3,\r\n",
  );
});

test("a row with a column more is an error, not a shifted cell", () => {
  expect(() => csv([{ a: 1 }, { a: 1, b: 2 }])).toThrow('A row has the column "b", which the first has not.');
});

/** Reads a CSV file as RFC 4180 has it. */
function parse(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

test("any text comes back, with a quote in front where it would be a formula", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom("=", "-", '"', ",", "\r", "\n", "\t", "1", " ") }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (cells) => {
      const read = parse(csv(cells.map(([a, b]) => ({ a, b }))));
      expect(read).toHaveLength(cells.length + 1);
      for (const [index, row] of cells.entries()) {
        for (const [column, original] of row.entries()) {
          const cell = read[index + 1]?.[column] ?? "missing";
          expect([original, `'${original}`]).toContain(cell);
          expect(/^[=+\-@\t\r\n]/.test(cell) && Number.isNaN(Number(cell))).toBe(false);
        }
      }
    }),
  );
});

test("is a list with one row on each line", () => {
  const rows = [
    { a: 1, b: null },
    { a: "x\n", b: true },
  ];
  const text = [...toJson(rows)].join("");
  expect(JSON.parse(text)).toEqual(rows);
  expect(text.split("\n")).toEqual(["[", '{"a":1,"b":null},', '{"a":"x\\n","b":true}', "]", ""]);
});

test("a table without rows is an empty list", () => {
  expect([...toJson([])].join("")).toBe("[]\n");
});

test("a row is written before the next one is read", () => {
  let read = 0;
  function* rows(): Generator<{ n: number }> {
    for (;;) yield { n: ++read };
  }
  const pieces = toJson(rows());
  pieces.next();
  pieces.next();
  expect(read).toBe(2);
});
