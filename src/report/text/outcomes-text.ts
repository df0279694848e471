import type { OutcomeEvent } from "../../journal/run-event.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { textWidth } from "../../terminal/text-layout.ts";
import { inset, paintedLines, type TextOptions } from "./text-blocks.ts";
import type { PaintedWord } from "./verdict-text.ts";

/** Longer names do not widen the column. */
const LONGEST_NAME = 24;

type Outcome = Omit<OutcomeEvent, "type" | "conversation">;

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
export function outcomeWord({ value, status }: Pick<Outcome, "value" | "status">, style: Style): PaintedWord {
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
