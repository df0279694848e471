import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SecretMatcher } from "./known-secrets.ts";

function masking(...secrets: readonly string[]): (text: string) => string {
  const matcher = new SecretMatcher();
  for (const secret of secrets) matcher.add(secret);
  return (text) => matcher.mask(text);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/+.";
/** Without repetitions, as of random bytes. */
const random = fc
  .shuffledSubarray([...letters], { minLength: 12, maxLength: letters.length })
  .map((list) => list.join(""));

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  reversed: (text) => [...text].reverse().join(""),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  URL: (text) => encodeURIComponent(text),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 with a user name": (text) => Buffer.from(`me:${text}`).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  HEX: (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "escapes of JSON": (text) => eachOf(text, (code) => `\\u${code.toString(16).padStart(4, "0")}`),
  "escapes of strings": (text) => eachOf(text, (code) => `\\x${code.toString(16)}`),
  "escapes of addresses": (text) => eachOf(text, (code) => `%${code.toString(16)}`),
  "numbers of HTML": (text) => eachOf(text, (code) => `&#${code};`),
  "hex numbers of HTML": (text) => eachOf(text, (code) => `&#X${code.toString(16)};`),
  "with spaces": (text) => eachOf(text, (code) => `${String.fromCharCode(code)} `).trim(),
  "with what is not seen": (text) => [...text].join("\u200b"),
  "wide letters": (text) => eachOf(text, (code) => String.fromCharCode(code + 0xfee0)),
  "lines of five": (text) => text.match(/.{1,5}/g)?.join("\n") ?? "",
  "lines of five as JSON": (text) => JSON.stringify(text.match(/.{1,5}/g)?.join("\r\n")).slice(1, -1),
  "JSON in JSON": (text) =>
    JSON.stringify(eachOf(text, (code) => `\\u${code.toString(16).padStart(4, "0")}`)),
  "escapes of addresses twice": (text) => eachOf(text, (code) => `%25${code.toString(16)}`),
  "numbers of HTML in HTML": (text) => eachOf(text, (code) => `&amp;#${code};`),
  "one escape in the middle": (text) =>
    `${text.slice(0, 4)}\\x${text.charCodeAt(4).toString(16)}${text.slice(5)}`,
  "bytes of a program": (text) => eachOf(text, (code) => `0x${code.toString(16)}, `).slice(0, -2),
  "lines of base64": (text) =>
    Buffer.from(text)
      .toString("base64")
      .match(/.{1,6}/g)
      ?.join("\n") ?? "",
  "bytes in hex": (text) => Buffer.from(text).toString("hex").match(/../g)?.join(" ") ?? "",
  "bytes in hex with colons": (text) => Buffer.from(text).toString("hex").match(/../g)?.join(":") ?? "",
  "bytes in hex with dashes": (text) => Buffer.from(text).toString("hex").match(/../g)?.join("-") ?? "",
  "a list of codes": (text) => `[${[...Buffer.from(text)].join(", ")}]`,
  "a list of codes in lines": (text) => JSON.stringify([...Buffer.from(text)], null, 2),
  "codes of three digits": (text) => eachOf(text, (code) => String(code).padStart(3, "0")),
  "octal escapes": (text) => eachOf(text, (code) => `\\${code.toString(8)}`),
  "quoted-printable": (text) => eachOf(text, (code) => `=${code.toString(16).toUpperCase()}`),
  "old escapes of addresses": (text) => eachOf(text, (code) => `%u00${code.toString(16)}`),
  "a list of characters": (text) => JSON.stringify([...text]),
  "spelled with dashes": (text) => [...text].join("-"),
  "bold characters": (text) => eachOf(text, (code) => `**${String.fromCharCode(code)}**`),
  "marks on characters": (text) => eachOf(text, (code) => `${String.fromCharCode(code)}\u0332`),
  "base64 in base64": (text) => Buffer.from(Buffer.from(text).toString("base64")).toString("base64"),
  "base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
};

/** Letters of one size read like words more often, and are then found only with the rest of the secret. */
const LETTERS: typeof FORMS = {
  capitals: (text) => text.toUpperCase(),
  "small letters": (text) => text.toLowerCase(),
  "letters in turn": (text) =>
    [...text].map((letter, index) => (index % 2 ? letter.toUpperCase() : letter.toLowerCase())).join(""),
};

function eachOf(text: string, form: (code: number) => string): string {
  return Array.from(text, (character) => form(character.charCodeAt(0))).join("");
}

describe.each(Object.entries({ ...FORMS, ...LETTERS }))("%s", (name, form) => {
  test("a secret never survives", () => {
    fc.assert(
      fc.property(random, fc.string(), fc.string(), (secret, before, after) => {
        const clean = masking(secret)(`${before} ${form(secret)} ${after}`);
        expect(clean).toContain("[redacted]");
        expect(clean.replaceAll("[redacted]", " ")).not.toContain(form(secret).slice(4, -4));
      }),
    );
  });

  test.skipIf(name in LETTERS)("neither does a part of eight characters or more", () => {
    const part = fc
      .tuple(random, fc.nat(), fc.nat())
      .map(([secret, from, length]) => {
        const start = from % (secret.length - 7);
        return { secret, part: secret.slice(start, start + 8 + (length % (secret.length - start - 7))) };
      })
      // Letters that read like a word may be one.
      .filter(({ part }) => /[0-9]/.test(part));
    fc.assert(
      fc.property(part, ({ secret, part }) => {
        // Not with words around it, whose letters the secret may have as well.
        const [, rest] = /^§§ (.*) §§$/s.exec(masking(secret)(`§§ ${form(part)} §§`)) ?? [];
        expect(rest).toContain("[redacted]");
        // Characters at the ends may stay, less than the smallest part that is looked for.
        expect(rest?.replaceAll("[redacted]", "").length).toBeLessThan(form(part.slice(0, 8)).length);
      }),
    );
  });
});

test("a part in capitals or small letters does not survive either", () => {
  const mask = masking("a5X4cp628lFkYEjCxuaH7lbS");
  for (const text of ["A5X4CP628L", "5x4cp628lf", "UAH7LBS A5X4CP62"])
    expect(mask(text)).toContain("[redacted]");
});

test("a prefix that all customers have in common is left alone, and so are names of models", () => {
  const mask = masking(
    "sk-proj-Zr4kQ9wLx2Vt8Ns1",
    "sk-ant-api03-Kd8sLq0Zx7Vb2Nm4",
    "github_pat_11ABCDEFG0aZ9yX8wV7uT6s",
  );
  const text =
    "Keys begin with sk-proj-, sk-ant-api03- or github_pat_; send Authorization: Bearer. gpt-5-mini, claude-sonnet-4-5";
  expect(mask(text)).toBe(text);
  expect(mask("sk-proj-Zr4kQ9wLx2Vt8Ns1 api03-Kd8sL")).toMatch(/^s?\[redacted\] \[redacted\]$/);
});

test("what is short or a single word is not looked for", () => {
  const mask = masking("ollama", "on", "hunter2", "placeholder", "Development");
  const text = "ollama is on; a placeholder for Development, says hunter2";
  expect(mask(text)).toBe(text);
});

test("several words are found whole, in every form, and not by their parts", () => {
  const secret = "correct-horse-battery-staple";
  const mask = masking(secret);
  for (const form of Object.values(FORMS))
    expect(mask(`a ${form(secret)} b`)).toMatch(/^a \S{0,4}\s*\[redacted\]\n?\S{0,8} b$/);
  expect(mask("the correct-horse was first; a battery-staple is no thing")).not.toContain("[redacted]");
});

test("ordinary words in a secret do not mask ordinary text", () => {
  const mask = masking("marketing-team-2");
  expect(mask("The marketing department and the team")).toBe("The marketing department and the team");
  expect(mask("x marketing-team-2 y")).toBe("x [redacted] y");
});

test("characters that repeat do not mask lines and zeros", () => {
  const mask = masking("key--------------00000000000000-Zq81");
  expect(mask("| -------------- | 0000000000000000 |")).toBe("| -------------- | 0000000000000000 |");
});

test("secrets that people make up do not mask what people write", () => {
  const mask = masking(
    "summer2024",
    "not-needed",
    "team2start",
    "2024-11-18",
    "hunter-two-2",
    "test-key-1",
    "ABCD1234",
  );
  const text =
    "In summer 2024 it was not needed: team 2 starts on 2024/11/18 with gpt-5-mini; a test key is enough, see A B C, 1234.";
  expect(mask(text)).toBe(text);
  expect(mask("summer2024 NOT-NEEDED Team2Start S U M M E R 2 0 2 4")).toBe(
    "[redacted] [redacted] [redacted] [redacted]",
  );
});

test("random secrets do not mask a book", () => {
  const matcher = new SecretMatcher();
  for (let index = 0; index < 300; index++)
    matcher.add(
      createHash("sha512")
        .update(`${index}`)
        .digest("base64url")
        .slice(0, 20 + (index % 40)),
    );
  const folder = new URL("../../../docs/", import.meta.url);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".md")) continue;
    const text = readFileSync(new URL(name, folder), "utf8");
    expect(matcher.mask(text) === text, name).toBe(true);
  }
});

test("a secret that a line or a word beside it continues is masked without its neighbour", () => {
  const mask = masking("Zr4kQ9wLx2Vt8Ns1af7");
  expect(mask("key Zr4kQ9wLx2Vt8Ns1 after that")).toBe("key [redacted] after that");
});

test("what hashes the same is not taken for a secret", () => {
  const mask = masking("Zr4kQ9wLx2Vt8Ns1");
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 200 }), (text) => {
      if (!/[Zr4kQ9wLx2Vt8Ns1]{8}/.test(text)) expect(mask(text)).toBe(text);
    }),
  );
});

test("the work grows with the text, not with the secrets", () => {
  const matcher = new SecretMatcher();
  for (let index = 0; index < 200; index++)
    matcher.add(`secret-${index}-${Buffer.from(`${index * 7919}`).toString("hex")}-Zq${index}xK`);
  const text = `${"The capital of Australia is Canberra. ".repeat(20_000)}secret-`;
  expect(matcher.mask(text) === text).toBe(true);
});

test("a text that repeats a secret without end is masked everywhere", () => {
  const mask = masking("Zr4kQ9wLx2Vt8Ns1");
  const repeated = "Zr4kQ9wLx2%56t8Ns1 ".repeat(150_000);
  expect(mask(repeated).replaceAll("[redacted]", "").trim()).toBe("");
});
