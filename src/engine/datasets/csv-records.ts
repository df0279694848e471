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
  /** What stands between two separators without quotes. */
  readonly #plain: RegExp;
  #rest = "";
  #line = 1;

  constructor(separator: "," | ";" | "\t" = ",") {
    this.#separator = separator;
    this.#plain = new RegExp(`[^${separator}\\n]*`, "y");
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
      const { end, ...record } = found;
      if (!("fields" in record) || record.fields.length > 0) records.push({ ...record, line: this.#line });
      this.#line += Math.max(1, countLines(text, start, end));
      start = end;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > LONGEST_RECORD) {
      records.push({ problem: `it is longer than ${LONGEST_RECORD} characters`, line: this.#line });
      this.#line += countLines(this.#rest, 0, this.#rest.length);
      this.#rest = "";
    }
    return records;
  }

  /** The record at an offset, without fields if it is an empty line; null if it may continue in the next piece. */
  #record(
    text: string,
    start: number,
    isLast: boolean,
  ):
    | (({ readonly fields: readonly string[] } | { readonly problem: string }) & { readonly end: number })
    | null {
    const newline = text.indexOf("\n", start);
    if (newline === -1 && !isLast) return null;
    const lineEnd = newline === -1 ? text.length : newline + 1;
    const line = withoutReturn(text.slice(start, newline === -1 ? lineEnd : newline));
    if (line === "") return { fields: [], end: lineEnd };
    // Most lines have no quotes.
    if (!line.includes('"')) return { fields: line.split(this.#separator), end: lineEnd };
    const fields: string[] = [];
    const broken = (problem: string) => ({ problem, end: lineEnd });
    let at = start;
    do {
      const isQuoted = text[at] === '"';
      const pattern = isQuoted ? QUOTED : this.#plain;
      pattern.lastIndex = at;
      const written = pattern.exec(text)?.[0];
      if (written === undefined) return isLast ? broken("a quote is not closed") : null;
      at += written.length;
      if (isQuoted && text[at] === "\r" && (text[at + 1] === "\n" || at + 1 === text.length)) at++;
      if (at >= text.length && !isLast) return null;
      const isEnd = at >= text.length || text[at] === "\n" || text[at] === this.#separator;
      if (!isEnd) return broken("something stands after a closing quote");
      const field = isQuoted ? written.slice(1, -1).replaceAll('""', '"') : withoutReturn(written);
      if (!isQuoted && field.includes('"'))
        return broken("a quote stands in a field that does not begin with one");
      fields.push(field);
    } while (text[at++] === this.#separator);
    return { fields, end: Math.min(at, text.length) };
  }
}

/** A field in quotes, in which a quote is written twice. */
const QUOTED = /"[^"]*(?:""[^"]*)*"(?!")/y;

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
