import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printableText, safeJson, TextGuard } from "./printable-text.ts";
import { COLOUR_STYLE } from "./terminal.ts";

test.each([
  ["spaces and breaks become single spaces", "  a\r\n\tb\u2028c\u3000d\u00a0 ", "a b c d"],
  ["colours", "\u001b[31mred\u001b[0m", "�[31mred�[0m"],
  ["a title of the window", "\u001b]0;pwned\u0007", "�]0;pwned�"],
  ["8-bit control sequences", "\u009b2J", "�2J"],
  ["backspace and carriage return", "a\b\rb", "a� b"],
  ["right-to-left override", "user\u202egnp.exe", "user�gnp.exe"],
  ["invisible characters", "pass\u200bword\u2060\u{e0041}", "pass�word��"],
  ["half a surrogate pair", "a\ud83d", "a�"],
  ["what scripts and emoji need stays", "می\u200cخواهم 👩‍⚕️ e\u0301 日本", "می\u200cخواهم 👩‍⚕️ e\u0301 日本"],
])("%s", (_, text, printable) => {
  expect(printableText(text)).toBe(printable);
});

const safe = (...pieces: readonly string[]): string => {
  const guard = new TextGuard({ isGitHub: false });
  return pieces.map((piece) => guard.safe(piece)).join("");
};
const inGitHub = (...pieces: readonly string[]): string => {
  const guard = new TextGuard({ isGitHub: true });
  return pieces.map((piece) => guard.safe(piece)).join("");
};

describe("text for people", () => {
  test.each([
    ["the cursor", "a\u001b[2Ab"],
    ["the title", "a\u001b]0;title\u0007b"],
    ["a link", "\u001b]8;;https://example.org\u001b\\here"],
    ["a colour that is not ours", "\u001b[8mhidden\u001b[0m"],
    ["a control sequence in one character", "a\u009b2Jb"],
    ["the start of the line", "Run gift\rRun mine"],
    ["a character back", "secret\b\b\b"],
    ["the direction of writing", "a\u202etxt.exe"],
    ["a zero", "a\0b"],
    ["half of a character", "a\ud800b"],
  ])("does not change %s", (_what, text) => {
    expect(safe(text)).not.toMatch(/[[\p{Cc}\p{Cs}\u202e]--[\n\t]]/v);
    expect(safe(text)).toContain("\ufffd");
  });

  test("keeps lines, tabs, every script, and our own colours", () => {
    const { bold, red } = COLOUR_STYLE;
    const text = `${bold("Run")} a\tb\n${red("भाषा 日本語 👩‍👩‍👧 é")}\n`;
    expect(safe(text)).toBe(text);
  });

  test("keeps what live lines draw, but not what is in them", () => {
    const frame = (inner: string): string => `\u001b[?25l\r\u001b[2A\u001b[J${inner}\u001b[?25h`;
    expect(safe(frame("3 of 4\n"))).toBe(frame("3 of 4\n"));
    expect(safe(frame("\u001b[2J3 of 4\n"))).toBe(frame("\ufffd[2J3 of 4\n"));
  });
});

describe("no line is a command of a workflow", () => {
  test.each([
    ["::error::x", ": :error::x"],
    ["  ::add-mask::x", "  : :add-mask::x"],
    ["fine\n\t::set-env name=a::b\n", "fine\n\t: :set-env name=a::b\n"],
    ["\u001b[31m::error::x", "\u001b[31m: :error::x"],
    ["a ##[error]b", "a # #[error]b"],
    ["a::b", "a::b"],
    ["\u00a0::error::x", "\u00a0: :error::x"],
  ])("%j", (text, written) => expect(inGitHub(text)).toBe(written));

  test("nor after very many spaces", () => {
    const spaces = " ".repeat(10_000_000);
    expect(inGitHub(`${spaces}::error::x`) === `${spaces}: :error::x`).toBe(true);
  });

  test("nor in pieces", () => {
    expect(inGitHub(":", ":error::x")).toBe(": :error::x");
    expect(inGitHub("  ", "::error::x")).toBe("  : :error::x");
    expect(inGitHub("a\n", "", "::error::x")).toBe("a\n: :error::x");
    expect(inGitHub("a", "::b")).toBe("a::b");
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom(":", " ", "\n", "a", "#", "[", "\u001b[31m") })),
        (pieces) => {
          // What GitHub sees: lines without colours and the white space around them.
          const lines = inGitHub(...pieces)
            .replaceAll("\u001b[31m", "")
            .split("\n");
          expect(lines.filter((line) => line.trim().startsWith("::") || line.includes("##["))).toEqual([]);
        },
      ),
    );
  });
});

test.each(["##vso[task.setvariable variable=a]b", "##teamcity[buildStop comment='x']", "##[section]"])(
  "%s is a command in no log of Azure Pipelines and TeamCity, nor in pieces",
  (mark) => {
    const written = (...pieces: readonly string[]): string => {
      const guard = new TextGuard({ isGitHub: false, hasMarks: true });
      return pieces.map((piece) => guard.safe(piece)).join("");
    };
    expect(written(`a ${mark} ${mark}`)).not.toMatch(/##\w*\[/);
    for (let at = 1; at < mark.length; at++)
      expect(written(mark.slice(0, at), "", mark.slice(at))).not.toMatch(/##\w*\[/);
    expect(written(...mark)).not.toMatch(/##\w*\[/);
    expect(safeJson({ mark })).not.toMatch(/##\w*\[/);
    expect(safe(mark)).toBe(mark);
  },
);

test("JSON is the same data, with codes for what a terminal or GitHub would obey", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = safeJson({ text });
      expect(JSON.parse(json)).toEqual({ text });
      expect(json).not.toMatch(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
    }),
  );
  expect(safeJson({ a: "##[group]" })).toBe('{"a":"#\\u0023[group]"}');
});
