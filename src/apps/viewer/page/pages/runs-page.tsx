import { type ReactNode, useRef, useState } from "react";
import type { RunEntry, RunsAnswer } from "../../answers.ts";
import { Choice, ConfirmDelete, useKeys } from "../parts/controls.tsx";
import { costText, countText, durationText, Table, timeText } from "../parts/figures.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { changeSettings, hashOf, type Route, type Settings } from "../routing.ts";
import { answerPath, source, useAnswer } from "../source.ts";

/** All runs of the store: what ran when, how far, for how much. */
export function RunsPage({ route }: { readonly route: Route }): ReactNode {
  const [version, setVersion] = useState(0);
  const answer = useAnswer<RunsAnswer>(answerPath(["runs"]), version);
  return (
    <Awaited answer={answer} what="the runs">
      {(data) => <Runs data={data} route={route} onDeleted={() => setVersion((before) => before + 1)} />}
    </Awaited>
  );
}

function Runs({
  data,
  route,
  onDeleted,
}: {
  readonly data: RunsAnswer;
  readonly route: Route;
  readonly onDeleted: () => void;
}): ReactNode {
  const { search = "", tag = "", sort = "" } = route.settings;
  const field = useRef<HTMLInputElement>(null);
  const [toDelete, setToDelete] = useState<RunEntry>();
  useKeys([{ key: "/", about: "search", action: () => field.current?.focus() }]);
  const tags = [...new Set(data.runs.flatMap((run) => run.tags))].sort();
  const shown = data.runs
    .filter((run) => matches(run, search) && (tag === "" || run.tags.includes(tag)))
    .sort(ORDERS[sort] ?? (() => 0));
  const set = (changes: Settings): void => changeSettings(route, changes);
  if (data.runs.length === 0)
    return (
      <Empty title="No runs yet">
        <p>
          The store <code>{data.store}</code> is empty. Start a run, and it appears here:{" "}
          <code>elenchus run</code>
        </p>
      </Empty>
    );
  return (
    <>
      <div className="head">
        <h1>Runs</h1>
        <span className="facts">
          <span>{countText(data.runs.length)} in the store</span>
          {data.store === "" ? null : <span className="mono">{data.store}</span>}
        </span>
        <span className="controls">
          <label>
            search
            <input
              ref={field}
              type="search"
              value={search}
              placeholder="name, subject, scenario"
              onChange={(event) => set({ search: event.target.value })}
            />
          </label>
          <Choice
            name="sort by"
            value={sort}
            options={Object.keys(ORDERS)}
            none="start"
            onChange={(value) => set({ sort: value })}
          />
          {tags.length > 0 && (
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
      {shown.length === 0 ? (
        <Empty title="No run matches">
          <p>
            <button type="button" onClick={() => set({ search: "", tag: "" })}>
              Show all
            </button>
          </p>
        </Empty>
      ) : (
        <RunTable runs={shown} onDelete={setToDelete} />
      )}
      {toDelete !== undefined && (
        <ConfirmDelete run={toDelete} onClose={() => setToDelete(undefined)} onDeleted={onDeleted} />
      )}
    </>
  );
}

/** The server gives the latest first. */
const ORDERS: Readonly<Record<string, (one: RunEntry, other: RunEntry) => number>> = {
  name: (one, other) => one.run.localeCompare(other.run),
  size: (one, other) => other.conversations - one.conversations,
  cost: (one, other) => (other.spending.cost ?? 0) - (one.spending.cost ?? 0),
};

function matches({ run, subjects, scenarios, tags }: RunEntry, search: string): boolean {
  const wanted = search.toLowerCase();
  return [run, ...subjects, ...scenarios, ...tags].some((text) => text.toLowerCase().includes(wanted));
}

function RunTable({
  runs,
  onDelete,
}: {
  readonly runs: readonly RunEntry[];
  readonly onDelete: (run: RunEntry) => void;
}): ReactNode {
  const canDelete = !source().isExport;
  const heads = [
    ...["run", "started", "state", { right: "conversations" }, "scenarios", "subjects"],
    ...[{ right: "spent" }, { right: "took" }, "headline"],
    ...(canDelete
      ? [
          <span key="delete" className="hidden">
            delete
          </span>,
        ]
      : []),
  ];
  return (
    <Table className="wide" heads={heads}>
      {runs.map((run) => (
        <tr key={run.run}>
          <th scope="row" className="wrap">
            <a href={hashOf(["run", run.run])}>
              <PlainText text={run.run} />
            </a>{" "}
            {run.tags.map((tag) => (
              <span key={tag} className="tag">
                <PlainText text={tag} />
              </span>
            ))}
          </th>
          <td>{timeText(run.startedAt)}</td>
          <td>
            <RunStateWord run={run} />
          </td>
          <td className="number">
            {countText(run.ended)}
            {run.ended === run.conversations ? "" : ` of ${countText(run.conversations)}`}
          </td>
          <td className="wrap">
            <Names names={run.scenarios.slice(0, 1)} count={run.scenarioCount} />
          </td>
          <td className="wrap">
            <Names names={run.subjects.slice(0, 4)} count={run.subjects.length} />
          </td>
          <td className="number">{costText(run.spending.cost)}</td>
          <td className="number">
            {durationText(run.endedAt === null ? null : run.endedAt - run.startedAt)}
          </td>
          <td>{run.headline === "" ? "–" : <PlainText text={run.headline} />}</td>
          {canDelete && (
            <td>
              <button
                type="button"
                className="plain"
                aria-label={`delete run ${run.run}`}
                onClick={() => onDelete(run)}
              >
                delete
              </button>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

/** How far a run is. */
function RunStateWord({ run }: { readonly run: RunEntry }): ReactNode {
  if (run.state === "finished") return <span>done</span>;
  if (run.state === "failed") return <span className="mark-error">failed</span>;
  const share = run.conversations === 0 ? 0 : run.ended / run.conversations;
  return (
    <span>
      <span className="progress" aria-hidden="true">
        <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      {run.state}
    </span>
  );
}

function Names({ names, count }: { readonly names: readonly string[]; readonly count: number }): ReactNode {
  const more = count - names.length;
  return (
    <>
      <PlainText text={names.join(", ")} />
      {more > 0 && <span className="muted"> and {countText(more)} more</span>}
    </>
  );
}
