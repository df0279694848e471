import * as Plot from "@observablehq/plot";
import type { ReactNode } from "react";
import type { RunSequences, SubjectSequences } from "../../../../insight/report/data/sequences.ts";
import type { RatesAnswer, ShownRates } from "../../answers.ts";
import { Choice } from "../parts/controls.tsx";
import { costText, countText, Explain, percentText, pText, rangeText, Table } from "../parts/figures.tsx";
import { OpenCounts } from "../parts/marks.tsx";
import { LinePicture, Picture, scaleOf } from "../parts/picture.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { heatColour } from "../parts/result-tables.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { changeSettings, type Route, type RunPageParts } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

/** How long do right answers last? Survival, accuracy by turn, what follows what, and cost against rate. */
export function CurvesPage({ route, run }: RunPageParts): ReactNode {
  const curves = useAnswer<RunSequences>(answerPath(["runs", run, "curves"]));
  const rates = useAnswer<RatesAnswer>(answerPath(["runs", run, "rates"])).data;
  return (
    <Awaited answer={curves} what="the curves">
      {(found) => (
        <>
          <Curves curves={found} />
          {rates !== undefined && <CostAgainstRate route={route} rates={rates.rates} />}
        </>
      )}
    </Awaited>
  );
}

function Curves({ curves }: { readonly curves: RunSequences }): ReactNode {
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
    </>
  );
}

/** The states of a turn, in the order of the matrix. */
const STATES = ["right", "wrong", "unread"] as const;

interface SubjectsParts {
  readonly subjects: readonly SubjectSequences[];
}

function Survival({ subjects }: SubjectsParts): ReactNode {
  // Where no first turn could be read, nothing is known about how long an answer lasts.
  const known = subjects.filter(({ survival }) => survival.length > 0);
  if (known.length === 0) return null;
  const lines = known.map(({ subject, survival }) => ({
    subject,
    points: [
      { x: 0, y: 1, interval: { low: 1, high: 1 } },
      ...survival.map(({ turn, survival: share, interval }) => ({ x: turn, y: share, interval })),
    ],
  }));
  const table = (
    <Table
      caption={
        <Explain text="Kaplan–Meier: the share of conversations without a wrong answer up to a turn. Unreadable turns and ends are censored, not counted as wrong. Intervals are over items.">
          Share that is still right after a turn, with 95 % interval
        </Explain>
      }
      heads={[
        "subject",
        { right: "turn" },
        { right: "at risk" },
        { right: "wrong" },
        { right: "still right" },
      ]}
    >
      {known.flatMap(({ subject, survival }) =>
        survival.map(({ turn, atRisk, events, survival: share, interval }, index) => (
          <tr key={`${subject} ${turn}`}>
            {index === 0 && (
              <th scope="row" rowSpan={survival.length}>
                <PlainText text={subject} />
              </th>
            )}
            <td className="number">{turn}</td>
            <td className="number">{countText(atRisk)}</td>
            <td className="number">{countText(events)}</td>
            <td className="number">
              {percentText(share)} {rangeText(interval)}
            </td>
          </tr>
        )),
      )}
    </Table>
  );
  return (
    <LinePicture
      title="Survival of a right answer"
      label="still right (%)"
      lines={lines}
      isStepped
      table={table}
    />
  );
}

function Accuracy({ subjects }: SubjectsParts): ReactNode {
  const lines = subjects.map(({ subject, accuracy }) => ({
    subject,
    points: accuracy.flatMap(({ turn, rate, interval }) =>
      rate === null ? [] : [{ x: turn, y: rate, interval }],
    ),
  }));
  const turns = Math.max(...subjects.map(({ accuracy }) => accuracy.length));
  const table = (
    <Table
      caption={
        <Explain text="Of the replies that could be read at this turn, the share that is right, with its 95 % interval over items.">
          Share of right replies, turn by turn
        </Explain>
      }
      heads={["turn", ...subjects.map(({ subject }) => <PlainText key={subject} text={subject} />)]}
    >
      {Array.from({ length: turns }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are known by their place.
        <tr key={index}>
          <th scope="row">{index + 1}</th>
          {subjects.map(({ subject, accuracy }) => (
            <td key={subject}>
              <TurnAccuracy found={accuracy[index]} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
  return <LinePicture title="Right answers by turn" label="right (%)" lines={lines} table={table} />;
}

function TurnAccuracy({
  found,
}: {
  readonly found: SubjectSequences["accuracy"][number] | undefined;
}): ReactNode {
  if (found === undefined) return "–";
  const { rate, interval, n, unread } = found;
  return (
    <>
      {percentText(rate)}{" "}
      <span className="muted">
        {rangeText(interval)} n {countText(n)}
      </span>
      <OpenCounts inconclusive={unread} errors={0} />
    </>
  );
}

function Transitions({ subjects }: SubjectsParts): ReactNode {
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
          <Table
            key={subject}
            className="heat"
            caption={<PlainText text={subject} />}
            heads={["from", ...STATES.map((state) => ({ right: `to ${state}` }))]}
          >
            {STATES.map((state, row) => {
              const counts = transitions.counts[row] ?? [];
              const n = counts.reduce((sum, count) => sum + count, 0);
              return (
                <tr key={state}>
                  <th scope="row">{state}</th>
                  {STATES.map((to, column) => {
                    const share = transitions.proportions[row]?.[column] ?? null;
                    return (
                      <td key={to}>
                        <span className="heat-cell" style={{ background: heatColour(share ?? 0) }}>
                          {percentText(share)}{" "}
                          <span className="small">
                            {n === 0 ? "n 0" : `${countText(counts[column] ?? 0)} of ${countText(n)}`}
                          </span>
                        </span>
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </Table>
        ))}
      </div>
    </section>
  );
}

/** What a right answer costs: the rate of each subject against its spending. Nothing where nothing costs anything. */
function CostAgainstRate({ route, rates }: { readonly route: Route; readonly rates: ShownRates }): ReactNode {
  const rated = rates.outcomes.filter((one) => one.kind === "rate");
  const outcome = route.settings.outcome ?? rated[1]?.outcome ?? rated[0]?.outcome;
  const chosen = rated.find((one) => one.outcome === outcome);
  const points = (chosen?.lines ?? []).flatMap(({ estimate: rate, interval, n }, index) => {
    const { subject = "", spending, ended = 0 } = rates.totals[index] ?? {};
    const cost = spending?.cost ?? null;
    return rate === null || cost === null || ended === 0
      ? []
      : [{ subject, rate, n, interval, cost: cost / ended }];
  });
  if (points.every(({ cost }) => cost === 0)) return null;
  const options = (): Plot.PlotOptions => ({
    x: { label: "USD a conversation", grid: true, zero: true },
    y: { label: `${outcome} (%)`, domain: [0, 100], percent: true, grid: true },
    color: scaleOf(points.map(({ subject }) => subject)),
    marks: [
      Plot.link(
        points.flatMap(({ interval, ...point }) => (interval === null ? [] : [{ ...point, ...interval }])),
        { x1: "cost", x2: "cost", y1: "low", y2: "high", stroke: "subject" },
      ),
      Plot.dot(points, { x: "cost", y: "rate", fill: "subject", r: 4 }),
      Plot.text(points, { x: "cost", y: "rate", text: "subject", textAnchor: "start", dx: 8 }),
    ],
  });
  const table = (
    <Table
      caption={`Cost of a conversation, and the share in which ${outcome} is true`}
      heads={["subject", { right: "a conversation" }, { right: outcome }, { right: "n" }]}
    >
      {points.map(({ subject, cost, rate, interval, n }) => (
        <tr key={subject}>
          <th scope="row">
            <PlainText text={subject} />
          </th>
          <td className="number">{costText(cost)}</td>
          <td className="number">
            {percentText(rate)} {rangeText(interval)}
          </td>
          <td className="number">{countText(n)}</td>
        </tr>
      ))}
    </Table>
  );
  return (
    <>
      <div className="controls section-gap">
        <Choice
          name="outcome"
          value={outcome}
          options={rated.map((one) => one.outcome)}
          onChange={(value) => changeSettings(route, { outcome: value })}
        />
      </div>
      <Picture title={`Cost against ${outcome}`} options={options} table={table} />
    </>
  );
}
