import { SELF_JUDGE } from "../../../core/defaults.ts";
import { countStatuses, isFinished, isUnscored } from "../../../core/state/state.ts";
import type { JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { countedText } from "../../../insight/report/text/figures.ts";
import { judgeProblemTexts } from "../../../insight/report/text/judge-text.ts";
import { failureSentence } from "../../../insight/report/text/verdict-text.ts";
import { printableText, runWord } from "../../../system/terminal/printable-text.ts";
import type { Output } from "../../../system/terminal/terminal.ts";
import type { ExitCode } from "../command.ts";
import type { GuardedRun } from "./guarded-run.ts";

/** What is known of a run that has ended. */
export interface RunEnding
  extends Pick<GuardedRun, "givenUp" | "brokenJudge" | "unreadableStored" | "firstFailure"> {
  readonly summary: RunSummary;
  /** True if a person stopped it. */
  readonly interrupted: boolean;
  readonly quiet: boolean;
}

/** Something that the user must fix before the run can go on. */
interface Breakdown {
  readonly what: string;
  /** What to do, or the flags with which the rest is tried again. */
  readonly advice: string | { readonly flags: string };
}

const ERRORS = "--retry-errors";
const UNREADABLE = "--retry-unreadable";

/** Prints what did not finish and how to resume it. Returns the exit code, thresholds aside. */
export function reportEnding(ending: RunEnding, messages: Output): ExitCode {
  const { summary, interrupted, unreadableStored, quiet } = ending;
  const { statuses, parent } = summary;
  const print = (text: string): void => messages.write(`${text}\n`);
  const open = openIn(summary);
  const left = `${countedText(open, "conversation")} left. ${nextStep(summary)}`;
  if (interrupted) {
    print(`Interrupted: ${left}`);
    return 130;
  }
  const again = (flags: string): string => retryCommand(summary, flags);
  if (unreadableStored > 0)
    print(
      `${countedText(unreadableStored, "unreadable answer")} of the judge came from the store. To ask the judge again: ${again(UNREADABLE)}`,
    );
  const broken = breakdownOf(ending, open);
  if (broken !== undefined) {
    const { what, advice } = broken;
    print(`${messages.style.red("error:")} ${what}`);
    print(typeof advice === "string" ? advice : `Nothing is lost. After fixing it: ${again(advice.flags)}`);
    return 2;
  }
  const isSpent = (statuses.budget_exhausted ?? 0) > 0;
  // Conversations that now take another edge have been reported already.
  if (open > 0 && (isSpent || parent === null))
    print(`${isSpent ? "The budget is spent" : "The run was cut short"}: ${left}`);
  if (quiet) return 0;
  const notes: readonly (readonly [count: number, what: string, command: string])[] = [
    [statuses.error ?? 0, "ended in an error. Try again:", again(ERRORS)],
    [summary.unjudged, "had a judge that failed. To judge again:", again(ERRORS)],
    [
      unreadableStored > 0 ? 0 : summary.unreadable,
      "had answers of the judge that could not be read. To ask again:",
      again(UNREADABLE),
    ],
  ];
  const [count, what, command] = notes.find(([many]) => many > 0) ?? [0];
  if (count > 0) print(`${countedText(count, "conversation")} ${what} ${command}`);
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

/** Why results cannot be used as they are; undefined if they can. */
function breakdownOf(
  { summary, givenUp, brokenJudge, firstFailure }: RunEnding,
  open: number,
): Breakdown | undefined {
  const { start, statuses, judges, run } = summary;
  const isOwn = start.judges.includes(SELF_JUDGE);
  const errors = statuses.error ?? 0;
  const why = givenUp ?? firstFailure;
  const reason =
    why === undefined ? `See why: elenchus show ${runWord(run)} --failures` : failureSentence(why);
  if (finishedIn(statuses) === 0 && (givenUp !== undefined || errors > 0))
    return { what: `No conversation could be completed. ${reason}`, advice: { flags: ERRORS } };
  // A run that was given up has conversations left, unless all of them had been tried.
  if (givenUp !== undefined && open > 0)
    return {
      what: `The run was stopped, because all conversations that were tried now failed; ${countedText(open, "conversation")} left. ${reason}`,
      advice: { flags: ERRORS },
    };
  if (brokenJudge !== undefined) {
    const { judge, count, reason: last } = brokenJudge;
    return {
      what: `The judge ${printableText(judge)} failed ${count} times in a row, so the run was stopped. ${printableText(last)}`,
      advice: isOwn
        ? "It is the subject's own model. Run again with --judge openai/gpt-5-mini, or --judge rules: replies come from the store."
        : { flags: flagsFor(judges.find((one) => one.judge === judge)) },
    };
  }
  // A subject may be asked to read only a few replies; that it cannot is part of the report.
  const useless = isOwn ? undefined : judges.find(({ asked, judged }) => asked > 0 && judged === 0);
  if (useless !== undefined)
    return {
      what: `No reply could be judged. ${judgeProblemTexts({ ...useless, isPoor: false }).join("\n")}`,
      advice: { flags: flagsFor(useless) },
    };
  if (errors > start.conversations / 2)
    return {
      what: `${errors} of ${countedText(start.conversations, "conversation")} ended in an error. ${reason}`,
      advice: { flags: ERRORS },
    };
  return undefined;
}

/** The flags that make a resume call a judge again: it failed, its answers could not be read, or both. */
function flagsFor(judge: JudgeHealth | undefined): string {
  if (judge === undefined || judge.unreadable === 0) return ERRORS;
  return judge.failed === 0 ? UNREADABLE : `${ERRORS} ${UNREADABLE}`;
}
