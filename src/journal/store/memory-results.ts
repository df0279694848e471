import { isFinished } from "../../core/state/state.ts";
import type { Conversation } from "../fold/conversation.ts";
import type { OutcomeEvent } from "../run-event.ts";
import { type OutcomeGroup, resultRows } from "./result-rows.ts";
import type { ResultRow } from "./store.ts";

/** An outcome of a conversation; disturbed if something else than replies kept the conversation from being decided. */
type Settled = OutcomeEvent & { readonly isDisturbed: boolean };

/** The results of conversations that are in memory, as `readResults` adds them up. */
export function memoryResults(conversations: readonly Conversation[]): readonly ResultRow[] {
  const sorted = [...conversations].sort((one, other) => one.cell.index - other.cell.index);
  const groups = sorted.map(({ cell, status, verdicts, spending }) => {
    const { scenario, subject, judge } = cell;
    const { pass: passed, fail: failed, unreadable, unjudged, unverified } = verdicts;
    const turns = { passed, failed, unreadable, unjudged, unverified };
    return { scenario, subject, judge, status, conversations: 1, turns, spending };
  });
  return resultRows(groups, outcomeGroups(sorted));
}

function outcomeGroups(conversations: readonly Conversation[]): readonly OutcomeGroup[] {
  const found = new Map<string, { readonly group: Omit<OutcomeGroup, "result">; values: Settled[] }>();
  for (const { cell, status, verdicts, outcomes } of conversations) {
    const { scenario, subject, judge } = cell;
    const isDisturbed = verdicts.unjudged > 0 || !isFinished(status);
    for (const outcome of outcomes.values()) {
      const { name } = outcome;
      const key = JSON.stringify([scenario, subject, judge, name]);
      const known = found.get(key) ?? { group: { scenario, subject, judge, name }, values: [] };
      known.values.push({ ...outcome, isDisturbed });
      found.set(key, known);
    }
  }
  return [...found.values()].map(({ group, values }) => ({ ...group, result: counted(values) }));
}

function counted(outcomes: readonly Settled[]): OutcomeGroup["result"] {
  const decided = outcomes.filter(({ status }) => status === "decided").map(({ value }) => value);
  const open = outcomes.filter(({ status }) => status === "inconclusive");
  const infrastructure = open.filter(({ isDisturbed }) => isDisturbed).length;
  const numbers = decided.filter((value) => typeof value === "number");
  return {
    yes: decided.filter((value) => value === true).length,
    no: decided.filter((value) => value === false).length,
    numbers: numbers.length,
    mean: numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length,
    inconclusive: open.length - infrastructure,
    infrastructure,
  };
}
