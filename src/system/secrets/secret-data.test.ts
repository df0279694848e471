import { expect, test } from "vitest";
import {
  openAddress,
  openData,
  openHeaders,
  privateParts,
  secretArguments,
  secretDataValues,
  secretHeaderValues,
  secretQueryValues,
} from "./secret-data.ts";

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

test("a password in an address and a key in its path are secrets, too", () => {
  expect(secretQueryValues("https://me:p%40ss@example.com/bot9f86d081884c7d659a2feaa0c55ad015/x")).toEqual([
    "bot9f86d081884c7d659a2feaa0c55ad015",
    "p@ss",
  ]);
});

test("an address is written down without user and query; what the query says besides secrets is kept as a hash", () => {
  const open = (address: string) => openAddress(address, (text) => `hash of ${text}`);
  expect(open("https://me:pass@example.com/v1?api_key=abc&version=2")).toEqual({
    url: "https://example.com/v1",
    query: 'hash of [["api_key","(secret)"],["version","2"]]',
  });
  expect(open("http://localhost:8000")).toEqual({ url: "http://localhost:8000" });
  expect(open("http://localhost:8000/v1/chat")).toEqual({ url: "http://localhost:8000/v1/chat" });
});

test("words of a command are secrets by the flag before them, or by their look", () => {
  expect(
    secretArguments([
      "server.js",
      "--token",
      "abc",
      "--api-key=def",
      "--port",
      "80",
      "--verbose",
      "--x",
      "y",
    ]),
  ).toEqual(["abc", "def"]);
  expect(secretArguments(["9f86d081884c7d659a2feaa0c55ad015"])).toEqual(["9f86d081884c7d659a2feaa0c55ad015"]);
});

test("paths, numbers and addresses are not private; their passwords are", () => {
  for (const value of [
    "/home/me/data",
    "~/data/x",
    "C:\\data\\x",
    "8080",
    "https://example.com/v1",
    "text/plain",
  ])
    expect(privateParts(value)).toEqual([]);
  expect(privateParts("postgres://me:Zebra4711@db:5432/x")).toEqual(["Zebra4711"]);
  expect(privateParts("Zebra4711")).toEqual(["Zebra4711"]);
});

const HEADERS = {
  Authorization: "Bearer abc",
  "X-API-Key": "def",
  cookie: "session=1",
  "x-team": "blue",
};

test("values of headers that look like secrets are not written down", () => {
  expect(openHeaders(HEADERS)).toEqual({
    authorization: "(secret)",
    "x-api-key": "(secret)",
    cookie: "(secret)",
    "x-team": "blue",
  });
});

test("they are known as secrets, also without what stands before them", () => {
  expect(secretHeaderValues(HEADERS)).toEqual(["Bearer abc", "abc", "def", "def", "session=1", "session=1"]);
});
