import { type ConversationStatus, countStatuses, isFinished } from "../../../core/state/state.ts";
import { type Conversation, foldConversation } from "../../../engine/journal/fold/conversation.ts";
import { isBrokenJudge, type JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { OutcomeEvent } from "../../../engine/journal/run-event.ts";
import type { ConversationSummary, ResultRow, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import type { Tested } from "../data/run-counts.ts";
import type { ThresholdResult } from "../data/thresholds.ts";
import { judgeProblemTexts } from "../text/doubt-text.ts";
import { conversationName, testedName } from "../text/names.ts";
import { thresholdReason } from "../text/threshold-text.ts";
import { failureSentence } from "../text/verdict-text.ts";

/**
 * A run as a JUnit file, in pieces: a suite for each scenario, subject and judge with a test case for each conversation, a suite with
 * a test case for each judge model, and a suite of thresholds, which alone can fail. Of all conversations but one, only the summary is
 * in memory.
 */
export function* junitXml(
  store: Store,
  run: string,
  thresholds: readonly ThresholdResult[] = [],
): Generator<string> {
  const { run: name, start, startedAt, judges } = storedRun(store, run);
  const rows = store.results(name);
  // In one pass: conversations of several suites take turns where there are rows of a dataset.
  const members = Map.groupBy(store.conversations(name), suiteKey);
  const suites = rows.map((row) => {
    const own = members.get(suiteKey(row)) ?? [];
    return { own, counts: countsOf(row, own), name: `${row.scenario}, ${testedName(row, start.judges)}` };
  });
  const missed = thresholds.filter(({ passed }) => !passed).length;
  const broken = judges.filter(isBrokenJudge).length;
  const sum = (key: keyof Counts): number => suites.reduce((total, { counts }) => total + counts[key], 0);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${xmlAttributes({
    name: `elenchus ${name}`,
    tests: sum("tests") + thresholds.length + judges.length,
    failures: missed,
    errors: sum("errors") + broken,
    skipped: sum("skipped"),
  })}>\n`;
  // A store from elsewhere may have any number as a time.
  const isTime = Math.abs(startedAt) <= LAST_TIME;
  const timestamp = isTime ? new Date(startedAt).toISOString().slice(0, 19) : undefined;
  for (const { own, counts, name: suite } of suites)
    yield* testSuite({ name: suite, ...counts, timestamp }, conversationCases(own));
  function* conversationCases(summaries: readonly ConversationSummary[]): Generator<string> {
    for (const summary of summaries) {
      const folded = foldConversation(store.events(name, summary.conversation));
      yield conversationCase(folded, conversationName(summary, start.judges));
    }
  }
  if (judges.length > 0)
    yield* testSuite(
      { name: "judges", ...NONE, tests: judges.length, errors: broken },
      judges.map(judgeCase),
    );
  if (thresholds.length > 0)
    yield* testSuite(
      { name: "thresholds", ...NONE, tests: thresholds.length, failures: missed },
      thresholds.map((result) => thresholdCase(result, start.judges)),
    );
  yield "</testsuites>\n";
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

type Counts = Readonly<Record<"tests" | "failures" | "errors" | "skipped", number>>;

const NONE: Counts = { tests: 0, failures: 0, errors: 0, skipped: 0 };

function countsOf({ conversations, statuses }: ResultRow, members: readonly ConversationSummary[]): Counts {
  return {
    tests: conversations,
    failures: 0,
    errors: countStatuses(statuses, (status) => !isFinished(status)) + members.filter(isUnjudged).length,
    skipped: conversations - countStatuses(statuses, () => true),
  };
}

/** True for a conversation that was not cut short, and could not be judged as a whole: no test of it has passed. */
function isUnjudged({
  status,
  failedJudgements,
}: Pick<ConversationSummary, "status" | "failedJudgements">): boolean {
  return isFinished(status) && failedJudgements > 0;
}

function suiteKey({ scenario, subject, judge }: Tested & Pick<ResultRow, "scenario">): string {
  return JSON.stringify([scenario, subject, judge]);
}

function* testSuite(attributes: Attributes, content: Iterable<string>): Generator<string> {
  yield `  <testsuite${xmlAttributes(attributes)}>\n`;
  yield* content;
  yield "  </testsuite>\n";
}

function testCase(attributes: Attributes, content: readonly string[]): string {
  const head = `    <testcase${xmlAttributes(attributes)}`;
  return content.length === 0 ? `${head}/>\n` : `${head}>\n${content.join("")}    </testcase>\n`;
}

function properties(values: readonly (readonly [name: string, value: string | number])[]): string {
  const each = values.map(([name, value]) => `        <property${xmlAttributes({ name, value })}/>\n`);
  return `      <properties>\n${each.join("")}      </properties>\n`;
}

/** An element of a test case with a text. */
function element(name: "error" | "failure" | "system-out", attributes: Attributes, text: string): string {
  return `      <${name}${xmlAttributes(attributes)}>${xmlText(text)}</${name}>\n`;
}

function judgeCase(health: JudgeHealth): string {
  const keys = ["asked", "judged", "repaired", "unreadable", "failed"] as const;
  const [message = "", ...reasons] = judgeProblemTexts(health);
  return testCase({ classname: "judges", name: health.judge }, [
    properties(keys.map((key) => [key, health[key]])),
    ...(isBrokenJudge(health) ? [element("error", { type: "judge", message }, reasons.join("\n"))] : []),
  ]);
}

function thresholdCase(result: ThresholdResult, judges: readonly string[]): string {
  const { outcome, minimum, by, subject, judge, passed } = result;
  const message = thresholdReason(result, judges);
  const wanted =
    by === "difference"
      ? `${outcome} is not worse than the baseline by more than ${-minimum}, ${subject}`
      : `${outcome} >= ${minimum}${by === "lower" ? " (lower bound)" : ""}`;
  const who = subject === null || judge === null ? "" : `, ${testedName({ subject, judge }, judges)}`;
  return testCase(
    { classname: "thresholds", name: wanted + who },
    passed ? [] : [element("failure", { type: "threshold", message }, message)],
  );
}

/**
 * A conversation as the element of a test case. Outcomes are measurements, so they are properties, and a false one is no
 * failure; what was cut short or could not be judged is an error, and what has not ended was skipped.
 */
function conversationCase(folded: Conversation, name: string): string {
  const { conversation, cell, status, path, startedAt, endedAt, attempt } = folded;
  const outcomes = [...folded.outcomes.values()];
  const inconclusive = outcomes.filter((outcome) => outcome.status === "inconclusive").map(inconclusiveText);
  // The time of a resumed conversation would include a pause.
  const isTimed = startedAt !== null && endedAt !== null && attempt === 1;
  const time = isTimed ? (Math.max(0, endedAt - startedAt) / 1000).toFixed(3) : undefined;
  return testCase({ classname: cell.scenario, name, time }, [
    properties([
      ["conversation", conversation],
      ["status", status ?? "under way"],
      ["turns", path.length],
      ...outcomes.map((outcome) => [`outcome.${outcome.name}`, valueText(outcome)] as const),
    ]),
    ...endElement(folded),
    ...(inconclusive.length === 0 ? [] : [element("system-out", {}, inconclusive.join("\n"))]),
  ]);
}

function valueText({ value, status }: OutcomeEvent): string {
  return status === "decided" ? String(value) : status.replace("_", " ");
}

function inconclusiveText({ name, value, reason }: OutcomeEvent): string {
  const proven = typeof value === "number" ? `, though ${value} can be proved` : "";
  return `${name} is inconclusive${proven}${reason === undefined ? "" : `: ${reason}`}`;
}

const WHY: Readonly<Partial<Record<ConversationStatus, string>>> = {
  error: "The conversation ended in an error.",
  timeout: "The conversation took too long.",
  budget_exhausted: "The budget of the run was used up.",
  cancelled: "The conversation was cancelled.",
  simulator_fault: "The simulated user broke its contract.",
  record_mismatch: "The record does not fit the scenario.",
};

function endElement({ status, failure, judges, finishedTurns }: Conversation): readonly string[] {
  if (status === null)
    return [`      <skipped${xmlAttributes({ message: "The conversation has not ended." })}/>\n`];
  if (isUnjudged({ status, failedJudgements: judges.failed })) {
    const failures = finishedTurns.flatMap(({ judgeFailure }) => judgeFailure ?? []);
    // A panel may have decided without the judge that failed.
    const [message = "A judge could not be asked.", ...more] = failures.map(failureSentence);
    return [element("error", { type: failures[0]?.category ?? "judge", message }, more.join("\n"))];
  }
  if (isFinished(status)) return [];
  const { category = status, message = WHY[status], stage, node, turn, cause } = failure ?? {};
  const place = Object.entries({ status, stage, node, turn }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${value}`],
  );
  const text = place.join(", ") + (cause === undefined ? "" : `\n${cause}`);
  return [element("error", { type: category, message }, text)];
}

/** What XML 1.0 forbids, even as a reference: most control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** In attributes, white space other than spaces would be read as spaces; in a text, a carriage return as a line feed. */
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** A text between tags; what XML forbids is left out. */
export function xmlText(text: string): string {
  return escaped(text, /[&<>\r]/g);
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A list of attributes, each with a space before it; those that are undefined are left out. */
export function xmlAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value), /[&<>"'\t\n\r]/g)}"`)
    .join("");
}

function escaped(text: string, pattern: RegExp): string {
  return text.replace(FORBIDDEN, "").replace(pattern, (character) => REFERENCES[character] ?? character);
}
