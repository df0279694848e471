import { SPACE } from "./python-regex.ts";
import { NOTHING } from "./trace-header.ts";

/** What the translation of Python's patterns writes, and the Python that it comes from, the longest first. */
const BACK: readonly (readonly [string, string])[] = [
  [`[^${SPACE}]`, "\\S"],
  [`[${SPACE}]`, "\\s"],
  [SPACE, "\\s"],
  ["[^\\p{L}\\p{N}_]", "\\W"],
  ["[\\p{L}\\p{N}_]", "\\w"],
  ["\\p{L}\\p{N}_", "\\w"],
  ["(?:\\n?\\z)", "$"],
  ["\\p{Nd}", "\\d"],
  ["\\P{Nd}", "\\D"],
  ["\\z", "\\Z"],
];

const ASCII_IN_PYTHON: Readonly<Record<string, string>> = {
  "\\d": "[0-9]",
  "\\D": "[^0-9]",
  "\\w": "[0-9A-Za-z_]",
  "\\W": "[^0-9A-Za-z_]",
  "\\s": "[\\t\\n\\f\\r ]",
  "\\S": "[^\\t\\n\\f\\r ]",
};

/** An RE2 pattern as Python has it, or why there is none. */
export function pythonPattern(
  pattern: string,
  { flags, seesHeader }: { readonly flags: string; readonly seesHeader: boolean },
): string | { readonly problem: string } {
  let out = "";
  let isInClass = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const known =
      seesHeader && rest.startsWith(NOTHING)
        ? ([NOTHING, "^"] as const)
        : BACK.find(([own, python]) => rest.startsWith(own) && (!isInClass || /^\\[dws]$/.test(python)));
    if (known !== undefined) {
      out += known[1];
      at += known[0].length;
      continue;
    }
    const code = /^\\x\{([0-9a-fA-F]+)\}/.exec(rest);
    const escaped = /^\\./su.exec(rest)?.[0];
    const character = String.fromCodePoint(rest.codePointAt(0) as number);
    if (code !== null) {
      out += pythonCode(Number.parseInt(code[1] as string, 16));
      at += code[0].length;
    } else if (escaped !== undefined) {
      if (/^\\[pPQEC]/.test(escaped)) return { problem: `${escaped} has no counterpart in Python` };
      const ascii = ASCII_IN_PYTHON[escaped];
      if (isInClass && /^\\[DWS]$/.test(escaped))
        return { problem: `${escaped} inside a class has no counterpart` };
      out += ascii === undefined ? escaped : isInClass ? ascii.slice(1, -1) : ascii;
      at += escaped.length;
    } else {
      if (!isInClass && /^\((?:\?<[A-Za-z_])/.test(rest)) {
        out += "(?P<";
        at += 3;
        continue;
      }
      if (isInClass && rest.startsWith("[:"))
        return { problem: "classes such as [:alpha:] have no counterpart" };
      if (!isInClass && character === "$" && !flags.includes("m") && !/\(\?[a-z]*m/.test(pattern))
        out += "\\Z";
      else out += character;
      if (character === "[" && !isInClass) {
        isInClass = true;
        const head = /^\[\^?\]?/.exec(rest)?.[0] as string;
        out += head.slice(1);
        at += head.length;
        continue;
      }
      if (character === "]") isInClass = false;
      at += character.length;
    }
  }
  return out;
}

function pythonCode(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
