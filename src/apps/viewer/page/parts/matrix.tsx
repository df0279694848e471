import type { ReactNode } from "react";
import { POOR_SHARE } from "../../../../engine/journal/judge-health.ts";
import type { RateLine } from "../../../../insight/report/data/rate-line.ts";
import type { RatedOutcome } from "../../../../insight/report/data/rates.ts";
import type { Missing } from "../../../../insight/report/data/run-counts.ts";
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
              <a
                className="rate"
                href={hashOf(["run", run, "conversations"], {
                  subject: total.subject,
                  ...(outcomes.has(outcome.outcome) ? { outcome: `${outcome.outcome}:decided` } : {}),
                })}
              >
                <span className="hidden">{`${outcome.outcome} of ${total.subject}:`}</span>
                <RateFigure
                  line={outcome.lines[index]}
                  isBest={best[outcome.outcome] === JSON.stringify([total.subject, total.judge])}
                />
              </a>
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
    kind === null
      ? "No conversation decides it."
      : kind !== "rate"
        ? "The mean over the conversations in which it is decided."
        : "Share of conversations in which it is true, of those in which it is decided; then the 95 % interval, which knows that replicates of an item belong together; n is items × replicates, or items × variants × replicates.";
  return `${description} ${how}`.trim();
}

/** A number with its interval, its bounds, its n, and what could not be decided. */
export function RateFigure({
  line,
  isBest = false,
}: {
  readonly line: RateLine | undefined;
  readonly isBest?: boolean;
}): ReactNode {
  const open = line && <OpenCounts inconclusive={line.inconclusive} errors={line.errors} />;
  if (line === undefined || line.estimate === null)
    return (
      <span className="muted" title="No conversation decides it, so that there is no rate.">
        –{open}
      </span>
    );
  const { estimate, interval, bounds, kind, reason } = line;
  const isRate = kind === "rate";
  const range = isRate ? rangeText : numberRange;
  return (
    <>
      <span>
        <span className="figure">{isRate ? percentText(estimate) : numberText(estimate)}</span>{" "}
        <span className="range">{interval === null ? reason : range(interval)}</span>
        {bounds !== null && (
          <span
            className="range"
            title="The rate if all undecided conversations were false, and if all were true."
          >
            {" "}
            [{rangeText(bounds)}]
          </span>
        )}
        {isBest && (
          <span className="mark-right" title="better than every other subject, as paired comparisons say">
            {" "}
            best
          </span>
        )}
      </span>
      {isRate && <RateBar rate={estimate} interval={interval} />}
      <span className="small muted">
        {sizeText(line)}
        {open}
      </span>
    </>
  );
}

function numberRange({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${numberText(low)} to ${numberText(high)}`;
}

/** How many conversations; where an item has several, its variants and replicates. */
function sizeText(line: RateLine): string {
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
