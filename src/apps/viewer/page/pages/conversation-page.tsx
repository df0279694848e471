import { type ReactNode, useEffect, useRef } from "react";
import type { ConversationAnswer, ScenarioAnswer, TurnView } from "../../answers.ts";
import { Chat } from "../parts/chat.tsx";
import { Choice, useKeys } from "../parts/controls.tsx";
import { costText, durationText, tokensText } from "../parts/figures.tsx";
import { Graph, type Walked } from "../parts/graph.tsx";
import { OutcomeMark, statusLook, turnLook, VerdictMark } from "../parts/marks.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { TurnDetails } from "../parts/turn-details.tsx";
import { changeSettings, goTo, hashOf, type Route, type RunPageParts } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";

/** What was said, and why did it go on like that? */
export function ConversationPage({
  route,
  run,
  conversation,
}: RunPageParts & { readonly conversation: string }): ReactNode {
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
  const asked = Math.trunc(Number(route.settings.turn)) || 1;
  const position = Math.max(0, Math.min(asked, turns.length) - 1);
  const hasGraph = route.settings.graph === "yes";
  const select = (to: number): void => {
    if (to < 0 || to >= turns.length) return;
    changeSettings(route, { turn: String(to + 1) });
  };
  const toggleGraph = (): void => changeSettings(route, { graph: hasGraph ? undefined : "yes" });
  const open = (name: string | null | undefined): void => {
    if (name) goTo(hashOf(["run", run, "conversation", name], { graph: route.settings.graph }));
  };
  useKeys([
    { key: "ArrowRight", about: "next turn", action: () => select(position + 1) },
    { key: "ArrowLeft", about: "turn before", action: () => select(position - 1) },
    { key: "g", about: "graph with the path so far", action: toggleGraph },
    {
      key: "c",
      about: "the same item of the next subject, beside this one",
      action: () => compareWith(data),
    },
    { key: "n", about: "next conversation", action: () => open(data.next) },
    { key: "p", about: "conversation before", action: () => open(data.previous) },
  ]);
  const current = turns[position];
  return (
    <>
      <Head data={data} onOpen={open} />
      <PathStrip data={data} position={position} onSelect={select} />
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

/** Opens the conversation of the next subject about the same item beside this one. */
function compareWith({ run, conversation, cell, others }: ConversationAnswer): void {
  const at = others.findIndex((one) => one.conversation === conversation);
  const next = others[(at + 1) % others.length];
  if (next === undefined || next.conversation === conversation) return;
  const pair = `${conversation} ${next.conversation}`;
  goTo(hashOf(["run", run, "compare"], { a: cell.subject, b: next.subject, pair }));
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
          <PlainText text={data.place} />
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
  data,
  position,
  onSelect,
}: {
  readonly data: ConversationAnswer;
  readonly position: number;
  readonly onSelect: (to: number) => void;
}): ReactNode {
  const current = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the strip follows the turn.
  useEffect(() => {
    void current.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [position]);
  return (
    <nav className="path" aria-label="turns">
      {data.turns.map((turn, index) => (
        <span key={turn.turn}>
          <button
            type="button"
            ref={index === position ? current : null}
            className="step"
            aria-current={index === position ? "step" : undefined}
            onClick={() => onSelect(index)}
          >
            <PlainText text={turn.node} /> <VerdictMark look={turnLook(turn, data)} />
          </button>
          <span className="separator" aria-hidden="true">
            →
          </span>
        </span>
      ))}
      <span className="muted">{data.status === "completed" ? "END" : statusLook(data.status).word}</span>
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
          <Graph graph={data.graph ?? graph} walked={walkedTo(data.turns, position)} />
        )
      }
    </Awaited>
  );
}

/** The nodes and edges of the path up to a turn. */
function walkedTo(turns: readonly TurnView[], position: number): Walked {
  const nodes = new Map<string, string>();
  const edges = new Set<number>();
  turns.slice(0, position + 1).forEach(({ node, verdict, edges: out }, index) => {
    nodes.set(node, verdict ?? "");
    const taken = out.find(({ result }) => result === "taken");
    if (taken !== undefined && (index < position || index === turns.length - 1)) edges.add(taken.edge);
  });
  return { current: turns[position]?.node ?? "", nodes, edges };
}
