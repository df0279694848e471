import { type ReactNode, useEffect, useRef } from "react";
import type { ConversationAnswer, ScenarioAnswer, TurnView } from "../../answers.ts";
import { Chat } from "../parts/chat.tsx";
import { Choice } from "../parts/choice.tsx";
import { placeOf } from "../parts/entry-list.tsx";
import { costText, durationText, tokensText } from "../parts/figures.tsx";
import { Graph } from "../parts/graph.tsx";
import { useKeys } from "../parts/keys.tsx";
import { lookOf, OutcomeMark, statusLook, VerdictMark } from "../parts/marks.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { TurnDetails } from "../parts/turn-details.tsx";
import { goTo, hashOf, type Route, withSettings } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

interface ConversationParts {
  readonly route: Route;
  readonly run: string;
  readonly conversation: string;
}

/** What was said, and why did it go on like that? */
export function ConversationPage({ route, run, conversation }: ConversationParts): ReactNode {
  const answer = useAnswer<ConversationAnswer>(answerPath(["runs", run, "conversations", conversation]));
  return (
    <Awaited answer={answer} what="the conversation">
      {(data) => <ConversationView key={data.conversation} data={data} route={route} />}
    </Awaited>
  );
}

function ConversationView({
  data,
  route,
}: {
  readonly data: ConversationAnswer;
  readonly route: Route;
}): ReactNode {
  const { run, turns } = data;
  const asked = Number(route.settings.turn ?? 1);
  const position = Math.min(
    Math.max(Number.isSafeInteger(asked) ? asked - 1 : 0, 0),
    Math.max(turns.length - 1, 0),
  );
  const hasGraph = route.settings.graph === "yes";
  const select = (to: number): void => {
    if (to < 0 || to >= turns.length) return;
    goTo(withSettings(route, { turn: String(to + 1) }), { replaces: true });
  };
  const toggleGraph = (): void =>
    goTo(withSettings(route, { graph: hasGraph ? undefined : "yes" }), { replaces: true });
  const open = (name: string | null | undefined): void => {
    if (name) goTo(hashOf(["run", run, "conversation", name], { graph: route.settings.graph }));
  };
  const other = nextOther(data);
  useKeys([
    { key: "ArrowRight", about: "next turn", action: () => select(position + 1) },
    { key: "ArrowLeft", about: "turn before", action: () => select(position - 1) },
    { key: "g", about: "graph with the path so far", action: toggleGraph },
    { key: "c", about: "the same item of the next subject", action: () => open(other?.conversation) },
    { key: "n", about: "next conversation", action: () => open(data.next) },
    { key: "p", about: "conversation before", action: () => open(data.previous) },
  ]);
  const current = turns[position];
  return (
    <>
      <Head data={data} onOpen={open} />
      <PathStrip turns={turns} position={position} status={data.status} onSelect={select} />
      <Outcomes data={data} onSelect={select} />
      {data.isChanged && (
        <p className="notice">
          The scenario has changed since this conversation, so expected values and conditions are not shown.
        </p>
      )}
      {data.failure !== null && (
        <p className="notice bad">
          <PlainText text={data.failure} />
        </p>
      )}
      {hasGraph && <PathGraph data={data} position={position} />}
      {turns.length === 0 || current === undefined ? (
        <Empty title="No turn yet">
          <p>No question of this conversation has been asked.</p>
        </Empty>
      ) : (
        <div className="conversation">
          <Chat data={data} position={position} onSelect={select} />
          <aside className="details" aria-label={`turn ${current.turn}`}>
            <TurnDetails
              data={data}
              turn={current}
              before={turns[position - 1]?.state ?? data.initialState}
              onStep={(by) => select(position + by)}
              hasBefore={position > 0}
              hasNext={position < turns.length - 1}
              hasGraph={hasGraph}
              onGraph={toggleGraph}
            />
          </aside>
        </div>
      )}
    </>
  );
}

function nextOther({
  others,
  conversation,
}: ConversationAnswer): ConversationAnswer["others"][number] | undefined {
  const at = others.findIndex((one) => one.conversation === conversation);
  return others.length < 2 ? undefined : others[(at + 1) % others.length];
}

function Head({
  data,
  onOpen,
}: {
  readonly data: ConversationAnswer;
  readonly onOpen: (name: string | null) => void;
}): ReactNode {
  const { cell, run, spending, startedAt, endedAt, attempt } = data;
  return (
    <div className="head">
      <h1>
        <a href={hashOf(["run", run, "scenario", cell.scenario])}>
          <PlainText text={cell.scenario} />
        </a>
      </h1>
      <span className="facts">
        <span>
          <PlainText text={cell.subject} />
        </span>
        <span>
          <PlainText text={placeOf(cell)} />
        </span>
        {data.parent !== null && (
          <span>
            continues <a href={hashOf(["run", run, "conversation", data.parent.conversation])}>its parent</a>{" "}
            after turn {data.parent.turn}
          </span>
        )}
        <span>
          judge <PlainText text={cell.judge} />
        </span>
        <span>
          <VerdictMark look={statusLook(data.status)} hasWord />
        </span>
        <span>{costText(spending.cost)}</span>
        <span>{tokensText(spending.tokens)}</span>
        {startedAt !== null && endedAt !== null && <span>{durationText(endedAt - startedAt)}</span>}
        {attempt > 1 && <span>attempt {attempt}</span>}
      </span>
      <span className="controls">
        {data.others.length > 1 && (
          <Choice
            name="subject"
            value={data.conversation}
            options={data.others.map(({ conversation }) => conversation)}
            words={(name) => data.others.find(({ conversation }) => conversation === name)?.subject ?? name}
            onChange={onOpen}
          />
        )}
        <button type="button" disabled={data.previous === null} onClick={() => onOpen(data.previous)}>
          ◀ previous
        </button>
        <button type="button" disabled={data.next === null} onClick={() => onOpen(data.next)}>
          next ▶
        </button>
      </span>
    </div>
  );
}

function PathStrip({
  turns,
  position,
  status,
  onSelect,
}: {
  readonly turns: readonly TurnView[];
  readonly position: number;
  readonly status: string | null;
  readonly onSelect: (to: number) => void;
}): ReactNode {
  const current = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the strip follows the turn.
  useEffect(() => {
    void current.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [position]);
  return (
    <nav className="path" aria-label="turns">
      {turns.map(({ turn, node, verdict }, index) => (
        <span key={turn}>
          <button
            type="button"
            ref={index === position ? current : null}
            className="step"
            aria-current={index === position ? "step" : undefined}
            onClick={() => onSelect(index)}
          >
            <PlainText text={node} /> <VerdictMark look={lookOf(verdict)} />
          </button>
          <span className="separator" aria-hidden="true">
            →
          </span>
        </span>
      ))}
      <span className="muted">{status === "completed" ? "END" : statusLook(status).word}</span>
    </nav>
  );
}

function Outcomes({
  data,
  onSelect,
}: {
  readonly data: ConversationAnswer;
  readonly onSelect: (to: number) => void;
}): ReactNode {
  if (data.outcomes.length === 0) return null;
  return (
    <dl className="outcomes">
      {data.outcomes.map(({ name, value, description, good, turns }) => (
        <div key={name}>
          <dt title={description}>
            <PlainText text={name} />
          </dt>
          <dd>
            {turns.length > 0 ? (
              <button
                type="button"
                className="plain"
                title={`looks at turn ${turns.join(", ")}`}
                onClick={() => onSelect((turns.at(-1) ?? 1) - 1)}
              >
                <OutcomeMark value={value} good={good} />
              </button>
            ) : (
              <OutcomeMark value={value} good={good} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function PathGraph({
  data,
  position,
}: {
  readonly data: ConversationAnswer;
  readonly position: number;
}): ReactNode {
  const answer = useAnswer<ScenarioAnswer>(answerPath(["runs", data.run, "scenarios", data.cell.scenario]));
  return (
    <Awaited answer={answer} what="the graph">
      {({ graph }) =>
        graph === null ? (
          <p className="muted">The stored scenario cannot be read, so that there is no graph.</p>
        ) : (
          <Graph graph={graph} walked={walkedTo(data.turns, position)} />
        )
      }
    </Awaited>
  );
}

/** The nodes and edges of the path up to a turn. */
function walkedTo(
  turns: readonly TurnView[],
  position: number,
): {
  readonly current: string;
  readonly nodes: ReadonlyMap<string, string>;
  readonly edges: ReadonlySet<number>;
} {
  const nodes = new Map<string, string>();
  const edges = new Set<number>();
  turns.slice(0, position + 1).forEach(({ node, verdict, edges: out }, index) => {
    nodes.set(node, verdict ?? "");
    const taken = out.find(({ result }) => result === "taken");
    if (taken !== undefined && (index < position || index === turns.length - 1)) edges.add(taken.edge);
  });
  return { current: turns[position]?.node ?? "", nodes, edges };
}
