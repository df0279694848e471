import { expect, test } from "vitest";
import type { Message } from "../../models/message.ts";
import { extendMessages, noMessages } from "../../models/message-list.ts";
import { MessageChains } from "./encode-call.ts";

const user = (content: string): Message => ({ role: "user", content });

test("a list is its last message and the list before it", () => {
  const link = new MessageChains().linkOf([user("a"), user("b")]);
  expect(link).toMatchObject({ message: user("b"), length: 2, previous: { message: user("a"), length: 1 } });
  expect(link?.previous?.previous).toBeNull();
  expect(new MessageChains().linkOf([])).toBeNull();
});

test("the same messages are the same chain, whoever made them; others are not", () => {
  const hashOf = (...messages: Message[]): string | undefined => new MessageChains().linkOf(messages)?.hash;
  expect(hashOf(user("a"), user("b"))).toBe(hashOf(user("a"), user("b")));
  const hashes = [
    hashOf(user("a"), user("b")),
    hashOf(user("b"), user("a")),
    hashOf(user("b")),
    hashOf(user("ab")),
    hashOf({ role: "assistant", content: "b" }),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});

test("a conversation is taken up where it was left", () => {
  const chains = new MessageChains();
  const list = extendMessages(noMessages(), [user("a"), user("b")]);
  const before = chains.linkOf(list);
  const after = chains.linkOf(extendMessages(list, [user("c")]));
  expect(after?.previous).toBe(before);
});

test("a message that is also somewhere else is not mistaken for that place", () => {
  const chains = new MessageChains();
  const shared = Object.freeze(user("again"));
  chains.linkOf([user("a"), shared]);
  const other = chains.linkOf([user("b"), shared]);
  expect(other?.hash).toBe(new MessageChains().linkOf([user("b"), user("again")])?.hash);
});

test("what can still change is copied, and not remembered", () => {
  const chains = new MessageChains();
  const changing = { role: "user" as const, content: "a" };
  const before = chains.linkOf([changing]);
  changing.content = "b";
  expect(before?.message).toEqual(user("a"));
  expect(chains.linkOf([changing])?.hash).toBe(new MessageChains().linkOf([user("b")])?.hash);
});
