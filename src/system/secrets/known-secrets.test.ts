import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SecretMatcher } from "./known-secrets.ts";

function masking(...secrets: readonly string[]): (text: string) => string {
  const matcher = new SecretMatcher(secrets);
  return (text) => matcher.mask(text);
}

const random = fc.string({ minLength: 12, maxLength: 60, unit: "grapheme-ascii" });

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  URL: (text) => encodeURIComponent(text),
  "form data": (text) => encodeURIComponent(text).replaceAll("%20", "+"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 with a user name": (text) => Buffer.from(`me:${text}`).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  HEX: (text) => Buffer.from(text).toString("hex").toUpperCase(),
};

test.each(Object.entries(FORMS))("a secret never survives: %s", (_, form) => {
  fc.assert(
    fc.property(random, fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(!/^[A-Za-z]+$/.test(secret));
      const clean = masking(secret)(`${before} ${form(secret)} ${after}`);
      expect(clean).toContain("[redacted]");
      expect(clean.replaceAll("[redacted]", " ")).not.toContain(form(secret).slice(4, -4));
    }),
  );
});

test("a prefix that all customers have in common is left alone, and so are names of models", () => {
  const mask = masking("sk-proj-Zr4kQ9wLx2Vt8Ns1", "sk-proj-", "github_pat_");
  const text =
    "Keys begin with sk-proj- or github_pat_; send Authorization: Bearer. gpt-5-mini, claude-sonnet-4-5";
  expect(mask(text)).toBe(text);
});

test("what is short or a single word is not looked for", () => {
  const mask = masking("ollama", "on", "hunter2", "placeholder", "Development");
  const text = "ollama is on; a placeholder for Development, says hunter2";
  expect(mask(text)).toBe(text);
});

test("the longer of two secrets is masked where both begin", () => {
  expect(masking("Zr4kQ9wLx2", "Zr4kQ9wLx2Vt8Ns1")("a Zr4kQ9wLx2Vt8Ns1 b")).toBe("a [redacted] b");
});

test("random secrets do not mask a book", () => {
  const digest = (index: number): string => createHash("sha512").update(`${index}`).digest("base64url");
  const mask = masking(
    ...Array.from({ length: 300 }, (_, index) => digest(index).slice(0, 20 + (index % 40))),
  );
  const folder = new URL("../../../docs/", import.meta.url);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".md")) continue;
    const text = readFileSync(new URL(name, folder), "utf8");
    expect(mask(text) === text, name).toBe(true);
  }
});
