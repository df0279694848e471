import { SELF_JUDGE } from "../../../core/defaults.ts";
import { countStatuses, isFinished, isUnscored } from "../../../core/state/state.ts";
import type { RunFailure } from "../../../engine/journal/failure.ts";
import { RunTally } from "../../../engine/journal/fold/run.ts";
import { type JudgeHealth, type JudgeStreak, LASTING } from "../../../engine/journal/judge-health.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import type { Run } from "../../../engine/run/run-scenarios.ts";
import { judgeProblemTexts } from "../../../insight/report/text/doubt-text.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { failureSentence } from "../../../insight/report/text/verdict-text.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Output } from "../../../system/terminal/terminal.ts";
import type { ExitCode } from "../command.ts";

/** How many conversations, or consecutive requests to a judge, must fail before a run is stopped. */
const ENOUGH = 10;

/** What a run that is watched for failures has found so far. */
export interface RunTrouble {
  /** Why the run was stopped: all of its first conversations failed, with errors that a retry does not fix. */
  givenUp?: RunFailure | undefined;
  /** The judge of which so many consecutive requests failed that the run was stopped. */
  brokenJudge?: JudgeStreak | undefined;
  /** Unreadable answers of judges that came from the store. */
  unreadableStored: number;
  /** The failure of the first conversation that failed. */
  firstFailure?: RunFailure | undefined;
}

/** Stops a run of which nothing works, instead of trying hundreds more. `trouble` grows while the run is read. */
export function stopIfAllFail(run: Run): { readonly run: Run; readonly trouble: RunTrouble } {
  const tally = new RunTally();
  const trouble: RunTrouble = { unreadableStored: 0 };
  const look = (): void => {
    trouble.unreadableStored = tally.judges.unreadableStored;
    trouble.firstFailure = tally.firstFailure;
    if (trouble.givenUp !== undefined || trouble.brokenJudge !== undefined) return;
    if (tally.replies === 0 && tally.failures >= ENOUGH && lastingErrors(tally) >= tally.failures)
      trouble.givenUp = tally.lastFailure;
    else trouble.brokenJudge = tally.judges.longest(ENOUGH);
    if (trouble.givenUp !== undefined || trouble.brokenJudge !== undefined) run.stop();
  };
  const watched: Run = {
    get results() {
      return run.results;
    },
    stop: () => run.stop(),
    async *[Symbol.asyncIterator]() {
      for await (const event of run) {
        tally.apply(event);
        look();
        yield event;
      }
    },
  };
  return { run: watched, trouble };
}

/** How many errors are of a kind that a retry does not fix. */
function lastingErrors({ errors }: RunTally): number {
  return [...LASTING].reduce((sum, category) => sum + (errors.get(category) ?? 0), 0);
}

/** What is known of a run that has ended. */
export interface RunEnding extends RunTrouble {
  readonly summary: RunSummary;
  /** True if a person stopped it. */
  readonly interrupted: boolean;
  readonly quiet: boolean;
}

const ERRORS = "--retry-errors";
const UNREADABLE = "--retry-unreadable";

/** Prints what did not finish and how to resume it. Returns the exit code, thresholds aside. */
export function reportEnding(ending: RunEnding, messages: Output): ExitCode {
  const { summary, interrupted, unreadableStored, quiet } = ending;
  const { statuses, parent, unjudged, unreadable } = summary;
  const print = (text: string): void => messages.write(`${text}\n`);
  const open = openIn(summary);
  const left = `${countedText(open, "conversation")} left. ${nextStep(summary)}`;
  if (interrupted) {
    print(`Interrupted: ${left}`);
    return 130;
  }
  const offer = (count: number, noun: string, { what, flag }: { what: string; flag: string }): void =>
    print(`${countedText(count, noun)} ${what}. Try again: ${retryCommand(summary, flag)}`);
  if (unreadableStored > 0)
    offer(unreadableStored, "unreadable answer", {
      what: "of the judge came from the store",
      flag: UNREADABLE,
    });
  const broken = breakdownOf(ending, open);
  if (broken !== undefined) {
    print(`${messages.style.red("error:")} ${broken}`);
    return 2;
  }
  const isSpent = (statuses.budget_exhausted ?? 0) > 0;
  // Conversations that now take another edge have been reported already.
  if (open > 0 && (isSpent || parent === null))
    print(`${isSpent ? "The budget is spent" : "The run was cut short"}: ${left}`);
  if (quiet) return 0;
  const errors = statuses.error ?? 0;
  if (errors > 0) offer(errors, "conversation", { what: "ended in an error", flag: ERRORS });
  else if (unjudged > 0) offer(unjudged, "conversation", { what: "had a judge that failed", flag: ERRORS });
  else if (unreadable > 0 && unreadableStored === 0)
    offer(unreadable, "conversation", { what: "had unreadable answers of the judge", flag: UNREADABLE });
  return 0;
}

function openIn({ start, statuses, arms = 0 }: RunSummary): number {
  return start.conversations + arms - finishedIn(statuses) - (statuses.error ?? 0);
}

function finishedIn(statuses: RunSummary["statuses"]): number {
  return countStatuses(statuses, (status) => isFinished(status) || isUnscored(status));
}

/** A regraded run cannot be resumed, since its subjects are stored replies: it is regraded again. */
function nextStep({ run, parent, start }: RunSummary): string {
  if (parent !== null) return `Start again with: elenchus regrade ${runWord(parent)}`;
  if (start.configuration.recorded === true) return "Grade the records again.";
  return `Resume with: elenchus resume ${runWord(run)}`;
}

function retryCommand({ run, parent }: RunSummary, flags: string): string {
  if (parent === null) return `elenchus resume ${runWord(run)} ${flags}`;
  // Errors are tried again by every regrade.
  return `elenchus regrade ${runWord(parent)} ${flags.replace(ERRORS, "")}`.trim();
}

/** Why results cannot be used as they are, and what to do; undefined if they can. */
function breakdownOf(
  { summary, givenUp, brokenJudge, firstFailure }: RunEnding,
  open: number,
): string | undefined {
  const { start, statuses, judges, run } = summary;
  const errors = statuses.error ?? 0;
  // A run that was given up has conversations left, unless all of them had been tried.
  const isStopped = givenUp !== undefined && open > 0;
  const isNothingDone = finishedIn(statuses) === 0 && (givenUp !== undefined || errors > 0);
  if (isStopped || isNothingDone || errors > start.conversations / 2) {
    const why = givenUp ?? firstFailure;
    const reason =
      why === undefined ? `See why: elenchus show ${runWord(run)} --failures` : failureSentence(why);
    const what = `${errors} of ${countedText(start.conversations, "conversation")} ended in an error${isStopped ? ", so the run was stopped" : ""}.`;
    return `${what} ${reason}\n${afterFixing(summary, ERRORS)}`;
  }
  const isOwn = start.judges.includes(SELF_JUDGE);
  if (brokenJudge !== undefined) {
    const { judge, count, reason } = brokenJudge;
    const advice = isOwn
      ? "It is the subject's own model. Run again with --judge openai/gpt-5-mini, or --judge rules: replies come from the store."
      : afterFixing(summary, flagsFor(judges.find((one) => one.judge === judge)));
    return `The judge ${printableText(judge)} failed ${count} times in a row, so the run was stopped. ${printableText(reason)}\n${advice}`;
  }
  // A subject may be asked to read only a few replies; that it cannot is part of the report.
  const useless = isOwn ? undefined : judges.find(({ asked, judged }) => asked > 0 && judged === 0);
  return useless === undefined
    ? undefined
    : `No reply could be judged. ${judgeProblemTexts({ ...useless, isPoor: false }).join("\n")}\n${afterFixing(summary, flagsFor(useless))}`;
}

function afterFixing(summary: RunSummary, flags: string): string {
  return `Nothing is lost. After fixing it: ${retryCommand(summary, flags)}`;
}

/** The flags that make a resume call a judge again: it failed, its answers could not be read, or both. */
function flagsFor(judge: JudgeHealth | undefined): string {
  if (judge === undefined || judge.unreadable === 0) return ERRORS;
  return judge.failed === 0 ? UNREADABLE : `${ERRORS} ${UNREADABLE}`;
}
