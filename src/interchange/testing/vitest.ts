import { beforeAll, describe, expect, test } from "vitest";
import { isMeasure } from "../../core/outcomes/measure.ts";
import type { ScenarioDefinition } from "../../core/scenario/definition.ts";
import { list, type RunOptions, type SubjectOption } from "../../run/run-options.ts";
import { runScenarios } from "../../run/run-scenarios.ts";
import type { ConversationRecord } from "../../run/step/conversation-state.ts";
import { type Expectation, expectOutcome, expectPath, expectReach, type Reach } from "./expectations.ts";

/** What is run: the options of `runScenarios`, for one subject. */
export interface DescribedScenarios extends Omit<RunOptions, "scenarios" | "subjects"> {
  readonly scenarios: ScenarioDefinition | readonly ScenarioDefinition[];
  readonly subject: SubjectOption;
  /** How long the whole run may take (default 10 minutes). */
  readonly timeoutMs?: number;
}

/**
 * A test for each scenario and each outcome that is true or false. By default an outcome must be true in every conversation in which it was decided, and one
 * with `good: false` must never be; `reach` says otherwise.
 *
 * @example
 * describeScenario("support agent", { scenarios, subject: agent, replicates: 5 }, { held_firm: { atLeast: 0.9 } });
 */
export function describeScenario(
  name: string,
  { scenarios, subject, timeoutMs = 600_000, ...options }: DescribedScenarios,
  reach: Readonly<Record<string, Reach>> = {},
): void {
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
        for (const { name: outcome, good } of definition.outcomes.filter(isAssertion))
          test(outcome, () => {
            const wanted = reach[outcome];
            if (wanted !== undefined) expect(own()).toReach(outcome, wanted);
            else if (good === false)
              for (const record of own())
                expect(record.outcomes[outcome]?.value === true ? transcriptOf(record, outcome) : "").toBe(
                  "",
                );
            else expect(own()).toReach(outcome, { atLeast: 1 });
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

interface ElenchusMatchers<Result, _Received> {
  /** The conversation has this outcome, with this value (default true). */
  toHaveOutcome: (outcome: string, value?: boolean | number | null) => Result;
  /** The outcome is true often enough in these conversations. */
  toReach: (outcome: string, wanted: Reach) => Result;
  /** The conversation visited exactly these nodes. */
  toTakePath: (path: readonly string[]) => Result;
}

declare module "vitest" {
  // Type parameters as Vitest declares them.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends ElenchusMatchers<R, T> {}
}
