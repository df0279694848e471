import type { TurnReply, TurnUser } from "../../journal/run-event.ts";
import { NOTHING_SPENT } from "../../journal/spending.ts";
import type { TurnLabels } from "../../journal/turn.ts";
import type { Message } from "../../models/message.ts";
import type { AskEffect } from "../step/conversation-state.ts";
import type { GivenMessage, GivenRecord, GivenTurn } from "./given-record.ts";

/** The answer that a record has to a question. */
type RecordAnswer = Pick<TurnReply, "reply" | "messages" | "finish" | "labels" | "spending">;

/** Reads a record along with a conversation: one answer for each question, or where the two first differ. */
export class RecordedAnswers {
  readonly #turns: readonly GivenTurn[] | undefined;
  readonly #messages: readonly GivenMessage[];
  /** The next message. */
  #at = 0;

  /** How many turns came before the record: an arm of a fork has those of its parent. */
  readonly #before: number;

  constructor({ messages = [], turns }: Pick<GivenRecord, "messages" | "turns">, before = 0) {
    this.#before = before;
    this.#turns = turns;
    this.#messages = messages.filter(({ role }) => role !== "system");
  }

  /** The answer to a question, or the first difference in a sentence. */
  answer(effect: AskEffect): RecordAnswer | { readonly difference: string } {
    return this.#turns === undefined ? this.#messageAnswer(effect) : this.#turnAnswer(effect, this.#turns);
  }

  /** What the user says next according to the record; undefined if it says nothing. The record does not say what is revealed. */
  userMessage(turn: number): Pick<TurnUser, "text" | "reveals" | "done"> | undefined {
    if (this.#turns !== undefined) {
      const given = this.#turns[turn - 1 - this.#before];
      if (given?.question === undefined) return undefined;
      const { reveals = [], done = false } = given.user ?? {};
      return { text: given.question, reveals, done };
    }
    const at = this.#messages.findIndex(({ role }, index) => index >= this.#at && role === "user");
    const isLast = !this.#messages.some(({ role }, index) => index > at && role === "user");
    return at === -1 ? undefined : { text: this.#messages[at]?.content ?? "", reveals: [], done: isLast };
  }

  /** How many turns of the record the conversation has not asked for. */
  left(asked: number): number {
    if (this.#turns !== undefined) return Math.max(0, this.#turns.length + this.#before - asked);
    return this.#messages.slice(this.#at).filter(({ role }) => role === "user").length;
  }

  #turnAnswer(
    { turn, node, added }: AskEffect,
    turns: readonly GivenTurn[],
  ): RecordAnswer | { readonly difference: string } {
    const given = turns[turn - 1 - this.#before];
    if (given === undefined)
      return {
        difference: `Turn ${turn}: the scenario asks "${node}", but the record has only ${counted(turns.length, "turn")}.`,
      };
    if (given.node !== undefined && given.node !== node)
      return { difference: `Turn ${turn}: the scenario asks "${node}", but the record has "${given.node}".` };
    const question = lastText(added);
    if (given.question !== undefined && !isSame(given.question, question))
      return { difference: differenceOf(turn, question, given.question) };
    const labels = labelsOf(given);
    if (given.reply === undefined && labels === undefined)
      return {
        difference: `Turn ${turn}: the record has no reply at "${node}", and nothing that was read of it.`,
      };
    const reply = given.reply ?? "";
    return answerOf(reply, [{ role: "assistant", content: reply }], labels);
  }

  #messageAnswer({ turn, node, added }: AskEffect): RecordAnswer | { readonly difference: string } {
    const question = lastText(added);
    // Examples and messages before the question may be in the record, or not.
    const start = this.#startsWith(added) ? this.#at + added.length - 1 : this.#at;
    const asked = this.#messages[start];
    if (asked === undefined || asked.role !== "user")
      return {
        difference: `Turn ${turn}: the scenario asks "${node}", but the record ${asked === undefined ? `ends after ${counted(turn - 1 - this.#before, "turn")}` : `has a message of the ${asked.role} there`}.`,
      };
    if (!isSame(asked.content, question)) return { difference: differenceOf(turn, question, asked.content) };
    const next = this.#messages.findIndex(({ role }, index) => index > start && role === "user");
    const replies = this.#messages.slice(start + 1, next === -1 ? undefined : next);
    const spoken = replies.filter(({ role }) => role === "assistant");
    if (spoken.length === 0)
      return { difference: `Turn ${turn}: the record has no reply to the question at "${node}".` };
    this.#at = next === -1 ? this.#messages.length : next;
    // Results of tools are not kept: only what the subject said.
    const messages = spoken.map(({ content }): Message => ({ role: "assistant", content }));
    return answerOf(spoken.at(-1)?.content ?? "", messages, undefined);
  }

  #startsWith(added: readonly Message[]): boolean {
    return added.every((message, index) => {
      const given = this.#messages[this.#at + index];
      return given?.role === message.role && "content" in message && isSame(given.content, message.content);
    });
  }
}

function answerOf(reply: string, messages: readonly Message[], labels: TurnLabels | undefined): RecordAnswer {
  return {
    reply,
    messages,
    finish: "recorded",
    ...(labels === undefined ? {} : { labels }),
    spending: NOTHING_SPENT,
  };
}

/** The labels of a turn, which replace rules and judges; undefined without any. */
export function labelsOf({ parsed, verify_result, rubric, refused }: GivenTurn): TurnLabels | undefined {
  const labels = {
    ...(parsed === undefined ? {} : { parsed }),
    ...(verify_result === undefined ? {} : { verifyResult: verify_result }),
    ...(rubric === undefined ? {} : { rubric }),
    ...(refused === undefined ? {} : { refused }),
  };
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
