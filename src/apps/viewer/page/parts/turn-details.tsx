import { type ReactNode, useState } from "react";
import { END } from "../../../../core/scenario/definition.ts";
import type { JsonObject } from "../../../../core/values/json.ts";
import type { ConversationAnswer, EdgeView, FieldView, TurnView } from "../../answers.ts";
import { CallLines } from "./call-lines.tsx";
import { Explain, valueText } from "./figures.tsx";
import { resultLook, turnLook, VerdictMark } from "./marks.tsx";
import { LongText, PlainText } from "./plain-text.tsx";

interface DetailsParts {
  readonly data: ConversationAnswer;
  readonly turn: TurnView;
  /** The state before the turn. */
  readonly before: JsonObject;
  readonly onStep: (by: 1 | -1) => void;
  readonly hasBefore: boolean;
  readonly hasNext: boolean;
  readonly hasGraph: boolean;
  readonly onGraph: () => void;
}

/** One turn explained: what was read, what code says about it, where it led and why, what it took. */
export function TurnDetails(parts: DetailsParts): ReactNode {
  const { data, turn, before } = parts;
  return (
    <>
      <div className="details-head">
        <h2>
          turn {turn.turn} · <PlainText text={turn.node} />
        </h2>
        <span className="controls">
          {([-1, 1] as const).map((by) => (
            <button
              key={by}
              type="button"
              aria-label={by < 0 ? "turn before" : "next turn"}
              disabled={by < 0 ? !parts.hasBefore : !parts.hasNext}
              onClick={() => parts.onStep(by)}
            >
              {by < 0 ? "←" : "→"}
            </button>
          ))}
          <button type="button" aria-pressed={parts.hasGraph} onClick={parts.onGraph}>
            graph
          </button>
        </span>
      </div>
      <Line label="verdict">
        <VerdictMark look={turnLook(turn, data)} hasWord />
        {typeof turn.score === "number" && turn.score > 0 && turn.score < 1 && (
          <span className="muted"> score {turn.score.toFixed(2)}</span>
        )}
        {turn.refused === true && <span className="mark-unread"> the reply declines to answer</span>}
      </Line>
      {turn.fields.length > 0 && (
        <Line label="read">
          <Fields fields={turn.fields} />
        </Line>
      )}
      {turn.traits.length > 0 && (
        <Line label="rubric">
          <ul className="bare">
            {turn.traits.map(({ name, value, reason, description }) => (
              <li key={name}>
                <span title={description}>
                  <PlainText text={name} />
                </span>{" "}
                = <PlainText text={value === null ? "?" : valueText(value)} />
                {reason !== undefined && (
                  <div className="muted">
                    <LongText text={reason} />
                  </div>
                )}
              </li>
            ))}
          </ul>
        </Line>
      )}
      {turn.judgeFailure !== undefined && (
        <Line label="judge">
          <span className="mark-error">
            ! <PlainText text={turn.judgeFailure} />
          </span>
        </Line>
      )}
      {turn.warnings.length > 0 && (
        <Line label="warning">
          {turn.warnings.map(({ code, message }) => (
            <div key={`${code} ${message}`}>
              <PlainText text={message} />
            </div>
          ))}
        </Line>
      )}
      <Line label="next">
        {turn.arms === undefined ? (
          <Hop turn={turn} isOver={data.status !== null} />
        ) : (
          <span>
            forks into <PlainText text={turn.arms.map(nodeName).join(", ")} />, each in a conversation of its
            own
          </span>
        )}
      </Line>
      <Line label="calls">
        <CallLines data={data} turn={turn} />
      </Line>
      <Line label="state">
        <States turn={turn} before={before} />
      </Line>
    </>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="line">
      <h3>{label}</h3>
      <div>{children}</div>
    </div>
  );
}

function Fields({ fields }: { readonly fields: readonly FieldView[] }): ReactNode {
  return (
    <ul className="bare fields">
      {fields.map((field) => (
        <li key={field.name}>
          <PlainText text={field.name} />
          {field.value !== undefined && (
            <>
              {" = "}
              <strong>
                <PlainText text={valueText(field.value)} />
              </strong>
            </>
          )}{" "}
          <VerdictMark look={resultLook(field.result)} hasWord />
          {field.expected !== null && field.result !== true && (
            <span className="muted">
              {" "}
              expected <PlainText text={field.expected} />
            </span>
          )}
          {field.score > 0 && field.score < 1 && (
            <span className="muted"> score {field.score.toFixed(2)}</span>
          )}
          {field.reason !== undefined && (
            <div className="muted">
              <PlainText text={field.reason} />
            </div>
          )}
          {field.quote !== undefined && (
            <div className="muted">
              stated in “<PlainText text={field.quote} />”
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

const NOT_TAKEN: Readonly<Record<EdgeView["result"], string>> = {
  taken: "",
  "not met": "its condition does not hold",
  "not evaluable": "its condition could not be evaluated",
  "not tried": "not tried, because an edge before it was taken",
};

function Hop({
  turn: { edges, next },
  isOver,
}: {
  readonly turn: TurnView;
  readonly isOver: boolean;
}): ReactNode {
  const taken = edges.find(({ result }) => result === "taken");
  const others = edges.filter(({ result }) => result !== "taken");
  if (taken === undefined && next === undefined)
    return <span className="muted">{isOver ? "the conversation ended here" : "not decided yet"}</span>;
  return (
    <>
      {taken === undefined ? (
        <span>
          {next === null || next === undefined ? "ends here: no edge leads on" : `→ ${nodeName(next)}`}
        </span>
      ) : (
        <span>
          →{" "}
          <strong>
            <PlainText text={namesOf(taken)} />
          </strong>{" "}
          {taken.condition !== "" ? (
            <>
              because{" "}
              <code>
                <PlainText text={taken.condition} />
              </code>
            </>
          ) : others.length === 0 ? (
            "the only edge"
          ) : (
            "because no condition holds"
          )}
        </span>
      )}
      {others.length > 0 && (
        <ul className="bare muted">
          {others.map(({ edge, targets, condition, result, reason }) => (
            <li key={edge}>
              not <PlainText text={namesOf({ targets })} />
              {condition !== "" && (
                <>
                  {" "}
                  <code>
                    <PlainText text={condition} />
                  </code>
                </>
              )}
              :{" "}
              <PlainText
                text={
                  reason ?? (condition === "" ? "fallback, taken if no condition holds" : NOT_TAKEN[result])
                }
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** How people call the end of a conversation. */
export function nodeName(id: string): string {
  return id === END ? "END" : id === "" ? '""' : id;
}

function namesOf({ targets }: Pick<EdgeView, "targets">): string {
  return targets.map(nodeName).join(", ");
}

function States({ turn, before }: { readonly turn: TurnView; readonly before: JsonObject }): ReactNode {
  const [shown, setShown] = useState<"before" | "after" | null>(null);
  const state = shown === "before" ? before : turn.state;
  return (
    <>
      <span className="controls">
        {(["before", "after"] as const).map((which) => (
          <button
            key={which}
            type="button"
            aria-pressed={shown === which}
            disabled={which === "after" && turn.state === undefined}
            onClick={() => setShown(shown === which ? null : which)}
          >
            {which}
          </button>
        ))}
        {shown === "after" && (
          <Explain text="What routing sees after this turn. Lines that this turn has changed are marked.">
            changes marked
          </Explain>
        )}
      </span>
      {shown !== null && state !== undefined && (
        <StateTable
          state={state}
          label={`state ${shown} turn ${turn.turn}`}
          {...(shown === "after" ? { before } : {})}
        />
      )}
    </>
  );
}

/** One line for each value of some data, with what has changed since other data. */
function StateTable({
  state,
  before,
  label,
}: {
  readonly state: unknown;
  readonly before?: unknown;
  readonly label: string;
}): ReactNode {
  const lines = linesOf(state);
  const known = before === undefined ? undefined : new Map(linesOf(before));
  return (
    <table className="state-table" aria-label={label}>
      <tbody>
        {lines.map(([path, value]) => {
          const isChanged = known !== undefined && known.get(path) !== value;
          return (
            <tr key={path} className={isChanged ? "changed" : undefined}>
              <th scope="row">
                <LongText text={path} />
              </th>
              <td className="wrap mono">
                <LongText text={value} />
                {isChanged && <span className="hidden"> changed</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The words of state paths, as scenarios write them. */
const NAMES: Readonly<Record<string, string>> = {
  currentNode: "current_node",
  verifyResult: "verify_result",
  nodeVisits: "node_visits",
  nodeResults: "node_results",
};

function linesOf(
  value: unknown,
  path = "",
  lines: (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const isOpen = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isOpen ? Object.entries(value) : [];
  if (!isOpen || (entries.length === 0 && path !== "")) {
    lines.push([path, isOpen ? "{}" : JSON.stringify(value)]);
    return lines;
  }
  for (const [name, part] of entries)
    linesOf(part, path === "" ? (NAMES[name] ?? name) : `${path}.${NAMES[name] ?? name}`, lines);
  return lines;
}
