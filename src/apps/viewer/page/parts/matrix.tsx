import type { ReactNode } from "react";
import { POOR_SHARE } from "../../../../engine/journal/judge-health.ts";
import type { Missing } from "../../../../insight/report/data/missing.ts";
import type { OutcomeLine, RatedOutcome } from "../../../../insight/report/data/outcome-rates.ts";
import type { ShownRates } from "../../answers.ts";
import { hashOf } from "../routing.ts";
import {
  countText,
  Explain,
  itemsText,
  numberText,
  percentText,
  RateBar,
  rangeText,
  Table,
} from "./figures.tsx";
import { OpenCounts } from "./marks.tsx";
import { PlainText } from "./plain-text.tsx";

/** Subjects × outcomes: each rate with its interval and n, what could not be decided, and what failed. */
export function Matrix({
  run,
  rates,
  descriptions,
  outcomes,
  best,
}: {
  readonly run: string;
  readonly rates: ShownRates;
  readonly descriptions: Readonly<Record<string, string>>;
  /** The names of outcomes; others are rates that scenarios declare. */
  readonly outcomes: ReadonlySet<string>;
  /** By outcome, the subject that is better than every other. */
  readonly best: Readonly<Record<string, string>>;
}): ReactNode {
  const heads = [
    "subject",
    ...rates.outcomes.map((outcome, index) => (
      <Explain
        key={outcome.outcome}
        text={explanation(outcome, descriptions[outcome.outcome])}
        isAtEnd={index > 3}
      >
        <PlainText text={outcome.outcome} />
      </Explain>
    )),
    {
      right: (
        <Explain
          text="Replies in which neither rules nor the judge could read an answer, as a share of all replies with a template."
          isAtEnd
        >
          unread
        </Explain>
      ),
    },
    {
      right: (
        <Explain
          text="Conversations that an error, a limit of time or money, a record or a simulated user ended early, as a share of all that ended. They count in no rate, only in its bounds."
          isAtEnd
        >
          unfinished
        </Explain>
      ),
    },
  ];
  return (
    <Table className="matrix" heads={heads}>
      {rates.totals.map((total, index) => (
        <tr key={`${total.subject} ${total.judge}`}>
          <th scope="row">
            <a href={hashOf(["run", run, "conversations"], { subject: total.subject })}>
              <PlainText text={total.subject} />
            </a>
            {rates.judges.length > 1 && (
              <span className="muted">
                {" "}
                judged by <PlainText text={total.judge} />
              </span>
            )}
          </th>
          {rates.outcomes.map((outcome) => (
            <td key={`${outcome.outcome} ${outcome.kind}`}>
              <OutcomeCell
                run={run}
                outcome={outcome}
                index={index}
                isOutcome={outcomes.has(outcome.outcome)}
                isBest={best[outcome.outcome] === JSON.stringify([total.subject, total.judge])}
              />
            </td>
          ))}
          <td className="number">
            <Share part={rates.missing[index]?.unread} />
          </td>
          <td className="number">
            <Share
              part={rates.missing[index]?.unfinished}
              href={hashOf(["run", run, "conversations"], { subject: total.subject, status: "cut_short" })}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function explanation({ kind }: RatedOutcome, description = ""): string {
  const how =
    kind === "number"
      ? "The mean over the conversations in which it is decided."
      : kind === "undecided"
        ? "No conversation decides it."
        : "Share of conversations in which it is true, of those in which it is decided; then the 95 % interval, which knows that replicates of an item belong together; n is items × replicates, or items × variants × replicates.";
  return `${description} ${how}`.trim();
}

function OutcomeCell({
  run,
  outcome,
  index,
  isBest,
  isOutcome,
}: {
  readonly run: string;
  readonly outcome: RatedOutcome;
  readonly index: number;
  readonly isBest: boolean;
  /** False for a rate that scenarios declare. */
  readonly isOutcome: boolean;
}): ReactNode {
  const line: OutcomeLine | undefined = outcome.lines[index];
  const open = line && <OpenCounts inconclusive={line.inconclusive} errors={line.infrastructure} />;
  if (line === undefined || line.n === 0)
    return (
      <span className="muted" title="No conversation decides it, so that there is no rate.">
        –{open}
      </span>
    );
  const isRate = outcome.kind === "assertion";
  // Lines have the kind of their outcome.
  const value = isRate
    ? outcome.lines[index]?.rate
    : outcome.kind === "number"
      ? outcome.lines[index]?.mean
      : null;
  const { interval } = line;
  const href = hashOf(["run", run, "conversations"], {
    subject: line.subject,
    ...(isOutcome ? { outcome: `${outcome.outcome}:decided` } : {}),
  });
  return (
    <a className="rate" href={href}>
      <span className="hidden">{`${outcome.outcome} of ${line.subject}:`}</span>
      <span>
        <span className="figure">{isRate ? percentText(value) : numberText(value ?? null)}</span>{" "}
        <span className="range">
          {interval === null
            ? line.reason
            : isRate
              ? rangeText(interval)
              : `${numberText(interval.low)}–${numberText(interval.high)}`}
        </span>
        {isRate && outcome.lines[index]?.bounds != null && (
          <span
            className="range"
            title="The rate if all undecided conversations were false, and if all were true."
          >
            {" "}
            [{rangeText(outcome.lines[index]?.bounds)}]
          </span>
        )}
        {isBest && (
          <span className="mark-right" title="better than every other subject, as paired comparisons say">
            {" "}
            best
          </span>
        )}
      </span>
      {isRate && <RateBar rate={value ?? 0} interval={interval} />}
      <span className="small muted">
        {sizeText(line)}
        {open}
      </span>
    </a>
  );
}

/** How many conversations; where an item has several, its variants and replicates. */
export function sizeText(line: Pick<OutcomeLine, "n" | "items" | "variants" | "replicates">): string {
  return `n ${line.items === 0 || line.items === line.n ? countText(line.n) : itemsText(line)}`;
}

/** A share of what is missing; with an address, a link to it. */
function Share({
  part,
  href,
}: {
  readonly part: Missing["unread"] | undefined;
  readonly href?: string;
}): ReactNode {
  if (part === undefined || part.of === 0) return "–";
  if (part.count === 0) return "0 %";
  const share = part.count / part.of;
  const text = `${share > POOR_SHARE ? "⚠ " : ""}${(share * 100).toFixed(1)} %`;
  const className = share > POOR_SHARE ? "mark-unread" : "";
  if (href !== undefined)
    return (
      <a className={className} href={href}>
        {text}
      </a>
    );
  if (share <= POOR_SHARE) return text;
  return (
    <Explain
      text="More than 5 %: compare with care, because what is missing may not be a random part."
      isAtEnd
    >
      <span className={className}>{text}</span>
    </Explain>
  );
}
