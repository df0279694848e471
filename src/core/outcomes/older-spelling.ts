import type { ConversationResult } from "../state/state.ts";
import { isRecord } from "../values/json.ts";
import type { NodeFilter, Outcome, OutcomeCheck } from "./outcome-check.ts";

// Earlier versions wrote `nodeId` for `node` and `history` for `turns`. Their files and stores are still read.

/** Some scopes and all measures can have a node filter. */
type MayFilter = { readonly type: string; readonly node?: NodeFilter };

/** The node filter of a scope or a measure, under its name or its older one. */
export function nodeFilter(part: MayFilter): NodeFilter | undefined | null {
  return part.node ?? (part as { readonly nodeId?: NodeFilter }).nodeId;
}

/** The name that a scope or a measure gives its node filter. */
export function nodeFilterKey(part: MayFilter): "node" | "nodeId" {
  return part.node === undefined && "nodeId" in part ? "nodeId" : "node";
}

/** Outcomes whose node filters are called `node`; the very same where they are already. */
export function withNodeFilters(outcomes: readonly Outcome[]): readonly Outcome[] {
  return outcomes.map((outcome) => {
    const check = renamed(outcome.check, "nodeId", "node");
    return check === outcome.check ? outcome : Object.freeze({ ...outcome, check: check as OutcomeCheck });
  });
}

/** Outcomes as the hash of a definition sees them: with the older name, so that hashes in stores stay right. */
export function outcomesToHash(outcomes: readonly Outcome[]): readonly unknown[] {
  return outcomes.map((outcome) => ({ ...outcome, check: renamed(outcome.check, "node", "nodeId") }));
}

/** The keys under which parts with node filters stand, at any depth. */
const NESTED = ["scope", "measure", "expected", "condition", "conditions"];

function renamed(part: unknown, from: "node" | "nodeId", to: "node" | "nodeId"): unknown {
  if (Array.isArray(part)) {
    const parts = part.map((item) => renamed(item, from, to));
    return parts.every((item, index) => item === part[index]) ? part : Object.freeze(parts);
  }
  if (!isRecord(part)) return part;
  let isChanged = false;
  // Only parts of checks have a type: what a field is compared with is not looked into.
  const isPart = typeof part.type === "string";
  const entries = Object.entries(part).flatMap(([key, value]) => {
    if (isPart && key === from) {
      isChanged = true;
      return Object.hasOwn(part, to) ? [] : [[to, value] as const];
    }
    const isNested = NESTED.includes(key) && !(key === "expected" && part.type !== "measure_check");
    const inner = isPart && isNested ? renamed(value, from, to) : value;
    isChanged ||= inner !== value;
    return [[key, inner] as const];
  });
  return isChanged ? Object.freeze(Object.fromEntries(entries)) : part;
}

/** A conversation with the current names, whichever version wrote it. */
export function currentResult(result: ConversationResult): ConversationResult {
  const { turns, history } = result as ConversationResult & {
    readonly history?: ConversationResult["turns"];
  };
  const list = turns ?? history;
  if (turns !== undefined && !list.some((turn) => "nodeId" in turn)) return result;
  return { ...result, turns: list.map(currentTurn) };
}

/** A turn with its node under `node`, whichever version wrote it. */
export function currentTurn<Turn extends { readonly node: string }>(turn: Turn): Turn {
  if (!("nodeId" in turn)) return turn;
  // What an earlier version called `nodeId` is the same text.
  const { nodeId: node, ...rest } = turn as Turn & { readonly nodeId: string };
  return { ...rest, node } as unknown as Turn;
}

/** True if the source of a function may look at something by its older name. */
export function saysOlderNames(source: string): boolean {
  return /\b(?:history|nodeId)\b/.test(source);
}

/** What an author's function is given, with the older names beside the current ones. */
export function withOlderNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOlderNames);
  if (!isRecord(value)) return value;
  if (Array.isArray(value.turns)) {
    const turns = value.turns.map(withOlderNames);
    return { ...value, turns, history: turns };
  }
  return typeof value.node === "string" && "questionText" in value ? { ...value, nodeId: value.node } : value;
}
