import type { ReactNode } from "react";
import type { GroupsAnswer, HeatAnswer, HeatCell, RunAnswer } from "../../answers.ts";
import { changeSettings, hashOf, type Route, type Settings, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";
import { Choice } from "./controls.tsx";
import { countText, Explain, numberText, percentText, Table } from "./figures.tsx";
import { OpenCounts } from "./marks.tsx";
import { RateFigure } from "./matrix.tsx";
import { PlainText } from "./plain-text.tsx";
import { Awaited } from "./states.tsx";

interface TableParts {
  readonly data: RunAnswer;
  readonly route: Route;
}

/** The rates of each subject within groups: by tag, variant, arm, row or scenario. */
export function GroupTable({ data, route }: TableParts): ReactNode {
  const { by = "" } = route.settings;
  const path = by === "" ? null : answerPath(["runs", data.run, "rates"], { by: `${by},subject` });
  const answer = useAnswer<GroupsAnswer>(path);
  if (data.groups.length === 0) return null;
  return (
    <section aria-labelledby="groups">
      <div className="section-head">
        <h2 id="groups">Results by</h2>
        <span className="controls">
          <Choice
            name="group by"
            isNameHidden
            value={by}
            options={data.groups}
            none="nothing"
            onChange={(value) => changeSettings(route, { by: value })}
          />
        </span>
      </div>
      {path !== null && (
        <Awaited answer={answer} what="the groups">
          {(report) => <Groups report={report} by={by} />}
        </Awaited>
      )}
    </section>
  );
}

function Groups({ report, by }: { readonly report: GroupsAnswer; readonly by: string }): ReactNode {
  const names = [...new Set(report.lines.map(({ name }) => name))];
  const groups = Map.groupBy(report.lines, ({ group }) => group[by] ?? null);
  const heads = [by, "subject", ...names.map((name) => <PlainText key={name} text={name} />)];
  return (
    <>
      <Table heads={heads}>
        {[...groups].flatMap(([value, own]) => {
          const subjects = [
            ...Map.groupBy(own, ({ group: { subject, judge } }) =>
              [subject, ...(judge ? [judge] : [])].join(", "),
            ),
          ];
          return subjects.map(([subject, lines], index) => (
            <tr key={JSON.stringify([value, subject])}>
              {index === 0 && (
                <th scope="row" rowSpan={subjects.length}>
                  <PlainText text={value ?? "none"} />
                </th>
              )}
              <td>
                <PlainText text={subject} />
              </td>
              {names.map((name) => (
                <td key={name}>
                  <span className="rate">
                    <RateFigure line={lines.find((line) => line.name === name)} />
                  </span>
                </td>
              ))}
            </tr>
          ));
        })}
      </Table>
      {report.more > 0 && (
        <p className="muted">
          … and {countText(report.more)} more lines. All of them: elenchus show --by {by}
        </p>
      )}
    </>
  );
}

/** How many scenarios are listed at first. */
const FIRST = 60;

/** One outcome by scenario and subject, those on which subjects differ most first; each scenario leads to its graph. */
export function ScenarioTable({ data, route }: TableParts): ReactNode {
  const { tag = "" } = route.settings;
  const names = [...new Set(data.rates.outcomes.map(({ outcome }) => outcome))];
  const decided = data.rates.outcomes.filter(({ lines }) => lines.some(({ n }) => n > 0));
  const outcome = route.settings.outcome ?? decided[0]?.outcome ?? names[0] ?? "";
  const tags = [...new Set(data.scenarioEntries.flatMap((entry) => entry.tags))].sort();
  const set = (changes: Settings): void => changeSettings(route, changes);
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
  const isRate = data.rates.outcomes.find(({ outcome }) => outcome === heat.outcome)?.kind !== "mean";
  const at = heat.subjects.indexOf(sort.slice(3));
  const lines = heat.lines
    .filter(({ scenario }) => tag === "" || tagged.has(scenario))
    .map((line) => ({ ...line, rank: rankOf(line.cells, { isRate, at }) }))
    .sort((one, other) => (sort === "name" ? one.name.localeCompare(other.name) : other.rank - one.rank));
  const shown = all === "" ? lines.slice(0, FIRST) : lines;
  const order =
    sort === "name"
      ? "Sorted by name."
      : sort === ""
        ? "Sorted by how far the subjects are apart, the furthest first."
        : "Sorted by one subject, the highest first.";
  return (
    <>
      <Table
        className="heat"
        heads={[
          <Explain key="scenario" text={order}>
            scenario
          </Explain>,
          ...heat.subjects.map((subject) => ({ right: <PlainText text={subject} /> })),
        ]}
      >
        {shown.map(({ scenario, row, name, cells }) => (
          <tr key={JSON.stringify([scenario, row])}>
            <th scope="row">
              <a
                href={
                  row === undefined
                    ? hashOf(["run", data.run, "scenario", scenario])
                    : hashOf(["run", data.run, "conversations"], { scenario, row })
                }
              >
                <PlainText text={name} />
              </a>
            </th>
            {heat.subjects.map((subject, index) => (
              <td key={subject}>
                <HeatFigure
                  cell={cells[index] ?? null}
                  isRate={isRate}
                  href={hashOf(["run", data.run, "conversations"], {
                    scenario,
                    subject,
                    ...(row && { row }),
                  })}
                />
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {shown.length < lines.length && (
        <a href={withSettings(route, { all: "yes" })}>Show all {countText(lines.length)} lines</a>
      )}
    </>
  );
}

function figureOf(cell: HeatCell | null, isRate: boolean): number | null {
  if (cell === null || cell.n === 0) return null;
  return (isRate ? cell.yes : cell.sum) / cell.n;
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
  const share = isRate && value !== null ? value : 0;
  return (
    <a
      href={href}
      title={cell === null ? "No conversation has this outcome." : undefined}
      style={{ background: heatColour(share) }}
    >
      {isRate ? percentText(value) : numberText(value)}{" "}
      {cell !== null && (
        <>
          <span className="small">n {countText(cell.n)}</span>
          <OpenCounts {...cell} />
        </>
      )}
    </a>
  );
}

/** The background of a share: the more, the darker. */
export function heatColour(share: number): string {
  return `color-mix(in srgb, var(--bar) ${Math.round(share * 60)}%, var(--background))`;
}
