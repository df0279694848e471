import { expect, test } from "vitest";
import { openData, secretDataValues, secretQueryValues } from "./secret-data.ts";

const DATA = {
  apiKey: "abc",
  nested: [
    { client_secret: "def", "access-token": "ghi", password: "jkl", session_token: "{{conversation}}" },
  ],
  header: "Bearer sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
  stopToken: "END",
  keywords: "cats",
  maxTokens: 5,
  messages: "{{messages}}",
};

test("what is a secret by its name or its look is not written down, and all else is", () => {
  expect(openData(DATA)).toEqual({
    ...DATA,
    apiKey: "(secret)",
    nested: [
      {
        client_secret: "(secret)",
        "access-token": "(secret)",
        password: "(secret)",
        session_token: "{{conversation}}",
      },
    ],
    header: "(secret)",
  });
});

test("it is known as a secret", () => {
  expect(secretDataValues(DATA)).toEqual(["abc", "def", "ghi", "jkl", DATA.header]);
  expect(secretDataValues("plain")).toEqual([]);
});

test("so is what an address holds in its query", () => {
  expect(secretQueryValues("https://example.com/v1?api_key=a%20b&version=2&token=c")).toEqual(["a b", "c"]);
  expect(secretQueryValues("no address")).toEqual([]);
});
