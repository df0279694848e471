import { needsOfParts } from "../../../core/liquid/text-needs.ts";
import {
  compileTurnField,
  compileTurnNumber,
  isAttempt,
  UNREADABLE,
} from "../../../core/outcomes/outcome-fields.ts";
import type { ScenarioDefinition } from "../../../core/scenario/definition.ts";
import type { TurnRecord } from "../../../core/state/state.ts";
import { canonicalJson, type JsonValue } from "../../../core/values/json.ts";
import { type KeptTurns, keptAt, outcomeReads, type TurnsRead } from "../outcome-reads.ts";
import type { DefinitionCode } from "./prepare-code.ts";

/** What an outcome or a text reads of the turns that are over. Conversations with the same histories have the same values. */
export interface History {
  readonly keep: KeptTurns;
  /** What is read of a turn; undefined if it does not count. */
  readonly read: (turn: TurnRecord) => string | undefined;
}

/** A history with one more turn. */
export function withTurn(
  { keep, read }: History,
  before: readonly string[],
  turn: TurnRecord,
): readonly string[] {
  const value = read(turn);
  if (value === undefined || (keep === "set" && before.includes(value))) return before;
  if (keep === "set" || keep === "bag") return [...before, value].sort();
  if (keep === "list") return [...before, value];
  if ("last" in keep) return [...before, value].slice(-keep.last);
  return before.length < keep.first ? [...before, value] : before;
}

/** The histories that the outcomes of a definition need, and the texts that read turns by their number. */
export function outcomeHistories(
  { outcomes, nodes, edges, systemPrompt }: ScenarioDefinition,
  code: DefinitionCode,
): readonly History[] {
  const needs = [
    needsOfParts(...Object.values(nodes), systemPrompt),
    ...edges.map(({ when }) => needsOfParts(typeof when === "object" ? when : undefined)),
  ].flatMap(({ turns }) => turns);
  const ofTexts = needs.flatMap(({ node, index = null }): readonly History[] =>
    node === undefined || node === null ? [{ keep: keptAt(index), read: everything }] : [],
  );
  const ofOutcomes = outcomes
    .filter(({ name }) => !code.opaqueOutcomes.has(name))
    .flatMap(({ check }): readonly History[] =>
      needsOfParts(check).turns.length > 0
        ? [{ keep: "list", read: everything }]
        : outcomeReads(check).turns.map(historyOf),
    );
  return [...ofOutcomes, ...ofTexts];
}

function historyOf(turns: TurnsRead): History {
  const { fields, keep, only, countsOthers, isNumber } = turns;
  const nodes = turns.nodes === undefined ? null : new Set([turns.nodes].flat());
  const reads = fields?.map(({ field }) => (isNumber === true ? numberOf(field) : fieldOf(field)));
  return {
    keep,
    read: (turn) => {
      if (nodes?.has(turn.node) === false) return countsOthers === true ? "" : undefined;
      if (only === "attempts" && !isAttempt(turn)) return undefined;
      if (only === "not left out" && turn.notVerified === true) return undefined;
      if (reads === undefined) return everything(turn);
      const values = reads.map((read) => read(turn));
      return values.includes(undefined) ? undefined : values.join();
    },
  };
}

function numberOf(field: string): (turn: TurnRecord) => string | undefined {
  const number = compileTurnNumber(field);
  return (turn) => {
    const value = number(turn);
    return value === undefined ? undefined : String(value);
  };
}

function fieldOf(field: string): (turn: TurnRecord) => string {
  const read = compileTurnField(field);
  return (turn) => {
    const value = read?.(turn) ?? null;
    if (field === "verify_result" && turn.notVerified === true) return "not verified";
    // What turns have is data.
    return value === UNREADABLE ? "unreadable" : canonicalJson(value as JsonValue);
  };
}

function everything({
  node,
  verifyResult,
  score,
  notVerified,
  parsed,
  rubric,
  refused,
  user,
}: TurnRecord): string {
  const parts = [node, verifyResult, score, notVerified, parsed, rubric, refused, user];
  return JSON.stringify(parts.map((part) => part ?? null));
}
