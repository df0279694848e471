import { type ReactNode, useEffect, useState } from "react";
import { SELF_JUDGE } from "../../../../core/defaults.ts";
import type { FailureCause, RatesAnswer, RunAnswer, RunEntry } from "../../answers.ts";
import { ConfirmDelete, useKeys } from "../parts/controls.tsx";
import {
  costText,
  countedText,
  countText,
  durationText,
  Explain,
  percentText,
  Table,
  timeText,
  tokensText,
} from "../parts/figures.tsx";
import { statusLook, VerdictMark } from "../parts/marks.tsx";
import { Matrix } from "../parts/matrix.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { GroupTable, ScenarioTable } from "../parts/result-tables.tsx";
import { Awaited } from "../parts/states.tsx";
import { goTo, hashOf, type Route, type RunPageParts } from "../routing.ts";
import { answerPath, source, useAnswer } from "../source.ts";

/** How did they do? The results of a run, live while it goes on. */
export function RunPage({ route, run }: RunPageParts): ReactNode {
  const { version, live, isGone } = useLive(run);
  const answer = useAnswer<RunAnswer>(answerPath(["runs", run]), version);
  useKeys([
    { key: "l", about: "list of conversations", action: () => goTo(hashOf(["run", run, "conversations"])) },
  ]);
  return (
    <Awaited answer={answer} what="the run">
      {(data) => <RunResults data={{ ...data, ...live }} route={route} isGone={isGone} />}
    </Awaited>
  );
}

interface Live {
  /** Grows with each update. */
  readonly version: number;
  readonly live?: RunEntry;
  readonly isGone: boolean;
}

/** Follows a run while it is written. */
function useLive(run: string): Live {
  const [state, setState] = useState<Live>({ version: 0, isGone: false });
  useEffect(() => {
    if (source().isExport) return;
    const stream = new EventSource(answerPath(["runs", run, "live"]));
    stream.addEventListener("run", (event) => {
      // Written by the server.
      const live = JSON.parse(event.data) as RunEntry;
      setState(({ version }) => ({ version: version + 1, live, isGone: false }));
      if (live.state !== "running") stream.close();
    });
    stream.addEventListener("gone", () => {
      setState(({ version }) => ({ version: version + 1, isGone: true }));
      stream.close();
    });
    return () => stream.close();
  }, [run]);
  return state;
}

function RunResults({
  data,
  route,
  isGone,
}: {
  readonly data: RunAnswer;
  readonly route: Route;
  readonly isGone: boolean;
}): ReactNode {
  const [isDeleting, setIsDeleting] = useState(false);
  const took = (data.endedAt ?? Date.now()) - data.startedAt;
  const progress = data.conversations === 0 ? null : data.ended / data.conversations;
  return (
    <>
      <div className="head">
        <h1>
          <PlainText text={data.run} />
        </h1>
        <span className="facts">
          <span>started {timeText(data.startedAt)}</span>
          <span aria-live="polite">
            {data.state === "finished"
              ? "done"
              : data.state === "failed"
                ? "failed: every conversation ended with an error"
                : `${data.state}, ${countText(data.ended)} of ${countText(data.conversations)} (${percentText(progress)})`}
          </span>
          <span>{countedText(data.ended, "conversation")}</span>
          <span>{countedText(data.scenarioCount, "scenario")}</span>
          {data.replicates > 1 && <span>{countedText(data.replicates, "replicate")}</span>}
          <span>{costText(data.spending.cost)}</span>
          <span>{tokensText(data.spending.tokens)}</span>
          {(data.state !== "stopped" || data.endedAt !== null) && <span>{durationText(took)}</span>}
        </span>
        <span className="controls">
          {!source().isExport && (
            <button type="button" onClick={() => setIsDeleting(true)}>
              Delete
            </button>
          )}
        </span>
      </div>
      {isGone && (
        <p className="notice bad" role="alert">
          This run was deleted. This page shows its last known results.
        </p>
      )}
      <Health data={data} />
      <section aria-labelledby="results">
        <h2 id="results" className="hidden">
          Results
        </h2>
        <Rates data={data} />
        <p className="muted">
          A figure leads to its conversations; a name to all conversations of the subject.
        </p>
      </section>
      <GroupTable data={data} route={route} />
      <Causes run={data.run} causes={data.causes} />
      <ScenarioTable data={data} route={route} />
      {isDeleting && (
        <ConfirmDelete
          run={data}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => goTo("#/", { replaces: true })}
        />
      )}
    </>
  );
}

/** Intervals of runs with more conversations are computed on request. */
const MANY = 250_000;

/** Counts are there at once; intervals, which look at every conversation, a moment later. */
function Rates({ data }: { readonly data: RunAnswer }): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const isOver = data.state !== "running";
  const isWanted = isOver && (isAsked || data.ended <= MANY);
  const exact = useAnswer<RatesAnswer>(isWanted ? answerPath(["runs", data.run, "rates"]) : null, data.ended);
  const found = isWanted ? exact.data : undefined;
  return (
    <>
      <Matrix
        run={data.run}
        rates={found?.rates ?? data.rates}
        descriptions={data.descriptions}
        outcomes={new Set(data.rates.outcomes.map(({ outcome }) => outcome))}
        best={found?.best ?? {}}
      />
      {found?.warnings.map((text) => (
        <p key={text} className="notice">
          <PlainText text={text} />
        </p>
      ))}
      {found === undefined && (
        <p className="muted" aria-live="polite">
          {!isOver ? (
            "Intervals are computed when the run is over."
          ) : !isWanted ? (
            <button type="button" onClick={() => setIsAsked(true)}>
              Compute intervals and declared rates from all {countText(data.ended)} conversations
            </button>
          ) : (
            (exact.error?.message ?? "Computing intervals …")
          )}
        </p>
      )}
    </>
  );
}

const OWN_MODEL = "each subject's own model (self)";

function Health({ data }: { readonly data: RunAnswer }): ReactNode {
  if (data.health.length === 0)
    return (
      <p className="muted">
        Judge:{" "}
        <PlainText
          text={data.judges.map((judge) => (judge === SELF_JUDGE ? OWN_MODEL : judge)).join(", ") || "none"}
        />
      </p>
    );
  return (
    <ul className="bare">
      {data.health.map(({ judge, asked, judged, repaired, unreadable, failed, isPoor }) => (
        <li key={judge} className={isPoor ? "mark-error" : "muted"}>
          Judge <PlainText text={judge} />:{" "}
          <Explain text="Requests that the judge answered in a form that could be read, of all requests.">
            judged {countText(judged)} of {countText(asked)}
          </Explain>{" "}
          · repaired {countText(repaired)} · unreadable {countText(unreadable)} · failed {countText(failed)}
          {isPoor &&
            ` · ! ${percentText((unreadable + failed) / asked)} without an answer: verdicts may be wrong`}
        </li>
      ))}
    </ul>
  );
}

function Causes({
  run,
  causes,
}: {
  readonly run: string;
  readonly causes: readonly FailureCause[];
}): ReactNode {
  if (causes.length === 0) return null;
  return (
    <section aria-labelledby="causes">
      <h2 id="causes">Ended early, by cause</h2>
      <Table heads={["status", "cause", "subject", { right: "conversations" }]}>
        {causes.map(({ status, category, subject, count }) => (
          <tr key={`${status} ${category} ${subject}`}>
            <td>
              <VerdictMark look={statusLook(status)} hasWord />
            </td>
            <td>{(category ?? "–").replaceAll("_", " ")}</td>
            <td>
              <PlainText text={subject} />
            </td>
            <td className="number">
              <a href={hashOf(["run", run, "conversations"], { subject, status })}>{countText(count)}</a>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
