import type { ReactNode } from "react";
import type { ComparedLine, ComparisonAnswer } from "../../answers.ts";
import { answerPath, useAnswer } from "../source.ts";
import { countText, Explain, type Head, numberText, percentText, pText, Table } from "./figures.tsx";
import { OpenCounts } from "./marks.tsx";
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
  const answer = useAnswer<ComparisonAnswer>(path);
  return (
    <Awaited answer={answer} what="the comparison">
      {(data) =>
        data.problem === undefined ? (
          <Lines data={data} outcome={outcome} />
        ) : (
          <p className="notice">
            <PlainText text={data.problem} />
          </p>
        )
      }
    </Awaited>
  );
}

const HEADS: readonly Head[] = [
  "outcome",
  { right: "A" },
  { right: "B" },
  <Explain
    key="difference"
    text="B minus A over the conversations that both have, with its 95 % interval. The line in the middle is no difference."
  >
    difference
  </Explain>,
  {
    right: (
      <Explain
        text="How surprising this difference would be if there were none, adjusted for all lines of the table (Holm)."
        isAtEnd
      >
        p
      </Explain>
    ),
  },
  {
    right: (
      <Explain text="Pairs of conversations about the same item in which both sides are decided." isAtEnd>
        pairs
      </Explain>
    ),
  },
  { right: "A ✓ B ✗" },
  { right: "A ✗ B ✓" },
];

function Lines({
  data,
  outcome,
}: {
  readonly data: Exclude<ComparisonAnswer, { readonly problem: string }>;
  readonly outcome: string;
}): ReactNode {
  const main = data.lines.find(({ name }) => name === outcome) ?? data.lines[0];
  return (
    <>
      {main !== undefined && (
        <p className="verdict-sentence">
          <PlainText text={main.sentence} />
        </p>
      )}
      <Table heads={HEADS}>
        {data.lines.map((line) => (
          <Line key={JSON.stringify([line.name, line.group])} line={line} />
        ))}
      </Table>
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
      <td className="number">{pText(line.adjusted)}</td>
      <td className="number">
        {countText(line.pairs)}
        <OpenCounts {...line.left} />
      </td>
      <td className="number">{isRate ? countText(line.onlyA) : "–"}</td>
      <td className="number">{isRate ? countText(line.onlyB) : "–"}</td>
    </tr>
  );
}

function differenceText({ difference, interval, reason }: ComparedLine, isRate: boolean): string {
  if (difference === null) return `– ${reason ?? ""}`;
  const shown = (value: number): string => {
    const number = isRate ? String(Math.round(100 * value)) : numberText(value);
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
