import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ConversationAnswer, TurnView } from "../../answers.ts";
import { hashOf } from "../routing.ts";
import { answerPath, useAnswer } from "../source.ts";
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
  const folded = Math.max(0, parting - 1);
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
      {isFolded && (
        <p>
          <button type="button" onClick={() => setIsFolded(false)}>
            Show {countedText(folded, "turn")} before, in which both are the same
          </button>
        </p>
      )}
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
    <div className={isParting ? "pair-turn parting" : "pair-turn"}>
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
    </div>
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
            <PlainText text={`${name} = ${valueText(value)}`} /> <VerdictMark
              look={resultLook(result)}
            />{" "}
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

/** A piece of a text, and whether the other text has it, too. */
interface Piece {
  readonly text: string;
  readonly isShared: boolean;
}

/** Longer texts are not compared word for word. */
const MOST_WORDS = 1_500;

/** Which words of two texts the other one has in the same order. Null if they are too long to compare. */
function textDifference(one: string, other: string): readonly [readonly Piece[], readonly Piece[]] | null {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  if (words.length > MOST_WORDS || others.length > MOST_WORDS) return null;
  const shared = [...stepsThrough(words, others)].flatMap(([index, other]) =>
    index === undefined || other === undefined ? [] : [[index, other] as const],
  );
  return [
    piecesOf(words, new Set(shared.map(([index]) => index))),
    piecesOf(others, new Set(shared.map(([, index]) => index))),
  ];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** A step through two lists: the positions of an item that both have, or of one that only one of them has. */
type Step = readonly [position: number | undefined, other: number | undefined];

/** Goes through two lists side by side, so that as many items as possible stand beside one that is the same. */
function* stepsThrough<Item>(one: readonly Item[], other: readonly Item[]): Generator<Step> {
  const width = other.length + 1;
  /** How many items the rests of both lists have in common, at most. */
  const common = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      common[row * width + column] =
        one[row] === other[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const [hasOne, hasOther] = [row < one.length, column < other.length];
    if (hasOne && hasOther && one[row] === other[column]) yield [row++, column++];
    else if (!hasOther || (hasOne && at(row + 1, column) >= at(row, column + 1))) yield [row++, undefined];
    else yield [undefined, column++];
  }
}

function piecesOf(words: readonly string[], shared: ReadonlySet<number>): readonly Piece[] {
  const pieces: { text: string; isShared: boolean }[] = [];
  for (const [index, text] of words.entries()) {
    const isSpace = /^\s+$/.test(text);
    const last = pieces.at(-1);
    // Spaces go with the word before.
    const isShared = isSpace && last !== undefined ? last.isShared : shared.has(index);
    if (last !== undefined && last.isShared === isShared) last.text += text;
    else pieces.push({ text, isShared });
  }
  return pieces;
}

/** The turns of two conversations side by side; one of them may be missing. */
interface AlignedTurn {
  readonly a: TurnView | undefined;
  readonly b: TurnView | undefined;
}

/** Aligns two conversations node by node: as many turns as possible stand beside one at the same node. */
function alignTurns(a: readonly TurnView[], b: readonly TurnView[]): readonly AlignedTurn[] {
  const nodes = (turns: readonly TurnView[]): readonly string[] => turns.map(({ node }) => node);
  return [...stepsThrough(nodes(a), nodes(b))].map(([row, column]) => ({
    a: row === undefined ? undefined : a[row],
    b: column === undefined ? undefined : b[column],
  }));
}

/** The first place where the two differ: another verdict, another value, another node. The length if they never do. */
function firstDivergence(aligned: readonly AlignedTurn[]): number {
  const found = aligned.findIndex(({ a, b }) => {
    if (a === undefined || b === undefined || a.verdict !== b.verdict || a.next !== b.next) return true;
    return JSON.stringify(valuesOf(a)) !== JSON.stringify(valuesOf(b));
  });
  return found < 0 ? aligned.length : found;
}

function valuesOf({ fields }: TurnView): readonly unknown[] {
  return fields.map(({ name, value }) => [name, value ?? null]);
}
