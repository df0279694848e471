import type { ConversationResult } from "../state/state.ts";
import { valueAt } from "../state/state-path.ts";
import { UNREADABLE } from "./turn-field.ts";

/** The first words of a field of a conversation. */
export const RESULT_FIELD_ROOTS: readonly string[] = [
  "status",
  "turn_count",
  "path",
  "accumulated",
  "cost",
  "tokens",
];

/** Reads a field of a finished conversation: its value, null if there is none, or `UNREADABLE`. */
export type ResultReader = (result: ConversationResult) => unknown;

/** Prepares a field such as `turn_count` for reading; null for a field that conversations do not have. */
export function compileResultField(field: string): ResultReader | null {
  const [root, ...keys] = field.split(".");
  if (root === "accumulated") return keys.includes("") ? null : (result) => valueAt(result.accumulated, keys);
  if (keys.length > 0) return null;
  switch (root) {
    case "status":
      return (result) => result.status ?? null;
    case "turn_count":
      return (result) => result.turnCount ?? null;
    case "path":
      return (result) => result.path ?? null;
    case "cost":
      // An unknown price is not a price of nothing.
      return (result) => result.cost ?? UNREADABLE;
    case "tokens":
      return (result) => result.tokens ?? UNREADABLE;
    default:
      return null;
  }
}
