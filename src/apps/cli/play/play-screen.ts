import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { questionBefore } from "../../../core/scenario/state-scope.ts";
import { foldTurn } from "../../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { judgedFields } from "../../../core/templates/template.ts";
import { Conversation } from "../../../engine/journal/fold/conversation.ts";
import { noticeIn } from "../../../engine/journal/fold/run.ts";
import type { RunEventBody } from "../../../engine/journal/run-event.ts";
import { type FinishedTurn, isFinishedTurn, type Turn } from "../../../engine/journal/turn.ts";
import { readTypedAnswer, type TypedAnswer, TypedLines } from "../../../engine/models/person/typed-answer.ts";
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

/** A question as it is shown before it is answered. */
type ShownQuestion = Pick<Turn, "node" | "turn" | "instructions" | "questionText">;

/** What the screen needs to know about the session. */
interface PlayScreenOptions {
  /** With the values of the row. */
  readonly definition: ScenarioDefinition;
  /** True if a judge model reads replies at a node. */
  readonly isJudged: (node: string) => boolean;
  /** False if a judge reads also what rules could. */
  readonly readsByRules: boolean;
  /** True if a reply is the person's, who has seen the question and typed the reply. */
  readonly hasAnswered: (model: string) => boolean;
  /** True once the person wants to leave. */
  readonly isLeaving: () => boolean;
}

const LABEL_WIDTH = "by rules".length;

/**
 * Shows a conversation while it runs, in the order of its turns: a turn is shown completely before the next one, even if the engine is
 * ahead.
 */
export class PlayScreen {
  /** What has happened so far. */
  readonly conversation: Conversation = new Conversation();
  readonly #terminal: Terminal;
  readonly #options: PlayScreenOptions;
  /** The first turn that is not shown to its end. */
  #turn = 1;
  /** The state before it. */
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

  /** Shows `── ask · turn 1 ──`, the system prompt if it has changed, examples, and the question. */
  question({ node, turn, instructions, questionText = "" }: ShownQuestion): void {
    const { style, width } = this.#layout;
    const { agentIdentity, question } = this.#options.definition.nodes[node] ?? {};
    const agent = typeof agentIdentity === "string" ? agentIdentity : agentIdentity?.name;
    const parts = [
      printableText(node) || '""',
      `turn ${turn}`,
      ...(agent === undefined ? [] : [`to ${printableText(agent)}`]),
    ];
    this.#write(`\n${style.bold(`── ${cutToWidth(parts.join(" · "), Math.max(1, width - 6))} ──`)}\n`);
    const asides = [
      ...(instructions === undefined || instructions === this.#instructions
        ? []
        : [`System prompt: ${instructions}`]),
      ...(question?.fewShot ?? []).map((each) => `Example: ${each.question}\nAnswer: ${each.answer}`),
    ];
    this.#instructions = instructions;
    for (const aside of asides) this.#write(spokenText(aside, { width, paint: style.dim }));
    this.#write(spokenText(questionText, { width }));
  }

  /** Resolves once all of a turn is shown, or nothing more will be. */
  shown(turn: number): Promise<void> {
    if (turn < this.#turn || this.#isOver) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = [...this.#waiting, { turn, resolve }];
    return promise;
  }

  onEvent(event: RunEventBody): void {
    const { conversation } = this;
    conversation.apply(event);
    const notice = noticeIn(event);
    if (notice !== undefined) {
      const again = "delayMs" in notice ? ` Trying again in ${Math.ceil(notice.delayMs / 1000)} s.` : "";
      const { messages } = this.#terminal;
      const lines = paintedLines(`${notice.message}${again}`, messages.width, messages.style.yellow);
      messages.write(linesText(lines));
    }
    for (let turn = conversation.turn(this.#turn); turn !== undefined; turn = conversation.turn(this.#turn)) {
      if (!isFinishedTurn(turn) || (turn.hop === undefined && !this.#isOver)) break;
      this.#showMessages(turn);
      this.#showReading(turn);
      ({ state: this.#before } = foldTurn(this.#before, turn));
      this.#turn++;
    }
    for (const { turn, resolve } of this.#waiting) if (turn < this.#turn || this.#isOver) resolve();
    this.#waiting = this.#waiting.filter(({ turn }) => turn >= this.#turn && !this.#isOver);
  }

  /** Shows the question and the reply of a model; those of the person are on the screen already. */
  #showMessages(turn: Turn): void {
    const { model, reply = "" } = turn;
    if (model === undefined || this.#options.hasAnswered(model)) return;
    const { style, width } = this.#layout;
    this.question(turn);
    this.#write(`${style.dim(`${printableText(model)}:`)}\n`);
    const isEmpty = reply.trim() === "";
    this.#write(isEmpty ? `  ${style.yellow("an empty reply")}\n` : spokenText(reply, { width, indent: 2 }));
  }

  /** How a reply was read, by rules or by a judge, what follows, and where the conversation goes and why. */
  #showReading(turn: Turn & FinishedTurn): void {
    const { definition, isLeaving } = this.#options;
    // A reading that was cancelled because the person left has no verdict.
    if (isLeaving() && turn.judgeFailure?.category === "cancelled") return;
    const { style, width } = this.#layout;
    const { hop } = turn;
    const room = roomBeside(LABEL_WIDTH, width);
    const blocks: readonly LabelledLines[] = [
      ...this.#fieldBlocks(turn, { style, room }),
      { label: "traits", lines: traitLines(turn.traits, { style, room }) },
      { label: "judge", lines: judgeLines(turn, { style, room }) },
      { label: "verdict", lines: verdictLines(turn, { style, room }) },
      { label: "next", lines: hop === undefined ? [] : hopLines(hop, { style, room, definition }) },
    ];
    this.#write(linesText(labelledLines(blocks, LABEL_WIDTH, style)));
  }

  #fieldBlocks(turn: Turn & FinishedTurn, { style, room }: RoomOptions): readonly LabelledLines[] {
    const { definition, isJudged, readsByRules } = this.#options;
    const before = this.#before;
    const question = questionBefore(definition, turn.node, before);
    if (question?.template === undefined) return [];
    const judged = isJudged(turn.node);
    const left = new Set([...Object.keys(judgedFields(question.template)), ...(turn.unreadByRules ?? [])]);
    const ruled = (name: string): boolean => !left.has(name) && (readsByRules || !judged);
    const block = (label: string, belongs: (name: string) => boolean): LabelledLines => ({
      label,
      lines: fieldLines(
        {
          ...turn,
          fields: Object.fromEntries(Object.entries(turn.fields).filter(([name]) => belongs(name))),
        },
        { style, room, expected: (name) => expectedText(question, name, before) },
      ),
    });
    return [block("by rules", ruled), block(judged ? "by judge" : "not read", (name) => !ruled(name))];
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

/** A message, safe for any terminal; lines that fit keep their spaces, as code needs them. */
function spokenText(
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

/** Reads what the person types: answers of one or more lines, each behind a prompt. */
export class PlayPrompt {
  readonly #terminal: Terminal;
  readonly #signal: AbortSignal;
  #lines: TypedLines | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  /** True if the input ended while the person was asked. */
  hasEnded = false;

  constructor(terminal: Terminal, signal: AbortSignal) {
    this.#terminal = terminal;
    this.#signal = signal;
  }

  /** Reads an answer, one at a time. The hint is printed before the first one. */
  read(hint: string): Promise<TypedAnswer> {
    const reading = this.#read(hint);
    this.#reading = reading.catch(() => {});
    return reading;
  }

  /** Resolves when no input is being read, so that what is printed next stands behind the prompt's line. */
  async idle(): Promise<void> {
    await this.#reading;
  }

  close(): void {
    this.#lines?.close();
  }

  async #read(hint: string): Promise<TypedAnswer> {
    const { input, output } = this.#terminal;
    const signal = this.#signal;
    if (signal.aborted) return "aborted";
    if (this.#lines === undefined)
      output.write(linesText(paintedLines(hint, output.width, output.style.dim)));
    const lines = this.#lines ?? (await TypedLines.open(input));
    this.#lines = lines;
    const next: TypedLines["next"] = async (given) => {
      output.write(output.style.bold("> "));
      const line = await lines.next(given);
      if (typeof line === "string") output.write("\n");
      // A terminal shows what is typed; input from a pipe is printed here.
      else if (input.isTTY !== true) output.write(`${printableLines(line.text)}\n`);
      return line;
    };
    const answer = await readTypedAnswer({ next }, { signal });
    if (answer === "ended") this.hasEnded = true;
    return answer;
  }
}
