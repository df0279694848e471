import { currentTurn } from "../../core/outcomes/older-spelling.ts";
import { isRecord } from "../../core/values/json.ts";

/**
 * An event as this release writes it, from one of any release: turns had `nodeId` for `node`, the end of a conversation had
 * `turns` for `turnCount`, and cells had the position of a row as `row`. Looks at nothing else, so what is not an event stays as
 * it is.
 */
export function currentEvent(event: unknown): unknown {
  if (!isRecord(event)) return event;
  const { cell } = event;
  if (isRecord(cell) && typeof cell.row === "number") {
    const { row: rowIndex, ...rest } = cell;
    return currentEvent({ ...event, cell: { ...rest, rowIndex } });
  }
  if (event.type === "turn-end" && isRecord(event.result) && "nodeId" in event.result)
    return { ...event, result: currentTurn(event.result as { readonly node: string }) };
  if (event.type === "conversation-end" && typeof event.turns === "number") {
    const { turns, ...rest } = event;
    return { ...rest, turnCount: turns };
  }
  return event;
}
