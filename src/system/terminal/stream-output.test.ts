import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { StreamOutput, showsColours } from "./process-terminal.ts";
import { PLAIN_STYLE } from "./terminal.ts";

/** A stream whose reader takes the next piece only when told to, or leaves. */
function slowStream(): Writable & { next(error?: Error): void; readonly pieces: string[] } {
  let done: ((error?: Error) => void) | undefined;
  const pieces: string[] = [];
  const stream = new Writable({
    highWaterMark: 4,
    decodeStrings: false,
    write(piece: string, _, callback) {
      pieces.push(piece);
      done = callback;
    },
  });
  return Object.assign(stream, { pieces, next: (error?: Error) => done?.(error) });
}

/** Whether a promise has settled once all that can happen has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  const later = new Promise((resolve) => setImmediate(() => resolve(pending)));
  return (await Promise.race([promise, later])) !== pending;
}

const environment = {};

test("who writes much can wait until there is room", async () => {
  const stream = slowStream();
  const output = new StreamOutput(stream, { environment });
  output.write("a");
  expect(await isSettled(output.drained())).toBe(true);
  output.write("bcdef");
  const drained = output.drained();
  expect(await isSettled(drained)).toBe(false);
  stream.next();
  stream.next();
  await drained;
  expect(stream.pieces).toEqual(["a", "bcdef"]);
});

test("flushing waits for all that was written", async () => {
  const stream = slowStream();
  const output = new StreamOutput(stream, { environment });
  output.write("a");
  const flushed = output.flush();
  expect(await isSettled(flushed)).toBe(false);
  stream.next();
  await new Promise((resolve) => setImmediate(resolve));
  stream.next();
  await flushed;
});

test("when the reader has left, nobody waits, and nothing is written", async () => {
  const stream = slowStream();
  const errors: (string | undefined)[] = [];
  const output = new StreamOutput(stream, { environment, onError: ({ code }) => errors.push(code) });
  output.write("abcdef");
  const waiting = [output.drained(), output.flush()];
  stream.next(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await Promise.all(waiting);
  output.write("more");
  await output.drained();
  await output.flush();
  expect(stream.pieces).toEqual(["abcdef"]);
  expect(errors).toEqual(["EPIPE"]);
});

test.each([
  ["a pipe", {}, {}, [80, 24, false]],
  ["a pipe with a wish", {}, { COLUMNS: "120", LINES: "40" }, [120, 40, false]],
  ["a pipe with nonsense", {}, { COLUMNS: "wide", LINES: "-1" }, [80, 24, false]],
  ["a terminal", { isTTY: true, columns: 100, rows: 50 }, { COLUMNS: "7" }, [100, 50, true]],
  ["a terminal without columns", { isTTY: true, columns: 0, rows: 0 }, {}, [80, 24, true]],
  ["a dumb terminal", { isTTY: true, columns: 100, rows: 50 }, { TERM: "dumb" }, [100, 50, false]],
])("%s has a size", (_, shape, variables, expected) => {
  const stream = Object.assign(slowStream(), shape);
  const output = new StreamOutput(stream, { environment: variables });
  expect([output.width, output.height, output.isTerminal]).toEqual(expected);
});

test("the size is that of now", () => {
  const stream = Object.assign(slowStream(), { isTTY: true, columns: 100, rows: 50 });
  const output = new StreamOutput(stream, { environment: { NO_COLOR: "1" } });
  expect(output.style).toBe(PLAIN_STYLE);
  Object.assign(stream, { columns: 33, rows: 7 });
  expect([output.width, output.height]).toEqual([33, 7]);
});

test("a write that fails is reported before flushing ends", async () => {
  const stream = slowStream();
  const reported: string[] = [];
  const output = new StreamOutput(stream, { environment, onError: ({ message }) => reported.push(message) });
  output.write("a");
  const flushed = output.flush().then(() => reported.push("flushed"));
  stream.next(new Error("no space left on device"));
  await flushed;
  expect(reported).toEqual(["no space left on device", "flushed"]);
});

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
  ["a dumb terminal with FORCE_COLOR", colourful, { TERM: "dumb", FORCE_COLOR: "1" }, true],
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

test("data is written as it is, except on a screen, which would obey it", () => {
  const hostile = "a\u001b[2J\u009b31m\u202e,b\r\nc\td\n";
  for (const [isTTY, expected] of [
    [false, hostile],
    [true, "a\ufffd[2J\ufffd31m\ufffd,b\nc\td\n"],
  ] as const) {
    const written: string[] = [];
    const stream = new Writable({
      decodeStrings: false,
      write(piece: string, _, callback) {
        written.push(piece);
        callback();
      },
    });
    new StreamOutput(Object.assign(stream, { isTTY }), { environment }).data(hostile);
    expect(written.join("")).toBe(expected);
  }
});
