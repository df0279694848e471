import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSecrets } from "./redact-secrets.ts";

describe("removes", () => {
  test.each([
    ["Incorrect API key provided: sk-proj-abc123DEF456ghi789.", "Incorrect API key provided: [redacted]."],
    ["You passed sk-****************abcd here", "You passed [redacted] here"],
    ["?x=1%3Dsk-ant-api03-abcdefghijklmnop", "?x=1%3D[redacted]"],
    ["key AIzaSyA1234567890abcdefghijklmnopqrstuv no good", "key [redacted] no good"],
    ["xai-abcdefghij1234567890", "[redacted]"],
    ["gsk_abcdefghij1234567890, hf_abcdefghij1234567890", "[redacted], [redacted]"],
    ["ghp_abcdefghij1234567890 AKIAIOSFODNN7EXAMPLE", "[redacted] [redacted]"],
    ["Authorization: Bearer abcdef was refused", "Authorization: Bearer [redacted] was refused"],
    ["authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted]"],
    ["sent Bearer a1b2c3d4e5f6", "sent Bearer [redacted]"],
    ["Bearer Bearer a1b2c3d4e5f6", "Bearer Bearer [redacted]"],
    ["Bearer =Bearer a1b2c3d4e5f6", "Bearer [redacted] [redacted]"],
    ["Basic dXNlcjpwYXNz", "Basic [redacted]"],
    ['{"x-api-key":"0123456789abcdef0123456789abcdef"}', '{"x-api-key":"[redacted]"}'],
    ['{\\"api_key\\":\\"abc123\\"}', '{\\"api_key\\":\\"[redacted]\\"}'],
    ["api_key=hunter", "api_key=[redacted]"],
    ["token 9f86d081884c7d659a2feaa0c55ad015 expired", "token [redacted] expired"],
    ["key: token 9f86d081884c7d659a2feaa0c55ad015", "key: token [redacted]"],
    ["https://user:pass@example.com/x", "https://[redacted]@example.com/x"],
    ["https://us:p@ss@example.com/x", "https://[redacted]@example.com/x"],
    ["GET https://h/v1?a=1&key=abc&b=2", "GET https://h/v1?a=1&key=[redacted]&b=2"],
    ["https://h/?X-Amz-Signature=fe5f&sig=a%2Fb", "https://h/?X-Amz-Signature=[redacted]&sig=[redacted]"],
    ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN here", "jwt [redacted] here"],
    ["Cookie: a=b; c=d\nHost: h", "Cookie: [redacted]\nHost: h"],
    ["Authorization: AWS4-HMAC-SHA256 Credential=A/b, Signature=c", "Authorization: [redacted] [redacted]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----.", "[redacted]."],
  ])("%s", (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted);
  });

  test.each([
    ["as it is", "tr0ub4dor&3 x"],
    ["in an address", "tr0ub4dor%263%20x"],
    ["in an address, lower case and form encoded", "a+b%2fcdefgh"],
    ["in JSON", 'say \\"hello\\" twice'],
    ["in base64", btoa("tr0ub4dor&3 x")],
    ["inside base64", btoa("user:tr0ub4dor&3 x")],
    ["further inside base64", btoa("name=u&tr0ub4dor&3 x&more")],
  ])("a known secret %s", (_, form) => {
    const text = redactSecrets(`before ${form} after`, ["tr0ub4dor&3 x", 'say "hello" twice', "a b/cdefgh"]);
    expect(text).toMatch(/^before \S*\[redacted\]\S* after$/);
    expect(text).not.toContain("tr0ub4dor");
  });
});

test.each([
  "Bearer authentication is required; see Basic information about token authentication.",
  "password: required, token: invalid, authorization: missing",
  "invalid_api_key: the API key is not valid for this organization",
  "max_tokens: 1000 is too large: this model supports at most 512 completion tokens",
  "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is not a secret",
  "connect ECONNREFUSED 127.0.0.1:11434",
  "mail me@example.com, see https://example.com/a@b?page=2&sort=key",
  "task-oriented sk-learn and hf_hub",
  "Authorization: Bearer token is missing",
  "The monkey: a primate. The key is under the mat.",
])("leaves prose alone: %s", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

const KEY_PREFIXES =
  "sk- pk_ rk- csk- xai- pplx- nvapi- glpat- xoxb- gsk_ hf_ ghp_ github_pat_ r8_ fw_ tgp_ npm_ whsec_ ya29. AKIA ASIA AIza";

test.each([
  ...KEY_PREFIXES.split(" ").map((prefix) => `${prefix}ABCDEFGHIJ1234567890`),
  "eyJhbGci.eyJzdWI",
  "-----BEGIN PRIVATE KEY-----",
  "ftp://me@host",
  "?sig=abc",
  "%3Fsig%3Dabc",
  "?a=9f86d081884c7d659a2feaa0c55ad015",
  "cookie: abc",
  "digest a=b",
  "aws4-hmac-sha256 abc",
  ...["bearer", "basic", "token", "apikey", "api-key"].map((scheme) => `${scheme} a1b2c3`),
  ...["pass", "pwd", "secret", "authorization", "credential", "api key"].map((name) => `${name}: a1b2`),
  ...["key", "id token"].map((name) => `${name} 9f86d081884c7d659a2f`),
])("is found where nothing else looks like a secret: %s", (text) => {
  expect(redactSecrets(text)).toContain("[redacted]");
});

test("a placeholder is no secret", () => {
  expect(redactSecrets("ollama is not running", ["ollama"])).toBe("ollama is not running");
});

test("cuts what is very long", () => {
  const text = redactSecrets("word ".repeat(1_000));
  expect(text).toMatch(/^word word .*… \(cut, 5000 characters in all\)$/);
  expect(text.length).toBeLessThan(2_100);
});

const filler = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(" ", "\n", '"', "key: ", "Bearer ", "https://", "?key=", "eyJ", "sk-", "%3D", "[redacted]"),
  fc.integer({ min: 1, max: 20_000 }).map((length) => "ab ".repeat(length)),
  fc.integer({ min: 1, max: 20_000 }).map((length) => "key=sk-0123456789abcdef ".repeat(length / 10)),
);
const separator = fc.constantFrom(" ", "\n", '"', "'", "(", "=", ": ", "/");
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const random = fc
  .array(fc.constantFrom(...letters), { minLength: 20, maxLength: 60 })
  .map((list) => list.join(""));

test("a planted key never survives", () => {
  const key = fc
    .tuple(fc.constantFrom("sk-", "sk-ant-", "AIza", "xai-", "gsk_", "hf_", "ghp_", "Bearer 0"), random)
    .map(([prefix, rest]) => ({ prefix, rest }));
  fc.assert(
    fc.property(filler, separator, key, filler, (before, gap, { prefix, rest }, after) => {
      expect(redactSecrets(`${before}${gap}${prefix}${rest} ${after}`)).not.toContain(rest.slice(0, 12));
    }),
  );
});

test("a known secret never survives, in whatever text and form", () => {
  const secret = fc.oneof(fc.string({ minLength: 8 }), random, fc.string({ unit: "grapheme", minLength: 8 }));
  const form = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => encodeURIComponent(text),
    (text) => Buffer.from(text).toString("base64"),
    (text) => Buffer.from(`u:${text}`).toString("base64url"),
  );
  fc.assert(
    fc.property(filler, secret, form, filler, (before, planted, encode, after) => {
      const encoded = encode(planted);
      const clean = redactSecrets(before + encoded + after, [planted]);
      if (!`${before}${after}[redacted]… (cut, 0123456789 characters in all)`.includes(planted)) {
        expect(clean).not.toContain(encoded);
      }
    }),
  );
});

test.each([
  "key:",
  "eyJ",
  "sk-",
  "://",
  "Bearer ",
  "-----BEGIN PRIVATE KEY-----",
  "?key",
  "a@",
  "password=",
  "aaaaaaaa",
])("a body of megabytes is no trouble: %s", (part) => {
  const body = part.repeat(500_000);
  expect(redactSecrets(body, ["aaaaaaaaaaaaaaaa"]).length).toBeLessThan(2_100);
});
