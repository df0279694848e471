import { END, type ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { questionBefore } from "../../../core/scenario/state-scope.ts";
import { type Condition, compileWhen } from "../../../core/state/condition.ts";
import { describeCondition } from "../../../core/state/describe-condition.ts";
import type { RoutingDecision, TestedEdge } from "../../../core/state/routing.ts";
import { INITIAL_STATE, type ScenarioState } from "../../../core/state/state.ts";
import { isFinishedTurn, type Turn } from "../../../engine/journal/turn.ts";
import type { ToolResult } from "../../../engine/models/message.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import { cutToWidth } from "../../../system/terminal/text-layout.ts";
import { countedText, retriesText, spendingText } from "./figures.ts";
import {
  type LabelledLines,
  labelledLines,
  paintedLines,
  type RoomOptions,
  roomBeside,
  type TextOptions,
  valueText,
} from "./text-blocks.ts";
import { expectedText, fieldLines, judgeLines, traitLines, verdictLines } from "./verdict-text.ts";

/** As long as the longest label. */
const LABEL_WIDTH = "verdict".length;

/** One turn in lines: question, reply, fields, verdict, and the next node. */
export function turnLines(turn: Turn, options: TurnTextOptions): readonly string[] {
  const { style, width } = options;
  const room = roomBeside(LABEL_WIDTH, width);
  const blocks = [...spokenLines(turn, options, room), ...found(turn, options, room)];
  return [
    ...paintedLines(headingText(turn, options.subject), width, style.bold),
    ...labelledLines(blocks, LABEL_WIDTH, style),
  ];
}

function headingText({ turn, node, agent, model }: Turn, subject: string): string {
  const parts = [
    `Turn ${turn}`,
    printableText(node) || '""',
    ...(agent === undefined ? [] : [`as ${printableText(agent)}`]),
    ...(model === undefined || model === subject ? [] : [printableText(model)]),
  ];
  return parts.join(" · ");
}

function found(turn: Turn, options: TurnTextOptions, room: number): readonly LabelledLines[] {
  const { style, definition, before = INITIAL_STATE } = options;
  const { node, reply, hop } = turn;
  const question = definition === undefined ? undefined : questionBefore(definition, node, before);
  const expected = (field: string): string | null =>
    question === undefined ? null : expectedText(question, field, before);
  const warnings = (turn.warnings ?? []).flatMap(({ message }) => paintedLines(message, room, style.yellow));
  const judged: readonly LabelledLines[] = isFinishedTurn(turn)
    ? [
        { label: "read", lines: fieldLines(turn, { style, room, expected }) },
        { label: "traits", lines: traitLines(turn.traits, { style, room }) },
        { label: "judge", lines: judgeLines(turn, { style, room }) },
        { label: "verdict", lines: verdictLines(turn, { style, room }) },
      ]
    : reply === undefined
      ? []
      : [{ label: "verdict", lines: paintedLines("not read yet", room, style.yellow) }];
  return [
    ...judged,
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

function callLines(turn: Turn, { style }: TurnTextOptions, room: number): readonly string[] {
  const { spending, retries = [] } = turn;
  const categories = [...new Set(retries.map(({ category }) => category.replaceAll("_", " ")))];
  const parts = [
    ...(spending === undefined ? [] : [spendingText(spending)]),
    ...(retries.length === 0 ? [] : [`${retriesText(retries.length)} (${categories.join(", ")})`]),
  ];
  return parts.length === 0 ? [] : paintedLines(parts.join(", "), room, style.dim);
}

/** What the text of a turn needs. */
interface TurnTextOptions extends TextOptions {
  /** The scenario of the conversation, for expected values and conditions. */
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

/** The messages of a turn: the question with what was sent before it, tool calls, the reply. */
export function spokenLines(turn: Turn, options: TurnTextOptions, room: number): readonly LabelledLines[] {
  const { style, isOver } = options;
  const { questionText: question = "", reply: text } = turn;
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

/** The system prompt, where it has changed. */
function systemLines({ instructions }: Turn, options: TurnTextOptions, room: number): readonly string[] {
  if (instructions === undefined || instructions === options.instructions) return [];
  return [options.style.dim(cutToWidth(printableText(instructions), room))];
}

/** What was sent together with the question: examples, and turns of other agents. */
function beforeLines(
  { node, messages: sent }: Turn,
  options: TurnTextOptions,
  room: number,
): readonly string[] {
  const messages = (sent?.length ?? 1) - 1;
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
  { toolCalls: calls = [], replyMessages: messages = [] }: Turn,
  { style }: TurnTextOptions,
  room: number,
): readonly string[] {
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

/** Printed only for replies that the model did not end by itself. */
function finishLines(
  { finish = "stop", stepLimit }: Turn,
  { style }: TurnTextOptions,
  room: number,
): readonly string[] {
  const text =
    stepLimit === true
      ? "It still called tools when the step limit was reached."
      : finish === "length"
        ? "It was cut off at the token limit."
        : finish === "content_filter"
          ? "It was cut off by a content filter."
          : "";
  return text === "" ? [] : paintedLines(text, room, style.yellow);
}

/** Colours and room, and the scenario for the text of its conditions. */
interface HopOptions extends RoomOptions {
  /** For the text of conditions. */
  readonly definition?: ScenarioDefinition;
}

/** Where a conversation went and why: `→ push because verify_result = true`, then why no other edge was taken. */
export function hopLines(hop: RoutingDecision, { style, room, definition }: HopOptions): readonly string[] {
  const conditionOf = (edge: number): Condition | null => compileWhen(definition?.edges[edge]?.when);
  const passed = hop.tested.filter(({ matched }) => !matched);
  return [
    ...paintedLines(choiceText(hop, conditionOf), room, style.cyan),
    ...passed.flatMap((tested) =>
      paintedLines(passedText(tested, conditionOf(tested.edge)), room - 2, style.dim).map(
        (line) => `  ${line}`,
      ),
    ),
  ];
}

function choiceText(hop: RoutingDecision, conditionOf: (edge: number) => Condition | null): string {
  const { target, edge, fallback, tested, fork } = hop;
  if ((target === null && fork === undefined) || edge === null) return "ends here: no edge leads on";
  const arrow =
    fork === undefined ? `→ ${nodeName(target ?? "")}` : `→ forks into ${fork.map(nodeName).join(", ")}`;
  if (fallback)
    return tested.length === 0 ? `${arrow}, the only edge` : `${arrow}, because no condition holds`;
  const condition = conditionOf(edge);
  if (condition === null) return `${arrow}, because its condition holds`;
  return `${arrow} because ${printableText(describeCondition(condition))}`;
}

function passedText(tested: TestedEdge, condition: Condition | null): string {
  const reason = tested.reason === undefined ? "its condition does not hold" : printableText(tested.reason);
  const found = isAboutOneValue(tested, condition) ? `, found ${valueText(tested.actual)}` : "";
  return `not ${nodeName(tested.target)}: ${reason}${found}`;
}

/** Null may be the value that was found, or mean that the reason is not about one value; the condition decides. */
function isAboutOneValue({ reason = "", actual }: TestedEdge, condition: Condition | null): boolean {
  if (actual !== null && actual !== undefined) return true;
  if (condition === null) return false;
  const parts = condition.type === "all_of" ? condition.conditions : [condition];
  return parts.some((part) => part.type === "state_check" && reason === `needs ${describeCondition(part)}`);
}

function nodeName(id: string): string {
  return id === END ? "END" : printableText(id) || '""';
}
