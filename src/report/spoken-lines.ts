import type { ScenarioDefinition } from "../core/scenario/definition.ts";
import type { ScenarioState } from "../core/state/state.ts";
import type { ToolResult } from "../models/message.ts";
import { printableText } from "../terminal/printable-text.ts";
import { cutToWidth } from "../terminal/text-width.ts";
import type { StoryTurn } from "./conversation-story.ts";
import { countedText } from "./figure-text.ts";
import type { LabelledLines, TextOptions } from "./labelled-lines.ts";
import { paintedLines, valueText } from "./value-text.ts";

/** What a turn is told with. */
export interface TurnTextOptions extends TextOptions {
  /** The scenario as the conversation was held with; tells what was expected, and what conditions say. */
  readonly definition?: ScenarioDefinition;
  /** The subject of the conversation: another model is named. */
  readonly subject: string;
  /** The state before the turn. */
  readonly before?: ScenarioState;
  /** The system prompt that was mentioned last. */
  readonly instructions?: string;
  /** True if the conversation has ended. */
  readonly isOver: boolean;
}

/** What was said in a turn: the question with what was sent before it, tools that were used, the reply. */
export function spokenLines(
  turn: StoryTurn,
  options: TurnTextOptions,
  room: number,
): readonly LabelledLines[] {
  const { style, isOver } = options;
  const { start, reply, result } = turn;
  const sent = start?.messages.at(-1);
  const question = result?.questionText ?? (sent?.role === "user" ? sent.content : "");
  const text = result?.reply ?? reply?.reply;
  const missing = isOver ? "no answer" : "not answered yet";
  const answer =
    text === undefined
      ? paintedLines(missing, room, style.yellow)
      : text.trim() === ""
        ? paintedLines("an empty reply", room, style.yellow)
        : paintedLines(text, room);
  return [
    { label: "system", lines: systemLines(turn, options, room) },
    { label: "before", lines: beforeLines(turn, options, room) },
    { label: "asked", lines: paintedLines(question, room) },
    { label: "tools", lines: toolLines(turn, options, room) },
    { label: "replied", lines: answer },
    { label: "finish", lines: finishLines(turn, options, room) },
  ];
}

/** A system prompt is mentioned where it is new. */
function systemLines({ start }: StoryTurn, options: TurnTextOptions, room: number): readonly string[] {
  const instructions = start?.instructions;
  if (instructions === undefined || instructions === options.instructions) return [];
  return [options.style.dim(cutToWidth(printableText(instructions), room))];
}

/** What was sent together with the question: examples, and what other agents said meanwhile. */
function beforeLines({ node, start }: StoryTurn, options: TurnTextOptions, room: number): readonly string[] {
  const messages = (start?.messages.length ?? 1) - 1;
  if (messages === 0) return [];
  const known = options.definition?.nodes[node]?.question;
  if (known === undefined)
    return paintedLines(`${countedText(messages, "message")} before the question`, room, options.style.dim);
  const examples = known.fewShot?.length ?? 0;
  // Both are questions with their answers.
  const turns = messages / 2 - examples;
  const text = [
    ...(turns === 0 ? [] : [`${countedText(turns, "turn")} of others`]),
    ...(examples === 0 ? [] : [countedText(examples, "example")]),
  ].join(", ");
  return paintedLines(text, room, options.style.dim);
}

function toolLines(
  { reply, result }: StoryTurn,
  { style }: TurnTextOptions,
  room: number,
): readonly string[] {
  const messages = reply?.messages ?? [];
  const calls =
    result?.toolCalls ??
    messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const results = new Map<string, ToolResult>();
  for (const message of messages)
    if (message.role === "tool") for (const given of message.results) results.set(given.id, given);
  return calls.map(({ id, name, input }) => {
    const given = results.get(id);
    const failed = given?.isError === true;
    const output = given === undefined ? "" : ` → ${failed ? "failed: " : ""}${valueText(given.output)}`;
    const line = cutToWidth(`${printableText(name)}(${valueText(input)})${output}`, room);
    return failed ? style.red(line) : line;
  });
}

/** Said only of replies that the model did not end by itself. */
function finishLines(
  { reply, result }: StoryTurn,
  { style }: TurnTextOptions,
  room: number,
): readonly string[] {
  const finish = result?.finish ?? reply?.finish ?? "stop";
  const text =
    reply?.stepLimit === true
      ? "It still wanted tools when the limit of steps was reached."
      : finish === "length"
        ? "It was cut off: the limit of tokens was reached."
        : finish === "content_filter"
          ? "It was cut off by a content filter."
          : "";
  return text === "" ? [] : paintedLines(text, room, style.yellow);
}
