import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ConversationAnswer, TurnView } from "../../answers.ts";
import { hashOf } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";
import { type AlignedTurn, alignTurns, firstDivergence, type Piece, textDifference } from "./differences.ts";
import { countedText, valueText } from "./figures.tsx";
import { lookOf, OutcomeMark, resultLook, VerdictMark } from "./marks.tsx";
import { LongText, PlainText } from "./plain-text.tsx";
import { Awaited } from "./states.tsx";
import { nodeName } from "./turn-details.tsx";

/** Two conversations about the same item, side by side from the first difference on. */
export function PairView({
  run,
  withRun,
  a,
  b,
}: {
  readonly run: string;
  readonly withRun: string;
  readonly a: string;
  readonly b: string;
}): ReactNode {
  const one = useAnswer<ConversationAnswer>(answerPath(["runs", run, "conversations", a]));
  const other = useAnswer<ConversationAnswer>(answerPath(["runs", withRun, "conversations", b]));
  return (
    <Awaited answer={one} what="the first conversation">
      {(first) => (
        <Awaited answer={other} what="the second conversation">
          {(second) => <Aligned key={`${a} ${b}`} a={first} b={second} />}
        </Awaited>
      )}
    </Awaited>
  );
}

function Aligned({ a, b }: { readonly a: ConversationAnswer; readonly b: ConversationAnswer }): ReactNode {
  const aligned = alignTurns(a.turns, b.turns);
  const parting = firstDivergence(aligned);
  // The turn before the first difference is the context of it.
  const folded = Math.max(0, Math.min(parting, aligned.length) - 1);
  const [isFolded, setIsFolded] = useState(folded > 0);
  const shown = isFolded ? aligned.slice(folded) : aligned;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void place.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <div className="pair" ref={place}>
      <div className="pair-line pair-head">
        <Name data={a} />
        <Name data={b} />
      </div>
      <div className="pair-line">
        <Outcomes data={a} other={b} />
        <Outcomes data={b} other={a} />
      </div>
      {isFolded ? (
        <p>
          <button type="button" onClick={() => setIsFolded(false)}>
            Show {countedText(folded, "turn")} before, in which both are the same
          </button>
        </p>
      ) : null}
      {parting === aligned.length && (
        <p className="muted">The two never part: same path, same verdicts, same values.</p>
      )}
      {shown.map((turn, index) => (
        <PairTurn
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are known by their place.
          key={index}
          turn={turn}
          isParting={(isFolded ? folded : 0) + index === parting}
        />
      ))}
    </div>
  );
}

function Name({ data }: { readonly data: ConversationAnswer }): ReactNode {
  return (
    <h3>
      <a href={hashOf(["run", data.run, "conversation", data.conversation])}>
        <PlainText text={data.cell.subject} />
      </a>{" "}
      <span className="muted">
        <PlainText text={data.run} />
      </span>
    </h3>
  );
}

function Outcomes({
  data,
  other,
}: {
  readonly data: ConversationAnswer;
  readonly other: ConversationAnswer;
}): ReactNode {
  const values = new Map(other.outcomes.map(({ name, value }) => [name, value]));
  return (
    <dl className="outcomes">
      {data.outcomes.map(({ name, value, good }) => (
        <div key={name} className={values.get(name) === value ? undefined : "apart"}>
          <dt>
            <PlainText text={name} />
          </dt>
          <dd>
            <OutcomeMark value={value} good={good} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function PairTurn({
  turn,
  isParting,
}: {
  readonly turn: AlignedTurn;
  readonly isParting: boolean;
}): ReactNode {
  const { a, b } = turn;
  const difference =
    a?.reply === undefined || b?.reply === undefined ? null : textDifference(a.reply, b.reply);
  const isSameQuestion = a !== undefined && b !== undefined && a.question === b.question;
  return (
    <section
      className={isParting ? "pair-turn parting" : "pair-turn"}
      aria-label={`node ${a?.node ?? b?.node}`}
    >
      <h3>
        <PlainText text={a?.node ?? b?.node ?? ""} />
        {isParting && <span className="mark-wrong"> here they part</span>}
      </h3>
      {isSameQuestion && (
        <p className="muted">
          <PlainText text={a.question} />
        </p>
      )}
      <div className="pair-line">
        <Side turn={a} pieces={difference?.[0]} hasQuestion={!isSameQuestion} />
        <Side turn={b} pieces={difference?.[1]} hasQuestion={!isSameQuestion} />
      </div>
    </section>
  );
}

function Side({
  turn,
  pieces,
  hasQuestion,
}: {
  readonly turn: TurnView | undefined;
  readonly pieces: readonly Piece[] | undefined;
  readonly hasQuestion: boolean;
}): ReactNode {
  if (turn === undefined) return <div className="muted">did not come here</div>;
  return (
    <div>
      {hasQuestion && (
        <p className="muted">
          <PlainText text={turn.question} />
        </p>
      )}
      <div className="reply">
        {pieces === undefined ? (
          <LongText text={turn.reply ?? "no answer"} />
        ) : (
          <div className="long-text" dir="auto">
            {pieces.map(({ text, isShared }, index) =>
              isShared ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text are known by their place.
                <PlainText key={index} text={text} />
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text are known by their place.
                <mark key={index} className="different">
                  <PlainText text={text} />
                </mark>
              ),
            )}
          </div>
        )}
      </div>
      <div>
        <VerdictMark look={lookOf(turn.verdict)} hasWord />{" "}
        {turn.fields.map(({ name, value, result }) => (
          <span key={name} className="muted">
            <PlainText text={`${name} = ${value === undefined || value === null ? "–" : valueText(value)}`} />{" "}
            <VerdictMark look={resultLook(result)} />{" "}
          </span>
        ))}
        {turn.next !== undefined && (
          <span className="muted">
            → <PlainText text={turn.next === null ? "ends" : nodeName(turn.next)} />
          </span>
        )}
      </div>
    </div>
  );
}
