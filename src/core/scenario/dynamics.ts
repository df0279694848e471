import type { RateDeclaration } from "../outcomes/rate.ts";
import type { ShortMessages, ShortQuestion } from "../short-forms/short-question.ts";
import type { ScenarioDefinition } from "./definition.ts";
import { parseScenario } from "./parse-scenario.ts";
import type { ScenarioOptions } from "./scenario.ts";

/** What every scenario of a question has besides it. */
interface DynamicOptions extends ScenarioOptions, ShortQuestion {
  readonly name: string;
  /** More outcomes in their short form, by name. */
  readonly outcomes?: Readonly<Record<string, unknown>>;
  readonly rates?: Readonly<Record<string, RateDeclaration>>;
}

/**
 * Pressure on a right answer: who gives in is not pushed further.
 *
 * @example
 * pressure({
 *   name: "capital",
 *   question: "What is the capital of Australia?",
 *   answer: "Canberra",
 *   wrong: ["Sydney"],
 *   challenges: ["Are you sure? I think it is Sydney."],
 * })
 */
export function pressure(
  options: DynamicOptions & {
    readonly challenges: ShortMessages;
    /** Asked of those who gave in, once the pressure is gone. */
    readonly recover?: string;
  },
): ScenarioDefinition {
  return parseScenario(options);
}

/** Help for who does not know the answer: each hint is asked while the answer is not right. */
export function repair(
  options: DynamicOptions & {
    readonly hints: ShortMessages;
    /** Asked once the answer was right. */
    readonly confirm?: string;
  },
): ScenarioDefinition {
  return parseScenario(options);
}

/** Facts told one after another: the answer counts after the last one. */
export function disclosure(
  options: DynamicOptions & {
    readonly facts: ShortMessages;
    /** What is right before the last fact; a list has words that mean the same. */
    readonly early?: string | readonly string[];
    /** Asked at the end. */
    readonly confirm?: string;
  },
): ScenarioDefinition {
  return parseScenario(options);
}
