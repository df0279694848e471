import type { ReactNode } from "react";
import type { ComparedLine, ComparisonAnswer } from "../../answers.ts";
import { answerPath, useAnswer } from "../source.ts";
import { countText, Explain, numberText, percentText } from "./figures.tsx";
import { PlainText } from "./plain-text.tsx";
import { Awaited } from "./states.tsx";

/** What is compared. */
export interface Compared {
  readonly run: string;
  readonly a: string;
  readonly withRun: string;
  readonly b: string;
}

/** Is B better than A? Each outcome with its difference, and in words. */
export function ComparedTable({
  compared,
  outcome,
}: {
  readonly compared: Compared;
  readonly outcome: string;
}): ReactNode {
  const { run, a, b, withRun } = compared;
  const path = answerPath(["runs", run, "comparison"], { a, b, with: withRun === run ? undefined : withRun });
  const answer = useAnswer<ComparisonAnswer & { readonly problem?: string }>(path);
  return (
    <Awaited answer={answer} what="the comparison">
      {(data) =>
        data.problem === undefined ? (
          <Table data={data} outcome={outcome} />
        ) : (
          <p className="notice">
            <PlainText text={data.problem} />
          </p>
        )
      }
    </Awaited>
  );
}

function Table({ data, outcome }: { readonly data: ComparisonAnswer; readonly outcome: string }): ReactNode {
  const main = data.lines.find(({ name }) => name === outcome) ?? data.lines[0];
  return (
    <>
      {main !== undefined && (
        <p className="verdict-sentence">
          <PlainText text={main.sentence} />
        </p>
      )}
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">outcome</th>
              <th scope="col" className="number">
                A
              </th>
              <th scope="col" className="number">
                B
              </th>
              <th scope="col">
                <Explain text="B minus A over the conversations that both have, with its 95 % interval. The line in the middle is no difference.">
                  difference
                </Explain>
              </th>
              <th scope="col" className="number">
                <Explain
                  text="How surprising this difference would be if there were none, adjusted for all lines of the table (Holm)."
                  isAtEnd
                >
                  p
                </Explain>
              </th>
              <th scope="col" className="number">
                <Explain
                  text="Pairs of conversations about the same item in which both sides are decided."
                  isAtEnd
                >
                  pairs
                </Explain>
              </th>
              <th scope="col" className="number">
                A ✓ B ✗
              </th>
              <th scope="col" className="number">
                A ✗ B ✓
              </th>
            </tr>
          </thead>
          <tbody>
            {data.lines.map((line) => (
              <Line key={JSON.stringify([line.name, line.group])} line={line} />
            ))}
          </tbody>
        </table>
      </div>
      {data.unpaired.map(({ reason, count }) => (
        <p key={reason} className="muted">
          {countText(count)} without a partner: <PlainText text={reason} />
        </p>
      ))}
    </>
  );
}

function Line({ line }: { readonly line: ComparedLine }): ReactNode {
  const isRate = line.kind !== "mean";
  const text = isRate ? percentText : numberText;
  return (
    <tr>
      <th scope="row" title={line.sentence}>
        <PlainText text={line.name} />
      </th>
      <td className="number">{text(line.a)}</td>
      <td className="number">{text(line.b)}</td>
      <td>
        <DifferencePlot line={line} isRate={isRate} /> {differenceText(line, isRate)}
      </td>
      <td className="number">
        {line.adjusted === null ? "–" : line.adjusted < 0.001 ? "< 0.001" : line.adjusted.toFixed(3)}
      </td>
      <td className="number">
        {countText(line.pairs)}
        {line.left.inconclusive + line.left.errors > 0 && (
          <span className="mark-unread" title="pairs that do not count, because a side is not decided">
            {" "}
            ? {countText(line.left.inconclusive + line.left.errors)}
          </span>
        )}
      </td>
      <td className="number">{isRate ? countText(line.onlyA) : "–"}</td>
      <td className="number">{isRate ? countText(line.onlyB) : "–"}</td>
    </tr>
  );
}

function differenceText({ difference, interval, reason }: ComparedLine, isRate: boolean): string {
  if (difference === null) return "–";
  const scale = isRate ? 100 : 1;
  const shown = (value: number): string => {
    const number = isRate ? String(Math.round(value * scale)) : numberText(value);
    return value > 0 ? `+${number}` : number.replace("-", "−");
  };
  const range = interval === null ? (reason ?? "") : `${shown(interval.low)} to ${shown(interval.high)}`;
  return `${shown(difference)}${isRate ? " points" : ""} ${range}`;
}

const WIDTH = 160;

/** A dot and a line around zero. */
function DifferencePlot({
  line,
  isRate,
}: {
  readonly line: ComparedLine;
  readonly isRate: boolean;
}): ReactNode {
  const { difference, interval } = line;
  if (difference === null) return null;
  const most = isRate
    ? 1
    : Math.max(Math.abs(difference), Math.abs(interval?.low ?? 0), Math.abs(interval?.high ?? 0), 1e-9);
  const x = (value: number): number =>
    WIDTH / 2 + (Math.max(-most, Math.min(most, value)) / most) * (WIDTH / 2 - 4);
  const isClear = interval !== null && (interval.low > 0 || interval.high < 0);
  return (
    <svg className="difference" width={WIDTH} height="14" role="presentation" aria-hidden="true">
      <line x1={WIDTH / 2} x2={WIDTH / 2} y1="0" y2="14" stroke="var(--line-strong)" />
      {interval !== null && (
        <line
          x1={x(interval.low)}
          x2={x(interval.high)}
          y1="7"
          y2="7"
          stroke="var(--text)"
          strokeWidth="1.5"
        />
      )}
      <circle
        cx={x(difference)}
        cy="7"
        r="4"
        fill={isClear ? "var(--bar)" : "var(--background)"}
        stroke="var(--bar)"
        strokeWidth="1.5"
      />
    </svg>
  );
}
