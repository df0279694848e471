import { type ReactNode, useState } from "react";
import { wilson } from "../../../../core/statistics/proportions.ts";
import type { FoundTurn } from "../../../../engine/journal/store/run-browser.ts";
import type { ConversationAnswer, FieldView, ReviewAnswer, TurnView } from "../../answers.ts";
import { Alert, Choice, type Key, useKeys } from "../parts/controls.tsx";
import { countedText, countText, Explain, percentText, rangeText, valueText } from "../parts/figures.tsx";
import { lookOf, VerdictMark } from "../parts/marks.tsx";
import { LongText, PlainText } from "../parts/plain-text.tsx";
import { Awaited, Empty } from "../parts/states.tsx";
import { changeSettings, hashOf, type Route, type RunPageParts, type Settings } from "../routing.ts";
import { answerPath, send, useAnswer } from "../source.ts";

type LabelValue = boolean | number | string | null;

const KINDS: Readonly<Record<string, string>> = {
  random: "a random sample",
  unreadable: "unread",
  disagree: "judges of a panel disagree",
};

/** Was the judge right? A person goes through turns, one at a time. */
export function ReviewPage({ route, run }: RunPageParts): ReactNode {
  const { kind = "random", count = "50", seed = "1" } = route.settings;
  const answer = useAnswer<ReviewAnswer>(answerPath(["runs", run, "review"], { kind, count, seed }));
  const set = (changes: Settings): void => changeSettings(route, { at: undefined, ...changes });
  return (
    <>
      <div className="head">
        <h1>Review</h1>
        <span className="controls">
          <Choice
            name="turns"
            value={kind}
            options={Object.keys(KINDS)}
            words={(name) => KINDS[name] ?? name}
            onChange={(value) => set({ kind: value })}
          />
          <label>
            how many
            <input
              type="number"
              min="1"
              max="1000"
              value={count}
              onChange={(event) => set({ count: event.target.value })}
            />
          </label>
          {kind === "random" && (
            <button type="button" onClick={() => set({ seed: String(Number(seed) + 1) })}>
              Another sample
            </button>
          )}
        </span>
      </div>
      <Awaited answer={answer} what="the turns">
        {(data) =>
          data.turns.length === 0 ? (
            <Empty title="Nothing to review">
              <p>
                {kind === "random"
                  ? "No turn of this run has a verdict or traits."
                  : `There is no turn of this kind: ${KINDS[kind] ?? kind}.`}
              </p>
            </Empty>
          ) : (
            <Review key={`${kind} ${count} ${seed}`} run={run} data={data} route={route} />
          )
        }
      </Awaited>
    </>
  );
}

function keyOf(turn: Pick<FoundTurn, "conversation" | "turn">, field: string): string {
  return JSON.stringify([turn.conversation, turn.turn, field]);
}

function Review({
  run,
  data,
  route,
}: {
  readonly run: string;
  readonly data: ReviewAnswer;
  readonly route: Route;
}): ReactNode {
  const own = data.labels.filter(({ who }) => who === data.who);
  const [labels, setLabels] = useState(
    () => new Map(own.map((label) => [keyOf(label, label.field), label.value])),
  );
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, boolean | null>>(new Map());
  const [problem, setProblem] = useState<string>();
  const at = Math.min(Math.max(Number(route.settings.at ?? 1) - 1 || 0, 0), data.turns.length - 1);
  const current = data.turns[at] as FoundTurn;
  const answer = useAnswer<ConversationAnswer>(
    answerPath(["runs", run, "conversations", current.conversation]),
  );
  const go = (to: number): void => {
    if (to >= 0 && to < data.turns.length) changeSettings(route, { at: String(to + 1) });
  };
  const label = (field: string, value: LabelValue): void => {
    const key = keyOf(current, field);
    setLabels((before) => new Map(before).set(key, value));
    const { conversation, turn } = current;
    send("POST", answerPath(["runs", run, "labels"]), { conversation, turn, field, value }).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <>
      {problem !== undefined && <Alert text={`Not saved: ${problem}`} />}
      <Awaited answer={answer} what="the turn">
        {(conversation) => {
          const turn = conversation.turns.find((one) => one.turn === current.turn);
          return turn === undefined ? (
            <p className="muted">This turn is gone.</p>
          ) : (
            <ReviewedTurn
              key={keyOf(current, "")}
              data={conversation}
              turn={turn}
              labelOf={(field) => labels.get(keyOf(current, field))}
              onLabel={(field, value) => {
                if (field === "verify_result")
                  setVerdicts((before) => new Map(before).set(keyOf(current, field), verdictOf(turn)));
                label(field, value);
              }}
              onStep={(by) => go(at + by)}
            />
          );
        }}
      </Awaited>
      <Agreement labels={labels} verdicts={verdicts} at={at} count={data.turns.length} />
    </>
  );
}

/** A field, or a trait as `rubric.<name>`. */
type Labelled = Pick<FieldView, "name" | "value" | "expected" | "choices">;

interface TurnParts {
  readonly data: ConversationAnswer;
  readonly turn: TurnView;
  /** Undefined if there is none yet. */
  readonly labelOf: (field: string) => LabelValue | undefined;
  readonly onLabel: (field: string, value: LabelValue) => void;
  readonly onStep: (by: 1 | -1) => void;
}

function verdictOf({ verdict }: TurnView): boolean | null {
  return verdict === "pass" ? true : verdict === "fail" ? false : null;
}

interface VerdictLabel {
  readonly key: string;
  readonly words: string;
  readonly value: boolean | null;
}

/** What can be said about a verdict. Whether an unreadable reply is right or wrong does not follow from "no". */
function verdictLabels(verdict: boolean | null): readonly VerdictLabel[] {
  if (verdict !== null)
    return [
      { key: "y", words: "verdict is right", value: verdict },
      { key: "n", words: "verdict is wrong", value: !verdict },
    ];
  return [
    { key: "y", words: "nothing can be read", value: null },
    { key: "r", words: "the reply is right", value: true },
    { key: "w", words: "the reply is wrong", value: false },
  ];
}

function ReviewedTurn({ data, turn, labelOf, onLabel, onStep }: TurnParts): ReactNode {
  const [isShown, setIsShown] = useState(false);
  const hasVerdict = turn.verdict !== "unverified";
  const verdicts = hasVerdict ? verdictLabels(verdictOf(turn)) : [];
  const labelled: readonly Labelled[] = [
    ...turn.fields,
    ...turn.traits.map((trait) => ({ ...trait, name: `rubric.${trait.name}`, expected: null })),
  ];
  const options = labelled.flatMap((field) => field.choices.map((value) => ({ field, value }))).slice(0, 9);
  const keys: readonly Key[] = [
    ...verdicts.map(({ key, words, value }) => ({
      key,
      about: words,
      action: () => onLabel("verify_result", value),
    })),
    ...options.map(({ field, value }, index) => ({
      key: String(index + 1),
      about: `${field.name} is ${valueText(value)}`,
      action: () => onLabel(field.name, value as LabelValue),
    })),
    { key: "e", about: "show what is expected", action: () => setIsShown((before) => !before) },
    { key: "u", about: "back, to change the last answer", action: () => onStep(-1) },
    { key: " ", about: "next turn", action: () => onStep(1) },
  ];
  useKeys(keys);
  return (
    <article className="review">
      <p className="muted">
        <a href={hashOf(["run", data.run, "conversation", data.conversation], { turn: String(turn.turn) })}>
          <PlainText text={`${data.cell.scenario}, ${data.place}, turn ${turn.turn}, ${turn.node}`} />
        </a>
      </p>
      <div className="review-question">
        <LongText text={turn.question} />
      </div>
      <div className="review-reply">
        <LongText text={turn.reply ?? "no answer"} />
      </div>
      {hasVerdict && (
        <p>
          The verdict: <VerdictMark look={lookOf(turn.verdict)} hasWord />
        </p>
      )}
      <div className="controls">
        {verdicts.map(({ key, words, value }) => (
          <button
            key={key}
            type="button"
            aria-pressed={labelOf("verify_result") === value}
            onClick={() => onLabel("verify_result", value)}
          >
            <kbd>{key}</kbd> {words}
          </button>
        ))}
        <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          <kbd>e</kbd> {isShown ? "hide" : "show"} what is expected
        </button>
      </div>
      {labelled.map((field) => (
        <FieldChoices
          key={field.name}
          field={field}
          isShown={isShown}
          options={options}
          isChosen={(value) => labelOf(field.name) === value}
          onLabel={(value) => onLabel(field.name, value)}
        />
      ))}
      <div className="controls review-step">
        <button type="button" onClick={() => onStep(-1)}>
          <kbd>u</kbd> back
        </button>
        <button type="button" onClick={() => onStep(1)}>
          <kbd>space</kbd> next
        </button>
      </div>
    </article>
  );
}

function FieldChoices({
  field,
  isShown,
  options,
  isChosen,
  onLabel,
}: {
  readonly field: Labelled;
  readonly isShown: boolean;
  readonly options: readonly { readonly field: Labelled; readonly value: unknown }[];
  readonly isChosen: (value: unknown) => boolean;
  readonly onLabel: (value: LabelValue) => void;
}): ReactNode {
  return (
    <div className="review-field">
      <p>
        <PlainText text={field.name} /> was read as{" "}
        <strong>
          <PlainText text={(field.value ?? null) === null ? "nothing" : valueText(field.value)} />
        </strong>
        {isShown && field.expected !== null && (
          <span className="muted">
            , expected <PlainText text={field.expected} />
          </span>
        )}
      </p>
      <div className="controls">
        {field.choices.map((value) => {
          const place = options.findIndex((option) => option.field === field && option.value === value);
          return (
            <button
              key={valueText(value)}
              type="button"
              aria-pressed={isChosen(value)}
              onClick={() => onLabel(value as LabelValue)}
            >
              {place >= 0 && <kbd>{place + 1}</kbd>} <PlainText text={valueText(value)} />
            </button>
          );
        })}
        <button type="button" aria-pressed={isChosen(null)} onClick={() => onLabel(null)}>
          nothing can be read
        </button>
      </div>
    </div>
  );
}

function Agreement({
  labels,
  verdicts,
  at,
  count,
}: {
  readonly labels: ReadonlyMap<string, LabelValue>;
  readonly verdicts: ReadonlyMap<string, boolean | null>;
  readonly at: number;
  readonly count: number;
}): ReactNode {
  const judged = [...verdicts].filter(([key]) => labels.has(key));
  const agreed = judged.filter(([key, verdict]) => labels.get(key) === verdict).length;
  const interval = wilson(agreed, judged.length);
  return (
    <p className="review-foot" aria-live="polite">
      turn {countText(at + 1)} of {countText(count)} ·{" "}
      {judged.length === 0 ? (
        "no verdict labelled yet in this session"
      ) : (
        <Explain text="Of the verdicts that you have labelled here, the share that you agree with, with its 95 % interval.">
          you agree with {percentText(agreed / judged.length)} {rangeText(interval)} of{" "}
          {countedText(judged.length, "verdict")}
        </Explain>
      )}
    </p>
  );
}
