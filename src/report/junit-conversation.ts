import type { ConversationFacts } from "../export/conversation-facts.ts";
import type { OutcomeEvent } from "../journal/run-event.ts";
import type { ConversationStatus } from "../state/state.ts";
import { CUT_SHORT } from "./endings-text.ts";
import { xmlAttributes, xmlText } from "./xml-text.ts";

/** A conversation as a test case: what it is called, and what its journal comes to. */
export interface JunitConversation {
  readonly scenario: string;
  readonly name: string;
  readonly conversation: string;
  readonly facts: ConversationFacts;
}

/**
 * A conversation as the element of a test case. Outcomes are measurements, so they are properties, and a false one is no
 * failure; what was cut short is an error, and what has not ended was skipped.
 */
export function junitConversation({ scenario, name, conversation, facts }: JunitConversation): string {
  const { end, outcomes, turns } = facts;
  const properties = [
    ["conversation", conversation],
    ["status", end?.status ?? "under way"],
    ["turns", String(turns.length)],
    ...outcomes.map((outcome) => [`outcome.${outcome.name}`, valueText(outcome)] as const),
  ] as const;
  const inconclusive = outcomes.filter(({ status }) => status === "inconclusive").map(inconclusiveText);
  return [
    `    <testcase${xmlAttributes({ classname: scenario, name, time: secondsOf(facts) })}>`,
    "      <properties>",
    ...properties.map(([key, value]) => `        <property${xmlAttributes({ name: key, value })}/>`),
    "      </properties>",
    ...endElement(facts),
    ...(inconclusive.length === 0
      ? []
      : [`      <system-out>${xmlText(inconclusive.join("\n"))}</system-out>`]),
    "    </testcase>",
    "",
  ].join("\n");
}

function valueText({ value, status }: OutcomeEvent): string {
  return status === "inconclusive" ? "inconclusive" : String(value);
}

function inconclusiveText({ name, value, reason }: OutcomeEvent): string {
  const proven = typeof value === "number" ? `, though ${value} can be proved` : "";
  return `${name} is inconclusive${proven}${reason === undefined ? "" : `: ${reason}`}`;
}

/** Undefined of a conversation that was taken up again: the time in between says nothing. */
function secondsOf({ startedAt, endedAt, attempts }: ConversationFacts): string | undefined {
  if (startedAt === null || endedAt === null || attempts > 1) return undefined;
  return (Math.max(0, endedAt - startedAt) / 1000).toFixed(3);
}

const WHY: Readonly<Partial<Record<ConversationStatus, string>>> = {
  error: "The conversation ended in an error.",
  timeout: "The conversation took too long.",
  budget_exhausted: "The budget of the run was used up.",
  cancelled: "The conversation was cancelled.",
};

function endElement({ end }: ConversationFacts): readonly string[] {
  if (end === null)
    return [`      <skipped${xmlAttributes({ message: "The conversation has not ended." })}/>`];
  const { status, failure } = end;
  if (CUT_SHORT[status] === undefined) return [];
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
