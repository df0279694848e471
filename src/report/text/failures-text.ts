import { placeTexts } from "../../journal/cell.ts";
import type { Store } from "../../journal/store/store.ts";
import { printableText } from "../../terminal/printable-text.ts";
import type { Style } from "../../terminal/terminal.ts";
import { linesText } from "../../terminal/text-layout.ts";
import {
  type FailureGroup,
  type FailuresOptions,
  type RunFailures,
  runFailures,
  type UnreadNode,
} from "../data/run-failures.ts";
import { countedText, countText } from "./figures.ts";
import { judgeProblemTexts } from "./judge-text.ts";
import { pathText } from "./paths-text.ts";
import { inset, paintedLines, remarkedLines, type TextOptions } from "./text-blocks.ts";
import { failureKind, statusWord } from "./verdict-text.ts";

const DEFAULT_LIMIT = 20;

/** What went wrong in a run, to be read: what broke, what could not be read, and which conversations went badly. */
export function failuresText(store: Store, run: string, options: FailuresOptions & TextOptions): string {
  const { style, width, limit = DEFAULT_LIMIT, ...filter } = options;
  const failures = runFailures(store, run, { ...filter, limit });
  const text = { style, width };
  const sections = [
    brokenLines(failures, text, limit),
    judgeLines(failures, text),
    unreadLines(failures, text, limit),
    falseLines(failures, text),
    underWayLines(failures, text),
  ].filter((lines) => lines.length > 0);
  const shown = sections.length > 0 ? sections : [paintedLines(nothingText(failures), width, style.green)];
  return shown.map((lines) => linesText(lines)).join("\n");
}

function nothingText({ conversations, turns }: RunFailures): string {
  if (conversations === 0) return "There are no conversations.";
  return `Nothing failed in ${countedText(conversations, "conversation")} with ${countedText(turns, "turn")}.`;
}

function brokenLines(failures: RunFailures, { style, width }: TextOptions, limit: number): readonly string[] {
  const { cutShort, conversations, groups } = failures;
  if (cutShort === 0) return [];
  const shown = groups.slice(0, limit);
  const rest = shown.reduce((left, { count }) => left - count, cutShort);
  const countWidth = Math.max(0, ...shown.map(({ count }) => countText(count).length));
  const margin = " ".repeat(countWidth + 4);
  return [
    ...paintedLines(
      `Cut short: ${countText(cutShort)} of ${countedText(conversations, "conversation")}`,
      width,
      style.bold,
    ),
    ...shown.flatMap((group) => {
      const message = paintedLines(
        groupText(group),
        width - margin.length,
        statusWord(group.status, style).paint,
      );
      const example = paintedLines(
        `for example ${printableText(group.example)}`,
        width - margin.length,
        style.dim,
      );
      const count = `  ${countText(group.count).padStart(countWidth)}  `;
      return [...message, ...example].map((line, index) => (index === 0 ? count : margin) + line);
    }),
    ...(rest === 0 ? [] : [moreLine(rest, style)]),
  ];
}

function judgeLines({ judges }: RunFailures, { style, width }: TextOptions): readonly string[] {
  return judges.flatMap((judge) => {
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

function unreadLines(
  { nodes, turns }: RunFailures,
  { style, width }: TextOptions,
  limit: number,
): readonly string[] {
  if (nodes.length === 0) return [];
  const unreadable = nodes.reduce((sum, node) => sum + node.unreadable, 0);
  const unjudged = nodes.reduce((sum, node) => sum + node.unjudged, 0);
  const ranked = [...nodes].sort(
    (one, other) => other.unreadable + other.unjudged - one.unreadable - one.unjudged,
  );
  const heading = `Without a verdict: ${countText(unreadable)} unreadable and ${countText(unjudged)} not judged of ${countedText(turns, "turn")}`;
  return [
    ...paintedLines(heading, width, style.bold),
    ...ranked.slice(0, limit).flatMap(({ scenario, node, ...counts }) => {
      const name = `${printableText(node)} (${printableText(scenario)})`;
      return remarkedLines(name, { text: unreadText(counts), paint: style.yellow }, width - 2).map(inset);
    }),
    ...(ranked.length <= limit ? [] : [moreLine(ranked.length - limit, style)]),
  ];
}

function unreadText({ turns, unreadable, unjudged }: Omit<UnreadNode, "scenario" | "node">): string {
  const parts = [
    ...(unreadable === 0 ? [] : [`${countText(unreadable)} unreadable`]),
    ...(unjudged === 0 ? [] : [`${countText(unjudged)} not judged`]),
  ];
  return `${parts.join(" and ")} of ${countedText(turns, "turn")}`;
}

function falseLines(failures: RunFailures, { style, width }: TextOptions): readonly string[] {
  const { falseConversations, conversations, examples } = failures;
  if (falseConversations === 0) return [];
  const judges = new Set(examples.map(({ judge }) => judge));
  return [
    ...paintedLines(
      `With a failed outcome: ${countText(falseConversations)} of ${countedText(conversations, "conversation")}`,
      width,
      style.bold,
    ),
    ...examples.flatMap((example) => {
      const { conversation, scenario, subject, judge, replicate, outcomes, path } = example;
      const place = [
        printableText(scenario),
        printableText(subject),
        ...(judges.size > 1 ? [printableText(judge)] : []),
        ...placeTexts(example).map(printableText),
        `replicate ${replicate}`,
      ].join(" · ");
      const names = outcomes.map(printableText).join(", ");
      const route = `${place} · ${pathText(path, width - 4)}`;
      return [
        ...remarkedLines(printableText(conversation), { text: names, paint: style.red }, width - 2).map(
          inset,
        ),
        ...paintedLines(route, width - 4, style.dim)
          .map(inset)
          .map(inset),
      ];
    }),
    ...(falseConversations === examples.length
      ? []
      : [moreLine(falseConversations - examples.length, style)]),
  ];
}

function underWayLines(
  { underWay, conversations }: RunFailures,
  { style, width }: TextOptions,
): readonly string[] {
  if (underWay === 0) return [];
  const text = `Unfinished: ${countText(underWay)} of ${countedText(conversations, "conversation")}, which may still fail.`;
  return paintedLines(text, width, style.yellow);
}

function moreLine(count: number, style: Style): string {
  return `  ${style.dim(`… and ${countText(count)} more`)}`;
}
