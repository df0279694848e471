import type { ReactNode } from "react";
import type {
  AssertionLine,
  NumberLine,
  OutcomeLine,
  RatedOutcome,
} from "../../../report/data/outcome-rates.ts";
import type { ShownRates } from "../../answers.ts";
import { hashOf } from "../routing.ts";
import { countText, Explain, numberText, percentText, RateBar, rangeText } from "./figures.tsx";
import { PlainText } from "./plain-text.tsx";

/** More of a subject's replies unread than this make comparisons unfair. */
const MOST_UNREAD = 0.05;

/** Subjects × outcomes: each rate with its interval and n, what could not be decided, and what failed. */
export function Matrix({
  run,
  rates,
  descriptions,
  outcomes,
  best = {},
}: {
  readonly run: string;
  readonly rates: ShownRates;
  readonly descriptions: Readonly<Record<string, string>>;
  /** The names of outcomes; others are rates that scenarios declare. */
  readonly outcomes: ReadonlySet<string>;
  /** By outcome, the subject that is better than every other. */
  readonly best?: Readonly<Record<string, string>>;
}): ReactNode {
  const hasJudges = rates.judges.length > 1;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">subject</th>
            {rates.outcomes.map((outcome, index) => (
              <th scope="col" key={`${outcome.outcome} ${outcome.kind}`}>
                <Explain text={explanation(outcome, descriptions[outcome.outcome])} isAtEnd={index > 3}>
                  <PlainText text={outcome.outcome} />
                </Explain>
              </th>
            ))}
            <th scope="col" className="number">
              <Explain
                text="Replies in which neither rules nor the judge could read an answer, as a share of all replies with a template."
                isAtEnd
              >
                unread
              </Explain>
            </th>
            <th scope="col" className="number">
              <Explain
                text="Conversations that a time limit, the budget or an error ended early. They count in no rate."
                isAtEnd
              >
                errors
              </Explain>
            </th>
          </tr>
        </thead>
        <tbody>
          {rates.totals.map((total, index) => (
            <tr key={`${total.subject} ${total.judge}`}>
              <th scope="row">
                <a href={hashOf(["run", run, "conversations"], { subject: total.subject })}>
                  <PlainText text={total.subject} />
                </a>
                {hasJudges && (
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
                <Unread rates={rates} subject={total.subject} judge={total.judge} />
              </td>
              <td className="number">
                <ErrorCount run={run} subject={total.subject} count={errorsOf(total.statuses)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function explanation({ kind }: RatedOutcome, description: string | undefined): string {
  const what = description ?? "";
  if (kind === "number") return `${what} The mean over the conversations in which it is decided.`.trim();
  if (kind === "undecided") return `${what} No conversation decides it.`.trim();
  return `${what} Share of conversations in which it is true, of those in which it is decided; then the 95 % interval, which knows that replicates of an item belong together; n is items × replicates.`.trim();
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
  const line = outcome.lines[index];
  if (line === undefined || line.n === 0) return <Undecided line={line} />;
  const href = hashOf(["run", run, "conversations"], {
    subject: line.subject,
    ...(outcome.kind === "assertion" && isOutcome ? { outcome: `${outcome.outcome}:false` } : {}),
  });
  if (outcome.kind === "number") {
    const { mean } = line as NumberLine;
    return (
      <a className="rate" href={href}>
        <span className="hidden">{`${outcome.outcome} of ${line.subject}:`}</span>
        <span>
          <span className="figure">{numberText(mean)}</span>{" "}
          {line.interval !== null && (
            <span className="range">
              {numberText(line.interval.low)}–{numberText(line.interval.high)}
            </span>
          )}
        </span>
        <span className="small muted">{sizeText(line)}</span>
      </a>
    );
  }
  const { rate, interval } = line as AssertionLine;
  const open = line.inconclusive + line.infrastructure;
  return (
    <a className="rate" href={href}>
      <span className="hidden">{`${outcome.outcome} of ${line.subject}:`}</span>
      <span>
        <span className="figure">{percentText(rate)}</span>{" "}
        <span className="range">{rangeText(interval)}</span>
        {isBest && (
          <span className="mark-right" title="better than every other subject, as paired comparisons say">
            {" "}
            best
          </span>
        )}
      </span>
      <RateBar rate={rate ?? 0} interval={interval} />
      <span className="small muted">
        {sizeText(line)}
        {open > 0 && <span className="mark-unread"> ? {countText(open)}</span>}
      </span>
    </a>
  );
}

/** How many conversations, about how many items. */
export function sizeText({ n, items, replicates }: Pick<OutcomeLine, "n" | "items" | "replicates">): string {
  if (items === 0 || items === n) return `n ${countText(n)}`;
  return replicates.least === replicates.most
    ? `n ${countText(items)} × ${countText(replicates.most)}`
    : `n ${countText(n)} of ${countText(items)} items`;
}

function Undecided({ line }: { readonly line: { readonly inconclusive: number } | undefined }): ReactNode {
  const open = line?.inconclusive ?? 0;
  return (
    <span className="muted" title="No conversation decides it, so that there is no rate.">
      –{open > 0 ? ` ? ${countText(open)}` : ""}
    </span>
  );
}

function errorsOf(statuses: Readonly<Record<string, number | undefined>>): number {
  return Object.entries(statuses).reduce(
    (sum, [status, count]) =>
      status === "completed" || status === "limit_reached" ? sum : sum + (count ?? 0),
    0,
  );
}

function ErrorCount({
  run,
  subject,
  count,
}: {
  readonly run: string;
  readonly subject: string;
  readonly count: number;
}): ReactNode {
  if (count === 0) return <>0</>;
  return (
    <a className="mark-error" href={hashOf(["run", run, "conversations"], { subject, status: "cut_short" })}>
      ! {countText(count)}
    </a>
  );
}

function Unread({
  rates,
  subject,
  judge,
}: {
  readonly rates: ShownRates;
  readonly subject: string;
  readonly judge: string;
}): ReactNode {
  const total = rates.totals.find((one) => one.subject === subject && one.judge === judge);
  const turns = total?.turns;
  if (turns === undefined) return <>–</>;
  const unread = turns.unreadable + turns.unjudged;
  const all = turns.passed + turns.failed + unread;
  if (all === 0) return <>–</>;
  const share = unread / all;
  const text = share === 0 ? "0 %" : `${(share * 100).toFixed(1)} %`;
  if (share <= MOST_UNREAD) return <>{text}</>;
  return (
    <Explain
      text="More than 5 % unread: compare with care, because unread replies may hide wrong ones."
      isAtEnd
    >
      <span className="mark-unread">⚠ {text}</span>
    </Explain>
  );
}
