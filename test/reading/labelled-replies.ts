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

/** An entry of a YAML file: replies by what a careful reader takes from them. */
interface LabelledItem {
  readonly item: string;
  readonly question?: string;
  readonly description?: string;
  readonly rule: ExtractRule;
  readonly truth?: unknown;
  readonly replies: Readonly<Record<string, readonly string[]>>;
}

/** The replies of a YAML file. */
export function labelledReplies(file: string): LabelledReply[] {
  const items = parse(readFileSync(file, "utf8")) as readonly LabelledItem[];
  return items.flatMap(({ item, question, description, rule, truth, replies }) => {
    const type = rule.type === "number" ? "number" : rule.type === "stance" ? "boolean" : "string";
    const field = { type, truth, ...(description === undefined ? {} : { description }) } as const;
    return Object.entries(replies).flatMap(([written, texts]) => {
      const gold = written === "none" ? null : type === "string" ? written : (JSON.parse(written) as unknown);
      return texts.map((reply) => ({
        id: item,
        reply,
        rule,
        gold,
        field,
        ...(question === undefined ? {} : { question }),
      }));
    });
  });
}
