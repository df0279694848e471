import { expect, it } from "vitest";
import { optionLines } from "./read-letter.ts";
import { ReplyText } from "./reply-text.ts";

it.each<[string, string[]]>([
  ["C) Paris", ["C chosen"]],
  ["**C.** Paris", ["C chosen"]],
  ["- (c) Paris", ["c chosen"]],
  ["Option C: Paris", ["C chosen"]],
  ["C - Paris", ["C chosen"]],
  ["A) Rome\nB) Paris\nC) Bern", ["A listed", "B listed", "C listed"]],
  ["A) Rome\nbecause\nB) Paris", ["A listed", "B listed"]],
  ["A) Rome\nB) Paris\n\nB) Paris", ["A listed", "B listed", "B chosen"]],
  ["C) Paris\n\nA) no\nB) no", ["C chosen", "A listed", "B listed"]],
  ["A) Rome B) Paris", ["A listed"]],
  ["A: Paris", ["A open"]],
  ["I. Introduction", ["I open"]],
  ["A good way\nBerlin", []],
])("%j: %j", (text, lines) => {
  const reply = new ReplyText(text);
  const found = [...optionLines(reply)].map(([start, role]) => `${reply.text.charAt(start)} ${role}`);
  expect(found).toEqual(lines);
});
