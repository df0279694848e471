import { errorMessage } from "../../../core/error-message.ts";
import { fillTexts } from "../../../core/liquid/fill-texts.ts";
import { TextError } from "../../../core/liquid/text-template.ts";
import type {
  AgentIdentity,
  Handover,
  HandoverMessage,
  ScenarioDefinition,
  ScenarioNode,
} from "../../../core/scenario/definition.ts";
import type { TurnRecord } from "../../../core/state/state.ts";
import { isRecord, typeName } from "../../../core/values/json.ts";
import type { Turn } from "../../journal/turn.ts";
import type { Message } from "../../models/message.ts";
import { extendMessages, noMessages } from "../../models/message-list.ts";

/** A turn as another agent may read of it. */
export type AnsweredTurn = Pick<Turn, "turn" | "agent"> & Required<Pick<Turn, "question" | "reply">>;

/** What one agent has seen of the conversation. */
export interface AgentView {
  readonly messages: readonly Message[];
  /** What the agent itself has said since; put at the end of the messages when it is asked again. */
  readonly said: readonly Message[];
  /** The number of the last turn that the agent knows of. */
  readonly seen: number;
  /** The number of the last turn that a transcript has shown it. */
  readonly told: number;
}

/** The file that a handover by file writes to, in the workspace of the conversation. */
export const TRANSCRIPT_FILE = "transcript.txt";

/** What an agent has seen before its first turn. */
export const NOTHING_SEEN: AgentView = Object.freeze({
  messages: noMessages(),
  said: Object.freeze([]),
  seen: 0,
  told: 0,
});

/** The name of the agent at a node; empty where the scenario has none. */
export function agentName(identity: AgentIdentity | undefined): string {
  return typeof identity === "string" ? identity : (identity?.name ?? "");
}

/** What leads to a question. */
interface Approach {
  readonly node: ScenarioNode;
  readonly handover: Handover | undefined;
  readonly view: AgentView;
  /** What was said before the first turn, for an agent that is asked for the first time. */
  readonly history: readonly Message[];
  /** The last turns, in order. */
  readonly last: (count: number) => readonly AnsweredTurn[];
  /** How many turns were answered. */
  readonly answered: number;
  /** The turns so far, for a handover that is a function. */
  readonly turns: () => readonly TurnRecord[];
}

/** A question as it will be sent. */
interface PreparedQuestion {
  readonly text: string;
  /** What is sent after the messages that the agent has seen. */
  readonly added: readonly Message[];
  readonly messages: readonly Message[];
  /** What must stand in the transcript file beforehand: all turns. */
  readonly transcript?: readonly AnsweredTurn[];
  /** True if a transcript tells the agent of all turns so far. */
  readonly tells: boolean;
}

/**
 * Brings an agent up to date and puts the question: examples first, the question last. Every turn reaches an agent once as it was, and at
 * most once in a transcript, so that what all agents see together grows with the conversation and not with its square.
 */
export function prepareQuestion(approach: Approach): PreparedQuestion | { readonly problem: string } {
  const { node, view, last, answered } = approach;
  const put = putQuestion(approach);
  if ("problem" in put) return put;
  // Code that writes the messages writes all of them.
  const added: Message[] = put.messages === undefined ? [...approach.history] : [];
  if (put.plainHistory) added.push(...last(answered - view.seen).flatMap(plainTurn));
  for (const { question, answer } of node.question.fewShot ?? [])
    added.push({ role: "user", content: question }, { role: "assistant", content: answer });
  added.push(...(put.messages ?? [{ role: "user", content: put.text } as const]));
  const { text, transcript, tells = false } = put;
  const messages = extendMessages(view.messages, [...view.said, ...added]);
  return { text, added, messages, tells, ...(transcript === undefined ? {} : { transcript }) };
}

interface PutQuestion {
  readonly text: string;
  readonly plainHistory: boolean;
  readonly transcript?: readonly AnsweredTurn[];
  readonly tells?: boolean;
  /** What is sent in place of the text alone. */
  readonly messages?: readonly HandoverMessage[];
}

function putQuestion(approach: Approach): PutQuestion | { readonly problem: string } {
  const { node, handover, view, last, answered } = approach;
  const { question } = node.question;
  if (handover === undefined) return { text: question, plainHistory: true };
  if (typeof handover === "function") return putByFunction(approach, handover);
  // An agent that has missed nothing still gets the turns that no transcript has shown it.
  const turns = (): readonly AnsweredTurn[] =>
    last(answered - (view.seen < answered ? view.seen : view.told));
  const told = { plainHistory: false, tells: true } as const;
  switch (handover) {
    case "transcript_prepend":
      return { text: `${framedTranscript(turns())}\n\n${question}`, ...told };
    case "transcript_append":
      return { text: `${question}\n\n${framedTranscript(turns())}`, ...told };
    case "transcript_materialize":
      return {
        text: `What was said before is in the file ${TRANSCRIPT_FILE} of your workspace.\n\n${question}`,
        transcript: last(answered),
        ...told,
      };
    default:
      return { problem: "The handover is a source string, which runs only within a run." };
  }
}

function putByFunction(
  { node, turns }: Approach,
  handover: Extract<Handover, (...values: never) => unknown>,
): PutQuestion | { readonly problem: string } {
  try {
    const written: unknown = handover(turns(), node.question.question);
    if (typeof written === "string") return { text: written, plainHistory: false };
    if (!Array.isArray(written))
      return {
        problem: `The handover returned ${typeName(written)}, but must return the text of the question or messages.`,
      };
    const messages = written
      .filter(isSpokenMessage)
      .map(({ role, content }) => Object.freeze({ role, content }));
    const last = messages.at(-1);
    if (messages.length < written.length || last?.role !== "user")
      return {
        problem:
          "The handover returned messages, but each must have a role (user or assistant) and a content, and the last must be of the user.",
      };
    return { text: last.content, plainHistory: false, messages };
  } catch (error) {
    return { problem: `The handover threw: ${errorMessage(error)}` };
  }
}

/** True of a message of the user or the assistant with a text. */
export function isSpokenMessage(value: unknown): value is HandoverMessage {
  return (
    isRecord(value) &&
    (value.role === "user" || value.role === "assistant") &&
    typeof value.content === "string"
  );
}

function plainTurn({ question, reply }: AnsweredTurn): readonly Message[] {
  return [
    { role: "user", content: question },
    { role: "assistant", content: reply },
  ];
}

/** Every character that some reader takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * What was said, for an agent that has not seen it. Quoted lines begin with `>`, so that nothing in a question or a reply can
 * pass for a label, or for the end of the transcript.
 */
export function writeTranscript(turns: readonly AnsweredTurn[]): string {
  return turns
    .map(({ turn, agent = "", question, reply }) => {
      const name = agent === "" ? "the assistant" : agent.replaceAll(/\s+/g, " ");
      return `[${turn}] question to ${name}:\n${quoted(question)}\n[${turn}] reply of ${name}:\n${quoted(reply)}`;
    })
    .join("\n");
}

function quoted(text: string): string {
  return text
    .split(LINE_ENDS)
    .map((line) => `> ${line}`)
    .join("\n");
}

/** The transcript with a first and a last line, as it stands in a question. */
function framedTranscript(turns: readonly AnsweredTurn[]): string {
  const opening = "Transcript of what was said before. Lines that begin with > are quoted.";
  return `${opening}\n\n${writeTranscript(turns)}\n\nEnd of the transcript.`;
}

/** The messages before the first turn, with the values of the row; or why there are none. */
export function givenHistory({
  history,
  given = {},
}: ScenarioDefinition): readonly Message[] | { readonly problem: string } {
  if (history === undefined) return [];
  try {
    const filled: unknown = fillTexts(history, { ...given });
    // A column without history is empty.
    if (filled === null || filled === "") return [];
    if (!Array.isArray(filled))
      return { problem: `The history must be a list of messages, not ${typeName(filled)}.` };
    const wrong = filled.findIndex((message) => !isSpokenMessage(message));
    if (wrong === -1)
      return filled.map(({ role, content }: Message & { content: string }) => asMessage(role, content));
    return {
      problem: `Message ${wrong + 1} of the history must have a role (user or assistant) and a content that is text.`,
    };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return { problem: `The history cannot be rendered: ${error.message}.` };
  }
}

function asMessage(role: string, content: string): Message {
  return Object.freeze(role === "user" ? { role: "user", content } : { role: "assistant", content });
}
