import type { ReactNode } from "react";
import type { TurnVerdict } from "../../../journal/turn.ts";
import type { OutcomeValue } from "../../answers.ts";
import { numberText } from "./figures.tsx";

/** How a verdict looks: a sign, a colour and a word. No two share a sign. */
export interface Look {
  readonly sign: string;
  readonly tone: "right" | "wrong" | "unread" | "error" | "none";
  readonly word: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  pass: { sign: "✓", tone: "right", word: "right" },
  fail: { sign: "✗", tone: "wrong", word: "wrong" },
  unreadable: { sign: "?", tone: "unread", word: "unreadable" },
  unjudged: { sign: "!", tone: "error", word: "not judged" },
  unverified: { sign: "–", tone: "none", word: "nothing to verify" },
  not_verified: { sign: "–", tone: "none", word: "not verified" },
};

const OPEN: Look = { sign: "…", tone: "none", word: "not finished" };

/** How the verdict of a turn looks. */
export function lookOf(verdict: TurnVerdict | string | null | undefined): Look {
  return (verdict === null || verdict === undefined ? undefined : LOOKS[verdict]) ?? OPEN;
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

/** An outcome's value. A good or bad direction gives it its colour; without one, true and false are plain words. */
export function OutcomeMark({
  value,
  good,
}: {
  readonly value: OutcomeValue | undefined;
  readonly good?: boolean | undefined;
}): ReactNode {
  if (value === undefined) return <span className="muted">–</span>;
  if (typeof value === "number") return <span>{numberText(value)}</span>;
  if (value === "inconclusive")
    return <VerdictMark look={{ sign: "?", tone: "unread", word: "inconclusive" }} hasWord />;
  if (value === "not_applicable")
    return <VerdictMark look={{ sign: "–", tone: "none", word: "not applicable" }} hasWord />;
  const tone = good === undefined ? "none" : value === good ? "right" : "wrong";
  return <VerdictMark look={{ sign: value ? "✓" : "✗", tone, word: value ? "true" : "false" }} hasWord />;
}
