import { describe, expect, it } from "vitest";
import { groupMentions, type Mention } from "./mention.ts";
import { ReplyText } from "./reply-text.ts";

/** The groups of the single capitals in a text. */
function groupsOf(text: string): string[] {
  const reply = new ReplyText(text);
  const mentions = [...reply.text.matchAll(/\b[A-Z]\b/g)].map(
    ({ 0: value, index }): Mention<string> => ({ value, start: index, end: index + 1 }),
  );
  return groupMentions(reply, mentions).map((group) => group.mentions.map(({ value }) => value).join(""));
}

describe("groups", () => {
  it.each<[string, string[]]>([
    ["A", ["A"]],
    ["A and C", ["AC"]],
    ["either A or C", ["AC"]],
    ["A, B, and D are wrong", ["ABD"]],
    ["A, B, D are wrong", ["ABD"]],
    ["(A) or (B)", ["AB"]],
    ["option A and option B", ["AB"]],
    ["A/B", ["AB"]],
    ["A, C", ["AC"]],
    ["A and maybe C", ["AC"]],
    ["A. B.", ["A", "B"]],
    ["the answer is B, C is wrong", ["B", "C"]],
    ["the answer is B and C is wrong", ["B", "C"]],
    ["A, B and C is wrong", ["A", "B", "C"]],
    ["B and not C", ["B", "C"]],
    ["not B but C", ["B", "C"]],
    ["A is better than B", ["A", "B"]],
  ])("of %j", (text, groups) => expect(groupsOf(text)).toEqual(groups));
});

it("copes with endless lists", () => {
  expect(groupsOf("A and B, ".repeat(20_000)).length).toBeGreaterThan(0);
  expect(groupsOf("A, ".repeat(20_000))).toHaveLength(20_000);
});
