import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { foldTurn } from "../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import type {
  ConversationEnd,
  Hop,
  OutcomeEvent,
  RunEventBody,
  TurnReply,
  TurnStart,
} from "../../journal/run-event.ts";
import type { TurnResult } from "../../journal/turn-result.ts";
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
  readonly hasShown: (start: TurnStart) => boolean;
  /** True if the person gives the reply, who then need not be shown it. */
  readonly answersBy: (model: string) => boolean;
  /** True once the person wants to leave. */
  readonly isLeaving: () => boolean;
}

interface Draft {
  start?: TurnStart;
  reply?: TurnReply;
  result?: TurnResult;
  hop?: Hop;
  isAsked?: true;
  isAnswered?: true;
}

/**
 * Tells a conversation while it is held, in the order of its turns: a turn is told to its end before the next one is begun,
 * even if the engine is further already.
 */
export class PlayScreen {
  readonly outcomes: OutcomeEvent[] = [];
  readonly #terminal: Terminal;
  readonly #options: PlayScreenOptions;
  readonly #drafts = new Map<number, Draft>();
  #end: ConversationEnd | null = null;
  /** The first turn that is not told to its end. */
  #turn = 1;
  #before: ScenarioState = INITIAL_STATE;
  #instructions: string | undefined;
  #waiting: readonly { readonly turn: number; readonly resolve: () => void }[] = [];

  constructor(terminal: Terminal, options: PlayScreenOptions) {
    this.#terminal = terminal;
    this.#options = options;
  }

  /** Null while the conversation goes on. */
  get end(): ConversationEnd | null {
    return this.#end;
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

  /** Resolves once a turn is told to its end, or nothing more will be. */
  told(turn: number): Promise<void> {
    if (turn < this.#turn || this.#end !== null) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = [...this.#waiting, { turn, resolve }];
    return promise;
  }

  onEvent(event: RunEventBody): void {
    switch (event.type) {
      case "turn-start":
        this.#draft(event.turn).start = event;
        break;
      case "turn-reply":
        this.#draft(event.turn).reply = event;
        break;
      case "turn-end":
        this.#draft(event.result.turn).result = event.result;
        break;
      case "hop":
        this.#draft(event.turn).hop = event;
        break;
      case "outcome":
        this.outcomes.push(event);
        break;
      case "conversation-end":
        this.#end = event;
        break;
      case "retry":
        this.#remark(`${event.message} Trying again in ${Math.ceil(event.delayMs / 1000)} s.`);
        break;
      case "warning":
        this.#remark(event.message);
        break;
      default:
        return;
    }
    this.#tell();
  }

  #tell(): void {
    for (
      let draft = this.#drafts.get(this.#turn);
      draft !== undefined;
      draft = this.#drafts.get(this.#turn)
    ) {
      this.#tellSpoken(draft);
      const { result, hop } = draft;
      if (result === undefined || (hop === undefined && this.#end === null)) break;
      this.#tellReading(result, hop);
      ({ state: this.#before } = foldTurn(this.#before, result));
      this.#drafts.delete(this.#turn);
      this.#turn++;
    }
    for (const { turn, resolve } of this.#waiting) if (turn < this.#turn || this.#end !== null) resolve();
    this.#waiting = this.#waiting.filter(({ turn }) => turn >= this.#turn && this.#end === null);
  }

  /** What models ask and answer; the person knows what the person said. */
  #tellSpoken(draft: Draft): void {
    const { start, reply } = draft;
    if (start === undefined) return;
    const { style, width } = this.#layout;
    const isPersons = this.#options.answersBy(start.model);
    if (draft.isAsked === undefined) {
      draft.isAsked = true;
      if (!this.#options.hasShown(start)) this.question(questionOf(start));
      if (!isPersons) this.#write(`${style.dim(`${printableText(start.model)}:`)}\n`);
    }
    if (reply === undefined || isPersons || draft.isAnswered !== undefined) return;
    draft.isAnswered = true;
    const isEmpty = reply.reply.trim() === "";
    this.#write(
      isEmpty ? `  ${style.yellow("an empty reply")}\n` : spokenText(reply.reply, { width, indent: 2 }),
    );
  }

  #tellReading(result: TurnResult, hop: Hop | undefined): void {
    // Nobody could read what was still being read when the person left, and that says nothing.
    const { definition, isJudged, isLeaving } = this.#options;
    if (isLeaving() && result.judgeFailure?.category === "cancelled") return;
    const reading = {
      result,
      definition,
      isJudged: isJudged(result.node),
      before: this.#before,
      ...(hop === undefined ? {} : { hop }),
    };
    this.#write(playReading(reading, this.#layout));
  }

  #remark(text: string): void {
    const { style, width } = this.#terminal.messages;
    this.#terminal.messages.write(lines(paintedLines(text, width, style.yellow)));
  }

  #draft(turn: number): Draft {
    const draft = this.#drafts.get(turn) ?? {};
    this.#drafts.set(turn, draft);
    return draft;
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

function questionOf({ node, turn, agent, instructions, messages }: TurnStart): PlayQuestion {
  const sent = messages.at(-1);
  return {
    node,
    turn,
    ...(agent === undefined ? {} : { agent }),
    ...(instructions === undefined ? {} : { instructions }),
    text: sent?.role === "user" ? sent.content : "",
  };
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
