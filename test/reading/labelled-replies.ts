import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { ExtractRule, ExtractTarget } from "../../src/core/templates/extract-rule.ts";

/** A reply, the rule that reads it, and what a careful reader takes from it (null: nothing). */
export interface LabelledReply {
  readonly id?: string;
  readonly reply: string;
  readonly rule: ExtractRule;
  readonly gold: unknown;
  readonly kind?: string;
  readonly field?: ExtractTarget & { readonly truth?: unknown };
  /** Where a reply has no question, the truth of its field means nothing. */
  readonly question?: string;
  /** True if the text breaks off. */
  readonly cut?: boolean;
}

/** A rule, and values that stand for X and Y in sentences. */
interface Kind {
  readonly rule: ExtractRule;
  readonly X: string;
  readonly Y: string;
}

/** An entry of a YAML file: replies by what a careful reader takes from them. */
interface LabelledItem {
  readonly item: string;
  readonly question?: string;
  readonly description?: string;
  readonly rule?: ExtractRule;
  /** Instead of a rule: the replies are sentences about X and Y, which count for each of several kinds of values. */
  readonly each?: readonly Kind[];
  readonly truth?: unknown;
  readonly replies: Readonly<Record<string, readonly string[]>>;
}

/** The replies of a YAML file. */
export function labelledReplies(file: string): LabelledReply[] {
  const items = parse(readFileSync(file, "utf8")) as readonly LabelledItem[];
  return items.flatMap((item) =>
    item.each === undefined
      ? repliesOf(item, item.rule as ExtractRule, (text) => text)
      : item.each.flatMap((kind) => repliesOf(item, kind.rule, (text) => withValues(text, kind))),
  );
}

/** A sentence with values in place of X and Y. */
export function withValues(sentence: string, { X, Y }: Pick<Kind, "X" | "Y">): string {
  return sentence.replace(/\bX\b/g, X).replace(/\bY\b/g, Y);
}

function repliesOf(
  { item, question, description, truth, replies }: LabelledItem,
  rule: ExtractRule,
  filled: (text: string) => string,
): LabelledReply[] {
  const type = rule.type === "number" ? "number" : rule.type === "stance" ? "boolean" : "string";
  const field = { type, truth, ...(description === undefined ? {} : { description }) } as const;
  return Object.entries(replies).flatMap(([written, texts]) => {
    const value = filled(written);
    const gold = value === "none" ? null : type === "string" ? value : (JSON.parse(value) as unknown);
    return texts.map((text) => ({
      id: item,
      reply: filled(text),
      rule,
      gold,
      field,
      ...(question === undefined ? {} : { question }),
    }));
  });
}
