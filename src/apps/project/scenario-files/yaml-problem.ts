/** What the `yaml` package reports about a text that it cannot read. */
interface LibraryProblem {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** A problem as the end of our sentence, and where in the text the mistake is, if the library points elsewhere. */
interface YamlProblem {
  readonly clause: string;
  readonly offset?: number;
}

const COLON_IN_TEXT = "a text with a colon and a space is taken for a key; put quotes around it";

/**
 * Says what an author did and what to do. The library names what its grammar expected, which people who write their first YAML
 * file do not know; the line itself usually shows what was meant.
 */
export function yamlProblem({ code, message, pos: [at] }: LibraryProblem, text: string): YamlProblem {
  const line = lineAt(text, at);
  if (NO_BREAK_SPACE.test(line.text))
    return {
      clause: "this line has a non-breaking space, which looks like a space and is none; type it again",
      offset: line.start + line.text.search(NO_BREAK_SPACE),
    };
  const [first = ""] = message.split(/[\n;]/);
  switch (code) {
    case "MULTIPLE_DOCS":
      return { clause: 'it has several documents; write one with a list of "scenarios"' };
    case "TAB_AS_INDENT":
      return { clause: "tabs are not allowed as indentation; use spaces" };
    case "BAD_INDENT":
      return badIndent(first, text, at);
    case "BLOCK_IN_FLOW":
      return {
        clause:
          "within { } and [ ], a text with a colon and a space needs quotes, and a list is written with [ ]",
      };
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return misreadKey(text, at);
    case "NON_STRING_KEY":
      return { clause: text[at - 1] === "{" ? quotesFor("{{") : "a key must be text" };
    case "BAD_SCALAR_START":
      return { clause: quotesFor(text[at] ?? "") };
    case "TAG_RESOLVE_FAILED":
      return { clause: `${sentenceEnd(first)}; a text that begins with ! needs quotes` };
    case "BAD_DQ_ESCAPE":
      return { clause: `${sentenceEnd(first)}; write \\\\ for \\, or use ' instead of "` };
    case "MISSING_CHAR":
      return missingCharacter(text, { first, at });
    case "UNEXPECTED_TOKEN":
      return unexpected(first, valueBefore(text, at));
    default:
      return { clause: sentenceEnd(first) };
  }
}

/** At the indentation or after a colon; within a text it is harmless. */
const NO_BREAK_SPACE = /\u00a0(?<=(?:^|:) *\u00a0)/;

function quotesFor(mark: string): string {
  return `a text that begins with ${mark} needs quotes`;
}

function badIndent(first: string, text: string, at: number): YamlProblem {
  const bracket = bracketLeftOpen(first);
  if (bracket !== undefined) return { clause: bracket };
  const offset = firstMark(text, at);
  return /[–—•]/.test(text[offset] ?? "")
    ? { clause: 'a list is written with "-", followed by a space', offset }
    : { clause: "this line is not indented like the others that belong together with it", offset };
}

function bracketLeftOpen(first: string): string | undefined {
  const [, end] = /flow (?:map|sequence) in block collection must .* end with a ([}\]])/i.exec(first) ?? [];
  if (end === undefined) return undefined;
  return `this ${end === "}" ? "{" : "["} has no ${end}, or a line before that is not indented`;
}

/** A text that was taken for a key: a colon in it, a colon without a space, or a line that is indented too much or too little. */
function misreadKey(text: string, at: number): YamlProblem {
  const { start, text: line, end } = lineAt(text, at);
  if (COLON_WITHOUT_SPACE.test(line)) return { clause: "a key needs a space after its colon" };
  if (text[at] === "?") return { clause: quotesFor("?") };
  if (/^\s*-(\s|$)/.test(line) && /^\s*$/.test(line.slice(0, at - start)))
    return { clause: 'this "-" is not indented like the others of its list', offset: firstMark(text, at) };
  if (/:(\s|$)/.test(text.slice(at, end))) return { clause: COLON_IN_TEXT };
  if (start + line.search(/\S/) === at)
    return { clause: "this line is no key with a value; if it continues the text above, indent it" };
  return {
    clause: "this line is indented more than the line above, which has a value already",
    offset: firstMark(text, end),
  };
}

/** A key such as `name:capital`; an address such as `https://…` is none. */
const COLON_WITHOUT_SPACE = /^\s*(?:- )?[\w-]+:(?!\/\/)\S[^:]*$/;

function firstMark(text: string, from: number): number {
  const found = text.slice(from).search(/\S/);
  return found < 0 ? from : from + found;
}

function missingCharacter(
  text: string,
  { first, at }: { readonly first: string; readonly at: number },
): YamlProblem {
  const [, quote] = /missing closing (["'])quote/i.exec(first) ?? [];
  if (quote !== undefined) return { clause: `this ${quote} has no ${quote} that closes the text` };
  return /implicit map/i.test(first) ? misreadKey(text, at) : { clause: sentenceEnd(first) };
}

function unexpected(first: string, { mark, offset }: ValueStart): YamlProblem {
  const block = bracketLeftOpen(first);
  if (block !== undefined) return { clause: block };
  if (/block-seq-ind/.test(first)) return { clause: `${quotesFor("-")}, and a list starts on the next line` };
  const [, bracket] = /flow-(?:map|seq)-end token .*"([}\]])"/.exec(first) ?? [];
  if (bracket !== undefined)
    return { clause: `this ${bracket} has no ${bracket === "}" ? "{" : "["} before it` };
  if (/not a yaml token/i.test(first) && /[|>]/.test(mark))
    return { clause: `after ${mark}, the text starts on the next line`, offset };
  if (!/at node end/i.test(first) || mark === "") return { clause: sentenceEnd(first) };
  if (mark !== '"' && mark !== "'") return { clause: quotesFor(mark), offset };
  const other = mark === '"' ? "'" : '"';
  return {
    clause: `the text ends at its second ${mark}, but more follows; put ${other} around the whole text`,
    offset,
  };
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function lineAt(text: string, at: number): Line {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next < 0 ? text.length : next;
  return { start, end, text: text.slice(start, end) };
}

interface ValueStart {
  readonly mark: string;
  readonly offset: number;
}

/** How the value begins in whose line something is: `"` of `key: "text"`. */
function valueBefore(text: string, at: number): ValueStart {
  const { start, text: line } = lineAt(text, at);
  const value = /^\s*(?:- +)*(?:[^\s"'[{][^:]*: +)?/.exec(line.slice(0, at - start))?.[0].length ?? 0;
  const offset = start + value;
  return { mark: text.slice(offset, offset + 1).trim(), offset };
}

/** A message of the library as the end of our sentence. */
export function sentenceEnd(message: string): string {
  const [first = ""] = message.split(/[\n;]/);
  const plain = shortened(first.trim()).replace(/\.$/, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}

const LONGEST_SHOWN = 200;

/** The beginning of what a file says, for a sentence. */
export function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
