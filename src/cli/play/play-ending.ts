import { isFinished } from "../../core/state/state.ts";
import { failureSentence } from "../../report/text/failure-sentence.ts";
import { countedText } from "../../report/text/figures.ts";
import { outcomeLines } from "../../report/text/outcomes-text.ts";
import { pathText } from "../../report/text/paths-text.ts";
import { paintedLines, type TextOptions } from "../../report/text/text-blocks.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { ExitCode } from "../command.ts";
import type { PlayOptions } from "./play-options.ts";
import type { PlaySession } from "./play-session.ts";

/** How a session ended: the conversation is over, could not go on, or the person left. */
export type PlayEnd = "over" | "failed" | "left" | "interrupted";

/** Which of the four ends it was. */
export function playEnd({ signal, input, screen }: PlaySession): PlayEnd {
  const { status } = screen.conversation;
  if (isFinished(status)) return "over";
  if (signal.aborted) return "interrupted";
  return input.hasEnded ? "left" : "failed";
}

/** 0 if the person left after at least one turn; 2 if none was finished. */
export function playExitCode(end: PlayEnd, turns: number): ExitCode {
  if (end === "over") return 0;
  if (end === "interrupted") return 130;
  return end === "left" && turns > 0 ? 0 : 2;
}

/** How the conversation ended, its path and its outcomes. */
export function playEnding(
  { screen, options }: Pick<PlaySession, "screen" | "options">,
  end: PlayEnd,
  { style, width }: TextOptions,
): string {
  const { path, status, failure } = screen.conversation;
  const outcomes = [...screen.conversation.outcomes.values()];
  const turns = path.length;
  const counted = countedText(turns, "turn");
  const limit = countedText(options.turnLimit, "turn");
  const sentences: Readonly<Record<PlayEnd, readonly string[]>> = {
    over: paintedLines(
      status === "limit_reached"
        ? `The limit of ${limit} was reached.`
        : `The conversation is over after ${counted}.`,
      width,
      style.bold,
    ),
    failed: paintedLines(
      failure === undefined ? "The conversation could not go on." : failureSentence(failure),
      width,
      style.red,
    ),
    left: paintedLines(openText("The input ended", turns), width, style.yellow),
    interrupted: paintedLines(openText("Interrupted", turns), width, style.yellow),
  };
  const isTold = (end === "over" || end === "failed") && outcomes.length > 0;
  return [
    "",
    ...sentences[end],
    ...(path.length === 0 ? [] : paintedLines(`Path: ${pathText(path)}`, width)),
    ...(isTold ? ["", style.bold("Outcomes"), ...outcomeLines(outcomes, { style, width })] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function openText(what: string, turns: number): string {
  return turns === 0
    ? `${what} before the first turn was over: the outcomes are open.`
    : `${what} after ${countedText(turns, "turn")}: the outcomes are open.`;
}

/** Where the cassette is, and how it answers again. */
export function savedText(
  { save = "", words, as, judge, seed }: PlayOptions,
  calls: number,
  width: number,
): string {
  const saved = `Saved ${countedText(calls, "call")} to ${printableText(save)}.`;
  if (as === "questioner") return `\n${lines(saved, width)}`;
  const command = [
    "elenchus run",
    ...(words === undefined ? ["<file>"] : words.map(shellWord)),
    "--subject person",
    ...(typeof judge === "string" && judge !== "rules" ? [`--judge ${shellWord(judge)}`] : []),
    ...(seed === 0 ? [] : [`--seed ${seed}`]),
    `--replay ${shellWord(save)}`,
  ].join(" ");
  // A command that is to be copied is not broken up.
  return `\n${lines(`${saved} To run the same conversation again:`, width)}  ${printableText(command)}\n`;
}

function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function lines(text: string, width: number): string {
  return paintedLines(text, width)
    .map((line) => `${line}\n`)
    .join("");
}
