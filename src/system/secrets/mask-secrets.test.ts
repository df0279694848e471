import { expect, test } from "vitest";
import { maskSecretsIn, rememberSecrets } from "./mask-secrets.ts";

const SECRET = "Vb7nQ2xKp9Lw4Zt1";
rememberSecrets([SECRET]);

test.each<[string, readonly unknown[]]>([
  ["codes", [...Buffer.from(SECRET)]],
  ["characters", [...SECRET]],
  ["parts", SECRET.match(/.{1,5}/g) ?? []],
])("a secret as a list of %s is masked in data", (_, list) => {
  expect(maskSecretsIn({ type: "Buffer", data: list })).toEqual({ type: "Buffer", data: ["[redacted]"] });
});

test("other lists stay as they are, and the same objects", () => {
  const data = { numbers: [1, 2, 3, 115, 107], words: ["a", "b"], none: [], mixed: [1, { text: "x" }] };
  expect(maskSecretsIn(data)).toBe(data);
});
