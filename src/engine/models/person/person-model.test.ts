import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { contextOf, failureOf, requestOf } from "../../../apps/contracts/model-contract-calls.ts";
import type { Model } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { personModel } from "./person-model.ts";

function seated(): { readonly model: Model; readonly input: PassThrough; readonly printed: () => string } {
  const input = new PassThrough();
  const output = new PassThrough();
  let printed = "";
  output.on("data", (chunk: Buffer) => {
    printed += chunk.toString("utf8");
  });
  return { model: personModel({ input, output }), input, printed: () => printed };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test("the question is shown, with the role in the first turn only", async () => {
  const { model, input, printed } = seated();
  input.write("Canberra.\n\n");
  await model.reply(requestOf("The capital\nof Australia?"), contextOf());
  expect(printed()).toBe(
    "\n── contract, ask, turn 1, replicate 1\n\nYou are terse.\n\nThe capital\nof Australia?\n\n(end with an empty line)\n",
  );
  input.write("Yes.\n\n");
  await model.reply(requestOf("Sure?"), contextOf({ turn: 2 }));
  expect(printed()).toMatch(/turn 2, replicate 1\n\nSure\?\n\n\(end with an empty line\)\n$/);
});

test("a question cannot take over the terminal", async () => {
  const { model, input, printed } = seated();
  input.write("ok\n\n");
  await model.reply(requestOf("a\u001b[2Jb\rc\u202ed\te\u009b1m"), contextOf());
  expect(printed()).toContain("a\ufffd[2Jb\nc\ufffdd\te\ufffd1m");
});

describe("an answer", () => {
  test.each([
    ["one line", "Yes.\n\n", "Yes."],
    ["several lines", "Yes,\n  it is.\n\n", "Yes,\n  it is."],
    ["a dot at the end", "Yes.\n.\n", "Yes."],
    ["nothing but a dot", ".\n", ""],
    ["empty lines first", "\n\n \nYes.\n\n", "Yes."],
    ["line ends of Windows", "Yes.\r\nNo.\r\n\r\n", "Yes.\nNo."],
    ["unusual letters", "漢字 🙂\n\n", "漢字 🙂"],
  ])("%s", async (_what, typed, text) => {
    const { model, input } = seated();
    input.write(typed);
    expect(await model.reply(requestOf("?"), contextOf())).toEqual({ text, finish: "stop" });
  });

  test("typed in pieces", async () => {
    const { model, input, printed } = seated();
    const reply = model.reply(requestOf("?"), contextOf());
    await until(() => printed() !== "");
    for (const piece of ["Ye", "s.", "\nNo.", "\n", "\n"]) input.write(piece);
    expect((await reply).text).toBe("Yes.\nNo.");
  });

  test("ended by the end of the input; after that there are no answers", async () => {
    const { model, input } = seated();
    input.end("Yes.\nReally.");
    expect((await model.reply(requestOf("?"), contextOf())).text).toBe("Yes.\nReally.");
    const error = await failureOf(model.reply(requestOf("?"), contextOf()));
    expect(error).toMatchObject({
      category: "cancelled",
      message: "person: the input has ended, so there is no answer.",
    });
  });

  test("never comes from an input that breaks", async () => {
    const { model, input, printed } = seated();
    const failure = failureOf(model.reply(requestOf("?"), contextOf()));
    await until(() => printed() !== "");
    input.destroy(new Error("EIO"));
    expect(await failure).toMatchObject({ category: "cancelled" });
  });
});

test("one question at a time, in order", async () => {
  const { model, input, printed } = seated();
  const replies = ["One?", "Two?", "Three?"].map((text) => model.reply(requestOf(text), contextOf()));
  await until(() => printed() !== "");
  expect(printed()).toContain("One?");
  expect(printed()).not.toContain("Two?");
  input.write("1\n\n2\n\n3\n\n");
  expect((await Promise.all(replies)).map(({ text }) => text)).toEqual(["1", "2", "3"]);
  expect(printed().match(/One\?|Two\?|Three\?/g)).toEqual(["One?", "Two?", "Three?"]);
});

test("who is given up makes room for the next", async () => {
  const { model, input, printed } = seated();
  const [first, second] = [new AbortController(), new AbortController()];
  const reason = new ModelError("timeout", "Too slow.");
  const one = failureOf(model.reply(requestOf("One?"), contextOf({ signal: first.signal })));
  const two = failureOf(model.reply(requestOf("Two?"), contextOf({ signal: second.signal })));
  const three = model.reply(requestOf("Three?"), contextOf());
  await until(() => printed() !== "");
  input.write("half an ans\n");
  second.abort();
  expect(await two).toMatchObject({ category: "cancelled" });
  first.abort(reason);
  expect(await one).toBe(reason);
  await until(() => printed().includes("Three?"));
  input.write("3\n\n");
  expect((await three).text).toMatch(/3$/);
  expect(printed()).toContain("(no longer needed)");
  expect(printed()).not.toContain("Two?");
});

test("the input is let go of", async () => {
  const { model, input } = seated();
  input.write("Yes.\n\n");
  await model.reply(requestOf("?"), contextOf());
  await model.close?.();
  expect(input.isPaused()).toBe(true);
  expect(await failureOf(model.reply(requestOf("?"), contextOf()))).toMatchObject({ category: "cancelled" });
});

test("a person is free of charge, and one account", () => {
  expect(personModel()).toMatchObject({ name: "person", account: "person", price: null });
});
