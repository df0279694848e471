import type { ReactNode } from "react";
import type { HeatAnswer, HeatCell, RunAnswer } from "../../answers.ts";
import { goTo, hashOf, type Route, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";
import { Choice } from "./choice.tsx";
import { countText, Explain, numberText, percentText } from "./figures.tsx";
import { PlainText } from "./plain-text.tsx";
import { Awaited } from "./states.tsx";

/** How many scenarios are listed at first. */
const FIRST = 60;

interface TableParts {
  readonly data: RunAnswer;
  readonly route: Route;
}

/** One outcome by scenario and subject, those on which subjects differ most first; each scenario leads to its graph. */
export function ScenarioTable({ data, route }: TableParts): ReactNode {
  const { tag = "" } = route.settings;
  const names = [...new Set(data.rates.outcomes.map(({ outcome }) => outcome))];
  const decided = data.rates.outcomes.filter(({ lines }) => lines.some(({ n }) => n > 0));
  const [first = names[0], second = first] = decided.map((one) => one.outcome);
  const outcome = route.settings.outcome ?? second ?? "";
  const tags = [...new Set(data.scenarioEntries.flatMap((entry) => entry.tags))].sort();
  const set = (changes: Readonly<Record<string, string>>): void =>
    goTo(withSettings(route, changes), { replaces: true });
  const answer = useAnswer<HeatAnswer>(answerPath(["runs", data.run, "heat"], { outcome }), data.ended);
  return (
    <section aria-labelledby="scenarios">
      <div className="section-head">
        <h2 id="scenarios">Scenarios</h2>
        <span className="controls">
          {names.length > 0 && (
            <Choice
              name="outcome"
              value={outcome}
              options={names}
              onChange={(value) => set({ outcome: value })}
            />
          )}
          <Choice
            name="sort by"
            value={route.settings.sort}
            options={["name", ...data.subjects.map((subject) => `of ${subject}`)]}
            words={(order) => order.replace(/^of /, "")}
            none="disagreement"
            onChange={(value) => set({ sort: value })}
          />
          {tags.length > 1 && (
            <Choice
              name="tag"
              value={tag}
              options={tags}
              none="any"
              onChange={(value) => set({ tag: value })}
            />
          )}
        </span>
      </div>
      <Awaited answer={answer} what="the scenarios">
        {(heat) => <Heat data={data} route={route} heat={heat} />}
      </Awaited>
    </section>
  );
}

function Heat({ data, route, heat }: TableParts & { readonly heat: HeatAnswer }): ReactNode {
  const { tag = "", all = "", sort = "" } = route.settings;
  const tagged = new Set(
    data.scenarioEntries.filter(({ tags }) => tags.includes(tag)).map(({ scenario }) => scenario),
  );
  const isRate = data.rates.outcomes.find(({ outcome }) => outcome === heat.outcome)?.kind !== "number";
  const lines = heat.lines
    .filter(({ scenario }) => tag === "" || tagged.has(scenario))
    .map((line) => ({
      ...line,
      rank: rankOf(line.cells, { isRate, at: heat.subjects.indexOf(sort.slice(3)) }),
    }))
    .sort((one, other) =>
      sort === "name" ? one.scenario.localeCompare(other.scenario) : other.rank - one.rank,
    );
  const shown = all === "" ? lines.slice(0, FIRST) : lines;
  return (
    <>
      <div className="scroll">
        <table className="heat">
          <thead>
            <tr>
              <th scope="col">
                <Explain
                  text={
                    sort === "name"
                      ? "Sorted by name."
                      : sort === ""
                        ? "Sorted by how far the subjects are apart, the furthest first."
                        : "Sorted by one subject, the highest first."
                  }
                >
                  scenario
                </Explain>
              </th>
              {heat.subjects.map((subject) => (
                <th scope="col" key={subject} className="number">
                  <PlainText text={subject} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ scenario, cells }) => (
              <tr key={scenario}>
                <th scope="row">
                  <a href={hashOf(["run", data.run, "scenario", scenario])}>
                    <PlainText text={scenario} />
                  </a>
                </th>
                {cells.map((cell, index) => {
                  const subject = heat.subjects[index] ?? "";
                  return (
                    <td key={subject}>
                      <HeatFigure
                        cell={cell}
                        isRate={isRate}
                        href={hashOf(["run", data.run, "conversations"], { scenario, subject })}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < lines.length && (
        <a href={withSettings(route, { all: "yes" })}>Show all {countText(lines.length)} scenarios</a>
      )}
    </>
  );
}

function figureOf(cell: HeatCell | null, isRate: boolean): number | null {
  if (cell === null || cell.n === 0) return null;
  return isRate ? cell.yes / cell.n : cell.sum / cell.n;
}

/** The figure of one subject, or how far apart all are. */
function rankOf(
  cells: readonly (HeatCell | null)[],
  { isRate, at }: { readonly isRate: boolean; readonly at: number },
): number {
  if (at >= 0) return figureOf(cells[at] ?? null, isRate) ?? -1;
  const values = cells.map((cell) => figureOf(cell, isRate)).filter((value) => value !== null);
  return values.length < 2 ? -1 : Math.max(...values) - Math.min(...values);
}

function HeatFigure({
  cell,
  isRate,
  href,
}: {
  readonly cell: HeatCell | null;
  readonly isRate: boolean;
  readonly href: string;
}): ReactNode {
  const value = figureOf(cell, isRate);
  const share = isRate && value !== null ? Math.round(value * 60) : 0;
  return (
    <a
      href={href}
      title={
        cell === null
          ? "No conversation has this outcome."
          : `n ${cell.n}${cell.open > 0 ? `, ${cell.open} not decided` : ""}`
      }
      style={{ background: `color-mix(in srgb, var(--bar) ${share}%, var(--background))` }}
    >
      {isRate ? percentText(value) : numberText(value)}{" "}
      {cell !== null && <span className="small">n {countText(cell.n)}</span>}
      {cell !== null && cell.open > 0 && <span className="mark-unread"> ?</span>}
    </a>
  );
}
