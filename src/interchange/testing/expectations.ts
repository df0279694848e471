import type { ConversationRecord } from "../../run/step/conversation-state.ts";
import { clusteredWilson } from "../../statistics/clusters.ts";
import { wilson } from "../../statistics/proportions.ts";

/** How often an outcome is true among the conversations in which it was decided. */
export interface ReachedRate {
  readonly outcome: string;
  /** Null if it was decided nowhere. */
  readonly rate: number | null;
  /** Lower bound of the 95 % interval; null if there are too few items for one. */
  readonly lower: number | null;
  readonly decided: number;
  readonly inconclusive: number;
  readonly notApplicable: number;
  /** Conversations that failed or were cut short. */
  readonly errors: number;
}

/** What an outcome should reach. */
export interface Reach {
  /** From 0 to 1. */
  readonly atLeast: number;
  /** What is compared: the rate, or the lower bound of its 95 % interval (default `rate`). */
  readonly by?: "rate" | "lower";
}

/** The answer of an expectation, for any test runner. */
export interface Expectation {
  readonly holds: boolean;
  /** What was found, in words; with transcripts of the conversations that speak against it. */
  readonly message: string;
}

/** The rate of an outcome; replicates of one item belong together in the interval. Throws if there is no such outcome. */
export function reachedRate(results: readonly ConversationRecord[], outcome: string): ReachedRate {
  const known = new Set(results.flatMap(({ outcomes }) => Object.keys(outcomes)));
  if (!known.has(outcome))
    throw new TypeError(
      known.size === 0
        ? "There are no finished conversations with outcomes."
        : `There is no outcome "${outcome}"; there are ${[...known].join(", ")}.`,
    );
  const values: number[] = [];
  const items: string[] = [];
  const counts = { inconclusive: 0, notApplicable: 0, errors: 0 };
  for (const { outcomes, scenario, row, status } of results) {
    const found = outcomes[outcome];
    if (found?.status === "decided" && typeof found.value === "boolean") {
      values.push(Number(found.value));
      items.push(JSON.stringify([scenario, row ?? null]));
    } else if (found?.status === "not_applicable") counts.notApplicable++;
    else if (status === "completed" || status === "limit_reached") counts.inconclusive++;
    else counts.errors++;
  }
  const yes = values.reduce((sum, value) => sum + value, 0);
  const isClustered = new Set(items).size < items.length;
  const interval = isClustered ? clusteredWilson(values, items) : wilson(yes, values.length);
  return {
    outcome,
    rate: values.length === 0 ? null : yes / values.length,
    lower: interval?.low ?? null,
    decided: values.length,
    ...counts,
  };
}

/** Whether an outcome is reached often enough. What was decided nowhere is not reached. */
export function expectReach(
  results: readonly ConversationRecord[],
  outcome: string,
  { atLeast, by = "rate" }: Reach,
): Expectation {
  const found = reachedRate(results, outcome);
  const value = by === "rate" ? found.rate : found.lower;
  const holds = value !== null && value >= atLeast;
  const against = results.filter(({ outcomes }) => outcomes[outcome]?.value === false);
  const others = [
    ...(found.inconclusive > 0 ? [`${found.inconclusive} inconclusive`] : []),
    ...(found.notApplicable > 0 ? [`${found.notApplicable} not applicable`] : []),
    ...(found.errors > 0 ? [`${found.errors} errors`] : []),
  ];
  const measured = by === "rate" ? "rate" : "lower bound";
  return {
    holds,
    message: [
      `${outcome}: the ${measured} is ${percent(value)} (n ${found.decided}${others.map((other) => `, ${other}`).join("")}), ${holds ? "at least" : "expected at least"} ${percent(atLeast)}.`,
      ...(holds ? [] : against.slice(0, SHOWN).map(transcript)),
      ...(holds || against.length <= SHOWN ? [] : [`… and ${against.length - SHOWN} more conversations.`]),
      ...(holds ? [] : failures(results)),
    ].join("\n\n"),
  };
}

const SHOWN = 3;

/** Whether a conversation has an outcome with this value. */
export function expectOutcome(
  record: ConversationRecord,
  outcome: string,
  expected: boolean | number | null = true,
): Expectation {
  const found = record.outcomes[outcome];
  if (found === undefined)
    return {
      holds: false,
      message: `There is no outcome "${outcome}"; there are ${Object.keys(record.outcomes).join(", ")}.`,
    };
  const holds = found.value === expected && found.status === "decided";
  const said = found.status === "decided" ? String(found.value) : found.status.replace("_", " ");
  return {
    holds,
    message: `${outcome} is ${said}${found.reason === undefined ? "" : ` (${found.reason})`}, expected ${String(expected)}.\n\n${transcript(record)}`,
  };
}

/** Whether a conversation visited exactly these nodes. */
export function expectPath(record: ConversationRecord, path: readonly string[]): Expectation {
  const holds =
    record.path.length === path.length && record.path.every((node, index) => node === path[index]);
  return {
    holds,
    message: `The path is ${record.path.join(" → ")}, expected ${path.join(" → ")}.\n\n${transcript(record)}`,
  };
}

/** A conversation as text: questions, replies and verdicts. */
export function transcript(record: ConversationRecord): string {
  const { scenario, row, subject, replicate, turns, status, failure } = record;
  const place = [scenario, ...(row === undefined ? [] : [row]), subject, `replicate ${replicate}`].join(
    " · ",
  );
  return [
    `${place} (${status}${failure === undefined ? "" : `: ${failure.message}`})`,
    ...turns.flatMap(({ node, questionText, reply, verifyResult }) => [
      `  ${node} ? ${oneLine(questionText)}`,
      `  ${" ".repeat(node.length)} ${verifyResult === null ? "·" : verifyResult ? "✓" : "✗"} ${oneLine(reply)}`,
    ]),
  ].join("\n");
}

function failures(results: readonly ConversationRecord[]): readonly string[] {
  const failed = results.filter(({ failure }) => failure !== undefined);
  return failed.slice(0, SHOWN).map(transcript);
}

/** Replies are foreign text: control characters stay out of a terminal. */
function oneLine(text: string): string {
  const plain = text.replace(/\s+/g, " ").replace(/\p{Cc}|\p{Cf}/gu, "�");
  return plain.length > 200 ? `${plain.slice(0, 199)}…` : plain;
}

function percent(value: number | null): string {
  return value === null ? "unknown" : `${(value * 100).toFixed(1)} %`;
}
