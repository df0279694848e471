import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { extractValue } from "../../src/engine/grading/reading/extract-value.ts";
import { labelledReplies, withValues } from "./labelled-replies.ts";

const FILES = ["phrasings", "replies"].map((name) => fileURLToPath(new URL(`${name}.yaml`, import.meta.url)));
const REPLIES = FILES.flatMap(labelledReplies).map((labelled) => ({
  ...labelled,
  read: extractValue(labelled.rule, labelled.field ?? { type: "string" }, labelled.reply),
}));

/** Replies that answer another question, or are meant ironically: rules cannot know, and `npm run reading` counts them. */
const KNOWN = [
  "There are 4 rocky planets in the Solar System.",
  "There were 9 planets in the Solar System when you went to school.",
  "Sure, a bat is a bird, and a whale is a fish.",
  "You chose B, I chose C.",
  "Electric violins with five strings exist.",
];

test("no labelled reply is read wrongly", () => {
  const misread = REPLIES.filter(({ read, gold }) => read.value !== null && read.value !== gold);
  expect(misread.map(({ reply }) => reply)).toEqual(KNOWN);
});

test("what is read stands in the reply", () => {
  const found = REPLIES.filter(({ read }) => read.status === "found");
  const empty = found.filter(({ read, reply }) => reply.slice(...(read.span ?? [0, 0])).trim() === "");
  expect(empty).toEqual([]);
});

test("the share of stated answers that rules read does not fall", () => {
  const stated = REPLIES.filter(({ gold }) => gold !== null);
  expect(stated.filter(({ read }) => read.value !== null).length / stated.length).toBeGreaterThan(0.66);
});

test("of two sentences that answer differently, the first one is never read", () => {
  const items = parse(readFileSync(FILES[0] as string, "utf8"));
  const { each, replies } = items.find(({ item }: { item: string }) => item === "sentences");
  const said = replies.X.filter((sentence: string) => /[.!}>]$/.test(sentence) && !/\bY\b/.test(sentence));
  for (const kind of each) {
    const other = { X: kind.Y, Y: kind.X };
    for (const first of said)
      for (const second of said) {
        const reply = `${withValues(first, other)} ${withValues(second, kind)}`;
        const { value } = extractValue(kind.rule, { type: "string" }, reply);
        expect([null, kind.X], reply).toContain(value);
      }
  }
});
