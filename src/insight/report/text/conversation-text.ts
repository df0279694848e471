import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { foldTurn } from "../../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { rowText, variantText } from "../../../engine/journal/cell.ts";
import { type Conversation, foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { OutcomeEvent, RunEvent } from "../../../engine/journal/run-event.ts";
import { addSpending, NOTHING_SPENT, type Spending } from "../../../engine/journal/spending.ts";
import { isFinishedTurn, type Turn } from "../../../engine/journal/turn.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { linesText, textWidth } from "../../../system/terminal/text-layout.ts";
import { countedText, spendingText } from "./figures.ts";
import { pathText } from "./paths-text.ts";
import {
  inset,
  type LabelledLines,
  labelledLines,
  paintedLines,
  roomBeside,
  type TextOptions,
} from "./text-blocks.ts";
import { turnLines } from "./turn-text.ts";
import { failureSentence, type PaintedWord, statusWord } from "./verdict-text.ts";

/** What the text of a conversation needs. */
interface ConversationTextOptions extends TextOptions {
  /**
   * The scenario, with the values of the conversation's row filled in: for expected values and conditions. It is not used if
   * it has changed since.
   */
  readonly definition?: ScenarioDefinition;
  /** The events of the conversations that an arm of a fork continues, the first of them first. */
  readonly parents?: readonly Iterable<RunEvent>[];
}

const LABEL_WIDTH = "replicate".length;

/** The transcript of one conversation from its events: turn by turn messages, fields, verdict and next node; then its outcomes. */
export function conversationText(events: Iterable<RunEvent>, options: ConversationTextOptions): string {
  const conversation = foldConversation(events);
  const { style, width } = options;
  if (!conversation.hasBegun) return sections([paintedLines("The conversation has not started.", width)]);
  const isChanged = options.definition !== undefined && options.definition.hash !== conversation.scenarioHash;
  const { definition: _, ...plain } = options;
  const shown = isChanged ? plain : options;
  const parents = (options.parents ?? []).map(foldConversation);
  return sections([
    headerLines(conversation, options),
    isChanged
      ? paintedLines(
          "The scenario has changed since this run, so expected values and conditions are not shown.",
          width,
          style.yellow,
        )
      : [],
    historyLines(parents[0] ?? conversation, options),
    ...parents.flatMap((parent) => [parentLines(parent, options), ...turnSections(parent, shown)]),
    parents.length === 0
      ? []
      : paintedLines(`The arm ${printableText(conversation.cell.arm ?? "")}:`, width, style.bold),
    ...turnSections(conversation, shown),
    endLines(conversation, options),
  ]);
}

function sections(blocks: readonly (readonly string[])[]): string {
  const filled = blocks.filter((lines) => lines.length > 0);
  return filled.map((lines) => linesText(lines)).join("\n");
}

function headerLines(conversation: Conversation, { style, width }: TextOptions): readonly string[] {
  const room = roomBeside(LABEL_WIDTH, width);
  const { cell } = conversation;
  const { scenario, subject, judge, replicate, arm } = cell;
  const [row, variant] = [rowText(cell), variantText(cell.variant ?? null)];
  const { status, attempt, path } = conversation;
  const { word, paint } = statusWord(status, style);
  const line = (label: string, text: string): LabelledLines => ({ label, lines: paintedLines(text, room) });
  const blocks: readonly LabelledLines[] = [
    line("scenario", printableText(scenario)),
    line("subject", printableText(subject)),
    line("judge", printableText(judge)),
    line("replicate", `${replicate}`),
    ...(row === null ? [] : [line("row", printableText(row))]),
    ...(variant === null ? [] : [line("variant", printableText(variant))]),
    ...(arm === undefined ? [] : [line("arm", printableText(arm))]),
    { label: "status", lines: paintedLines(`${word}, ${countedText(path.length, "turn")}`, room, paint) },
    ...(path.length === 0 ? [] : [line("path", pathText(path))]),
    line("spent", spendingText(status === null ? spentSoFar(conversation.turns) : conversation.spending)),
    ...(attempt === 1 ? [] : [line("attempts", `${attempt}; the last one is shown`)]),
  ];
  return [
    ...paintedLines(`Conversation ${printableText(conversation.conversation)}`, width, style.bold),
    ...labelledLines(blocks, LABEL_WIDTH, style),
  ];
}

/** The messages before the first turn. */
function historyLines({ history }: Conversation, { style, width }: TextOptions): readonly string[] {
  if (history.length === 0) return [];
  const room = roomBeside(LABEL_WIDTH, width);
  const blocks = history.map((message): LabelledLines => {
    const text = "content" in message ? message.content : "";
    return { label: message.role, lines: paintedLines(printableText(text), room, style.dim) };
  });
  return [
    ...paintedLines("Given before the first turn:", width, style.bold),
    ...labelledLines(blocks, LABEL_WIDTH, style),
  ];
}

/** Turns that an arm has from the conversation that it continues. */
function parentLines({ conversation }: Conversation, { style, width }: TextOptions): readonly string[] {
  const text = `Turns of conversation ${printableText(conversation)}, which this one continues:`;
  return paintedLines(text, width, style.dim);
}

function spentSoFar(turns: readonly Turn[]): Spending {
  return turns.map(({ spending }) => spending ?? NOTHING_SPENT).reduce(addSpending, NOTHING_SPENT);
}

function turnSections(
  { cell, status, turns }: Conversation,
  options: ConversationTextOptions,
): readonly (readonly string[])[] {
  let before: ScenarioState = INITIAL_STATE;
  let instructions: string | undefined;
  return turns.map((turn) => {
    const lines = turnLines(turn, {
      ...options,
      subject: cell.subject,
      before,
      ...(instructions === undefined ? {} : { instructions }),
      isOver: status !== null,
    });
    if (isFinishedTurn(turn)) ({ state: before } = foldTurn(before, turn));
    instructions = turn.instructions ?? instructions;
    return lines;
  });
}

function endLines(conversation: Conversation, options: ConversationTextOptions): readonly string[] {
  const { style, width } = options;
  const { status, failure, settings } = conversation;
  const outcomes = shownOutcomes(conversation, options.definition);
  if (status === null) return paintedLines("The conversation has not ended yet.", width, style.yellow);
  const limit = settings?.turnLimit ?? 0;
  const reason =
    failure !== undefined
      ? paintedLines(failureSentence(failure), width, statusWord(status, style).paint)
      : status === "limit_reached"
        ? paintedLines(`The turn limit of ${limit} was reached.`, width)
        : [];
  if (outcomes.length === 0) return reason;
  const gap = reason.length === 0 ? [] : [...reason, ""];
  return [...gap, style.bold("Outcomes"), ...outcomeLines(outcomes, options)];
}

/** Longer names do not widen the column. */
const LONGEST_NAME = 24;

type Outcome = Omit<OutcomeEvent, "type" | "conversation">;

/** The outcomes of a conversation, without those that its scenario does not show. */
export function shownOutcomes(
  { outcomes }: Conversation,
  definition: ScenarioDefinition | undefined,
): readonly Outcome[] {
  const hidden = definition?.outcomes.filter(({ shown }) => shown === false).map(({ name }) => name) ?? [];
  return [...outcomes.values()].filter(({ name }) => !hidden.includes(name));
}

/** The outcomes of a conversation: value, the turns it looked at, and why it is inconclusive. */
export function outcomeLines(outcomes: readonly Outcome[], { style, width }: TextOptions): readonly string[] {
  const room = width - 2;
  const rows = outcomes.map((outcome) => ({
    name: printableText(outcome.name),
    ...outcomeWord(outcome, style),
    details: detailsText(outcome),
  }));
  const nameWidth = Math.min(LONGEST_NAME, widest(rows.map(({ name }) => name)));
  const wordWidth = widest(rows.map(({ word }) => word));
  return rows
    .flatMap(({ name, word, paint, details }) => {
      const before = `${padded(name, nameWidth)}  `;
      const line = before + padded(word, wordWidth);
      if (details !== "" && textWidth(line) + 2 + textWidth(details) <= room)
        return [`${before}${paint(word)}${line.slice(before.length + word.length)}  ${style.dim(details)}`];
      const isShort = textWidth(before) + textWidth(word) <= room;
      return [
        ...(isShort ? [before + paint(word)] : [...paintedLines(name, room), inset(paint(word))]),
        ...(details === "" ? [] : paintedLines(details, room - 2, style.dim).map(inset)),
      ];
    })
    .map(inset);
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** The value of an outcome as a word. An inconclusive number is the part that is certain. */
function outcomeWord({ value, status }: Pick<Outcome, "value" | "status">, style: Style): PaintedWord {
  if (status === "inconclusive")
    return { word: value === null ? "? inconclusive" : `${value}, inconclusive`, paint: style.yellow };
  if (status === "not_applicable") return { word: "– not applicable", paint: style.dim };
  if (typeof value === "number") return { word: `${value}`, paint: style.bold };
  return value === true ? { word: "✓ true", paint: style.green } : { word: "✗ false", paint: style.red };
}

function detailsText({ turns, reason }: Outcome): string {
  const looked =
    turns.length === 0 ? [] : [`looks at ${turns.length === 1 ? "turn" : "turns"} ${turnRanges(turns)}`];
  return [...looked, ...(reason === undefined ? [] : [printableText(reason)])].join("; ");
}

/** Turns from 1, of their indices: `1–3, 5`. */
function turnRanges(indices: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const index of indices) {
    const range = ranges.at(-1);
    if (range?.last === index) range.last++;
    else ranges.push({ first: index + 1, last: index + 1 });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}
