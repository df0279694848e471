import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { channelMemory, TextChannel } from "./text-channel.ts";

function bothEnds(): { caller: TextChannel; answerer: TextChannel } {
  const memory = channelMemory();
  return { caller: new TextChannel(memory, "caller"), answerer: new TextChannel(memory, "answerer") };
}

test.each(["", "what?", "é 😀 \u0000 \ud800", "x".repeat(100_000)])(
  "a text arrives as it was sent (%#)",
  (text) => {
    const { caller, answerer } = bothEnds();
    expect(caller.send(text)).toBe(true);
    expect(answerer.receive()).toBe(text);
    expect(answerer.send(`${text}!`)).toBe(true);
    expect(caller.receive()).toBe(`${text}!`);
  },
);

test("whoever waits in vain is told", () => {
  const { caller } = bothEnds();
  caller.send("is anybody there?");
  expect(caller.receive(1)).toBe(null);
});

test("a long text needs somebody who takes it", () => {
  const { caller } = bothEnds();
  expect(caller.send("x".repeat(1_000_000), 1)).toBe(false);
});

test("somebody who is woken when it is not their turn goes on waiting", async () => {
  const memory = channelMemory();
  // Wakes whoever sleeps, again and again, and never takes a turn.
  const program = `const { workerData, parentPort } = require("node:worker_threads");
    const words = new Int32Array(workerData, 0, 3);
    parentPort.postMessage("ready");
    for (;;) Atomics.notify(words, 0);`;
  const waker = new Worker(program, { eval: true, workerData: memory });
  await new Promise((resolve) => waker.once("message", resolve));
  const caller = new TextChannel(memory, "caller");
  caller.send("a question");
  const answer = caller.receive(300);
  await waker.terminate();
  expect(answer).toBe(null);
});
