import type { ReactNode } from "react";
import type { PairsAnswer, RunAnswer, RunsAnswer } from "../../answers.ts";
import { type Compared, ComparedTable } from "../parts/compared-table.tsx";
import { Alert, Choice } from "../parts/controls.tsx";
import { countText, Table } from "../parts/figures.tsx";
import { VerdictStrip } from "../parts/marks.tsx";
import { usePagedList } from "../parts/paged-list.ts";
import { PairView } from "../parts/pair-view.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { changeSettings, type Route, type RunPageParts, type Settings, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

/** Is B better than A? Two subjects of a run, or of two runs. */
export function ComparePage({ route, run }: RunPageParts): ReactNode {
  const answer = useAnswer<RunAnswer>(answerPath(["runs", run]));
  const runs = useAnswer<RunsAnswer>(answerPath(["runs"]));
  return (
    <Awaited answer={answer} what="the run">
      {(data) => (
        <Awaited answer={runs} what="the runs">
          {(all) => <Compare route={route} data={data} runs={all} />}
        </Awaited>
      )}
    </Awaited>
  );
}

function Compare({
  route,
  data,
  runs,
}: {
  readonly route: Route;
  readonly data: RunAnswer;
  readonly runs: RunsAnswer;
}): ReactNode {
  const { settings } = route;
  const withRun = settings.with ?? data.run;
  const others = runs.runs.find(({ run }) => run === withRun)?.subjects ?? data.subjects;
  const a = settings.a ?? data.subjects[0] ?? "";
  const b = settings.b ?? others.find((subject) => withRun !== data.run || subject !== a) ?? "";
  const names = data.rates.outcomes.filter(({ kind }) => kind === "rate").map(({ outcome }) => outcome);
  const outcome = settings.outcome ?? names[1] ?? names[0] ?? "";
  const set = (changes: Settings): void => changeSettings(route, { pair: undefined, ...changes });
  const compared = { run: data.run, a, withRun, b };
  const [pairA = "", pairB = ""] = (settings.pair ?? "").split(" ");
  return (
    <>
      <div className="head">
        <h1>Compare</h1>
        <span className="controls">
          <Choice name="A" value={a} options={data.subjects} onChange={(value) => set({ a: value })} />
          <Choice name="B" value={b} options={others} onChange={(value) => set({ b: value })} />
          {runs.runs.length > 1 && (
            <Choice
              name="of run"
              value={withRun}
              options={runs.runs.map(({ run }) => run)}
              onChange={(value) => set({ with: value === data.run ? undefined : value, b: undefined })}
            />
          )}
        </span>
      </div>
      {b === "" || (a === b && withRun === data.run) ? (
        <Empty title="Choose two subjects">
          <p>Two subjects of this run, or a subject of another run, can be compared.</p>
        </Empty>
      ) : (
        <>
          <ComparedTable compared={compared} outcome={outcome} />
          <section aria-labelledby="pairs">
            <div className="section-head">
              <h2 id="pairs">Pairs that differ</h2>
              <span className="controls">
                <Choice
                  name="in"
                  value={outcome}
                  options={names}
                  onChange={(value) => set({ outcome: value })}
                />
                {(["a", "b"] as const).map((side) => (
                  <button
                    key={side}
                    type="button"
                    aria-pressed={settings.side === side}
                    onClick={() => set({ side: settings.side === side ? undefined : side })}
                  >
                    {side === "a" ? "A ✓ B ✗" : "A ✗ B ✓"}
                  </button>
                ))}
              </span>
            </div>
            <Pairs compared={compared} outcome={outcome} route={route} />
          </section>
          {pairA !== "" && pairB !== "" && (
            <section aria-label="the pair">
              <PairView run={data.run} withRun={withRun} a={pairA} b={pairB} />
            </section>
          )}
        </>
      )}
    </>
  );
}

/** How many more pairs are loaded at once. */
const SHOWN_AT_ONCE = 25;

/** Pairs in which the outcome differs, page by page. */
function Pairs({
  compared: { run, a, b, withRun },
  outcome,
  route,
}: {
  readonly compared: Compared;
  readonly outcome: string;
  readonly route: Route;
}): ReactNode {
  const { side, pair: chosen } = route.settings;
  const other = withRun === run ? undefined : withRun;
  const path = answerPath(["runs", run, "pairs"], { a, b, with: other, outcome, side, limit: "50" });
  const { loaded, more } = usePagedList(path, {
    itemsIn: ({ pairs }: PairsAnswer) => pairs,
    atLeast: SHOWN_AT_ONCE,
  });
  const { items, next, error } = loaded;
  if (error !== undefined) return <Alert text={error} />;
  if (items.length === 0)
    return (
      <p className="muted">
        {next === null
          ? `There is no pair of conversations that differs in ${outcome}.`
          : "Looking for pairs that differ …"}
      </p>
    );
  return (
    <>
      <Table className="wide" boxClassName="pairs" heads={["scenario", "which", outcome, "A", "B"]}>
        {items.map((pair) => {
          const name = `${pair.a.conversation} ${pair.b.conversation}`;
          return (
            <tr key={name} aria-selected={chosen === name}>
              <th scope="row">
                <a href={withSettings(route, { pair: name })}>
                  <PlainText text={pair.a.scenario} />
                </a>
              </th>
              <td>
                <PlainText text={pair.a.place} />
              </td>
              <td>{pair.a.outcomes[outcome] === true ? "A ✓ B ✗" : "A ✗ B ✓"}</td>
              {[pair.a, pair.b].map(({ conversation, turns }) => (
                <td key={conversation}>
                  <VerdictStrip verdicts={turns.map(([, verdict]) => verdict)} />
                </td>
              ))}
            </tr>
          );
        })}
      </Table>
      <p className="muted">
        {countText(items.length)} shown.{" "}
        {next !== null && (
          <button type="button" className="plain" onClick={more}>
            Show more
          </button>
        )}
      </p>
    </>
  );
}
