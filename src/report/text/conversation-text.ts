import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { foldTurn } from "../../core/state/advance-state.ts";
import { INITIAL_STATE, type ScenarioState } from "../../core/state/state.ts";
import type { RunEvent } from "../../journal/run-event.ts";
import { addSpending, NOTHING_SPENT } from "../../journal/spending.ts";
import { printableText } from "../../terminal/printable-text.ts";
import { type ConversationStory, conversationStory, type StoryTurn } from "../conversation-story.ts";
import { failureSentence } from "./failure-sentence.ts";
import { countedText, spendingText } from "./figures.ts";
import { outcomeLines } from "./outcomes-text.ts";
import { pathText } from "./paths-text.ts";
import {
  type LabelledLines,
  labelledLines,
  paintedLines,
  roomBeside,
  type TextOptions,
} from "./text-blocks.ts";
import { turnLines } from "./turn-text.ts";
import { statusWord } from "./verdict-text.ts";

/** What a conversation is told with. */
export interface ConversationTextOptions extends TextOptions {
  /**
   * The scenario, with the values of the conversation's row filled in: tells what was expected, and what conditions say. One
   * that has changed since is not used.
   */
  readonly definition?: ScenarioDefinition;
}

const LABEL_WIDTH = "replicate".length;

/** The transcript of one conversation from its events: turn by turn what was said, read, decided, and why; then its outcomes. */
export function conversationText(events: Iterable<RunEvent>, options: ConversationTextOptions): string {
  const story = conversationStory(events);
  const { style, width } = options;
  if (story.start === null) return sections([paintedLines("The conversation has not begun.", width)]);
  const isChanged = options.definition !== undefined && options.definition.hash !== story.start.scenarioHash;
  const { definition: _, ...plain } = options;
  return sections([
    headerLines(story, options),
    isChanged
      ? paintedLines(
          "The scenario has changed since: what was expected, and what conditions say, is not shown.",
          width,
          style.yellow,
        )
      : [],
    ...toldTurns(story, isChanged ? plain : options),
    endLines(story, options),
  ]);
}

function sections(blocks: readonly (readonly string[])[]): string {
  const filled = blocks.filter((lines) => lines.length > 0);
  return filled.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

function headerLines(
  { start, facts, turns }: ConversationStory,
  { style, width }: TextOptions,
): readonly string[] {
  if (start === null) return [];
  const room = roomBeside(LABEL_WIDTH, width);
  const { scenario, subject, judge, replicate, row } = start.cell;
  const { end, attempts } = facts;
  const { word, paint } = statusWord(end?.status ?? null, style);
  const path = turns.filter(({ result }) => result !== undefined).map(({ node }) => node);
  const line = (label: string, text: string): LabelledLines => ({ label, lines: paintedLines(text, room) });
  const blocks: readonly LabelledLines[] = [
    line("scenario", printableText(scenario)),
    line("subject", printableText(subject)),
    line("judge", printableText(judge)),
    line("replicate", `${replicate}`),
    ...(row === undefined ? [] : [line("row", `${row}`)]),
    { label: "status", lines: paintedLines(`${word}, ${countedText(path.length, "turn")}`, room, paint) },
    ...(path.length === 0 ? [] : [line("path", pathText(path))]),
    line("spent", spendingText(end?.spending ?? spentSoFar(turns))),
    ...(attempts === 1 ? [] : [line("attempts", `${attempts}; the last one is shown`)]),
  ];
  return [
    ...paintedLines(`Conversation ${printableText(start.conversation)}`, width, style.bold),
    ...labelledLines(blocks, LABEL_WIDTH, style),
  ];
}

function spentSoFar(turns: readonly StoryTurn[]): Parameters<typeof spendingText>[0] {
  return turns
    .map(({ result, reply }) => result?.spending ?? reply?.spending ?? NOTHING_SPENT)
    .reduce(addSpending, NOTHING_SPENT);
}

function toldTurns(
  { start, facts, turns }: ConversationStory,
  options: ConversationTextOptions,
): readonly (readonly string[])[] {
  let before: ScenarioState = INITIAL_STATE;
  let instructions: string | undefined;
  return turns.map((turn) => {
    const lines = turnLines(turn, {
      ...options,
      subject: start?.cell.subject ?? "",
      before,
      ...(instructions === undefined ? {} : { instructions }),
      isOver: facts.end !== null,
    });
    if (turn.result !== undefined)
      ({ state: before } = foldTurn(before, { ...turn.result, node: turn.node }));
    instructions = turn.start?.instructions ?? instructions;
    return lines;
  });
}

function endLines({ start, facts }: ConversationStory, options: TextOptions): readonly string[] {
  const { style, width } = options;
  const { end, outcomes } = facts;
  if (end === null) return paintedLines("The conversation has not ended yet.", width, style.yellow);
  const { status, failure } = end;
  const limit = start?.settings.turnLimit ?? 0;
  const reason =
    failure !== undefined
      ? paintedLines(failureSentence(failure), width, statusWord(status, style).paint)
      : status === "limit_reached"
        ? paintedLines(`The limit of ${countedText(limit, "turn")} was reached.`, width)
        : [];
  if (outcomes.length === 0) return reason;
  const gap = reason.length === 0 ? [] : [...reason, ""];
  return [...gap, style.bold("Outcomes"), ...outcomeLines(outcomes, options)];
}
