import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { foldTurn } from "../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import { Conversation } from "../../journal/fold/conversation.ts";
import { noticeIn } from "../../journal/fold/run.ts";
import type { RunEventBody } from "../../journal/run-event.ts";
import { type FinishedTurn, isFinishedTurn, type Turn } from "../../journal/turn.ts";
import { paintedLines, type TextOptions } from "../../report/text/text-blocks.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type PlayQuestion, playQuestion, spokenText } from "./play-question.ts";
import { playReading } from "./play-reading.ts";

/** What the screen must know of the session. */
export interface PlayScreenOptions {
  readonly definition: ScenarioDefinition;
  /** True if a judge model reads replies at a node. */
  readonly isJudged: (node: string) => boolean;
  /** True if the question of a turn has been shown, because the person has to do with it. */
  readonly hasShown: (turn: Turn) => boolean;
  /** True if the person gives the reply, which is then not shown again. */
  readonly answersBy: (model: string) => boolean;
  /** True once the person wants to leave. */
  readonly isLeaving: () => boolean;
}

/**
 * Shows a conversation while it runs, in the order of its turns: a turn is shown to its end before the next one begins, even if
 * the engine is further already.
 */
export class PlayScreen {
  /** What has happened so far. */
  readonly conversation: Conversation = new Conversation();
  readonly #terminal: Terminal;
  readonly #options: PlayScreenOptions;
  /** The first turn that is not shown to its end, and what of it is shown. */
  #turn = 1;
  #isAsked = false;
  #isAnswered = false;
  #before: ScenarioState = INITIAL_STATE;
  #instructions: string | undefined;
  #waiting: readonly { readonly turn: number; readonly resolve: () => void }[] = [];

  constructor(terminal: Terminal, options: PlayScreenOptions) {
    this.#terminal = terminal;
    this.#options = options;
  }

  get #isOver(): boolean {
    return this.conversation.status !== null;
  }

  /** Shows a question; a system prompt only if it is another than before. */
  question({ instructions, ...question }: PlayQuestion): void {
    const isNew = instructions !== undefined && instructions !== this.#instructions;
    this.#instructions = instructions;
    this.#write(playQuestion(isNew ? { ...question, instructions } : question, this.#layout));
  }

  /** Says how something is done, in the margin. */
  hint(text: string): void {
    const { style, width } = this.#layout;
    this.#write(lines(paintedLines(text, width, style.dim)));
  }

  /** Resolves once all of a turn is shown, or nothing more will be. */
  shown(turn: number): Promise<void> {
    if (turn < this.#turn || this.#isOver) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = [...this.#waiting, { turn, resolve }];
    return promise;
  }

  onEvent(event: RunEventBody): void {
    this.conversation.apply(event);
    const notice = noticeIn(event);
    if (notice !== undefined) {
      const again = "delayMs" in notice ? ` Trying again in ${Math.ceil(notice.delayMs / 1000)} s.` : "";
      this.#remark(`${notice.message}${again}`);
    }
    this.#showNew();
  }

  #showNew(): void {
    const { conversation } = this;
    for (let turn = conversation.turn(this.#turn); turn !== undefined; turn = conversation.turn(this.#turn)) {
      this.#showSpoken(turn);
      if (!isFinishedTurn(turn) || (turn.hop === undefined && !this.#isOver)) break;
      this.#showReading(turn);
      ({ state: this.#before } = foldTurn(this.#before, turn));
      this.#turn++;
      this.#isAsked = false;
      this.#isAnswered = false;
    }
    for (const { turn, resolve } of this.#waiting) if (turn < this.#turn || this.#isOver) resolve();
    this.#waiting = this.#waiting.filter(({ turn }) => turn >= this.#turn && !this.#isOver);
  }

  /** What models ask and answer; the person knows what the person said. */
  #showSpoken(turn: Turn): void {
    const { model, reply } = turn;
    if (model === undefined) return;
    const { style, width } = this.#layout;
    const isPersons = this.#options.answersBy(model);
    if (!this.#isAsked) {
      this.#isAsked = true;
      if (!this.#options.hasShown(turn)) this.question(questionOf(turn));
      if (!isPersons) this.#write(`${style.dim(`${printableText(model)}:`)}\n`);
    }
    if (reply === undefined || isPersons || this.#isAnswered) return;
    this.#isAnswered = true;
    const isEmpty = reply.trim() === "";
    this.#write(isEmpty ? `  ${style.yellow("an empty reply")}\n` : spokenText(reply, { width, indent: 2 }));
  }

  #showReading(turn: Turn & FinishedTurn): void {
    // What was still being read when the person left has no verdict, which says nothing.
    const { definition, isJudged, isLeaving } = this.#options;
    if (isLeaving() && turn.judgeFailure?.category === "cancelled") return;
    const reading = { turn, definition, isJudged: isJudged(turn.node), before: this.#before };
    this.#write(playReading(reading, this.#layout));
  }

  #remark(text: string): void {
    const { style, width } = this.#terminal.messages;
    this.#terminal.messages.write(lines(paintedLines(text, width, style.yellow)));
  }

  /** As of now: terminals change their size. */
  get #layout(): TextOptions {
    const { style, width } = this.#terminal.output;
    return { style, width };
  }

  #write(text: string): void {
    this.#terminal.output.write(text);
  }
}

function questionOf({ node, turn, agent, instructions, questionText }: Turn): PlayQuestion {
  return {
    node,
    turn,
    ...(agent === undefined ? {} : { agent }),
    ...(instructions === undefined ? {} : { instructions }),
    text: questionText ?? "",
  };
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
