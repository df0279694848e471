import { type ConversationStatus, countStatuses, isFinished } from "../../../core/state/state.ts";
import { type Conversation, foldConversation } from "../../../engine/journal/fold/conversation.ts";
import { isBrokenJudge, type JudgeHealth } from "../../../engine/journal/judge-health.ts";
import type { OutcomeEvent } from "../../../engine/journal/run-event.ts";
import type { ConversationSummary, ResultRow, Store } from "../../../engine/journal/store/store.ts";
import { storedRun } from "../../../engine/journal/transfer/stored-run.ts";
import { runCounts } from "../data/run-counts.ts";
import type { ThresholdResult } from "../data/thresholds.ts";
import { doubtTexts, judgeProblemTexts } from "../text/doubt-text.ts";
import { conversationName, testedName } from "../text/names.ts";
import { thresholdReason } from "../text/threshold-text.ts";
import { failureSentence } from "../text/verdict-text.ts";

/**
 * A run as a JUnit file, in pieces: a suite for each scenario, subject and judge with a test case for each conversation, a suite with
 * a test case for each judge model, a suite of thresholds, which alone can fail, and one without test cases for what makes rates doubtful. Of all conversations but one, only the summary is in memory.
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
  const suites = rows.map((row) => suiteOf(row, members.get(suiteKey(row)) ?? [], start.judges));
  const missed = thresholds.filter(({ passed }) => !passed).length;
  const sum = (key: "tests" | "errors" | "skipped"): number =>
    suites.reduce((total, suite) => total + suite[key], 0);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${xmlAttributes({
    name: `elenchus ${name}`,
    tests: sum("tests") + thresholds.length + judges.length,
    failures: missed,
    errors: sum("errors") + judges.filter(isBrokenJudge).length,
    skipped: sum("skipped"),
  })}>\n`;
  for (const [index, row] of rows.entries()) {
    yield `  <testsuite${xmlAttributes({ ...suites[index], timestamp: timeOf(startedAt) })}>\n`;
    for (const summary of members.get(suiteKey(row)) ?? []) {
      const { conversation, scenario } = summary;
      const folded = foldConversation(store.events(name, conversation));
      yield junitConversation({
        scenario,
        conversation,
        folded,
        name: conversationName(summary, start.judges),
      });
    }
    yield "  </testsuite>\n";
  }
  if (judges.length > 0) yield* judgeSuite(judges);
  if (thresholds.length > 0) yield* thresholdSuite(thresholds, { judges: start.judges, missed });
  const { missing } = runCounts(rows, start);
  const doubts = doubtTexts({ missing, judges: start.judges, health: judges });
  if (doubts.length > 0) yield* warningSuite(doubts);
  yield "</testsuites>\n";
}

type Suite = Readonly<Record<"name", string> & Record<"tests" | "failures" | "errors" | "skipped", number>>;

function suiteOf(row: ResultRow, members: readonly ConversationSummary[], judges: readonly string[]): Suite {
  const { scenario, conversations, statuses } = row;
  const ended = Object.values(statuses).reduce((total, count) => total + count, 0);
  return {
    name: `${scenario}, ${testedName(row, judges)}`,
    tests: conversations,
    failures: 0,
    errors: countStatuses(statuses, (status) => !isFinished(status)) + members.filter(isUnjudged).length,
    skipped: conversations - ended,
  };
}

/** True for a conversation that was not cut short, and could not be judged as a whole: no test of it has passed. */
function isUnjudged({
  status,
  failedJudgements,
}: Pick<ConversationSummary, "status" | "failedJudgements">): boolean {
  return isFinished(status) && failedJudgements > 0;
}

function suiteKey({
  scenario,
  subject,
  judge,
}: Pick<ConversationSummary, "scenario" | "subject" | "judge">): string {
  return JSON.stringify([scenario, subject, judge]);
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

function timeOf(at: number): string | undefined {
  return Math.abs(at) > LAST_TIME ? undefined : new Date(at).toISOString().slice(0, 19);
}

/** Without test cases: what makes the rates of the run doubtful. */
function* warningSuite(texts: readonly string[]): Generator<string> {
  const counts = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  yield `  <testsuite${xmlAttributes({ name: "warnings", ...counts })}>\n    <properties>\n`;
  for (const value of texts) yield `      <property${xmlAttributes({ name: "warning", value })}/>\n`;
  yield "    </properties>\n  </testsuite>\n";
}

function* judgeSuite(judges: readonly JudgeHealth[]): Generator<string> {
  const errors = judges.filter(isBrokenJudge).length;
  const counts = { tests: judges.length, failures: 0, errors, skipped: 0 };
  yield `  <testsuite${xmlAttributes({ name: "judges", ...counts })}>\n`;
  for (const health of judges) {
    const keys = ["asked", "judged", "repaired", "unreadable", "failed"] as const;
    const [message = "", ...reasons] = judgeProblemTexts(health);
    yield `    <testcase${xmlAttributes({ classname: "judges", name: health.judge })}>\n      <properties>\n`;
    for (const key of keys) yield `        <property${xmlAttributes({ name: key, value: health[key] })}/>\n`;
    yield "      </properties>\n";
    if (isBrokenJudge(health))
      yield `      <error${xmlAttributes({ type: "judge", message })}>${xmlText(reasons.join("\n"))}</error>\n`;
    yield "    </testcase>\n";
  }
  yield "  </testsuite>\n";
}

function* thresholdSuite(
  thresholds: readonly ThresholdResult[],
  { judges, missed }: { readonly judges: readonly string[]; readonly missed: number },
): Generator<string> {
  const counts = { tests: thresholds.length, failures: missed, errors: 0, skipped: 0 };
  yield `  <testsuite${xmlAttributes({ name: "thresholds", ...counts })}>\n`;
  for (const result of thresholds) {
    const { outcome, minimum, by, subject, judge, passed } = result;
    const reason = thresholdReason(result, judges);
    const wanted =
      by === "difference"
        ? `${outcome} is not worse than the baseline by more than ${-minimum}, ${subject}`
        : `${outcome} >= ${minimum}${by === "lower" ? " (lower bound)" : ""}`;
    const who = subject === null || judge === null ? "" : `, ${testedName({ subject, judge }, judges)}`;
    const attributes = xmlAttributes({ classname: "thresholds", name: wanted + who });
    yield passed
      ? `    <testcase${attributes}/>\n`
      : `    <testcase${attributes}>\n      <failure${xmlAttributes({ type: "threshold", message: reason })}>${xmlText(reason)}</failure>\n    </testcase>\n`;
  }
  yield "  </testsuite>\n";
}

/** A conversation as a test case: its names, and the fold of its journal. */
interface JunitConversation {
  readonly scenario: string;
  readonly name: string;
  readonly conversation: string;
  readonly folded: Conversation;
}

/**
 * A conversation as the element of a test case. Outcomes are measurements, so they are properties, and a false one is no
 * failure; what was cut short or could not be judged is an error, and what has not ended was skipped.
 */
function junitConversation({ scenario, name, conversation, folded }: JunitConversation): string {
  const { status } = folded;
  const outcomes = [...folded.outcomes.values()];
  const properties = [
    ["conversation", conversation],
    ["status", status ?? "under way"],
    ["turns", String(folded.path.length)],
    ...outcomes.map((outcome) => [`outcome.${outcome.name}`, valueText(outcome)] as const),
  ] as const;
  const inconclusive = outcomes.filter(({ status }) => status === "inconclusive").map(inconclusiveText);
  return [
    `    <testcase${xmlAttributes({ classname: scenario, name, time: secondsOf(folded) })}>`,
    "      <properties>",
    ...properties.map(([key, value]) => `        <property${xmlAttributes({ name: key, value })}/>`),
    "      </properties>",
    ...endElement(folded),
    ...(inconclusive.length === 0
      ? []
      : [`      <system-out>${xmlText(inconclusive.join("\n"))}</system-out>`]),
    "    </testcase>",
    "",
  ].join("\n");
}

function valueText({ value, status }: OutcomeEvent): string {
  return status === "decided" ? String(value) : status.replace("_", " ");
}

function inconclusiveText({ name, value, reason }: OutcomeEvent): string {
  const proven = typeof value === "number" ? `, though ${value} can be proved` : "";
  return `${name} is inconclusive${proven}${reason === undefined ? "" : `: ${reason}`}`;
}

/** Undefined for a resumed conversation, whose time includes a pause. */
function secondsOf({ startedAt, endedAt, attempt }: Conversation): string | undefined {
  if (startedAt === null || endedAt === null || attempt > 1) return undefined;
  return (Math.max(0, endedAt - startedAt) / 1000).toFixed(3);
}

const WHY: Readonly<Partial<Record<ConversationStatus, string>>> = {
  error: "The conversation ended in an error.",
  timeout: "The conversation took too long.",
  budget_exhausted: "The budget of the run was used up.",
  cancelled: "The conversation was cancelled.",
  simulator_fault: "The simulated user broke its contract.",
  record_mismatch: "The record does not fit the scenario.",
};

function endElement(folded: Conversation): readonly string[] {
  const { status, failure } = folded;
  if (status === null)
    return [`      <skipped${xmlAttributes({ message: "The conversation has not ended." })}/>`];
  if (isUnjudged({ status, failedJudgements: folded.judges.failed })) return judgeElement(folded);
  if (isFinished(status)) return [];
  const attributes = { type: failure?.category ?? status, message: failure?.message ?? WHY[status] };
  const place = [
    `status ${status}`,
    ...(failure === undefined ? [] : [`stage ${failure.stage}`]),
    ...(failure?.node === undefined ? [] : [`node ${failure.node}`]),
    ...(failure?.turn === undefined ? [] : [`turn ${failure.turn}`]),
  ].join(", ");
  const cause = failure?.cause === undefined ? "" : `\n${failure.cause}`;
  return [`      <error${xmlAttributes(attributes)}>${xmlText(place + cause)}</error>`];
}

function judgeElement({ finishedTurns }: Conversation): readonly string[] {
  const failures = finishedTurns.flatMap(({ judgeFailure }) => judgeFailure ?? []);
  // A panel may have decided without the judge that failed.
  const [message = "A judge could not be asked.", ...more] = failures.map(failureSentence);
  const attributes = { type: failures[0]?.category ?? "judge", message };
  return [`      <error${xmlAttributes(attributes)}>${xmlText(more.join("\n"))}</error>`];
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

/** A list of attributes, each with a space before it; those that are undefined are left out. */
export function xmlAttributes(attributes: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value), /[&<>"'\t\n\r]/g)}"`)
    .join("");
}

function escaped(text: string, pattern: RegExp): string {
  return text.replace(FORBIDDEN, "").replace(pattern, (character) => REFERENCES[character] ?? character);
}
