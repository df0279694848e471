import { expect, test } from "vitest";
import { hideSecrets } from "../../secrets/hide-secrets.ts";
import { LastWords } from "./last-words.ts";

const asIs = (text: string): string => text;

function said(...texts: readonly string[]): LastWords {
  const words = new LastWords();
  for (const text of texts) words.add(text);
  return words;
}

test("the last lines are shown, without colours, blank lines and stack traces", () => {
  const text = "one\r\n\u001b[31mError: bad\u001b[0m\n    at read (file.js:1:2)\n\n\u0007two\n";
  expect(said(text).show(asIs)).toBe("one\nError: bad\ntwo");
  const many = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  expect(said(many).show(asIs).split("\n")).toEqual([92, 93, 94, 95, 96, 97, 98, 99].map((n) => `line ${n}`));
});

test("nothing written is nothing shown", () => {
  expect(said("\n \n").show(asIs)).toBe("");
});

test("no part of a secret is shown, wherever the text is cut", () => {
  const secret = "abcdefghijklmnopqrstuvwxyz0123456789";
  const hide = hideSecrets([secret], asIs);
  for (let length = 0; length < 50; length++) {
    const shown = said("x".repeat(20_000), secret, "y".repeat(980 + length)).show(hide);
    expect(shown).not.toMatch(/789|xyz0/);
    const flooded = said(secret, "\n".repeat(16_384 - length), "end").show(hide);
    expect(["end", "[redacted]\nend"]).toContain(flooded);
  }
});

test("secrets are hidden also where control characters are put between their letters", () => {
  expect(said("key sec\u0000ret-\u001b[1m0123").show(hideSecrets(["secret-0123"], asIs))).toBe(
    "key [redacted]",
  );
});

test("secrets are hidden as a whole and by their words, but not the words that everybody uses", () => {
  const hide = hideSecrets(["Bearer key-0123", "on"], (text) => text.toUpperCase());
  expect(hide("Bearer key-0123; key-0123; Bearer; on")).toBe("[REDACTED]; [REDACTED]; BEARER; ON");
});
