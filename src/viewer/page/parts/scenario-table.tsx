import type { ReactNode } from "react";
import type { RunAnswer } from "../../answers.ts";
import { goTo, hashOf, type Route, withSettings } from "../routing.ts";
import { PlainText } from "./plain-text.tsx";

/** How many scenarios are listed before somebody asks for all. */
const FIRST = 100;

/** The scenarios of a run, each with the way to its graph. */
export function ScenarioTable({
  run,
  data,
  route,
}: {
  readonly run: string;
  readonly data: RunAnswer;
  readonly route: Route;
}): ReactNode {
  const { tag = "", all = "" } = route.settings;
  const tags = [...new Set(data.scenarioEntries.flatMap((entry) => entry.tags))].sort();
  const matching = data.scenarioEntries.filter((entry) => tag === "" || entry.tags.includes(tag));
  const shown = all === "" ? matching.slice(0, FIRST) : matching;
  return (
    <section aria-labelledby="scenarios">
      <div className="section-head">
        <h2 id="scenarios">Scenarios</h2>
        {tags.length > 1 && (
          <span className="controls">
            <label>
              tag
              <select
                value={tag}
                onChange={(event) =>
                  goTo(withSettings(route, { tag: event.target.value }), { replaces: true })
                }
              >
                <option value="">any</option>
                {tags.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
          </span>
        )}
      </div>
      <ul className="columns">
        {shown.map(({ scenario }) => (
          <li key={scenario}>
            <a href={hashOf(["run", run, "scenario", scenario])}>
              <PlainText text={scenario} />
            </a>
          </li>
        ))}
      </ul>
      {shown.length < matching.length && (
        <a href={withSettings(route, { all: "yes" })}>Show all {matching.length}</a>
      )}
    </section>
  );
}
