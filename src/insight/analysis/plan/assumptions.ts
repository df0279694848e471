import type { Truth } from "../../../core/logic/kleene.ts";
import { nearestOf } from "../../../core/schema/nearest-name.ts";

/** What is assumed of replies that are not known yet. */
export interface PlanAssumptions {
  /** The share of verified replies that are right (default 0.5). */
  readonly right: number;
  /** By node, where it differs. */
  readonly rightAt: Readonly<Record<string, number>>;
  /** The share of replies that nothing can be read of (default 0). */
  readonly unreadable: number;
  /** The share of replies that rules leave to the judge, where both read (default 0.2). */
  readonly unread: number;
  /** The chance that a simulated user is done, with each message (default 0.5). */
  readonly done: number;
  /** Tokens of a reply of the subject (default 150, or as many as the reference answer has; like its few-shot examples if a question has some). */
  readonly reply: number;
  /** Tokens of a message of the simulated user (default 60). */
  readonly message: number;
  /** How often a subject with tools is called in a turn (default 2: it calls a tool, then it replies). */
  readonly steps: number;
}

/** The defaults, where neither the user nor an earlier run says anything else. */
export const DEFAULT_ASSUMPTIONS: PlanAssumptions = Object.freeze({
  right: 0.5,
  rightAt: Object.freeze({}),
  unreadable: 0,
  unread: 0.2,
  done: 0.5,
  reply: 150,
  message: 60,
  steps: 2,
});

const SHARES = ["right", "unreadable", "unread", "done"] as const;
const COUNTS = ["reply", "message", "steps"] as const;

/**
 * Reads assumptions as users write them: `right=0.7`, `right.ask=0.9`, `reply=300`. Returns what is wrong with the first that
 * cannot be read.
 */
export function readAssumptions(
  texts: readonly string[],
): { readonly given: Partial<PlanAssumptions> } | { readonly problem: string } {
  const rightAt: Record<string, number> = {};
  const given: Record<string, number> = {};
  for (const text of texts) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text.trim()) ?? [];
    const node = name.startsWith("right.") ? name.slice("right.".length) : undefined;
    const isShare = node !== undefined || (SHARES as readonly string[]).includes(name);
    if (!isShare && !(COUNTS as readonly string[]).includes(name)) {
      const names = [...SHARES, "right.<node>", ...COUNTS];
      const { nearest } = nearestOf(name, names);
      const hint = nearest === undefined ? `There are ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
      return { problem: `Nothing called "${name || text}" can be assumed: write right=0.7. ${hint}` };
    }
    const number = numberOf(value);
    if (isShare ? !(number >= 0 && number <= 1) : !(number >= 1 && number <= 1e6)) {
      const range = isShare ? "a share from 0 to 1, or a percentage" : "a number from 1 to 1,000,000";
      return { problem: `\`${name}\` must be ${range}, not ${JSON.stringify(value)}.` };
    }
    if (node === undefined) given[name] = number;
    else rightAt[node] = number;
  }
  return { given: { ...given, ...(Object.keys(rightAt).length === 0 ? {} : { rightAt }) } };
}

function numberOf(value: string): number {
  const text = value.trim();
  if (text === "") return Number.NaN;
  return text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
}

/** What came of a reply, as far as chances are assumed for it. */
type ReplyGroup = "right" | "wrong" | "unreadable" | "not_verified" | "open";

/** The group of a reply by its verdict. */
export function replyGroup(
  verdict: Truth,
  { isVerified, notVerified }: { readonly isVerified: boolean; readonly notVerified: boolean },
): ReplyGroup {
  if (!isVerified) return "open";
  if (notVerified) return "not_verified";
  return verdict === null ? "unreadable" : verdict ? "right" : "wrong";
}

/**
 * The chance of each of some replies at a node. Right and wrong share what is left after unreadable replies; replies of one group are
 * equally likely. A group that does not occur leaves its share to the others.
 */
export function replyChances(
  groups: readonly ReplyGroup[],
  node: string,
  { right, rightAt, unreadable }: PlanAssumptions,
): readonly number[] {
  const share = Object.hasOwn(rightAt, node) ? (rightAt[node] ?? right) : right;
  const isGated = groups.includes("not_verified");
  // A reply that is not verified at all is as likely as a right or a wrong one.
  const verified = isGated ? 2 / 3 : 1;
  const weights: Readonly<Record<ReplyGroup, number>> = {
    right: verified * share * (1 - unreadable),
    wrong: verified * (1 - share) * (1 - unreadable),
    not_verified: (1 - verified) * (1 - unreadable),
    unreadable,
    open: 1,
  };
  const counts = new Map<ReplyGroup, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  const chances = groups.map((group) => weights[group] / (counts.get(group) ?? 1));
  const sum = chances.reduce((total, chance) => total + chance, 0);
  // Only groups with an assumed share of 0 can occur: then all replies are equally likely.
  return sum > 0 ? chances.map((chance) => chance / sum) : groups.map(() => 1 / groups.length);
}
