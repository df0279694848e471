import { expect, test } from "vitest";
import type { Message } from "../../../engine/models/message.ts";
import { estimateRequest } from "./estimate-tokens.ts";

test("the estimate of a list does not depend on the lists before it", () => {
  const message = (index: number): Message => ({ role: "user", content: "word ".repeat(index) });
  const long = Array.from({ length: 40 }, (_, index) => message(index));
  const other = Array.from({ length: 40 }, (_, index) => message(2 * index));
  const lists = [
    long.slice(0, 20),
    long,
    long.slice(0, 3),
    long.slice(0, 12),
    [...long.slice(0, 12), ...other],
    [...long.slice(0, 20), ...long],
    other,
    [],
  ];
  for (const messages of lists) {
    const alone = messages.map((one) => estimateRequest({ messages: [one] }));
    expect(estimateRequest({ messages })).toBe(alone.reduce((sum, tokens) => sum + tokens, 0));
  }
});
