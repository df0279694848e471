import * as Plot from "@observablehq/plot";
import type { ReactNode } from "react";
import type { AssertionLine } from "../../../report/data/outcome-rates.ts";
import type { RunAnswer } from "../../answers.ts";
import { goTo, type Route, withSettings } from "../routing.ts";
import { Choice } from "./choice.tsx";
import { costText, numberText, percentText, rangeText } from "./figures.tsx";
import { Picture, scaleOf } from "./picture.tsx";
import { PlainText } from "./plain-text.tsx";

/** What a right answer costs: the rate of each subject against its spending. */
export function CostAgainstRate({
  route,
  data,
}: {
  readonly route: Route;
  readonly data: RunAnswer;
}): ReactNode {
  const rated = data.rates.outcomes.filter(({ kind }) => kind === "assertion");
  const outcome = route.settings.outcome ?? rated[1]?.outcome ?? rated[0]?.outcome;
  const chosen = rated.find((one) => one.outcome === outcome);
  if (chosen === undefined) return null;
  const points = (chosen.lines as readonly AssertionLine[]).flatMap(
    ({ subject, rate, interval, n }, index) => {
      const total = data.rates.totals[index];
      const cost = total?.spending.cost ?? null;
      if (rate === null || cost === null || total === undefined || total.ended === 0) return [];
      return [{ subject, rate, n, interval, cost: cost / total.ended }];
    },
  );
  const isFree = points.every(({ cost }) => cost === 0);
  return (
    <>
      <div className="controls section-gap">
        <Choice
          name="outcome"
          value={outcome}
          options={rated.map((one) => one.outcome)}
          onChange={(value) => goTo(withSettings(route, { outcome: value }), { replaces: true })}
        />
      </div>
      <Picture
        title={`Cost against ${outcome}`}
        options={() => ({
          // Where nothing costs anything, a scale from 0 to 0 has no room.
          x: { label: "USD a conversation", grid: true, ...(isFree ? { domain: [0, 1] } : { zero: true }) },
          y: { label: `${outcome} (%)`, domain: [0, 100], percent: true, grid: true },
          color: scaleOf(points.map(({ subject }) => subject)),
          marks: [
            Plot.link(
              points.flatMap(({ interval, ...point }) =>
                interval === null ? [] : [{ ...point, ...interval }],
              ),
              { x1: "cost", x2: "cost", y1: "low", y2: "high", stroke: "subject" },
            ),
            Plot.dot(points, { x: "cost", y: "rate", fill: "subject", r: 4 }),
            Plot.text(points, { x: "cost", y: "rate", text: "subject", textAnchor: "start", dx: 8 }),
          ],
        })}
        table={
          <table>
            <caption>Cost of a conversation, and the share in which {outcome} is true</caption>
            <thead>
              <tr>
                <th scope="col">subject</th>
                <th scope="col" className="number">
                  a conversation
                </th>
                <th scope="col" className="number">
                  {outcome}
                </th>
                <th scope="col" className="number">
                  n
                </th>
              </tr>
            </thead>
            <tbody>
              {points.map(({ subject, cost, rate, interval, n }) => (
                <tr key={subject}>
                  <th scope="row">
                    <PlainText text={subject} />
                  </th>
                  <td className="number">{costText(cost)}</td>
                  <td className="number">
                    {percentText(rate)} {rangeText(interval)}
                  </td>
                  <td className="number">{numberText(n)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        }
      />
    </>
  );
}
