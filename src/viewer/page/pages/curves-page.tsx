import * as Plot from "@observablehq/plot";
import type { ReactNode } from "react";
import type { SubjectSequences } from "../../../report/data/sequences.ts";
import type { CurvesAnswer, RunAnswer } from "../../answers.ts";
import { CostAgainstRate } from "../parts/cost-picture.tsx";
import { countText, Explain, percentText, rangeText } from "../parts/figures.tsx";
import { COLOURS, DASHES, Picture, scaleOf } from "../parts/picture.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import type { Route } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

interface CurvesParts {
  readonly route: Route;
  readonly run: string;
}

/** How long do right answers last? Survival, accuracy by turn, what follows what, and cost against rate. */
export function CurvesPage({ route, run }: CurvesParts): ReactNode {
  const curves = useAnswer<CurvesAnswer>(answerPath(["runs", run, "curves"]));
  const answer = useAnswer<RunAnswer>(answerPath(["runs", run]));
  return (
    <Awaited answer={answer} what="the run">
      {(data) => (
        <Awaited answer={curves} what="the curves">
          {(found) => <Curves route={route} data={data} curves={found} />}
        </Awaited>
      )}
    </Awaited>
  );
}

function Curves({
  route,
  data,
  curves,
}: {
  readonly route: Route;
  readonly data: RunAnswer;
  readonly curves: CurvesAnswer;
}): ReactNode {
  const test = curves.clusteredLogRank ?? curves.logRank;
  const shown = curves.subjects.filter(({ accuracy }) => accuracy.length > 0);
  return (
    <>
      <div className="head">
        <h1>Curves</h1>
        <span className="facts">
          {test !== null && (
            <Explain
              text={`The log-rank test: do all subjects keep right answers equally long? A small p means that they do not. ${curves.clusteredLogRank === null ? "There are too few items, so conversations count as independent." : "It respects that conversations about the same item are not independent."}`}
            >
              log-rank p {pText(test.p)}
            </Explain>
          )}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="No verdicts">
          <p>No turn of this run was verified, so that there is nothing to draw.</p>
        </Empty>
      ) : (
        <>
          <Survival subjects={shown} />
          <Accuracy subjects={shown} />
          <Transitions subjects={shown} />
        </>
      )}
      <CostAgainstRate route={route} data={data} />
    </>
  );
}

const NO_INTERVAL = { low: null, high: null };
const STATES = ["right", "wrong", "unreadable"];

function pText(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function Survival({ subjects }: { readonly subjects: readonly SubjectSequences[] }): ReactNode {
  const names = subjects.map(({ subject }) => subject);
  const points = subjects.flatMap(({ subject, survival }) => [
    { subject, turn: 0, survival: 1, low: 1, high: 1 },
    ...survival.map(({ interval, ...point }) => ({ subject, ...point, ...(interval ?? NO_INTERVAL) })),
  ]);
  return (
    <Picture
      title="Survival of a right answer"
      options={() => ({
        x: {
          label: "turn",
          ticks: Math.min(12, Math.max(...points.map(({ turn }) => turn))),
          tickFormat: "d",
        },
        y: { label: "still right (%)", domain: [0, 100], percent: true, grid: true },
        color: scaleOf(names),
        marks: [
          Plot.areaY(
            points.filter(({ low }) => low !== null),
            {
              x: "turn",
              y1: "low",
              y2: "high",
              fill: "subject",
              fillOpacity: 0.12,
              curve: "step-after",
              z: "subject",
            },
          ),
          ...subjects.map(({ subject }, index) =>
            Plot.lineY(
              points.filter((point) => point.subject === subject),
              {
                x: "turn",
                y: "survival",
                stroke: COLOURS[index % COLOURS.length] ?? "currentColor",
                strokeDasharray: DASHES[index % DASHES.length] ?? "none",
                strokeWidth: 2,
                curve: "step-after",
              },
            ),
          ),
          ...endLabels(
            points.map(({ subject, turn, survival }) => ({ subject, x: turn, y: survival })),
            names,
          ),
        ],
      })}
      table={
        <table>
          <caption>
            <Explain text="Kaplan–Meier: the share of conversations without a wrong answer up to a turn. Unreadable turns and ends are censored, not counted as wrong. Intervals are over items.">
              Share that is still right after a turn, with 95 % interval
            </Explain>
          </caption>
          <thead>
            <tr>
              <th scope="col">subject</th>
              <th scope="col" className="number">
                turn
              </th>
              <th scope="col" className="number">
                at risk
              </th>
              <th scope="col" className="number">
                wrong
              </th>
              <th scope="col" className="number">
                still right
              </th>
            </tr>
          </thead>
          <tbody>
            {subjects.flatMap(({ subject, survival }) =>
              survival.map(({ turn, atRisk, events, survival: share, interval }) => (
                <tr key={`${subject} ${turn}`}>
                  <th scope="row">{turn === 1 && <PlainText text={subject} />}</th>
                  <td className="number">{turn}</td>
                  <td className="number">{countText(atRisk)}</td>
                  <td className="number">{countText(events)}</td>
                  <td className="number">
                    {percentText(share)} {interval !== null && rangeText(interval)}
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      }
    />
  );
}

/** Names at the ends of lines, moved apart where they would meet. */
function endLabels(
  points: readonly { readonly subject: string; readonly x: number; readonly y: number }[],
  names: readonly string[],
): readonly Plot.Markish[] {
  const ends = names
    .flatMap((name) => points.findLast(({ subject }) => subject === name) ?? [])
    .sort((one, other) => one.y - other.y);
  let lowest = -1;
  return ends.map(({ subject, x, y }) => {
    lowest = Math.max(y * 100, lowest + 5);
    return Plot.text([{ x, y: lowest / 100 }], {
      x: "x",
      y: "y",
      text: () => subject,
      textAnchor: "start",
      dx: 6,
      fill: COLOURS[names.indexOf(subject) % COLOURS.length] ?? "currentColor",
    });
  });
}

function Accuracy({ subjects }: { readonly subjects: readonly SubjectSequences[] }): ReactNode {
  const names = subjects.map(({ subject }) => subject);
  const points = subjects.flatMap(({ subject, accuracy }) =>
    accuracy.flatMap(({ turn, rate, interval }) =>
      rate === null ? [] : [{ subject, turn, rate, ...(interval ?? NO_INTERVAL) }],
    ),
  );
  return (
    <Picture
      title="Right answers by turn"
      options={() => ({
        x: {
          label: "turn",
          ticks: Math.min(12, Math.max(...points.map(({ turn }) => turn))),
          tickFormat: "d",
        },
        y: { label: "right (%)", domain: [0, 100], percent: true, grid: true },
        color: scaleOf(names),
        marks: [
          Plot.link(
            points.filter(({ low }) => low !== null),
            { x1: "turn", x2: "turn", y1: "low", y2: "high", stroke: "subject", strokeOpacity: 0.6 },
          ),
          ...subjects.map(({ subject }, index) =>
            Plot.lineY(
              points.filter((point) => point.subject === subject),
              {
                x: "turn",
                y: "rate",
                stroke: COLOURS[index % COLOURS.length] ?? "currentColor",
                strokeDasharray: DASHES[index % DASHES.length] ?? "none",
                strokeWidth: 2,
                marker: "dot",
              },
            ),
          ),
          ...endLabels(
            points.map(({ subject, turn, rate }) => ({ subject, x: turn, y: rate })),
            names,
          ),
        ],
      })}
      table={
        <table>
          <caption>
            <Explain text="Of the replies that could be read at this turn, the share that is right, with its 95 % interval over items.">
              Share of right replies, turn by turn
            </Explain>
          </caption>
          <thead>
            <tr>
              <th scope="col">turn</th>
              {names.map((name) => (
                <th scope="col" key={name}>
                  <PlainText text={name} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from(
              { length: Math.max(...subjects.map(({ accuracy }) => accuracy.length)) },
              (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: turns are known by their place.
                <tr key={index}>
                  <th scope="row">{index + 1}</th>
                  {subjects.map(({ subject, accuracy }) => {
                    const found = accuracy[index];
                    return (
                      <td key={subject}>
                        {found === undefined ? "–" : percentText(found.rate)}{" "}
                        <span className="muted">
                          {found !== undefined && found.interval !== null && rangeText(found.interval)}
                          {found !== undefined && ` n ${countText(found.n)}`}
                        </span>
                        {found !== undefined && found.unread > 0 && (
                          <span className="mark-unread"> ? {found.unread}</span>
                        )}
                      </td>
                    );
                  })}
                </tr>
              ),
            )}
          </tbody>
        </table>
      }
    />
  );
}

function Transitions({ subjects }: { readonly subjects: readonly SubjectSequences[] }): ReactNode {
  return (
    <section aria-label="From turn to turn">
      <div className="section-head">
        <h2>
          <Explain text="Of all turns with one verdict (row), the share whose next turn has the other verdict (column).">
            From turn to turn
          </Explain>
        </h2>
      </div>
      <div className="matrices">
        {subjects.map(({ subject, transitions }) => (
          <div className="scroll" key={subject}>
            <table className="heat">
              <caption>
                <PlainText text={subject} />
              </caption>
              <thead>
                <tr>
                  <th scope="col">from</th>
                  {STATES.map((state) => (
                    <th scope="col" key={state} className="number">
                      to {state}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {STATES.map((state, row) => (
                  <tr key={state}>
                    <th scope="row">{state}</th>
                    {STATES.map((to, column) => {
                      const share = transitions.proportions[row]?.[column] ?? null;
                      const counts = transitions.counts[row] ?? [];
                      const n = counts.reduce((sum, count) => sum + count, 0);
                      return (
                        <td key={to}>
                          <span
                            className="heat-cell"
                            style={{
                              background: `color-mix(in srgb, var(--bar) ${Math.round((share ?? 0) * 60)}%, var(--background))`,
                            }}
                          >
                            {percentText(share)}{" "}
                            <span className="small">
                              {n === 0 ? "n 0" : `${countText(counts[column] ?? 0)} of ${countText(n)}`}
                            </span>
                          </span>
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ))}
      </div>
    </section>
  );
}
