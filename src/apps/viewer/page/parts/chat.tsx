import { type ReactNode, useEffect, useRef } from "react";
import type { Message } from "../../../../engine/models/message.ts";
import type { ConversationAnswer, TurnView } from "../../answers.ts";
import { turnLook, VerdictMark } from "./marks.tsx";
import { JsonBlock, LongText, PlainText } from "./plain-text.tsx";

/** Replies that the model did not end by itself. */
const CUT_OFF: Readonly<Record<string, string>> = {
  length: "cut off at the token limit",
  content_filter: "cut off by a content filter",
};

/** The transcript: who said what, turn by turn. */
export function Chat({
  data,
  position,
  onSelect,
}: {
  readonly data: ConversationAnswer;
  readonly position: number;
  readonly onSelect: (to: number) => void;
}): ReactNode {
  let instructions: string | undefined;
  return (
    <ol className="chat" aria-label="transcript">
      {data.turns.map((turn, index) => {
        const isNew = turn.instructions !== undefined && turn.instructions !== instructions;
        instructions = turn.instructions ?? instructions;
        return (
          <ChatTurn
            key={turn.turn}
            data={data}
            turn={turn}
            isCurrent={index === position}
            showsInstructions={isNew}
            onSelect={() => onSelect(index)}
          />
        );
      })}
    </ol>
  );
}

function ChatTurn({
  data,
  turn,
  isCurrent,
  showsInstructions,
  onSelect,
}: {
  readonly data: ConversationAnswer;
  readonly turn: TurnView;
  readonly isCurrent: boolean;
  readonly showsInstructions: boolean;
  readonly onSelect: () => void;
}): ReactNode {
  const place = useRef<HTMLLIElement>(null);
  const wasShown = useRef(false);
  useEffect(() => {
    // The first turn of a page is at its top already.
    if (isCurrent && (wasShown.current || turn.turn > 1)) place.current?.scrollIntoView({ block: "nearest" });
    wasShown.current = true;
  }, [isCurrent, turn.turn]);
  const { reply } = turn;
  const marks = turn.fields.flatMap(({ name, quote }) =>
    quote === undefined ? [] : [{ passage: quote, label: name }],
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys select turns, and the button does.
    <li ref={place} className="chat-turn" aria-current={isCurrent ? "step" : undefined} onClick={onSelect}>
      <div className="turn-line">
        <button type="button" className="plain" onClick={onSelect}>
          turn {turn.turn}
        </button>
        <PlainText text={turn.node} />
        {turn.agent !== undefined && (
          <span>
            as <PlainText text={turn.agent} />
          </span>
        )}
        {CUT_OFF[turn.finish ?? ""] !== undefined && (
          <span className="tag mark-unread">{CUT_OFF[turn.finish ?? ""]}</span>
        )}
        {turn.isOfParent && <span className="tag">from the parent, shared by all arms</span>}
        {turn.user !== undefined && turn.user.reveals.length > 0 && (
          <span className="tag">
            <PlainText text={`reveals ${turn.user.reveals.join(", ")}`} />
          </span>
        )}
        {turn.user?.done && <span className="tag">the user is done</span>}
        {turn.model !== undefined && turn.model !== data.cell.subject && <PlainText text={turn.model} />}
      </div>
      {showsInstructions && turn.instructions !== undefined && <Said who="system" text={turn.instructions} />}
      {turn.before.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages are known by their place.
        <Given key={index} message={message} />
      ))}
      <Said who={turn.user === undefined ? "user" : "simulated user"} text={turn.question} />
      {turn.steps.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages are known by their place.
        <Step key={index} message={message} />
      ))}
      {reply === undefined ? (
        <Row who="model" mark={<VerdictMark look={turnLook(turn, data)} />}>
          <span className="muted">{data.status === null ? "not answered yet" : "no answer"}</span>
        </Row>
      ) : (
        <Row who="model" mark={<VerdictMark look={turnLook(turn, data)} />}>
          {reply.trim() === "" ? (
            <span className="muted">an empty reply</span>
          ) : (
            <LongText text={reply} marks={marks} />
          )}
        </Row>
      )}
    </li>
  );
}

function Row({
  who,
  mark,
  children,
}: {
  readonly who: string;
  readonly mark?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className={`said ${who.replaceAll(" ", "-")}`}>
      <span className="who">{who}</span>
      <div className="words">{children}</div>
      <span className="verdict">{mark}</span>
    </div>
  );
}

function Said({ who, text }: { readonly who: string; readonly text: string }): ReactNode {
  return (
    <Row who={who}>
      <LongText text={text} />
    </Row>
  );
}

/** What was there before the question, and no model said in this conversation. */
function Given({ message }: { readonly message: Message }): ReactNode {
  if (message.role === "tool") return <Step message={message} />;
  return (
    <Row who={`given ${message.role === "user" ? "user" : "model"}`}>
      <LongText text={message.content} />
    </Row>
  );
}

/** What a model did before its reply: tools it called, and what they answered. */
function Step({ message }: { readonly message: Message }): ReactNode {
  if (message.role === "user") return <Said who="user" text={message.content} />;
  if (message.role === "tool")
    return message.results.map(({ id, name, output, isError }) => (
      <Row key={id} who={isError ? "tool error" : "tool"}>
        <PlainText text={name} /> <JsonBlock value={output} />
      </Row>
    ));
  return (
    <>
      {message.content !== "" && <Said who="model" text={message.content} />}
      {(message.toolCalls ?? []).map(({ id, name, input }) => (
        <Row key={id} who="calls">
          <PlainText text={name} /> <JsonBlock value={input} />
        </Row>
      ))}
    </>
  );
}
