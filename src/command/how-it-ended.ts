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
  const { run, parent, start, statuses } = summary;
  const { style } = messages;
  // What was graded again is graded once more: its subjects are stored replies, with which no conversation can go on.
  const goOn =
    parent === null ? `Go on with: elenchus resume ${run}` : `Begin again with: elenchus regrade ${parent}`;
  const retry = `elenchus ${parent === null ? `resume ${run} --retry-errors` : `regrade ${parent}`}`;
  const held = (statuses.completed ?? 0) + (statuses.limit_reached ?? 0);
  const errors = statuses.error ?? 0;
  const open = start.conversations - held - errors;
  const say = (text: string): void => messages.write(`${text}\n`);
  if (interrupted) {
    say(`Interrupted: ${countedText(open, "conversation")} left. ${goOn}`);
    return 130;
  }
  if (givenUp !== undefined || (held === 0 && errors > 0)) {
    const why = givenUp ?? firstFailure;
    const reason = why === undefined ? `See why: elenchus show ${run} --failures` : failureSentence(why);
    say(`${style.red("error:")} No conversation could be held. ${reason}`);
    say(`Nothing is lost. Once it is put right: ${retry}`);
    return 2;
  }
  const isSpent = (statuses.budget_exhausted ?? 0) > 0;
  // Conversations that now go another way have been told of.
  if (open > 0 && (isSpent || parent === null)) {
    const reason = isSpent ? "The budget is spent" : "The run was cut short";
    say(`${reason}: ${countedText(open, "conversation")} left. ${goOn}`);
  }
  if (errors > 0 && !quiet)
    say(`${countedText(errors, "conversation")} ended in an error. Try again: ${retry}`);
  return 0;
}
