import * as Plot from "@observablehq/plot";
import type { ReactNode } from "react";
import type { CurvesAnswer, RunAnswer, SubjectCurves } from "../../answers.ts";
import { CostAgainstRate } from "../parts/cost-picture.tsx";
import { Explain } from "../parts/explain.tsx";
import { countText, percentText, rangeText } from "../parts/figures.ts";
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
  const shown = curves.subjects.filter(({ accuracy }) => accuracy.length > 0);
  return (
    <>
      <div className="head">
        <h1>Curves</h1>
        <span className="facts">
          {curves.logRank !== null && (
            <Explain text="The log-rank test that all subjects hold on to right answers equally long. A small p speaks against it.">
              log-rank p {pText(curves.logRank.p)}
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

function pText(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function Survival({ subjects }: { readonly subjects: readonly SubjectCurves[] }): ReactNode {
  const names = subjects.map(({ subject }) => subject);
  const points = subjects.flatMap(({ subject, survival, accuracy }) => [
    { subject, time: 1, survival: 1, low: 1, high: 1 },
    ...survival.map((step) => ({ subject, ...step })),
    { subject, time: accuracy.length, survival: survival.at(-1)?.survival ?? 1, low: null, high: null },
  ]);
  return (
    <Picture
      title="Survival of a right answer"
      options={() => ({
        x: {
          label: "turn",
          ticks: Math.min(12, Math.max(...points.map(({ time }) => time))),
          tickFormat: "d",
        },
        y: { label: "still right (%)", domain: [0, 100], percent: true, grid: true },
        color: scaleOf(names),
        marks: [
          Plot.areaY(
            points.filter(({ low }) => low !== null),
            {
              x: "time",
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
                x: "time",
                y: "survival",
                stroke: COLOURS[index % COLOURS.length] ?? "currentColor",
                strokeDasharray: DASHES[index % DASHES.length] ?? "none",
                strokeWidth: 2,
                curve: "step-after",
              },
            ),
          ),
          ...endLabels(
            points.map(({ subject, time, survival }) => ({ subject, x: time, y: survival })),
            names,
          ),
        ],
      })}
      table={
        <table>
          <caption>
            <Explain text="Kaplan–Meier: the share of conversations that began right and have not given a wrong answer yet. Unreadable turns and ends are censored, not counted as wrong.">
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
            {subjects.flatMap(({ subject, atRisk, survival }) =>
              survival.length === 0
                ? [
                    <tr key={subject}>
                      <th scope="row">
                        <PlainText text={subject} />
                      </th>
                      <td className="number">all</td>
                      <td className="number">{countText(atRisk)}</td>
                      <td className="number">0</td>
                      <td className="number">100 %</td>
                    </tr>,
                  ]
                : survival.map((step) => (
                    <tr key={`${subject} ${step.time}`}>
                      <th scope="row">
                        <PlainText text={subject} />
                      </th>
                      <td className="number">{step.time}</td>
                      <td className="number">{countText(step.atRisk)}</td>
                      <td className="number">{countText(step.events)}</td>
                      <td className="number">
                        {percentText(step.survival)}{" "}
                        {step.low !== null &&
                          step.high !== null &&
                          rangeText({ low: step.low, high: step.high })}
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

function Accuracy({ subjects }: { readonly subjects: readonly SubjectCurves[] }): ReactNode {
  const names = subjects.map(({ subject }) => subject);
  const points = subjects.flatMap(({ subject, accuracy }) =>
    accuracy.flatMap(({ turn, rate, low, high }) =>
      rate === null ? [] : [{ subject, turn, rate, low, high }],
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
                          {found !== undefined &&
                            found.low !== null &&
                            found.high !== null &&
                            rangeText({ low: found.low, high: found.high })}
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

function Transitions({ subjects }: { readonly subjects: readonly SubjectCurves[] }): ReactNode {
  return (
    <section aria-label="From turn to turn">
      <div className="section-head">
        <h2>
          <Explain text="What follows what: of all turns that are so, the share whose next turn is so.">
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
                  {transitions.states.map((state) => (
                    <th scope="col" key={state} className="number">
                      to {state}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {transitions.states.map((state, row) => (
                  <tr key={state}>
                    <th scope="row">{state}</th>
                    {transitions.states.map((to, column) => {
                      const share = transitions.proportions[row]?.[column] ?? null;
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
                              n {countText(transitions.counts[row]?.[column] ?? 0)}
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
