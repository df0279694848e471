import { XMLParser } from "fast-xml-parser";
import { expect, test } from "vitest";
import type { TableRow } from "../../../engine/journal/transfer/tables.ts";
import { readZip } from "../inspect/zip-file.ts";
import { toXlsx, WorkbookError } from "./workbook.ts";

function sheetOf(rows: readonly TableRow[]): string {
  const entries = readZip(Buffer.concat([...toXlsx([{ name: "a & b", rows }])]));
  for (const [, entry] of entries) new XMLParser().parse(entry.text(1e6), true);
  expect([...entries.keys()].sort()).toEqual([
    "[Content_Types].xml",
    "_rels/.rels",
    "xl/_rels/workbook.xml.rels",
    "xl/workbook.xml",
    "xl/worksheets/sheet1.xml",
  ]);
  expect(entries.get("xl/workbook.xml")?.text(1e6)).toContain('name="a &amp; b"');
  return entries.get("xl/worksheets/sheet1.xml")?.text(1e6) ?? "";
}

test("cells are numbers, booleans and plain text, never formulas", () => {
  const text = '=HYPERLINK("http://x") <b>\u0007 _x0041_';
  const sheet = sheetOf([{ text, number: -1.5, yes: true, nothing: null }]);
  expect(sheet).not.toMatch(/<f\b/);
  expect(/<row r="2">.*<\/row>/.exec(sheet)?.[0]).toBe(
    '<row r="2"><c r="A2" t="inlineStr"><is><t xml:space="preserve">=HYPERLINK(&quot;http://x&quot;) &lt;b&gt; _x005F_x0041_</t></is></c><c r="B2"><v>-1.5</v></c><c r="C2" t="b"><v>1</v></c></row>',
  );
});

test("columns after Z, a cell that is too long, and a table that is", () => {
  const wide = Object.fromEntries(Array.from({ length: 28 }, (_, index) => [`c${index}`, index]));
  expect(sheetOf([wide])).toContain('<c r="AB2"><v>27</v></c>');
  expect(sheetOf([{ a: "x".repeat(40_000) }])).toContain(`${"x".repeat(32_766)}…<`);
  const rows = {
    columns: ["a"],
    *[Symbol.iterator]() {
      for (;;) yield { a: null };
    },
  };
  expect(() => [...toXlsx([{ name: "endless", rows }])]).toThrow(WorkbookError);
});
