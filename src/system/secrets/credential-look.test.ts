import { expect, test } from "vitest";
import { looksLikeCredential } from "./credential-look.ts";

test.each([
  "Bearer abc123",
  "Basic dXNlcjpwYXNz",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN",
  "sk-proj-abc123DEF456ghi789",
  "ghp_abcdefghij1234567890",
  "9f86d081884c7d659a2feaa0c55ad015",
  "Zr4kQ9wLx2Vt8Ns1Zr4kQ9w",
  "xsZyJhB1yaKg8eSAJg_E5z7T",
  "igKp-yB6c_OsEP1NFyz15c5T",
  "123e4567-e89b-12d3-a456-426614174000",
])("a credential: %s", (value) => {
  expect(looksLikeCredential(value)).toBe(true);
});

test.each([
  "2024-10-21",
  "2024-12-01-preview",
  "interleaved-thinking-2025-05-14",
  "claude-sonnet-4-20250514",
  "meta-llama/Llama-3.3-70B-Instruct-Turbo",
  "application/json; charset=utf-8",
  "https://example.com/some/long/path/of-a-project-2024",
  "My Application",
  "elenchus/0.4.1",
  "en-GB,en;q=0.9",
  "x".repeat(40),
  "production-europe-west-1-cluster-blue",
  "12345678901234567890",
  "meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo-FP8",
])("none: %s", (value) => {
  expect(looksLikeCredential(value)).toBe(false);
});
