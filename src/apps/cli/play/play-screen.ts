import type { Question, ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { questionBefore } from "../../../core/scenario/state-scope.ts";
import { foldTurn } from "../../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { judgedFields } from "../../../core/templates/template.ts";
import { Conversation } from "../../../engine/journal/fold/conversation.ts";
import { noticeIn } from "../../../engine/journal/fold/run.ts";
import type { RunEventBody } from "../../../engine/journal/run-event.ts";
import { type FinishedTurn, isFinishedTurn, type Turn } from "../../../engine/journal/turn.ts";
import {
  type LabelledLines,
  labelledLines,
  paintedLines,
  type RoomOptions,
  roomBeside,
  type TextOptions,
} from "../../../insight/report/text/text-blocks.ts";
import { hopLines } from "../../../insight/report/text/turn-text.ts";
import {
  expectedText,
  fieldLines,
  judgeLines,
  traitLines,
  verdictLines,
} from "../../../insight/report/text/verdict-text.ts";
import { printableLines, printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { cutToWidth, linesText, textWidth, wrapText } from "../../../system/terminal/text-layout.ts";

/** What the screen needs to know about the session. */
interface PlayScreenOptions {
  readonly definition: ScenarioDefinition;
  /** True if a judge model reads replies at a node. */
  readonly isJudged: (node: string) => boolean;
  /** True if the question of a turn has been shown already, because the person answers or asks it. */
  readonly hasShown: (turn: Turn) => boolean;
  /** True if the person gives the reply, which is then not shown again. */
  readonly answersBy: (model: string) => boolean;
  /** True once the person wants to leave. */
  readonly isLeaving: () => boolean;
}

/**
 * Shows a conversation while it runs, in the order of its turns: a turn is shown completely before the next one, even if the engine is
 * ahead.
 */
export class PlayScreen {
  /** What has happened so far. */
  readonly conversation: Conversation = new Conversation();
  readonly #terminal: Terminal;
  readonly #options: PlayScreenOptions;
  /** The first turn that is not shown to its end, and what of it is shown. */
  #turn = 1;
  #isQuestionShown = false;
  #isReplyShown = false;
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

  /** Shows a question, with the system prompt if it has changed. */
  question({ instructions, ...question }: PlayQuestion): void {
    const isNew = instructions !== undefined && instructions !== this.#instructions;
    this.#instructions = instructions;
    this.#write(playQuestion(isNew ? { ...question, instructions } : question, this.#layout));
  }

  /** Prints a hint. */
  hint(text: string): void {
    const { style, width } = this.#layout;
    this.#write(linesText(paintedLines(text, width, style.dim)));
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
      this.#showMessages(turn);
      if (!isFinishedTurn(turn) || (turn.hop === undefined && !this.#isOver)) break;
      this.#showReading(turn);
      ({ state: this.#before } = foldTurn(this.#before, turn));
      this.#turn++;
      this.#isQuestionShown = false;
      this.#isReplyShown = false;
    }
    for (const { turn, resolve } of this.#waiting) if (turn < this.#turn || this.#isOver) resolve();
    this.#waiting = this.#waiting.filter(({ turn }) => turn >= this.#turn && !this.#isOver);
  }

  /** Shows questions and replies of models; those of the person are on the screen already. */
  #showMessages(turn: Turn): void {
    const { model, reply } = turn;
    if (model === undefined) return;
    const { style, width } = this.#layout;
    const isPersons = this.#options.answersBy(model);
    if (!this.#isQuestionShown) {
      this.#isQuestionShown = true;
      if (!this.#options.hasShown(turn)) this.question(questionOf(turn));
      if (!isPersons) this.#write(`${style.dim(`${printableText(model)}:`)}\n`);
    }
    if (reply === undefined || isPersons || this.#isReplyShown) return;
    this.#isReplyShown = true;
    const isEmpty = reply.trim() === "";
    this.#write(isEmpty ? `  ${style.yellow("an empty reply")}\n` : spokenText(reply, { width, indent: 2 }));
  }

  #showReading(turn: Turn & FinishedTurn): void {
    // A reading that was cancelled because the person left has no verdict.
    const { definition, isJudged, isLeaving } = this.#options;
    if (isLeaving() && turn.judgeFailure?.category === "cancelled") return;
    const reading = { turn, definition, isJudged: isJudged(turn.node), before: this.#before };
    this.#write(playReading(reading, this.#layout));
  }

  #remark(text: string): void {
    const { style, width } = this.#terminal.messages;
    this.#terminal.messages.write(linesText(paintedLines(text, width, style.yellow)));
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

/** A question as it is shown to the person; `instructions` only if they have changed. */
interface PlayQuestion extends Pick<Turn, "node" | "turn" | "agent" | "instructions"> {
  /** Few-shot examples, which are sent before the question. */
  readonly examples?: Question["fewShot"];
  readonly text: string;
}

/** `── ask · turn 1 ──`, what leads the conversation, and the question. */
export function playQuestion(question: PlayQuestion, { style, width }: TextOptions): string {
  const { node, turn, agent, instructions, examples = [], text } = question;
  const parts = [
    printableText(node) || '""',
    `turn ${turn}`,
    ...(agent === undefined || agent === "" ? [] : [`to ${printableText(agent)}`]),
  ];
  const heading = `── ${cutToWidth(parts.join(" · "), Math.max(1, width - 6))} ──`;
  const led = [
    ...(instructions === undefined ? [] : [`System prompt: ${instructions}`]),
    ...examples.map((example) => `Example: ${example.question}\nAnswer: ${example.answer}`),
  ];
  return [
    `\n${style.bold(heading)}\n`,
    ...led.map((one) => spokenText(one, { width, paint: style.dim })),
    spokenText(text, { width }),
  ].join("");
}

/** A message, safe for any terminal; lines that fit keep their spaces, as code needs them. */
export function spokenText(
  text: string,
  {
    width,
    indent = 0,
    paint = (line) => line,
  }: { readonly width: number; readonly indent?: number; readonly paint?: (line: string) => string },
): string {
  const room = Math.max(1, width - indent);
  return printableLines(text)
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => (textWidth(line) <= room ? [line] : wrapText(line, room)))
    .map((line) => (line.trim() === "" ? "\n" : `${" ".repeat(indent)}${paint(line)}\n`))
    .join("");
}

/** A turn that has been read, and what is needed to show it. */
interface PlayReading {
  /** Without a hop if the session ended before it was known. */
  readonly turn: Turn & FinishedTurn;
  readonly definition: ScenarioDefinition;
  /** True if a judge model reads what rules do not. */
  readonly isJudged: boolean;
  /** The state before the turn. */
  readonly before: ScenarioState;
}

const LABEL_WIDTH = "by rules".length;
const UNREAD = "no rule can read it, and there is no judge";

/** How a reply was read, by rules or by a judge, what follows, and where the conversation goes and why. */
function playReading(reading: PlayReading, { style, width }: TextOptions): string {
  const { turn, definition } = reading;
  const { hop } = turn;
  const room = roomBeside(LABEL_WIDTH, width);
  const blocks: readonly LabelledLines[] = [
    ...fieldBlocks(reading, { style, room }),
    { label: "traits", lines: traitLines(turn.traits, { style, room }) },
    { label: "judge", lines: judgeLines(turn, { style, room }) },
    { label: "verdict", lines: verdictLines(turn, { style, room }) },
    { label: "next", lines: hop === undefined ? [] : hopLines(hop, { style, room, definition }) },
  ];
  return linesText(labelledLines(blocks, LABEL_WIDTH, style));
}

function fieldBlocks(reading: PlayReading, { style, room }: RoomOptions): readonly LabelledLines[] {
  const { turn, definition, isJudged, before } = reading;
  const question = questionBefore(definition, turn.node, before);
  const template = question?.template;
  if (question === undefined || template === undefined) return [];
  const forJudge = new Set([...Object.keys(judgedFields(template)), ...(turn.unreadByRules ?? [])]);
  const byRules = Object.entries(turn.fields).filter(([name]) => !forJudge.has(name));
  const others = Object.entries(turn.fields).filter(([name]) => forJudge.has(name));
  const options = { style, room, expected: (name: string) => expectedText(question, name, before) };
  const notes = isJudged
    ? turn.notes
    : { ...turn.notes, ...Object.fromEntries(others.map(([name]) => [name, UNREAD])) };
  return [
    { label: "by rules", lines: fieldLines({ ...turn, fields: Object.fromEntries(byRules) }, options) },
    {
      label: isJudged ? "by judge" : "not read",
      lines: fieldLines({ ...turn, notes, fields: Object.fromEntries(others) }, options),
    },
  ];
}
