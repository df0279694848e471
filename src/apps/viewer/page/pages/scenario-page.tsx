import { type ReactNode, useMemo } from "react";
import type {
  ConversationEntry,
  CoverageAnswer,
  GraphAnswer,
  ScenarioAnswer,
  WitnessView,
} from "../../answers.ts";
import type { EntryFilter } from "../../entry-filter.ts";
import { Choice } from "../parts/controls.tsx";
import { type EntryColumns, EntryList, useEntries } from "../parts/entry-list.tsx";
import { countedText, countText, Table } from "../parts/figures.tsx";
import { Graph } from "../parts/graph.tsx";
import { lookOf, statusLook, VERDICTS, VerdictMark, VerdictStrip } from "../parts/marks.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited } from "../parts/states.tsx";
import { nodeName } from "../parts/turn-details.tsx";
import { changeSettings, hashOf, type RunPageParts, type Settings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

interface ScenarioParts extends RunPageParts {
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
        <ScenarioView data={data} route={route} run={run} scenario={scenario} covered={covered ?? null} />
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
  readonly covered: CoverageAnswer | null;
}): ReactNode {
  const { subject = "", against = "", node, edge } = route.settings;
  const subjects = subject === "" ? data.subjects : against === "" ? [subject] : [subject, against];
  const set = (changes: Settings): void => changeSettings(route, changes);
  const chosenEdge = edge === undefined ? undefined : Number(edge);
  const { graph } = data;
  const conversations = subjects.reduce((sum, name) => sum + (data.conversations[name] ?? 0), 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of subjects is new each time, its names are not.
  const traffic = useMemo(
    () => ({ subjects, nodes: data.nodes, edges: data.edges }),
    [data, subjects.join("\n")],
  );
  // What was chosen in the graph stands right below it.
  const isChosen = node !== undefined || edge !== undefined;
  const evidence = <Evidence run={run} scenario={scenario} data={data} route={route} />;
  return (
    <>
      <div className="head">
        <h1>
          <PlainText text={scenario} />
        </h1>
        <span className="facts">
          <span>{countedText(conversations, "conversation")}</span>
          {covered === null && graph !== null && <span>{takenText(graph, data, subjects)}</span>}
          {covered?.shares
            .filter(({ possible }) => possible > 0)
            .map(({ kind, reached, possible }) => (
              <span key={kind}>
                {reached} of {countedText(possible, WORDS[kind])} reached
              </span>
            ))}
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
      {data.example !== undefined && (
        <p className="muted">
          Texts of <PlainText text={data.example} />, as an example
        </p>
      )}
      <p className="muted legend">
        ✓ <span className="mark-right">right</span> ✗ <span className="mark-wrong">wrong</span> ?{" "}
        <span className="mark-unread">unread</span> · dashed: never taken · numbers: visits of nodes, and how
        often an edge was followed with its share
        {subjects.length === 2 ? `, ${subjects.join(" | ")}` : ""}
      </p>
      {isChosen && evidence}
      {covered !== null && (
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
      {!isChosen && evidence}
    </>
  );
}

/** What is known before it is known what can be reached. */
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
}: ScenarioParts & { readonly data: ScenarioAnswer }): ReactNode {
  const { subject, node, edge, verdict } = route.settings;
  const set = (changes: Settings): void => changeSettings(route, changes);
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
  const own = data.nodes.filter((one) => one.node === node && (!subject || one.subject === subject));
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
          {subject ? (
            <>
              {" "}
              of <PlainText text={subject} />
            </>
          ) : null}
        </h2>
        {node !== undefined && (
          <span className="controls">
            {VERDICTS.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={verdict === one}
                onClick={() => set({ verdict: verdict === one ? undefined : one })}
              >
                <VerdictMark look={lookOf(one)} hasWord />{" "}
                {countText(own.reduce((sum, { verdicts }) => sum + (verdicts[one] ?? 0), 0))}
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
      {loaded.next === null && loaded.items.length === 0 && loaded.error === undefined ? (
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

function columnsFor(node: string | undefined): EntryColumns {
  return {
    template: "minmax(8rem, 1fr) minmax(10rem, 2fr) minmax(6rem, 1fr) minmax(10rem, 2fr) 9rem",
    heads: ["subject", "which", node === undefined ? "turns" : "verdict", "path", "ended"],
    cells: (entry: ConversationEntry) => [
      <PlainText key="subject" text={entry.subject} />,
      <PlainText key="place" text={entry.place} />,
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

type NotReachedPart = CoverageAnswer["notReached"][number];

const WORDS = { nodes: "node", edges: "edge", outcomes: "outcome value" } as const;

/** What no conversation reached, with replies that would reach it. */
function NotReached({
  data,
  onChoose,
}: {
  readonly data: CoverageAnswer;
  readonly onChoose: (part: NotReachedPart) => void;
}): ReactNode {
  const { notReached, problem } = data;
  if (notReached.length === 0 && problem === undefined) return null;
  return (
    <section aria-labelledby="not-reached">
      <h2 id="not-reached">Never reached, by any subject</h2>
      {problem !== undefined && (
        <p className="notice">
          The scenario could not be rehearsed, so that it is not known what can be reached:{" "}
          <PlainText text={problem} />
        </p>
      )}
      <Table className="not-reached" heads={["what", "replies that would reach it"]}>
        {notReached.map((part) => (
          <tr key={`${part.kind} ${part.name} ${part.edge}`}>
            <th scope="row">
              {part.kind === "outcomes" ? (
                <PlainText text={part.name.replace("=", " = ")} />
              ) : (
                <button type="button" className="plain" onClick={() => onChoose(part)}>
                  {WORDS[part.kind]} <PlainText text={part.name.replace("->", " → ")} />
                </button>
              )}
            </th>
            <td className="wrap">
              <WitnessPath witness={part.witness} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** A conversation that would reach something, in a line. */
function WitnessPath({ witness }: { readonly witness: WitnessView | null }): ReactNode {
  if (witness === null) return <span className="muted">not known</span>;
  const { turns, place, status, isAssumed } = witness;
  return (
    <>
      {place !== "" && (
        <>
          <PlainText text={place} />:{" "}
        </>
      )}
      {turns.map(({ node, reply, verdict }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are known by their place.
        <span key={index} title={reply}>
          <PlainText text={node} /> <VerdictMark look={lookOf(verdict)} /> →{" "}
        </span>
      ))}
      {status === "completed" ? "END" : statusLook(status).word}
      {isAssumed && <span className="muted"> (if code in the scenario allows it)</span>}
    </>
  );
}
