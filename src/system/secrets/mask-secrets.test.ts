import { expect, test } from "vitest";
import { maskSecretsIn, rememberSecrets } from "./mask-secrets.ts";

const SECRET = "Vb7nQ2xKp9Lw4Zt1";
rememberSecrets([`Bearer ${SECRET}`]);

test("a secret in data is masked in texts and keys", () => {
  expect(maskSecretsIn({ [SECRET]: ["a", `key ${SECRET}`] })).toEqual({
    "[redacted]": ["a", "key [redacted]"],
  });
});

test("data without secrets stays the same object", () => {
  const data = { numbers: [1, 2, 3], words: ["a", "b"], none: [], mixed: [1, { text: "x" }] };
  expect(maskSecretsIn(data)).toBe(data);
});
