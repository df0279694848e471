import { placeTexts } from "../../../engine/journal/cell.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";
import {
  type FailureGroup,
  type FailuresOptions,
  LISTED,
  type RunFailures,
  runFailures,
} from "../data/run-failures.ts";
import { judgeProblemTexts, unreadLines } from "./doubt-text.ts";
import { countedText, countText } from "./figures.ts";
import { pathText } from "./paths-text.ts";
import { inset, paintedLines, remarkedLines, type TextOptions } from "./text-blocks.ts";
import { failureKind, statusWord } from "./verdict-text.ts";

/** What went wrong in a run, to be read: what broke, what could not be read, and which conversations went badly. */
export function failuresText(store: Store, run: string, options: FailuresOptions & TextOptions): string {
  const { style, width, limit = LISTED, ...filter } = options;
  const failures = runFailures(store, run, { ...filter, limit });
  const text = { style, width };
  const sections = [
    brokenLines(failures, text, limit),
    judgeLines(failures, text),
    unreadLines(failures, text),
    falseLines(failures, text),
    underWayLines(failures, text),
  ].filter((lines) => lines.length > 0);
  const shown = sections.length > 0 ? sections : [paintedLines(nothingText(failures), width, style.green)];
  return shown.map((lines) => linesText(lines)).join("\n");
}

function nothingText({ sum: { begun } }: RunFailures): string {
  return begun === 0
    ? "There are no conversations."
    : `Nothing failed in ${countedText(begun, "conversation")}.`;
}

function brokenLines(failures: RunFailures, { style, width }: TextOptions, limit: number): readonly string[] {
  const { cutShort, sum, groups } = failures;
  if (cutShort === 0) return [];
  const shown = groups.slice(0, limit);
  const rest = shown.reduce((left, { count }) => left - count, cutShort);
  const countWidth = Math.max(0, ...shown.map(({ count }) => countText(count).length));
  const margin = " ".repeat(countWidth + 4);
  const heading = `Cut short: ${countText(cutShort)} of ${countedText(sum.begun, "conversation")}`;
  return [
    ...paintedLines(heading, width, style.bold),
    ...shown.flatMap((group) => {
      const room = width - margin.length;
      const example = `for example ${printableText(group.example)}`;
      const lines = [
        ...paintedLines(groupText(group), room, statusWord(group.status, style).paint),
        ...paintedLines(example, room, style.dim),
      ];
      const count = `  ${countText(group.count).padStart(countWidth)}  `;
      return lines.map((line, index) => (index === 0 ? count : margin) + line);
    }),
    ...(rest === 0 ? [] : [moreLine(rest, style)]),
  ];
}

function judgeLines({ health }: RunFailures, { style, width }: TextOptions): readonly string[] {
  return health.flatMap((judge) => {
    const [first, ...reasons] = judgeProblemTexts(judge);
    if (first === undefined) return [];
    return [
      ...paintedLines(first, width, style.bold),
      ...reasons.flatMap((reason) => paintedLines(reason.trimStart(), width - 2, style.red).map(inset)),
    ];
  });
}

function groupText({ status, failure }: FailureGroup): string {
  const word = status.replace("_", " ");
  return failure === null ? word : `${word}: ${failureKind(failure)}: ${printableText(failure.message)}`;
}

function falseLines(failures: RunFailures, { style, width }: TextOptions): readonly string[] {
  const { falseConversations, sum, examples, judges } = failures;
  if (falseConversations === 0) return [];
  const heading = `With a failed outcome: ${countText(falseConversations)} of ${countedText(sum.begun, "conversation")}`;
  const rest = falseConversations - examples.length;
  return [
    ...paintedLines(heading, width, style.bold),
    ...examples.flatMap(({ score, outcomes, path }) => {
      const { conversation, scenario, subject, judge, replicate } = score;
      const place = [
        printableText(scenario),
        printableText(subject),
        ...(judges.length > 1 ? [printableText(judge)] : []),
        ...placeTexts(score).map(printableText),
        `replicate ${replicate}`,
      ].join(" · ");
      const names = { text: outcomes.map(printableText).join(", "), paint: style.red };
      const route = `${place} · ${pathText(path, width - 4)}`;
      return [
        ...remarkedLines(printableText(conversation), names, width - 2).map(inset),
        ...paintedLines(route, width - 4, style.dim).map((line) => inset(inset(line))),
      ];
    }),
    ...(rest === 0 ? [] : [moreLine(rest, style)]),
  ];
}

function underWayLines({ underWay, sum }: RunFailures, { style, width }: TextOptions): readonly string[] {
  if (underWay === 0) return [];
  const text = `Unfinished: ${countText(underWay)} of ${countedText(sum.begun, "conversation")}, which may still fail.`;
  return paintedLines(text, width, style.yellow);
}

function moreLine(count: number, style: Style): string {
  return `  ${style.dim(`… and ${countText(count)} more`)}`;
}
