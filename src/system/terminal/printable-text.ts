import { lazyPattern } from "../../core/lazy.ts";

/** Control characters, halves of surrogate pairs and invisible formatting, except the joiners that scripts and emoji need. */
const unprintable = lazyPattern(String.raw`[[\p{Cc}\p{Cf}\p{Cs}]--[\u200c\u200d]]`, "gv");
/** The same, except line breaks and tabs. */
const unprintableInLines = lazyPattern(String.raw`[[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u200c\u200d]]`, "gv");

/**
 * A text on one line, safe for any terminal: white space becomes single spaces. Characters that move the cursor, set colours,
 * reverse the direction of writing or are invisible become `�`.
 */
export function printableText(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(unprintable(), "\ufffd");
}

/** The same for a text of several lines: line breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(unprintableInLines(), "\ufffd");
}

/**
 * A word, quoted for a shell and safe to print.
 *
 * @example
 * shellWord("it is") // 'it is'
 */
export function shellWord(given: string): string {
  const word = printableText(given);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The name of a run in a command that people copy. One that begins with a dash would be an option: they write it themselves. */
export function runWord(run: string): string {
  return run.startsWith("-") ? "RUN" : shellWord(run);
}

/** Our own colours stay; all other control sequences and invisible characters are replaced. */
const controlSequences = lazyPattern(
  String.raw`(\u001b\[(?:1|2|22|31|32|33|36|39)m)|[[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u200c\u200d]]`,
  "gv",
);

/** How `LiveLines` begins and ends what it draws. */
const frame = lazyPattern(
  String.raw`^(\u001b\[\?25l(?:\r\u001b\[\d+A)?(?:\u001b\[J)?)([\s\S]*)(\u001b\[\?25h)$`,
  "",
);

/** Text that is the same for every terminal and every CI. */
const HARMLESS = /^[ -"$-9;-~\n]*$/;

/** Commands that GitHub, Azure Pipelines and TeamCity obey anywhere in a line, also with colours between. */
const mark = lazyPattern(
  String.raw`#((?:\u001b\[\d+m)*)#(?=(?:\u001b\[\d+m)*(?:vso|teamcity)?(?:\u001b\[\d+m)*\[)`,
  "g",
);
const LONGEST_MARK = 60;

/** Which logs obey commands in them. */
interface GuardedLog {
  /** True for a log of GitHub. */
  readonly isGitHub: boolean;
  /** True for a log of Azure Pipelines or TeamCity (default false). */
  readonly hasMarks?: boolean;
}

/**
 * The last guard before text reaches a terminal or a CI log: characters that move the cursor, change the title or reverse the direction
 * of writing become `�`. In a log of GitHub, Azure Pipelines or TeamCity, no line is a command.
 */
export class TextGuard {
  readonly #isGitHub: boolean;
  readonly #hasMarks: boolean;
  /** What was written last, as long as it could still become a mark. */
  #tail = "";
  /** The beginning of the current line, as long as it could still become a command. */
  #lineStart: string | undefined = "";

  constructor({ isGitHub, hasMarks = false }: GuardedLog) {
    this.#isGitHub = isGitHub;
    this.#hasMarks = hasMarks || isGitHub;
  }

  /** The text as it may be written. */
  safe(text: string): string {
    const drawn = frame().exec(text);
    if (drawn !== null) return `${drawn[1]}${this.#guarded(drawn[2] ?? "")}${drawn[3]}`;
    return this.#guarded(text);
  }

  #guarded(text: string): string {
    const shown = HARMLESS.test(text)
      ? text
      : text.replace(controlSequences(), (_, own?: string) => own ?? "\ufffd");
    const unmarked = this.#hasMarks ? this.#withoutMarks(shown) : shown;
    return this.#isGitHub ? this.#withoutCommands(unmarked) : unmarked;
  }

  #withoutMarks(text: string): string {
    const safe = text.replace(mark(), "#$1 #");
    // A mark may be written in pieces.
    const isContinued = (this.#tail + safe).search(mark()) >= 0;
    const continued = isContinued ? ` ${safe}` : safe;
    this.#tail = (this.#tail + continued).slice(-LONGEST_MARK);
    return continued;
  }

  /** GitHub takes a line for a command if it begins with `::` after white space. */
  #withoutCommands(text: string): string {
    return text
      .split("\n")
      .map((line, index) => {
        if (index > 0) this.#lineStart = "";
        const safe = line.replace(this.#lineStart === undefined ? NEVER : command(), "$1: $2");
        // A line may be written in pieces.
        const continued =
          this.#lineStart?.endsWith(":") === true && visible(safe).startsWith(":") ? ` ${safe}` : safe;
        const whole = this.#lineStart === undefined ? undefined : visible(this.#lineStart + continued);
        this.#lineStart = whole !== undefined && /^\s*:?$/.test(whole) ? whole : undefined;
        return continued;
      })
      .join("\n");
  }
}

/** Data for a screen: control characters become `�`. */
export function shownData(text: string): string {
  return HARMLESS.test(text) ? text : text.replace(/\r\n/g, "\n").replace(unprintableInLines(), "\ufffd");
}

const NEVER = /(?!)/;
/** GitHub ignores colours at the start of a line. */
const command = lazyPattern(String.raw`^(\s*(?:\u001b\[\d+m\s*)*):((?:\u001b\[\d+m)*:)`, "");
const colours = lazyPattern(String.raw`\u001b\[\d+m`, "g");

function visible(text: string): string {
  return text.replace(colours(), "");
}

/** JSON that is safe on a screen and in a log: the same data, with control characters and workflow commands escaped. */
export function safeJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? "null")
    .replace(/[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, code)
    .replace(mark(), "#\\u0023");
}

function code(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
