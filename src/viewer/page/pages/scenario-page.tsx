import { type ReactNode, useMemo } from "react";
import type { ConversationEntry, CoverageAnswer, GraphAnswer, ScenarioAnswer } from "../../answers.ts";
import type { EntryFilter } from "../../entry-filter.ts";
import { Choice } from "../parts/choice.tsx";
import { type EntryColumns, EntryList, placeOf, useEntries } from "../parts/entry-list.tsx";
import { countedText, countText } from "../parts/figures.tsx";
import { Graph } from "../parts/graph.tsx";
import { lookOf, statusLook, VerdictMark, VerdictStrip } from "../parts/marks.tsx";
import { coveredText, NotReached } from "../parts/not-reached.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited } from "../parts/states.tsx";
import { nodeName } from "../parts/turn-details.tsx";
import { goTo, hashOf, type Route, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

interface ScenarioParts {
  readonly route: Route;
  readonly run: string;
  readonly scenario: string;
}

/** Where do they go? The graph of a scenario with the traffic of a run. */
export function ScenarioPage({ route, run, scenario }: ScenarioParts): ReactNode {
  const answer = useAnswer<ScenarioAnswer>(answerPath(["runs", run, "scenarios", scenario]));
  // Comes later, or not at all: the page shows the rest without it.
  const covered = useAnswer<CoverageAnswer | null>(
    answerPath(["runs", run, "scenarios", scenario, "coverage"]),
  ).data;
  return (
    <Awaited answer={answer} what="the scenario">
      {(data) => (
        <ScenarioView
          data={data}
          route={route}
          run={run}
          scenario={scenario}
          covered={covered ?? undefined}
        />
      )}
    </Awaited>
  );
}

function ScenarioView({
  data,
  route,
  run,
  scenario,
  covered,
}: ScenarioParts & {
  readonly data: ScenarioAnswer;
  readonly covered: CoverageAnswer | undefined;
}): ReactNode {
  const { subject = "", against = "", node, edge } = route.settings;
  const subjects = subject === "" ? data.subjects : against === "" ? [subject] : [subject, against];
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    goTo(withSettings(route, changes), { replaces: true });
  const chosenEdge = edge === undefined ? undefined : Number(edge);
  const { graph } = data;
  const conversations = subjects.reduce((sum, name) => sum + (data.conversations[name] ?? 0), 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of subjects is new each time, its names are not.
  const traffic = useMemo(
    () => ({ subjects, nodes: data.nodes, edges: data.edges }),
    [data, subjects.join("\n")],
  );
  return (
    <>
      <div className="head">
        <h1>
          <PlainText text={scenario} />
        </h1>
        <span className="facts">
          <span>{countedText(conversations, "conversation")}</span>
          {covered !== undefined
            ? coveredText(covered).map((text) => <span key={text}>{text}</span>)
            : graph !== null && <span>{takenText(graph, data, subjects)}</span>}
        </span>
        <span className="controls">
          <Choice
            name="subject"
            value={subject}
            options={data.subjects}
            none="all"
            onChange={(value) => set({ subject: value, against: undefined })}
          />
          {subject !== "" && data.subjects.length > 1 && (
            <Choice
              name="against"
              value={against}
              options={data.subjects.filter((name) => name !== subject)}
              none="none"
              onChange={(value) => set({ against: value })}
            />
          )}
        </span>
      </div>
      {graph !== null && graph.description !== "" && (
        <p className="muted">
          <PlainText text={graph.description} />
        </p>
      )}
      {graph === null ? (
        <p className="notice">
          The stored scenario has functions that use values from outside, so its graph cannot be drawn. Its
          conversations can be read.
        </p>
      ) : (
        <Graph
          graph={graph}
          traffic={traffic}
          selected={{ node, edge: chosenEdge }}
          onNode={(id) => set({ node: id === node ? undefined : id, edge: undefined, verdict: undefined })}
          onEdge={(index) =>
            set({ edge: String(index) === edge ? undefined : String(index), node: undefined })
          }
        />
      )}
      <p className="muted legend">
        ✓ <span className="mark-right">right</span> ✗ <span className="mark-wrong">wrong</span> ?{" "}
        <span className="mark-unread">unreadable</span> · dashed: never taken · numbers: visits of nodes, and
        how often an edge was followed with its share
        {subjects.length === 2 ? `, ${subjects.join(" | ")}` : ""}
      </p>
      {covered !== undefined && (
        <NotReached
          data={covered}
          onChoose={({ kind, name, edge: chosen }) =>
            set({
              node: kind === "nodes" ? name : undefined,
              edge: chosen === undefined ? undefined : String(chosen),
            })
          }
        />
      )}
      <Evidence run={run} scenario={scenario} data={data} route={route} set={set} />
    </>
  );
}

function takenText(graph: GraphAnswer, { edges }: ScenarioAnswer, subjects: readonly string[]): string {
  const taken = new Set(
    edges.filter(({ subject, hops }) => hops > 0 && subjects.includes(subject)).map(({ edge }) => edge),
  );
  return `${taken.size} of ${countedText(graph.edges.length, "edge")} taken`;
}

/** The turns of the chosen node, or the conversations that took the chosen edge. */
function Evidence({
  run,
  scenario,
  data,
  route,
  set,
}: {
  readonly run: string;
  readonly scenario: string;
  readonly data: ScenarioAnswer;
  readonly route: Route;
  readonly set: (changes: Readonly<Record<string, string | undefined>>) => void;
}): ReactNode {
  const { subject, node, edge, verdict } = route.settings;
  const filter = useMemo(
    (): EntryFilter => ({
      scenario,
      ...(subject ? { subject } : {}),
      ...(node === undefined ? {} : { node }),
      ...(edge === undefined ? {} : { edge }),
      ...(verdict === undefined ? {} : { verdict }),
    }),
    [scenario, subject, node, edge, verdict],
  );
  const { loaded, more } = useEntries(run, filter, true);
  const taken = data.graph?.edges.find((one) => String(one.edge) === edge);
  const about = data.graph?.nodes.find(({ id }) => id === node);
  return (
    <section aria-labelledby="evidence">
      <div className="section-head">
        <h2 id="evidence">
          {node !== undefined ? (
            <>
              Turns at <PlainText text={node} />
            </>
          ) : taken !== undefined ? (
            <>
              Conversations that went from <PlainText text={taken.source} /> to{" "}
              <PlainText text={nodeName(taken.target)} />
            </>
          ) : (
            "Conversations"
          )}
        </h2>
        {node !== undefined && (
          <span className="controls">
            {["pass", "fail", "unreadable", "unjudged"].map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={verdict === one}
                onClick={() => set({ verdict: verdict === one ? undefined : one })}
              >
                <VerdictMark look={lookOf(one)} hasWord /> {countText(verdictCount(data, node, one, subject))}
              </button>
            ))}
          </span>
        )}
        {(node !== undefined || edge !== undefined) && (
          <button
            type="button"
            className="plain"
            onClick={() => set({ node: undefined, edge: undefined, verdict: undefined })}
          >
            all conversations
          </button>
        )}
      </div>
      {about !== undefined && (
        <p className="muted">
          <PlainText text={about.question} />
        </p>
      )}
      {about?.fields.map((field) => (
        <p key={field.name} className="muted">
          <PlainText text={field.name} />
          {field.truth !== null && (
            <>
              {" "}
              = <PlainText text={field.truth} />
            </>
          )}
          {field.description !== "" && (
            <>
              : <PlainText text={field.description} />
            </>
          )}
        </p>
      ))}
      {loaded.next === null && loaded.entries.length === 0 && loaded.error === undefined ? (
        <p className="muted">No conversation of the chosen subjects.</p>
      ) : (
        <EntryList run={run} loaded={loaded} more={more} columns={columnsFor(node)} />
      )}
      <p className="muted">
        <a href={hashOf(["run", run, "conversations"], { ...filter })}>as a list with more filters</a>
      </p>
    </section>
  );
}

function verdictCount(
  data: ScenarioAnswer,
  node: string,
  verdict: string,
  subject: string | undefined,
): number {
  return data.nodes
    .filter((one) => one.node === node && (!subject || one.subject === subject))
    .reduce((sum, { verdicts }) => sum + (verdicts[verdict as keyof typeof verdicts] ?? 0), 0);
}

function columnsFor(node: string | undefined): EntryColumns {
  return {
    template: "minmax(8rem, 1fr) minmax(8rem, 1fr) minmax(6rem, 1fr) minmax(10rem, 2fr) 9rem",
    heads: ["subject", "which", node === undefined ? "turns" : "verdict", "path", "ended"],
    cells: (entry: ConversationEntry) => [
      <PlainText key="subject" text={entry.subject} />,
      <PlainText key="place" text={placeOf(entry)} />,
      node === undefined ? (
        <VerdictStrip key="turns" verdicts={entry.turns.map(([, verdict]) => verdict)} />
      ) : (
        entry.turns
          .filter(([id]) => id === node)
          .map(([, verdict], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: visits are known by their place.
            <span key={index}>
              <VerdictMark look={lookOf(verdict)} hasWord />{" "}
            </span>
          ))
      ),
      <PlainText key="path" text={entry.turns.map(([id]) => id).join(" → ")} />,
      <VerdictMark key="status" look={statusLook(entry.status)} hasWord />,
    ],
  };
}
