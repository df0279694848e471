import { expect, test } from "vitest";
import { openHeaders, secretHeaderValues } from "./secret-headers.ts";

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
