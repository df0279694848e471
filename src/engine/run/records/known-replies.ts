import { isRecord, withoutUndefined } from "../../../core/values/json.ts";
import type { RunFailure } from "../../journal/failure.ts";
import type { ConversationStop, TurnReply, TurnUser } from "../../journal/run-event.ts";
import { NOTHING_SPENT } from "../../journal/spending.ts";
import type { TurnLabels } from "../../journal/turn.ts";
import type { Message } from "../../models/message.ts";
import type { Model } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { RecordedConversation } from "../recorded-conversation.ts";
import type { AskEffect, SimulateEffect } from "../step/conversation-state.ts";
import type { GivenRecord, GivenTurn } from "./given-record.ts";

/** Why a conversation ends at a question. */
export interface KnownStop {
  readonly stop: Pick<ConversationStop, "status" | "failure">;
  /** True if the question counts as asked all the same. */
  readonly isAsked?: true;
}

/** The reply to a question, and the model that gave it if that is known. */
export type KnownReply = Omit<TurnReply, "type" | "conversation" | "turn"> & { readonly model?: string };

/** The replies of a conversation that exists already. Null where the subject or the simulator is to be asked. */
export interface KnownReplies {
  /** True if they may be asked after all, once the conversation goes another way. */
  readonly mayAsk: boolean;
  reply(effect: AskEffect): KnownReply | KnownStop | null;
  /** What the simulated user wrote. */
  user(effect: SimulateEffect): Pick<TurnUser, "text" | "reveals" | "done"> | KnownStop | null;
  /** How many turns it has that the conversation has not asked for. */
  left(asked: number): number;
}

/** The replies of a stored run that is graded again; with `reruns`, the subject is asked once a conversation takes another edge. */
export function storedReplies({ turns, stop }: RecordedConversation, reruns: boolean): KnownReplies {
  const stopped = stop === null ? null : withoutUndefined({ status: stop.status, failure: stop.failure });
  // An arm of a fork begins after the turns of its parent.
  const turnAt = (turn: number) => turns[turn - (turns[0]?.turn ?? turn)];
  const other = (node: string): KnownStop | null => {
    if (reruns) return null;
    const message = `The question at "${node}" was not asked at this point before.`;
    return { stop: { status: "cancelled", failure: { category: "cancelled", stage: "run", message } } };
  };
  return {
    mayAsk: reruns,
    reply({ turn, node, added }) {
      const before = turnAt(turn);
      const isNext = turn === (turns.at(-1)?.turn ?? turn - 1) + 1;
      if (before === undefined && stopped !== null && isNext) return { stop: stopped };
      const isSame =
        before?.messages === undefined || JSON.stringify(before.messages) === JSON.stringify(added);
      if (before?.node !== node || !isSame) return other(node);
      const { reply = "", replyMessages: messages = [], reportedCalls, finish = "" } = before;
      const { stepLimit, labels, model } = before;
      const spending = { ...NOTHING_SPENT, cached: 1 };
      return withoutUndefined({ reply, messages, reportedCalls, finish, stepLimit, labels, model, spending });
    },
    user({ turn, node }) {
      const before = turnAt(turn);
      if (before?.user !== undefined && before.node === node)
        return { text: before.questionText ?? "", reveals: before.user.reveals, done: before.user.done };
      return !reruns && stopped !== null && turn > turns.length ? { stop: stopped } : other(node);
    },
    left: () => 0,
  };
}

/**
 * The replies of a record, which is read along with the conversation, up to where the two first differ. `before` is how many turns came
 * before the record: an arm of a fork has those of its parent.
 */
export function recordReplies(
  { messages = [], turns }: Pick<GivenRecord, "messages" | "turns">,
  before = 0,
): KnownReplies {
  const spoken = messages.filter(({ role }) => role !== "system");
  /** The next message. */
  let at = 0;
  const nextOfUser = (from: number): number =>
    spoken.findIndex(({ role }, index) => index >= from && role === "user");

  const turnReply = (effect: AskEffect, given: GivenTurn | undefined, count: number): KnownReply | string => {
    const { turn, node, added } = effect;
    if (given === undefined)
      return `Turn ${turn}: the scenario asks "${node}", but the record has only ${counted(count, "turn")}.`;
    if (given.node !== undefined && given.node !== node)
      return `Turn ${turn}: the scenario asks "${node}", but the record has "${given.node}".`;
    const question = lastText(added);
    if (given.question !== undefined && !isSame(given.question, question))
      return differenceOf(turn, question, given.question);
    const labels = labelsOf(given);
    if (given.reply === undefined && labels === undefined)
      return `Turn ${turn}: the record has no reply at "${node}", and nothing that was read of it.`;
    const reply = given.reply ?? "";
    return replyOf(reply, [{ role: "assistant", content: reply }], labels);
  };

  const messageReply = ({ turn, node, added }: AskEffect): KnownReply | string => {
    const question = lastText(added);
    // Examples and messages before the question may be in the record, or not.
    const hasAll = added.every((message, index) => {
      const given = spoken[at + index];
      return given?.role === message.role && "content" in message && isSame(given.content, message.content);
    });
    const start = hasAll ? at + added.length - 1 : at;
    const asked = spoken[start];
    if (asked === undefined || asked.role !== "user")
      return `Turn ${turn}: the scenario asks "${node}", but the record ${asked === undefined ? `ends after ${counted(turn - 1 - before, "turn")}` : `has a message of the ${asked.role} there`}.`;
    if (!isSame(asked.content, question)) return differenceOf(turn, question, asked.content);
    const next = nextOfUser(start + 1);
    const replies = spoken.slice(start + 1, next === -1 ? undefined : next);
    const said = replies.filter(({ role }) => role === "assistant");
    if (said.length === 0) return `Turn ${turn}: the record has no reply to the question at "${node}".`;
    at = next === -1 ? spoken.length : next;
    // Results of tools are not kept: only what the subject said.
    const kept = said.map(({ content }): Message => ({ role: "assistant", content }));
    return replyOf(said.at(-1)?.content ?? "", kept);
  };

  return {
    mayAsk: false,
    reply(effect) {
      const found =
        turns === undefined
          ? messageReply(effect)
          : turnReply(effect, turns[effect.turn - 1 - before], turns.length);
      return typeof found === "string" ? { ...mismatch(found, effect), isAsked: true } : found;
    },
    /** A record does not say what is revealed, unless it has turns that do. */
    user(effect) {
      const given = turns?.[effect.turn - 1 - before];
      const next = turns === undefined ? nextOfUser(at) : -1;
      if (given?.question !== undefined) {
        const { reveals = [], done = false } = given.user ?? {};
        return { text: given.question, reveals, done };
      }
      if (next !== -1)
        return { text: spoken[next]?.content ?? "", reveals: [], done: nextOfUser(next + 1) === -1 };
      const { turn, node } = effect;
      return mismatch(
        `Turn ${turn}: the simulated user speaks at "${node}", but the record has no message of the user there.`,
        effect,
      );
    },
    left: (asked) =>
      turns === undefined
        ? spoken.slice(at).filter(({ role }) => role === "user").length
        : Math.max(0, turns.length + before - asked),
  };
}

function mismatch(message: string, { turn, node }: AskEffect | SimulateEffect): KnownStop {
  const failure: RunFailure = { category: "mismatch", stage: "record", message, node, turn };
  return { stop: { status: "record_mismatch", failure } };
}

function replyOf(reply: string, messages: readonly Message[], labels?: TurnLabels): KnownReply {
  return withoutUndefined({ reply, messages, finish: "recorded", labels, spending: NOTHING_SPENT });
}

/** The labels of a turn, which replace rules and judges; undefined without any. */
export function labelsOf({ parsed, verify_result, rubric, refused }: GivenTurn): TurnLabels | undefined {
  const labels = withoutUndefined({ parsed, verifyResult: verify_result, rubric, refused });
  return Object.keys(labels).length === 0 ? undefined : labels;
}

function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last !== undefined && "content" in last ? last.content : "";
}

/** Line ends, and white space at the ends of lines and of the text, say nothing. */
function isSame(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
}

/** How much of two texts is shown around the first difference. */
const SHOWN = 40;

function differenceOf(turn: number, expected: string, found: string): string {
  const [one, other] = [plain(expected), plain(found)];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(0, at - SHOWN / 2);
  const piece = (text: string): string => {
    const shown = text.slice(from, from + SHOWN);
    return JSON.stringify(`${from > 0 ? "…" : ""}${shown}${from + SHOWN < text.length ? "…" : ""}`);
  };
  return `Turn ${turn}: the questions differ at character ${at + 1}: the scenario asks ${piece(one)}, the record has ${piece(other)}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const STORED = "stored";

/** Takes the place of a subject that is not asked. */
export function silentModel(name: string): Model {
  return {
    name,
    identity: { provider: STORED, model: name },
    account: STORED,
    price: null,
    reply: () => Promise.reject(new ModelError("cancelled", `${name} is not asked again.`)),
  };
}

/** True of the identity of a model that takes the place of a subject. */
export function isSilent(identity: unknown): boolean {
  return isRecord(identity) && identity.provider === STORED;
}
