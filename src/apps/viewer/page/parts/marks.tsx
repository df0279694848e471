import type { ReactNode } from "react";
import type { OutcomeScore } from "../../../../engine/journal/fold/tally.ts";
import type { TurnVerdict } from "../../../../engine/journal/turn.ts";
import type { ConversationAnswer, TurnView } from "../../answers.ts";
import { countText, numberText } from "./figures.tsx";

/** How a verdict looks: a sign, a colour and a word. */
interface Look {
  readonly sign: string;
  readonly tone: "right" | "wrong" | "unread" | "error" | "none";
  readonly word: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  pass: { sign: "✓", tone: "right", word: "right" },
  fail: { sign: "✗", tone: "wrong", word: "wrong" },
  unreadable: { sign: "?", tone: "unread", word: "unread" },
  unjudged: { sign: "!", tone: "error", word: "not judged" },
  unverified: { sign: "–", tone: "none", word: "nothing to verify" },
  not_verified: { sign: "–", tone: "none", word: "not verified" },
};

/** The verdicts of turns that were verified, in the order in which they are shown. */
export const VERDICTS: readonly TurnVerdict[] = ["pass", "fail", "unreadable", "unjudged"];

const OPEN: Look = { sign: "…", tone: "none", word: "not finished" };
const NO_ANSWER: Look = { sign: "!", tone: "error", word: "no verdict: the conversation ended" };

/** How the verdict of a turn looks. */
export function lookOf(verdict: TurnVerdict | string | null | undefined): Look {
  return LOOKS[verdict ?? ""] ?? OPEN;
}

/** The same in its conversation: where that has ended, a turn without a verdict will get none. */
export function turnLook({ verdict }: TurnView, { status }: Pick<ConversationAnswer, "status">): Look {
  return verdict === undefined && status !== null ? NO_ANSWER : lookOf(verdict);
}

/** How the result of a field looks. */
export function resultLook(result: boolean | null): Look {
  return lookOf(result === null ? "unreadable" : result ? "pass" : "fail");
}

/** A verdict as a sign, with its word for screen readers. */
export function VerdictMark({
  look,
  hasWord = false,
}: {
  readonly look: Look;
  readonly hasWord?: boolean;
}): ReactNode {
  return (
    <span className={`mark-${look.tone}`} title={hasWord ? undefined : look.word}>
      <span aria-hidden="true">{look.sign}</span>
      {hasWord ? ` ${look.word}` : <span className="hidden">{look.word}</span>}
    </span>
  );
}

/** The verdicts of the turns of a conversation, one sign each. */
export function VerdictStrip({ verdicts }: { readonly verdicts: readonly (string | null)[] }): ReactNode {
  const words = verdicts.map((verdict) => lookOf(verdict).word).join(", ");
  return (
    <span className="strip" role="img" aria-label={words === "" ? "no turns" : words}>
      {verdicts.map((verdict, index) => {
        const { sign, tone } = lookOf(verdict);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are known by their place.
          <span key={index} className={`mark-${tone}`}>
            {sign}
          </span>
        );
      })}
    </span>
  );
}

const STATUS: Readonly<Record<string, Look>> = {
  completed: { sign: "✓", tone: "none", word: "completed" },
  limit_reached: { sign: "✓", tone: "none", word: "turn limit reached" },
  timeout: { sign: "!", tone: "error", word: "time limit" },
  budget_exhausted: { sign: "!", tone: "error", word: "budget spent" },
  cancelled: { sign: "!", tone: "error", word: "cancelled" },
  error: { sign: "!", tone: "error", word: "error" },
  simulator_fault: { sign: "!", tone: "error", word: "simulated user failed" },
  record_mismatch: { sign: "!", tone: "error", word: "record does not fit" },
};

/** How the end of a conversation looks. */
export function statusLook(status: string | null): Look {
  if (status === null) return { sign: "…", tone: "none", word: "under way" };
  return STATUS[status] ?? { sign: "!", tone: "error", word: status.replaceAll("_", " ") };
}

const OPEN_OUTCOMES: Readonly<Record<string, Look>> = {
  inconclusive: { sign: "?", tone: "unread", word: "inconclusive" },
  error: { sign: "!", tone: "error", word: "error" },
  not_applicable: { sign: "–", tone: "none", word: "not applicable" },
  later: { sign: "…", tone: "none", word: "not decided yet" },
};

/** An outcome's value. A good or bad direction gives it its colour; without one, true and false are plain words. */
export function OutcomeMark({
  value,
  good,
  isShort = false,
}: {
  readonly value: OutcomeScore | undefined;
  readonly good?: boolean | undefined;
  /** True in a narrow column: what is not decided is a sign only. */
  readonly isShort?: boolean;
}): ReactNode {
  if (value === undefined) return <span className="muted">–</span>;
  if (typeof value === "number") return <span>{numberText(value)}</span>;
  if (typeof value === "string")
    return <VerdictMark look={OPEN_OUTCOMES[value] ?? OPEN} hasWord={!isShort} />;
  const tone = good === undefined ? "none" : value === good ? "right" : "wrong";
  return <VerdictMark look={{ sign: value ? "✓" : "✗", tone, word: value ? "true" : "false" }} hasWord />;
}

/** How many do not count, what could not be read and what failed apart. */
export function OpenCounts({
  inconclusive,
  errors,
}: {
  readonly inconclusive: number;
  readonly errors: number;
}): ReactNode {
  return (
    <>
      {inconclusive > 0 && (
        <span className="mark-unread" title="not decided, because a reply could not be read">
          {" "}
          ? {countText(inconclusive)}
        </span>
      )}
      {errors > 0 && (
        <span className="mark-error" title="not decided, because of an error">
          {" "}
          ! {countText(errors)}
        </span>
      )}
    </>
  );
}
