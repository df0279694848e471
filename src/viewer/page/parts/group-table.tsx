import type { ReactNode } from "react";
import type { RateLine } from "../../../report/data/rate-line.ts";
import type { GroupsAnswer, RunAnswer } from "../../answers.ts";
import { goTo, type Route, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";
import { Choice } from "./choice.tsx";
import { countText, numberText, percentText, RateBar, rangeText } from "./figures.tsx";
import { sizeText } from "./matrix.tsx";
import { PlainText } from "./plain-text.tsx";
import { Awaited } from "./states.tsx";

/** The rates of each subject within groups: by tag, variant, arm, row or scenario. */
export function GroupTable({ data, route }: { readonly data: RunAnswer; readonly route: Route }): ReactNode {
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
            onChange={(value) => goTo(withSettings(route, { by: value }), { replaces: true })}
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
  const rows = new Map<string, Map<string, RateLine>>();
  for (const line of report.lines) {
    const key = JSON.stringify([line.group[by] ?? null, line.group.subject ?? null]);
    const known = rows.get(key) ?? new Map<string, RateLine>();
    rows.set(key, known);
    known.set(line.name, line);
  }
  let before: string | null | undefined;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{by}</th>
            <th scope="col">subject</th>
            {names.map((name) => (
              <th scope="col" key={name}>
                <PlainText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows].map(([key, lines]) => {
            const [value, subject] = JSON.parse(key) as readonly (string | null)[];
            const isNew = value !== before;
            before = value;
            return (
              <tr key={key}>
                <th scope="row">{isNew ? <PlainText text={value ?? "none"} /> : ""}</th>
                <td>
                  <PlainText text={subject ?? ""} />
                </td>
                {names.map((name) => (
                  <td key={name}>
                    <GroupFigure line={lines.get(name)} />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {report.more > 0 && (
        <p className="muted">
          … and {countText(report.more)} more lines. All of them: elenchus show --by {by},subject
        </p>
      )}
    </div>
  );
}

function GroupFigure({ line }: { readonly line: RateLine | undefined }): ReactNode {
  if (line === undefined || line.estimate === null) return <span className="muted">–</span>;
  const isRate = line.kind !== "mean" && line.kind !== "ratio";
  const { low = 0, high = 0 } = line.interval ?? {};
  return (
    <span className="rate">
      <span>
        <span className="figure">{isRate ? percentText(line.estimate) : numberText(line.estimate)}</span>{" "}
        <span className="range" title={line.reason}>
          {isRate || line.interval === null
            ? rangeText(line.interval)
            : `${numberText(low)} to ${numberText(high)}`}
        </span>{" "}
        <span className="muted small">{sizeText(line)}</span>
      </span>
      {isRate && <RateBar rate={line.estimate} interval={line.interval} />}
    </span>
  );
}
