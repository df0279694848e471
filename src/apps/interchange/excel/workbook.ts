import { strToU8, Zip, ZipDeflate } from "fflate";
import type { CellValue, TableRow } from "../../../engine/journal/transfer/tables.ts";

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  readonly rows: Iterable<TableRow> & { readonly columns?: readonly string[] };
}

/** A table that Excel cannot hold. */
export class WorkbookError extends Error {}

/** The most rows and columns of a sheet, and the most characters of a cell, that Excel opens. */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
const LONGEST_CELL = 32_767;

/** How many rows are packed at once. */
const ROWS_IN_PIECE = 500;

/**
 * Tables as the bytes of an Excel workbook (.xlsx), one sheet each, with a header that stays in view. Cells hold numbers, booleans and plain
 * text: nothing in them is ever a formula. Throws `WorkbookError` where a table is larger than a sheet can be.
 *
 * @example
 * for (const bytes of toXlsx([{ name: "turns", rows: turnTable(store, "monday") }])) file.write(bytes);
 */
export function* toXlsx(sheets: readonly Sheet[]): Generator<Uint8Array> {
  const written: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    written.push(bytes);
  });
  const open = (name: string): ZipDeflate => {
    const entry = new ZipDeflate(name, { level: 6 });
    // The same tables give the same bytes.
    entry.mtime = new Date(1980, 0, 1);
    zip.add(entry);
    return entry;
  };
  for (const [name, text] of Object.entries(parts(sheets))) open(name).push(strToU8(HEAD + text), true);
  for (const [index, sheet] of sheets.entries()) {
    const entry = open(`xl/worksheets/sheet${index + 1}.xml`);
    for (const piece of sheetPieces(sheet)) {
      entry.push(strToU8(piece));
      yield* written.splice(0);
    }
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  yield* written;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** What makes a package of sheets a workbook. */
function parts(sheets: readonly Sheet[]): Readonly<Record<string, string>> {
  const each = (text: (number: number, name: string) => string): string =>
    sheets.map(({ name }, index) => text(index + 1, escaped(name))).join("");
  return {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${each((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPE}.worksheet+xml"/>`)}</Types>`,
    "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheets>${each((number, name) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships">${each((number) => `<Relationship Id="rId${number}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}</Relationships>`,
  };
}

function* sheetPieces({ name, rows }: Sheet): Generator<string> {
  yield `${HEAD}<worksheet xmlns="${SHEETS}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
  let { columns } = rows;
  let text = columns === undefined ? "" : rowText(columns, 1);
  let count = 1;
  for (const row of rows) {
    if (columns === undefined) {
      columns = Object.keys(row);
      text += rowText(columns, 1);
    }
    count++;
    if (count > MOST_ROWS || columns.length > MOST_COLUMNS)
      throw new WorkbookError(
        `The sheet "${name}" is larger than Excel can open (${MOST_ROWS.toLocaleString("en")} rows, ${MOST_COLUMNS.toLocaleString("en")} columns).`,
      );
    text += rowText(
      columns.map((column) => row[column] ?? null),
      count,
    );
    if (count % ROWS_IN_PIECE !== 0) continue;
    yield text;
    text = "";
  }
  yield `${text}</sheetData></worksheet>`;
}

function rowText(cells: readonly CellValue[], row: number): string {
  const texts = cells.map((value, index) =>
    value === null ? "" : cellText(value, `${letters(index)}${row}`),
  );
  return `<row r="${row}">${texts.join("")}</row>`;
}

function cellText(value: NonNullable<CellValue>, place: string): string {
  if (typeof value === "boolean") return `<c r="${place}" t="b"><v>${Number(value)}</v></c>`;
  if (Number.isFinite(value)) return `<c r="${place}"><v>${value}</v></c>`;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
}

/** The name of a column: A to Z, AA and on. */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}

/** What XML 1.0 cannot have: control characters and halves of characters are left out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  const shown = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1)}…` : text;
  return (
    shown
      .toWellFormed()
      .replace(FORBIDDEN, "")
      // Excel takes _x0041_ for a character code.
      .replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_")
      .replace(/[&<>"]/g, (sign) => ENTITIES[sign] as string)
  );
}
