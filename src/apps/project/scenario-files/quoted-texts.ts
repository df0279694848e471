import type { CST } from "yaml";
import type { TextSyntaxError } from "./text-places.ts";

type YamlLibrary = Pick<typeof import("yaml"), "CST">;
type Quoted = CST.FlowScalar;
type ProblemAt = (code: string, message: string, offset: number) => TextSyntaxError;

/** The texts that were read, by their tokens. */
export type ReadTexts = Map<CST.Token, string>;

/** Shorter texts are left to the library. */
const LONG = 64;

/** How many characters, escapes and spaces are read at once. */
const PIECE = 4000;

/** White space that may be folded. */
const FOLDED = String.raw`(?:[ \t\n]|\r\n|\\\r?\n)*`;

/** An escape, or a character that stands for itself. */
const CHARACTER = String.raw`(?:\\(?:x[^]{2}|u[^]{4}|U[^]{8}|[^])|[^\\ \t\n])`;

/**
 * A piece of a text in double quotes. It ends with a character and the white space behind it: read alone, it comes to the same as within
 * the text.
 */
const PIECES = new RegExp(`${FOLDED}(?:${CHARACTER}${FOLDED}){0,${PIECE}}`, "y");

/**
 * Reads the long texts in double quotes of a document. The library puts such a text together character by character, and each of them takes
 * 40 bytes for as long as the document is there; in pieces that are put together at the end it is the same text in little memory.
 * What was read is replaced by a text in single quotes with the same lines. Throws `TextSyntaxError`.
 */
export function readQuotedTexts(
  yaml: YamlLibrary,
  { value: root }: CST.Document,
  { texts, problemAt }: { readonly texts: ReadTexts; readonly problemAt: ProblemAt },
): void {
  // Not recursive: nothing has been refused for its depth yet.
  const open = root === undefined ? [] : [root];
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (yaml.CST.isCollection(token)) {
      for (const { key, value } of token.items.toReversed()) {
        if (value !== undefined) open.push(value);
        if (key !== undefined && key !== null) open.push(key);
      }
    } else if (token.type === "double-quoted-scalar" && token.source.length >= LONG) {
      texts.set(token, quotedValue(yaml, token, problemAt));
      token.type = "single-quoted-scalar";
      token.source = `'${token.source.slice(1, -1).replace(/[^\n]+/g, (line) => "x".repeat(line.length))}'`;
    }
  }
}

/** The text of a token. */
function quotedValue(yaml: YamlLibrary, { source, offset }: Quoted, problemAt: ProblemAt): string {
  const notClosed = (): TextSyntaxError => problemAt("MISSING_CHAR", 'Missing closing "quote', offset);
  if (!source.endsWith('"')) throw notClosed();
  const content = source.slice(1, -1);
  // Nothing to read differently from how it is written.
  if (!/[\\\r\n]/.test(content)) return content;
  const values: string[] = [];
  PIECES.lastIndex = 0;
  for (let start = 0; start < content.length; start = PIECES.lastIndex) {
    const [piece = ""] = PIECES.exec(content) ?? [];
    // A backslash is left over: the last quotation mark belongs to the text.
    if (piece === "") throw notClosed();
    const token: Quoted = { ...QUOTED, source: `"${piece}"`, offset: offset + start };
    const { value } = yaml.CST.resolveAsScalar(token, true, (at, code, message) => {
      throw problemAt(code, message, at);
    });
    values.push(value);
    // What an expression looks at is put together first, and what it was made of is free. A plain search could be left out as useless.
    START.test(value);
  }
  return values.join("");
}

const START = /^/;

const QUOTED: Quoted = { type: "double-quoted-scalar", offset: 0, indent: 0, source: "" };
