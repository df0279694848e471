import { currentTurn } from "../core/outcomes/older-spelling.ts";
import { isRecord } from "../core/values/json.ts";

/**
 * An event as this release writes it, from one of any release: turns had `nodeId` for `node`, and the end of a conversation had
 * `turns` for `turnCount`. Looks at nothing else, so what is not an event stays as it is.
 */
export function currentEvent(event: unknown): unknown {
  if (!isRecord(event)) return event;
  if (event.type === "turn-end" && isRecord(event.result) && "nodeId" in event.result)
    return { ...event, result: currentTurn(event.result as { readonly node: string }) };
  if (event.type === "conversation-end" && typeof event.turns === "number") {
    const { turns, ...rest } = event;
    return { ...rest, turnCount: turns };
  }
  return event;
}
