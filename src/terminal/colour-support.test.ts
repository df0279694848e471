import { expect, test } from "vitest";
import { showsColours } from "./stream-output.ts";

const pipe = {};
const terminal = { isTTY: true };
const colourful = { isTTY: true, hasColors: () => true };
const monochrome = { isTTY: true, hasColors: () => false };

test.each([
  ["a pipe", pipe, {}, false],
  ["a terminal", terminal, {}, true],
  ["a terminal that shows colours", colourful, { TERM: "xterm-256color" }, true],
  ["a terminal that shows none", monochrome, {}, false],
  ["a dumb terminal", colourful, { TERM: "dumb" }, false],
  ["NO_COLOR", colourful, { NO_COLOR: "1" }, false],
  ["NO_COLOR, whatever it says", colourful, { NO_COLOR: "0" }, false],
  ["an empty NO_COLOR", colourful, { NO_COLOR: "" }, true],
  ["NO_COLOR against FORCE_COLOR", colourful, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  ["a pipe with FORCE_COLOR", pipe, { FORCE_COLOR: "1" }, true],
  ["a pipe with an empty FORCE_COLOR", pipe, { FORCE_COLOR: "" }, true],
  ["a terminal with FORCE_COLOR=0", colourful, { FORCE_COLOR: "0" }, false],
])("%s", (_, stream, environment, expected) => {
  expect(showsColours(stream, environment)).toBe(expected);
});
