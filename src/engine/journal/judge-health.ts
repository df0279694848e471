import {
  integerFrom,
  list,
  object,
  oneOfTexts,
  type ShapeOf,
  type TypeOf,
  text,
} from "../../core/schema/shape.ts";
import type { ErrorCategory } from "../models/model-error.ts";
import { CATEGORY } from "./failure.ts";

const alwaysTrue: ShapeOf<true> = { kind: "literal", values: [true] };
const count = integerFrom(0);

/** What one judge did with one request of a turn. */
export const JUDGE_ANSWERED = object(
  "what a judge did",
  {
    judge: text,
    /** Read at once, read after a repair, not readable even then, or failed: there is no answer. */
    result: oneOfTexts("read", "repaired", "unreadable", "failed"),
  },
  {
    optional: {
      /** Why it is unreadable or failed. */
      reason: text,
      /** Of a failure. */
      category: CATEGORY,
      /** True if an unreadable answer came from the store. */
      stored: alwaysTrue,
      /** True if an unreadable answer could be read in part, which counts. */
      partly: alwaysTrue,
    },
  },
);

/** What one judge did with one request of a turn. */
export type JudgeAnswered = TypeOf<typeof JUDGE_ANSWERED>;

const JUDGE_REASON = object(
  "a reason",
  { result: oneOfTexts("unreadable", "failed"), reason: text, count },
  { optional: { category: CATEGORY } },
);

/** Why requests to a judge gave nothing, and how often. */
export type JudgeReason = TypeOf<typeof JUDGE_REASON>;

/** How many requests to a judge ended how. */
export const JUDGE_COUNTS = object("what a judge did", {
  judge: text,
  /** Answers that were read, with those that were repaired. */
  judged: count,
  repaired: count,
  unreadable: count,
  failed: count,
  /** Most frequent first. */
  reasons: list(JUDGE_REASON),
});

/** How many requests to a judge ended how. */
export type JudgeCounts = TypeOf<typeof JUDGE_COUNTS>;

/** The health of a judge: how many requests ended how, and their shares. */
export interface JudgeHealth extends JudgeCounts {
  /** All requests. */
  readonly asked: number;
  /** Shares of all requests; null without any. */
  readonly rates: Readonly<Record<"judged" | "repaired" | "unreadable" | "failed", number | null>>;
  /** True if more than 5 % of the requests gave nothing: results may not be trusted. */
  readonly isPoor: boolean;
}

/** Above this share of requests that gave nothing, people are warned. */
export const POOR_SHARE = 0.05;

/** The counts with their shares. */
export function judgeHealth(counts: JudgeCounts): JudgeHealth {
  const { judged, repaired, unreadable, failed } = counts;
  const asked = judged + unreadable + failed;
  const share = (count: number): number | null => (asked === 0 ? null : count / asked);
  return {
    ...counts,
    asked,
    rates: {
      judged: share(judged),
      repaired: share(repaired),
      unreadable: share(unreadable),
      failed: share(failed),
    },
    isPoor: asked > 0 && (unreadable + failed) / asked > POOR_SHARE,
  };
}

/** True of a judge that failed, or too often could not be read: what it should have read is missing. */
export function isBrokenJudge({ failed, isPoor }: JudgeHealth): boolean {
  return failed > 0 || isPoor;
}

type Growing<Part> = { -readonly [Key in keyof Part]: Part[Key] };

interface GrowingCounts extends Growing<Omit<JudgeCounts, "reasons">> {
  reasons: Growing<JudgeReason>[];
}

const COUNTED = ["judged", "repaired", "unreadable", "failed"] as const;

/** How many reasons are kept apart: each message may be new. */
const MOST_REASONS = 10;

/** Counts what judges did. Takes the same memory however often they are asked. */
export class JudgeTally {
  readonly #judges = new Map<string, GrowingCounts>();

  /** By judge, in the order in which they were first asked. */
  get counts(): readonly JudgeCounts[] {
    return [...this.#judges.values()].map((counts) => ({
      ...counts,
      reasons: counts.reasons.map((reason) => ({ ...reason })).sort((one, other) => other.count - one.count),
    }));
  }

  /** How many requests failed. */
  get failed(): number {
    return [...this.#judges.values()].reduce((sum, { failed }) => sum + failed, 0);
  }

  /** How many answers could not be read. */
  get unreadable(): number {
    return [...this.#judges.values()].reduce((sum, { unreadable }) => sum + unreadable, 0);
  }

  add({ judge, result, reason = "", category }: JudgeAnswered): void {
    // A run that was stopped, or ran out of its budget, says nothing about the judge.
    if (category === "cancelled" || category === "budget") return;
    const counts = this.#of(judge);
    if (result === "read" || result === "repaired") {
      counts.judged++;
      if (result === "repaired") counts.repaired++;
      return;
    }
    counts[result]++;
    addReason(counts, { result, ...(category === undefined ? {} : { category }), reason, count: 1 });
  }

  /** Adds counts. */
  merge(others: readonly JudgeCounts[]): void {
    for (const other of others) {
      const counts = this.#of(other.judge);
      for (const key of COUNTED) counts[key] += other[key];
      for (const reason of other.reasons) addReason(counts, reason);
    }
  }

  /** Forgets requests that are made again. */
  subtract(others: readonly JudgeCounts[]): void {
    for (const other of others) {
      const counts = this.#of(other.judge);
      for (const key of COUNTED) counts[key] = Math.max(0, counts[key] - other[key]);
      for (const { count, ...reason } of other.reasons) {
        const known = reasonLike(counts, reason);
        if (known !== undefined) known.count -= count;
      }
      counts.reasons = counts.reasons.filter(({ count }) => count > 0);
    }
  }

  #of(judge: string): GrowingCounts {
    let counts = this.#judges.get(judge);
    if (counts === undefined) {
      counts = { judge, judged: 0, repaired: 0, unreadable: 0, failed: 0, reasons: [] };
      this.#judges.set(judge, counts);
    }
    return counts;
  }
}

function addReason(counts: GrowingCounts, added: JudgeReason): void {
  const known = reasonLike(counts, added);
  if (known === undefined) counts.reasons.push({ ...added });
  else known.count += added.count;
}

/** Where a reason is counted: with others of its kind once there are many. */
function reasonLike(
  { reasons }: GrowingCounts,
  wanted: Omit<JudgeReason, "count">,
): Growing<JudgeReason> | undefined {
  const isSame = (one: JudgeReason): boolean =>
    one.result === wanted.result && one.category === wanted.category && one.reason === wanted.reason;
  return (
    reasons.find(isSame) ??
    (reasons.length < MOST_REASONS ? undefined : reasons.find(({ result }) => result === wanted.result))
  );
}

/** Failures that the next request will meet, too: a wrong key, an unknown model, a server that is not there. */
export const LASTING: ReadonlySet<ErrorCategory> = new Set([
  "authentication",
  "permission",
  "not_found",
  "bad_request",
  "connection",
]);

/** How often a judge has given nothing, one time after the other. */
export interface JudgeStreak {
  readonly judge: string;
  readonly count: number;
  /** The latest reason. */
  readonly reason: string;
}

/** Watches for judges that do not work: requests in a row that gave nothing, in a way that does not pass. */
export class JudgeStreaks {
  readonly #streaks = new Map<
    string,
    { count: number; hasRead: boolean; unreadable: number; reason: string }
  >();
  /** Unreadable answers that came from the store. */
  unreadableStored = 0;

  add({ judge, result, reason = "", category, stored, partly }: JudgeAnswered): void {
    const streak = this.#streaks.get(judge) ?? { count: 0, hasRead: false, unreadable: 0, reason: "" };
    this.#streaks.set(judge, streak);
    if (result === "unreadable" && stored === true) this.unreadableStored++;
    if (result === "read" || result === "repaired" || partly) {
      Object.assign(streak, { count: 0, unreadable: 0, hasRead: true });
    } else if (result === "unreadable" || (category !== undefined && LASTING.has(category))) {
      streak.count++;
      if (result === "unreadable") streak.unreadable++;
      streak.reason = reason;
    }
  }

  /** The first judge with that many in a row. Unreadable answers count only of a judge that has never been read. */
  longest(count: number): JudgeStreak | undefined {
    for (const [judge, streak] of this.#streaks) {
      const counted = streak.hasRead ? streak.count - streak.unreadable : streak.count;
      if (counted >= count) return { judge, count: counted, reason: streak.reason };
    }
    return undefined;
  }
}
