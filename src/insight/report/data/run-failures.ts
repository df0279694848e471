import { type ConversationStatus, isFinished } from "../../../core/state/state.ts";
import { placeTexts } from "../../../engine/journal/cell.ts";
import type { RunFailure } from "../../../engine/journal/failure.ts";
import { type Conversation, foldConversation } from "../../../engine/journal/fold/conversation.ts";
import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { type FinishedTurn, turnVerdict } from "../../../engine/journal/turn.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Style } from "../../../system/terminal/terminal.ts";
import { linesText } from "../../../system/terminal/text-layout.ts";
import { countedText, countText } from "../text/figures.ts";
import { judgeProblemTexts } from "../text/judge-text.ts";
import { inset, paintedLines, remarkedLines, type TextOptions } from "../text/text-blocks.ts";
import { failureKind, statusWord } from "../text/verdict-text.ts";
import { runFacts } from "./run-facts.ts";
import { type ConversationPlace, conversationPlace, type ReportFilter } from "./subject-totals.ts";
import { pathText } from "./traffic.ts";

/** Conversations that ended early in the same way. */
export interface FailureGroup {
  readonly status: ConversationStatus;
  /** Null if the journal has only the status. */
  readonly failure: RunFailure | null;
  readonly count: number;
  /** The first conversation of the group. */
  readonly example: string;
}

/** How many turns at a node have no verdict, and whose fault that is. */
export interface UnreadNode {
  readonly scenario: string;
  readonly node: string;
  readonly turns: number;
  readonly unreadable: number;
  /** The judge failed. */
  readonly unjudged: number;
}

/** A conversation in which an outcome went badly. */
interface FalseConversation extends ConversationPlace {
  /** The names of the outcomes that are bad: false, or true where that is bad. */
  readonly outcomes: readonly string[];
  readonly path: readonly string[];
}

/** What went wrong in a run; what the subjects did, what could not be read and what broke are kept apart. */
export interface RunFailures {
  readonly conversations: number;
  readonly underWay: number;
  readonly cutShort: number;
  /** The most frequent first. */
  readonly groups: readonly FailureGroup[];
  /** Conversations that are in none of the groups, because there were too many kinds of failures. */
  readonly ungrouped: number;
  /** All finished turns. */
  readonly turns: number;
  /** Nodes with a turn that was unreadable or not judged, in order of appearance. */
  readonly nodes: readonly UnreadNode[];
  /** How many conversations have an outcome that is false. */
  readonly falseConversations: number;
  /** The first of them. */
  readonly examples: readonly FalseConversation[];
  /** How well each judge worked, over the whole run. */
  readonly judges: readonly JudgeHealth[];
}

/** Which conversations are looked at, and how many are listed. */
export interface FailuresOptions extends ReportFilter {
  /** How many conversations with false outcomes are kept. */
  readonly limit?: number;
}

/** How many conversations are listed if nothing else is said. */
const LISTED = 20;

/** How many kinds of failures are kept apart: each message may be new. */
const MOST_GROUPS = 1000;

/** Reads a run once, one conversation at a time, and keeps counts and examples only. */
export function runFailures(store: Store, run: string, options: FailuresOptions = {}): RunFailures {
  const { limit = LISTED, ...filter } = options;
  const { run: name } = storedRun(store, run);
  const ends = new Ends();
  const nodes = new Nodes();
  const examples: FalseConversation[] = [];
  let falseConversations = 0;
  const { scenarios } = runFacts(store, [name]);
  for (const summary of store.conversations(name, filter)) {
    const folded = foldConversation(store.events(name, summary.conversation));
    ends.add(folded);
    nodes.add(summary.scenario, folded.finishedTurns);
    const bad = badValues(scenarios.get(summary.scenario)?.good);
    const wrong = [...folded.outcomes.values()].filter(
      ({ name, value, status }) => status === "decided" && value === bad(name),
    );
    if (wrong.length === 0) continue;
    falseConversations++;
    if (examples.length >= limit) continue;
    const names = wrong.map((outcome) => outcome.name);
    examples.push({ ...conversationPlace(summary), outcomes: names, path: folded.path });
  }
  const { judges } = storedRun(store, run);
  return { ...ends.counted(), ...nodes.counted(), falseConversations, examples, judges };
}

/**
 * The value with which an outcome went badly, or undefined if none does. Where a scenario gives no outcome a direction, false
 * is taken for bad; where it does, the others are neither.
 */
function badValues(
  directions: ReadonlyMap<string, boolean> | undefined,
): (name: string) => boolean | undefined {
  if (directions === undefined || directions.size === 0) return () => false;
  return (name) => {
    const good = directions.get(name);
    return good === undefined ? undefined : !good;
  };
}

/** How conversations ended. */
class Ends {
  #conversations = 0;
  #underWay = 0;
  #cutShort = 0;
  #ungrouped = 0;
  readonly #groups = new Map<string, { -readonly [Key in keyof FailureGroup]: FailureGroup[Key] }>();

  add({ conversation, status, failure }: Conversation): void {
    this.#conversations++;
    if (status === null) this.#underWay++;
    if (status === null || isFinished(status)) return;
    this.#cutShort++;
    const key = JSON.stringify([
      status,
      failure?.stage,
      failure?.category,
      failure?.statusCode,
      failure?.message,
    ]);
    const group = this.#groups.get(key);
    if (group !== undefined) group.count++;
    else if (this.#groups.size >= MOST_GROUPS) this.#ungrouped++;
    else this.#groups.set(key, { status, failure: failure ?? null, count: 1, example: conversation });
  }

  counted(): Pick<RunFailures, "conversations" | "underWay" | "cutShort" | "groups" | "ungrouped"> {
    return {
      conversations: this.#conversations,
      underWay: this.#underWay,
      cutShort: this.#cutShort,
      groups: [...this.#groups.values()].sort((one, other) => other.count - one.count),
      ungrouped: this.#ungrouped,
    };
  }
}

/** Verdicts of turns, by node. */
class Nodes {
  #turns = 0;
  readonly #nodes = new Map<string, { -readonly [Key in keyof UnreadNode]: UnreadNode[Key] }>();

  add(scenario: string, turns: readonly FinishedTurn[]): void {
    for (const turn of turns) {
      this.#turns++;
      const key = JSON.stringify([scenario, turn.node]);
      const node = this.#nodes.get(key) ?? {
        scenario,
        node: turn.node,
        turns: 0,
        unreadable: 0,
        unjudged: 0,
      };
      this.#nodes.set(key, node);
      node.turns++;
      const verdict = turnVerdict(turn);
      if (verdict === "unreadable" || verdict === "unjudged") node[verdict]++;
    }
  }

  counted(): Pick<RunFailures, "turns" | "nodes"> {
    const nodes = [...this.#nodes.values()].filter(({ unreadable, unjudged }) => unreadable + unjudged > 0);
    return { turns: this.#turns, nodes };
  }
}

/** What went wrong in a run, to be read: what broke, what could not be read, and which conversations went badly. */
export function failuresText(store: Store, run: string, options: FailuresOptions & TextOptions): string {
  const { style, width, limit = LISTED, ...filter } = options;
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
