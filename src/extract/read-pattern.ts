import { linearRegexOf } from "../check/linear-regex.ts";
import type { ExtractRule } from "./extract-rule.ts";
import { answerText } from "./reasoning.ts";
import type { Settled } from "./settle.ts";

type PatternRule = Extract<ExtractRule, { readonly type: "regex" }>;

/**
 * Occurrences × characters that are looked at: some patterns must look at the rest of the text for each occurrence.
 * Where there are more, the last one is not known, and the reply counts as ambiguous.
 */
const MOST_WORK = 10_000_000;
const FEWEST = 10;

/** Reads what a pattern's group matches in the raw reply, working in `<think>` blocks left out. */
export function readPattern(rule: PatternRule, reply: string): Settled<string> {
  const regex = linearRegexOf(rule);
  if ("problem" in regex) return { status: "absent" };
  const { text, span } = answerText(reply);
  const group = rule.group ?? Math.min(1, regex.groupCount);
  const most = Math.max(FEWEST, Math.floor(MOST_WORK / (text.length + 1)));
  const first = (rule.which ?? "first") === "first";
  const { found, complete } = regex.captures(text, group, first ? FEWEST : most);
  // An empty match says nothing.
  const written = found.filter((capture) => capture.text.trim() !== "");
  const chosen = first ? written[0] : written.at(-1);
  if (!complete && (!first || chosen === undefined)) return { status: "ambiguous" };
  if (chosen === undefined) return { status: "absent" };
  const [start, end] = span(chosen.start, chosen.end);
  return { status: "found", value: chosen.text, start, end };
}
