import { type ReactNode, useEffect, useRef, useState } from "react";
import type { PairEntry, PairsAnswer, RunAnswer, RunsAnswer } from "../../answers.ts";
import { Choice } from "../parts/choice.tsx";
import { type Compared, ComparedTable } from "../parts/compared-table.tsx";
import { placeOf } from "../parts/entry-list.tsx";
import { countText } from "../parts/figures.tsx";
import { VerdictStrip } from "../parts/marks.tsx";
import { PairView } from "../parts/pair-view.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { goTo, type Route, withSettings } from "../routing.ts";
import { AnswerError, answerPath, cachedAnswer, useAnswer } from "../source.ts";

interface CompareParts {
  readonly route: Route;
  readonly run: string;
}

/** Is B better than A? Two subjects of a run, or of two runs. */
export function ComparePage({ route, run }: CompareParts): ReactNode {
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
  const names = data.rates.outcomes.filter(({ kind }) => kind === "assertion").map(({ outcome }) => outcome);
  const outcome = settings.outcome ?? names[1] ?? names[0] ?? "";
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    goTo(withSettings(route, { pair: undefined, ...changes }), { replaces: true });
  const compared = { run: data.run, a, withRun, b };
  const [pairA, pairB] = (settings.pair ?? "").split(" ");
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
            <Pairs compared={compared} outcome={outcome} side={settings.side} route={route} />
          </section>
          {pairA !== undefined && pairA !== "" && pairB !== undefined && (
            <section aria-label="the pair">
              <PairView run={data.run} withRun={withRun} a={pairA} b={pairB} />
            </section>
          )}
        </>
      )}
    </>
  );
}

interface LoadedPairs {
  readonly key: string;
  readonly pairs: readonly PairEntry[];
  readonly next: string | null;
  readonly error?: string;
}

/** How many more pairs are loaded at once; a page of a large run may have none. */
const SHOWN_AT_ONCE = 25;

/** Pairs in which the outcome differs, page by page. */
function usePairs(path: string): { readonly loaded: LoadedPairs | undefined; readonly more: () => void } {
  const [state, setState] = useState<LoadedPairs>();
  const loaded = state?.key === path ? state : undefined;
  const shown = useRef(path);
  shown.current = path;
  const load = (after: string | null, before: readonly PairEntry[], wanted: number): void => {
    cachedAnswer(after === null ? path : `${path}&after=${after}`).then(
      (answer) => {
        if (shown.current !== path) return;
        // The server answers this path with a page of pairs.
        const { pairs: found, next } = answer as PairsAnswer;
        const pairs = [...before, ...found];
        setState({ key: path, pairs, next });
        if (next !== null && pairs.length < wanted) load(next, pairs, wanted);
      },
      (error: unknown) => {
        if (shown.current !== path) return;
        const message = error instanceof AnswerError ? error.message : String(error);
        setState({ key: path, pairs: before, next: null, error: message });
      },
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another list.
  useEffect(() => load(null, [], SHOWN_AT_ONCE), [path]);
  return {
    loaded,
    more: () => {
      if (loaded?.next) load(loaded.next, loaded.pairs, loaded.pairs.length + SHOWN_AT_ONCE);
    },
  };
}

function Pairs({
  compared,
  outcome,
  side,
  route,
}: {
  readonly compared: Compared;
  readonly outcome: string;
  readonly side: string | undefined;
  readonly route: Route;
}): ReactNode {
  const { run, a, b, withRun } = compared;
  const path = answerPath(["runs", run, "pairs"], {
    a,
    b,
    with: withRun === run ? undefined : withRun,
    outcome,
    side,
    limit: "50",
  });
  const { loaded, more } = usePairs(path);
  if (loaded === undefined) return <p className="muted">Loading the pairs …</p>;
  if (loaded.error !== undefined)
    return (
      <p className="notice bad" role="alert">
        {loaded.error}
      </p>
    );
  if (loaded.pairs.length === 0 && loaded.next !== null)
    return <p className="muted">Looking for pairs that differ …</p>;
  if (loaded.pairs.length === 0)
    return <p className="muted">There is no pair of conversations that differs in {outcome}.</p>;
  return (
    <>
      <div className="scroll pairs">
        <table className="wide">
          <thead>
            <tr>
              <th scope="col">scenario</th>
              <th scope="col">which</th>
              <th scope="col">{outcome}</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {loaded.pairs.map((pair) => {
              const name = `${pair.a.conversation} ${pair.b.conversation}`;
              return (
                <tr key={name} aria-selected={route.settings.pair === name}>
                  <th scope="row">
                    <a href={withSettings(route, { pair: name })}>
                      <PlainText text={pair.a.scenario} />
                    </a>
                  </th>
                  <td>
                    <PlainText text={placeOf(pair.a)} />
                  </td>
                  <td>{pair.a.outcomes[outcome] === true ? "A ✓ B ✗" : "A ✗ B ✓"}</td>
                  <td>
                    <VerdictStrip verdicts={pair.a.turns.map(([, verdict]) => verdict)} />
                  </td>
                  <td>
                    <VerdictStrip verdicts={pair.b.turns.map(([, verdict]) => verdict)} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="muted">
        {countText(loaded.pairs.length)} shown.{" "}
        {loaded.next !== null && (
          <button type="button" className="plain" onClick={more}>
            Show more
          </button>
        )}
      </p>
    </>
  );
}
