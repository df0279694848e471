import { conversationFacts } from "../export/conversation-facts.ts";
import { storedRun } from "../export/stored-run.ts";
import type { ConversationSummary, ResultRow, Store } from "../journal/store.ts";
import type { ThresholdResult } from "./check-thresholds.ts";
import { conversationName } from "./conversation-name.ts";
import { countCutShort } from "./endings-text.ts";
import { junitConversation } from "./junit-conversation.ts";
import { testedName } from "./subject-totals.ts";
import { xmlAttributes, xmlText } from "./xml-text.ts";

/**
 * A run as a JUnit file, in pieces: a suite for each scenario, subject and judge with a test case for each conversation, and a
 * suite of thresholds, which alone can fail. Of all conversations but one, only a line of the results is in memory.
 */
export function* junitXml(
  store: Store,
  run: string,
  thresholds: readonly ThresholdResult[] = [],
): Generator<string> {
  const { run: name, start, startedAt } = storedRun(store, run);
  const rows = store.results(name);
  const suites = rows.map((row) => suiteOf(row, start.judges));
  const missed = thresholds.filter(({ passed }) => !passed).length;
  const sum = (key: "tests" | "errors" | "skipped"): number =>
    suites.reduce((total, suite) => total + suite[key], 0);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${xmlAttributes({
    name: `elenchus ${name}`,
    tests: sum("tests") + thresholds.length,
    failures: missed,
    errors: sum("errors"),
    skipped: sum("skipped"),
  })}>\n`;
  const members = groupConversations(store.conversations(name));
  for (const [index, row] of rows.entries()) {
    yield `  <testsuite${xmlAttributes({ ...suites[index], timestamp: timeOf(startedAt) })}>\n`;
    for (const summary of members.get(suiteKey(row)) ?? []) {
      const { conversation, scenario } = summary;
      const facts = conversationFacts(store.events(name, conversation));
      yield junitConversation({
        scenario,
        conversation,
        facts,
        name: conversationName(summary, start.judges),
      });
    }
    yield "  </testsuite>\n";
  }
  if (thresholds.length > 0) yield* thresholdSuite(thresholds, { judges: start.judges, missed });
  yield "</testsuites>\n";
}

type Suite = Readonly<Record<"name", string> & Record<"tests" | "failures" | "errors" | "skipped", number>>;

function suiteOf(row: ResultRow, judges: readonly string[]): Suite {
  const { scenario, conversations, statuses } = row;
  const ended = Object.values(statuses).reduce((total, count) => total + count, 0);
  return {
    name: `${scenario}, ${testedName(row, judges)}`,
    tests: conversations,
    failures: 0,
    errors: countCutShort(statuses),
    skipped: conversations - ended,
  };
}

type Member = Pick<
  ConversationSummary,
  "conversation" | "scenario" | "subject" | "judge" | "replicate" | "row"
>;

/** By suite, in one pass: conversations of several suites take turns where there are rows of a dataset. */
function groupConversations(
  conversations: Iterable<ConversationSummary>,
): ReadonlyMap<string, readonly Member[]> {
  const groups = new Map<string, Member[]>();
  for (const { conversation, scenario, subject, judge, replicate, row } of conversations) {
    const member = { conversation, scenario, subject, judge, replicate, row };
    const known = groups.get(suiteKey(member));
    if (known === undefined) groups.set(suiteKey(member), [member]);
    else known.push(member);
  }
  return groups;
}

function suiteKey({ scenario, subject, judge }: Pick<Member, "scenario" | "subject" | "judge">): string {
  return JSON.stringify([scenario, subject, judge]);
}

/** The latest time that a date can be. */
const LAST_TIME = 8.64e15;

function timeOf(at: number): string | undefined {
  return Math.abs(at) > LAST_TIME ? undefined : new Date(at).toISOString().slice(0, 19);
}

function* thresholdSuite(
  thresholds: readonly ThresholdResult[],
  { judges, missed }: { readonly judges: readonly string[]; readonly missed: number },
): Generator<string> {
  const counts = { tests: thresholds.length, failures: missed, errors: 0, skipped: 0 };
  yield `  <testsuite${xmlAttributes({ name: "thresholds", ...counts })}>\n`;
  for (const { outcome, minimum, by, subject, judge, passed, reason } of thresholds) {
    const wanted = `${outcome} >= ${minimum}${by === "lower" ? " (lower bound)" : ""}`;
    const who = subject === null || judge === null ? "" : `, ${testedName({ subject, judge }, judges)}`;
    const attributes = xmlAttributes({ classname: "thresholds", name: wanted + who });
    yield passed
      ? `    <testcase${attributes}/>\n`
      : `    <testcase${attributes}>\n      <failure${xmlAttributes({ type: "threshold", message: reason })}>${xmlText(reason)}</failure>\n    </testcase>\n`;
  }
  yield "  </testsuite>\n";
}
