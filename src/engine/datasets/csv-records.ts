/** A record of a CSV file: its fields, or why it cannot be read, and the line on which it begins, from 1. */
export type CsvRecord =
  | { readonly fields: readonly string[]; readonly line: number }
  | { readonly problem: string; readonly line: number };

/** Longer records are refused. */
const LONGEST_RECORD = 10_000_000;

/**
 * Reads CSV (RFC 4180) or TSV piece by piece: quoted fields with separators, line breaks and doubled quotes; lines end with LF or
 * CRLF; empty lines are skipped. A record with broken quoting has a `problem`, and reading continues with the next line.
 */
export class CsvReader {
  readonly #separator: string;
  #rest = "";
  #line = 1;

  constructor(separator: "," | ";" | "\t" = ",") {
    this.#separator = separator;
  }

  /** The records that are complete with this piece. */
  read(piece: string): readonly CsvRecord[] {
    return this.#records(this.#rest + piece, false);
  }

  /** What is left at the end of the file. */
  end(): readonly CsvRecord[] {
    return this.#records(this.#rest, true);
  }

  #records(text: string, isLast: boolean): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    let start = 0;
    while (start < text.length) {
      const found = this.#record(text, start, isLast);
      if (found === null) break;
      if (found.record !== null) records.push(found.record);
      this.#line += found.lines;
      start = found.end;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > LONGEST_RECORD) {
      records.push({ problem: `it is longer than ${LONGEST_RECORD} characters`, line: this.#line });
      this.#line += countLines(this.#rest, 0, this.#rest.length);
      this.#rest = "";
    }
    return records;
  }

  /** The record at an offset; null if it may continue in the next piece. */
  #record(
    text: string,
    start: number,
    isLast: boolean,
  ): { readonly record: CsvRecord | null; readonly end: number; readonly lines: number } | null {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? text.length : newline;
    if (newline === -1 && !isLast) return null;
    const line = withoutReturn(text.slice(start, lineEnd));
    const end = newline === -1 ? text.length : newline + 1;
    if (line === "") return { record: null, end, lines: 1 };
    // Most lines have no quotes.
    if (!line.includes('"'))
      return { record: { fields: line.split(this.#separator), line: this.#line }, end, lines: 1 };
    return this.#quoted(text, start, isLast);
  }

  #quoted(
    text: string,
    start: number,
    isLast: boolean,
  ): { readonly record: CsvRecord; readonly end: number; readonly lines: number } | null {
    const fields: string[] = [];
    let at = start;
    for (;;) {
      if (text[at] !== '"') {
        const end = this.#plainEnd(text, at);
        if (end === text.length && !isLast) return null;
        const field = withoutReturn(text.slice(at, end));
        if (field.includes('"'))
          return this.#broken(text, start, "a quote stands in a field that does not begin with one");
        fields.push(field);
        at = end;
      } else {
        const end = closingQuote(text, at);
        if (end === -1) {
          if (!isLast) return null;
          return this.#broken(text, start, "a quote is not closed");
        }
        if (end === text.length - 1 && !isLast) return null;
        fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
        at = end + 1;
        if (text[at] === "\r" && (text[at + 1] === "\n" || at + 1 === text.length)) at++;
        const isEnd = at >= text.length || text[at] === "\n" || text[at] === this.#separator;
        if (!isEnd) return this.#broken(text, start, "something stands after a closing quote");
      }
      if (text[at] !== this.#separator) {
        const end = Math.min(at + 1, text.length);
        const lines = Math.max(1, countLines(text, start, end));
        return { record: { fields, line: this.#line }, end, lines };
      }
      at++;
    }
  }

  #plainEnd(text: string, start: number): number {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? text.length : newline;
    const separator = text.indexOf(this.#separator, start);
    return separator === -1 ? lineEnd : Math.min(separator, lineEnd);
  }

  #broken(
    text: string,
    start: number,
    problem: string,
  ): { readonly record: CsvRecord; readonly end: number; readonly lines: number } {
    const newline = text.indexOf("\n", start);
    return {
      record: { problem, line: this.#line },
      end: newline === -1 ? text.length : newline + 1,
      lines: 1,
    };
  }
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** The offset of the quote that closes the one at an offset, or -1. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
