import { beforeAll, describe, expect, test } from "vitest";
import { DEFAULTS } from "../../../core/defaults.ts";
import { isMeasure } from "../../../core/outcomes/outcome-check.ts";
import { gateProblem } from "../../../core/outcomes/rate.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import { isFinished, isInterrupted } from "../../../core/state/state.ts";
import { boundedMean } from "../../../core/statistics/bounded-mean.ts";
import { list, type RunOptions, type SubjectOption } from "../../../engine/run/run-options.ts";
import { runScenarios } from "../../../engine/run/run-scenarios.ts";
import type { ConversationRecord } from "../../../engine/run/step/conversation-state.ts";

/** What is run: the options of `runScenarios`, for one subject. */
export interface DescribedScenarios extends Omit<RunOptions, "scenarios" | "subjects"> {
  readonly scenarios: ScenarioDefinition | readonly ScenarioDefinition[];
  readonly subject: SubjectOption;
  /** How long the whole run may take (default 10 minutes). */
  readonly timeoutMs?: number;
}

/**
 * A test for each scenario and each outcome that is true or false. By default an outcome must be true in every conversation in which it was decided, and one
 * with `good: false` must never be; `reach` says otherwise. Most conversations must be decided, and none cut short. An outcome that applies to none of them is skipped.
 *
 * @example
 * describeScenario("support agent", { scenarios, subject: agent, replicates: 5 }, { held_firm: { atLeast: 0.9 } });
 */
export function describeScenario(
  name: string,
  { scenarios, subject, timeoutMs = 600_000, ...options }: DescribedScenarios,
  reach: Readonly<Record<string, Reach>> = {},
): void {
  const outcomes = new Set(
    list(scenarios).flatMap((definition) => definition.outcomes.map((one) => one.name)),
  );
  for (const outcome of Object.keys(reach))
    if (!outcomes.has(outcome))
      throw new TypeError(`There is no outcome "${outcome}"; there are ${[...outcomes].join(", ")}.`);
  describe(name, () => {
    let results: readonly ConversationRecord[] = [];
    beforeAll(async () => {
      results = await runScenarios({ ...options, scenarios, subjects: subject }).results;
    }, timeoutMs);
    for (const definition of list(scenarios))
      describe(definition.name, () => {
        const own = (): readonly ConversationRecord[] =>
          results.filter(({ scenario }) => scenario === definition.name);
        test("runs without errors", () => {
          for (const { failure } of own()) expect(failure?.message).toBeUndefined();
        });
        for (const { name: outcome, good } of definition.outcomes.filter(
          (one) => isAssertion(one) || Object.hasOwn(reach, one.name),
        ))
          test(outcome, ({ skip }) => {
            const wanted = reach[outcome];
            // Nobody gave in, so that nobody could come back.
            const applies = own().some((record) => record.outcomes[outcome]?.status !== "not_applicable");
            if (wanted === undefined && !applies) skip();
            if (wanted !== undefined) expect(own()).toReach(outcome, wanted);
            else if (good === false) {
              for (const record of own())
                expect(record.outcomes[outcome]?.value === true ? transcriptOf(record, outcome) : "").toBe(
                  "",
                );
              expect(tooFew(reachedRate(own(), outcome))).toBeUndefined();
            } else expect(own()).toReach(outcome, { atLeast: 1 });
          });
      });
  });
}

/** A number has no right value; a function may give one. */
function isAssertion({ check }: ScenarioDefinition["outcomes"][number]): boolean {
  return typeof check === "object" && !isMeasure(check);
}

function transcriptOf(record: ConversationRecord, outcome: string): string {
  return expectOutcome(record, outcome, false).message;
}

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

function matched({ holds, message }: Expectation): MatcherResult {
  return { pass: holds, message: () => message };
}

/** The matchers, for `expect.extend` of another runner; importing `elenchus/vitest` adds them to Vitest's. */
export const elenchusMatchers = {
  toHaveOutcome: (
    record: ConversationRecord,
    outcome: string,
    value: boolean | number | null = true,
  ): MatcherResult => matched(expectOutcome(record, outcome, value)),
  toReach: (results: readonly ConversationRecord[], outcome: string, wanted: Reach): MatcherResult =>
    matched(expectReach(results, outcome, wanted)),
  toTakePath: (record: ConversationRecord, path: readonly string[]): MatcherResult =>
    matched(expectPath(record, path)),
};

expect.extend(elenchusMatchers);

declare global {
  // Vitest takes assertions from here. Its own interface has other type parameters in each version.
  namespace Chai {
    interface Assertion {
      /** The conversation has this outcome, with this value (default true). */
      toHaveOutcome(outcome: string, value?: boolean | number | null): void;
      /** The outcome is true often enough in these conversations. */
      toReach(outcome: string, wanted: Reach): void;
      /** The conversation visited exactly these nodes. */
      toTakePath(path: readonly string[]): void;
    }
  }
}

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
  /** Of these, the ones that were ended by a budget, a time limit or a person. */
  readonly cutShort: number;
}

/** What an outcome should reach. */
export interface Reach {
  /** From 0 to 1. */
  readonly atLeast: number;
  /** What is compared: the rate, or the lower bound of its 95 % interval (default `rate`). */
  readonly by?: "rate" | "lower";
  /** The share of conversations that must be decided (default 0.8). */
  readonly minDecided?: number;
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
  const counts = { inconclusive: 0, notApplicable: 0, errors: 0, cutShort: 0 };
  for (const { outcomes, scenario, row, status } of results) {
    const found = outcomes[outcome];
    if (found?.status === "decided" && typeof found.value === "boolean") {
      values.push(Number(found.value));
      items.push(JSON.stringify([scenario, row ?? null]));
    } else if (found?.status === "not_applicable") counts.notApplicable++;
    else if (isFinished(status)) counts.inconclusive++;
    else counts.errors++;
    if (isInterrupted(status)) counts.cutShort++;
  }
  const found = boundedMean(values, items);
  return {
    outcome,
    rate: found?.mean ?? null,
    lower: found?.low ?? null,
    decided: values.length,
    ...counts,
  };
}

function tooFew(
  { decided, inconclusive, errors, cutShort }: ReachedRate,
  minDecided: number = DEFAULTS.minDecided,
): string | undefined {
  return gateProblem({ decided, undecided: inconclusive + errors, cutShort }, minDecided);
}

/** Whether an outcome is reached often enough. What was decided in too few conversations is not reached. */
export function expectReach(
  results: readonly ConversationRecord[],
  outcome: string,
  { atLeast, by = "rate", minDecided }: Reach,
): Expectation {
  const found = reachedRate(results, outcome);
  const value = by === "rate" ? found.rate : found.lower;
  const problem = tooFew(found, minDecided);
  const holds = value !== null && value >= atLeast && problem === undefined;
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
      `${outcome}: the ${measured} is ${percent(value)} (n ${found.decided}${others.map((other) => `, ${other}`).join("")}), ${holds ? "at least" : "expected at least"} ${percent(atLeast)}.${problem === undefined ? "" : ` This is not enough: ${problem}.`}`,
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
