import type { RunFailure } from "../journal/failure.ts";
import type { RunSummary } from "../journal/store.ts";
import { failureSentence } from "../report/failure-sentence.ts";
import { countedText } from "../report/figure-text.ts";
import type { Output } from "../terminal/terminal.ts";
import type { ExitCode } from "./exit-code.ts";

/** What is known of a run that has ended. */
export interface RunEnding {
  readonly summary: RunSummary;
  /** True if a person stopped it. */
  readonly interrupted: boolean;
  /** Why it was given up, if it was. */
  readonly givenUp: RunFailure | undefined;
  /** What ended the first conversation that could not be held, if that was now. */
  readonly firstFailure: RunFailure | undefined;
  readonly quiet: boolean;
}

/** Says what did not come to its end and how to go on with it; gives the exit code that follows from that alone. */
export function sayHowItEnded(
  { summary, interrupted, givenUp, firstFailure, quiet }: RunEnding,
  messages: Output,
): ExitCode {
  const { run, start, statuses } = summary;
  const { style } = messages;
  const held = (statuses.completed ?? 0) + (statuses.limit_reached ?? 0);
  const errors = statuses.error ?? 0;
  const open = start.conversations - held - errors;
  const say = (text: string): void => messages.write(`${text}\n`);
  if (interrupted) {
    say(`Interrupted: ${countedText(open, "conversation")} left. Go on with: elenchus resume ${run}`);
    return 130;
  }
  if (givenUp !== undefined || (held === 0 && errors > 0)) {
    const why = givenUp ?? firstFailure;
    const reason = why === undefined ? `See why: elenchus show ${run} --failures` : failureSentence(why);
    say(`${style.red("error:")} No conversation could be held. ${reason}`);
    say(`Nothing is lost. Once it is put right: elenchus resume ${run} --retry-errors`);
    return 2;
  }
  if (open > 0) {
    const reason = (statuses.budget_exhausted ?? 0) > 0 ? "The budget is spent" : "The run was cut short";
    say(`${reason}: ${countedText(open, "conversation")} left. Go on with: elenchus resume ${run}`);
  }
  if (errors > 0 && !quiet)
    say(
      `${countedText(errors, "conversation")} ended in an error. Try again: elenchus resume ${run} --retry-errors`,
    );
  return 0;
}
