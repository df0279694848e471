import { expect, test } from "vitest";
import { printableText } from "./printable-text.ts";

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
