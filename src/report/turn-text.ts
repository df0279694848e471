import { INITIAL_STATE } from "../core/state/state.ts";
import { printableText } from "../terminal/printable-text.ts";
import type { StoryTurn } from "./conversation-story.ts";
import { expectedText } from "./expected-text.ts";
import { fieldLines, traitLines } from "./fields-text.ts";
import { hopLines } from "./hop-text.ts";
import { type LabelledLines, labelledLines, roomBeside } from "./labelled-lines.ts";
import { spendingText } from "./spending-text.ts";
import { spokenLines, type TurnTextOptions } from "./spoken-lines.ts";
import { paintedLines } from "./value-text.ts";
import { judgeLines, verdictLines } from "./verdict-lines.ts";

/** As long as the longest label. */
const LABEL_WIDTH = "verdict".length;

/** One turn in lines: what was asked and answered, what was read, what code says about it, and where it led. */
export function turnLines(turn: StoryTurn, options: TurnTextOptions): readonly string[] {
  const { style, width } = options;
  const room = roomBeside(LABEL_WIDTH, width);
  const blocks = [...spokenLines(turn, options, room), ...found(turn, options, room)];
  return [
    ...paintedLines(headingText(turn, options.subject), width, style.bold),
    ...labelledLines(blocks, LABEL_WIDTH, style),
  ];
}

function headingText({ turn, node, start, result }: StoryTurn, subject: string): string {
  const agent = start?.agent ?? result?.agent;
  const parts = [
    `Turn ${turn}`,
    printableText(node) || '""',
    ...(agent === undefined ? [] : [`as ${printableText(agent)}`]),
    ...(start === undefined || start.model === subject ? [] : [printableText(start.model)]),
  ];
  return parts.join(" · ");
}

function found(turn: StoryTurn, options: TurnTextOptions, room: number): readonly LabelledLines[] {
  const { style, definition, before = INITIAL_STATE } = options;
  const { node, result, reply, hop } = turn;
  const question = definition?.nodes[node]?.question;
  const expected = (field: string): string | null =>
    question === undefined ? null : expectedText(question, field, before);
  const warnings = turn.warnings.flatMap(({ message }) => paintedLines(message, room, style.yellow));
  const told: readonly LabelledLines[] =
    result === undefined
      ? reply === undefined
        ? []
        : [{ label: "verdict", lines: paintedLines("not read yet", room, style.yellow) }]
      : [
          { label: "read", lines: fieldLines(result, { style, room, expected }) },
          { label: "traits", lines: traitLines(result.traits, { style, room }) },
          { label: "judge", lines: judgeLines(result, { style, room }) },
          { label: "verdict", lines: verdictLines(result, { style, room }) },
        ];
  return [
    ...told,
    { label: "warning", lines: warnings },
    {
      label: "next",
      lines:
        hop === undefined
          ? []
          : hopLines(hop, { style, room, ...(definition === undefined ? {} : { definition }) }),
    },
    { label: "calls", lines: callLines(turn, options, room) },
  ];
}

function callLines(turn: StoryTurn, { style }: TurnTextOptions, room: number): readonly string[] {
  const { result, reply, retries } = turn;
  const spending = result?.spending ?? reply?.spending;
  const categories = [...new Set(retries.map(({ category }) => category.replaceAll("_", " ")))];
  const parts = [
    ...(spending === undefined ? [] : [spendingText(spending)]),
    ...(retries.length === 0
      ? []
      : [`${retries.length} ${retries.length === 1 ? "retry" : "retries"} (${categories.join(", ")})`]),
  ];
  return parts.length === 0 ? [] : paintedLines(parts.join(", "), room, style.dim);
}
