import { type ReactNode, useState } from "react";
import type { CallAnswer, CallView, ConversationAnswer, TurnView } from "../../answers.ts";
import { answerPath, factOf, source, useAnswer } from "../source.ts";
import { costText, countedText, durationText } from "./figures.tsx";
import { JsonBlock, PlainText } from "./plain-text.tsx";
import { Awaited } from "./states.tsx";

/** What a turn took: each call on a time line, with its request and response on demand. */
export function CallLines({
  data,
  turn,
}: {
  readonly data: ConversationAnswer;
  readonly turn: TurnView;
}): ReactNode {
  const { calls, retries } = turn;
  if (calls.length === 0) return <span className="muted">none recorded</span>;
  const start = Math.min(
    turn.startedAt ?? Number.POSITIVE_INFINITY,
    ...calls.map(({ startedAt }) => startedAt),
  );
  const end = Math.max(...calls.map(({ startedAt, endedAt }) => endedAt ?? startedAt));
  return (
    <>
      <ul className="bare calls">
        {calls.map((call) => (
          <Call key={call.call} data={data} call={call} start={start} span={Math.max(end - start, 1)} />
        ))}
      </ul>
      {retries.map(({ call, attempt, category, message, delayMs }) => (
        <div key={`${call} ${attempt}`} className="muted">
          {call}: attempt {attempt} failed ({category.replaceAll("_", " ")}), again after{" "}
          {durationText(delayMs)}: <PlainText text={message} />
        </div>
      ))}
    </>
  );
}

function Call({
  data,
  call,
  start,
  span,
}: {
  readonly data: ConversationAnswer;
  readonly call: CallView;
  readonly start: number;
  readonly span: number;
}): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const waited = call.startedAt - start;
  const took = (call.endedAt ?? call.startedAt) - call.startedAt;
  const tokens = (call.inputTokens ?? 0) + (call.outputTokens ?? 0);
  const times = `began ${durationText(waited)} after the turn, took ${durationText(took)}`;
  return (
    <li>
      <div className="call">
        <span>
          {call.purpose}{" "}
          <span className="muted">
            {call.model === data.cell.subject ? "" : <PlainText text={call.model} />}
          </span>
        </span>
        <span className="timeline" role="img" aria-label={times} title={times}>
          <span
            className={call.purpose}
            style={{ left: `${(waited / span) * 100}%`, width: `${Math.max(1, (took / span) * 100)}%` }}
          />
        </span>
      </div>
      <div className="facts">
        <span>{call.cached ? "from the store" : durationText(call.latencyMs)}</span>
        {waited >= 1 && <span>waited {durationText(waited)}</span>}
        {tokens > 0 && <span>{countedText(tokens, "token")}</span>}
        {!call.cached && call.purpose !== "tool" && <span>{costText(call.cost)}</span>}
        {call.attempts !== null && call.attempts > 1 && <span>{call.attempts} attempts</span>}
        <span>
          <button type="button" className="plain" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? "hide request and response" : "request and response"}
          </button>
        </span>
      </div>
      {call.failure !== null && (
        <div className="mark-error">
          ! <PlainText text={call.failure} />
        </div>
      )}
      {isOpen && <CallTexts data={data} call={call.call} />}
    </li>
  );
}

function CallTexts({ data, call }: { readonly data: ConversationAnswer; readonly call: string }): ReactNode {
  const path = answerPath(["runs", data.run, "conversations", data.conversation, "calls", call]);
  const answer = useAnswer<CallAnswer>(path);
  return (
    <Awaited answer={answer} what="the call">
      {({ request, reply }) =>
        request === null && reply === null ? (
          <p className="muted">
            {source().isExport && factOf("texts") === "no"
              ? "Requests and responses are texts, and this export has none."
              : "This call is not kept: simulated models are not recorded, nor are tools."}
          </p>
        ) : (
          <>
            <h4>request</h4>
            <JsonBlock value={request} />
            <h4>response</h4>
            <JsonBlock value={reply} />
          </>
        )
      }
    </Awaited>
  );
}
