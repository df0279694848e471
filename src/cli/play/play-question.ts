import type { Question } from "../../core/scenario/definition.ts";
import type { TextOptions } from "../../report/text/text-blocks.ts";
import { printableLines, printableText } from "../../terminal/printable-text.ts";
import { cutToWidth, textWidth } from "../../terminal/text-width.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

/** A question as it is shown to the person. */
export interface PlayQuestion {
  readonly node: string;
  /** From 1. */
  readonly turn: number;
  /** The agent that is asked, where the scenario names one. */
  readonly agent?: string;
  /** The system prompt, where it is new. */
  readonly instructions?: string;
  /** What is sent before the question, as if it had been asked and answered. */
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

/** What was said, safe for any terminal; lines that fit stay as they are, with the spaces that code has. */
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
