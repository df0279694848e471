import type { Label, RunEvent } from "../run-event.ts";

/** The labels among events; of several by one person on one field of one turn, the last. */
export function lastLabels(events: Iterable<RunEvent>): readonly Label[] {
  const found = new Map<string, Label>();
  for (const event of events) {
    if (event.type !== "label") continue;
    const { at: _, ...label } = event;
    const key = JSON.stringify([label.conversation, label.turn, label.field, label.who]);
    // The last one said comes last.
    found.delete(key);
    found.set(key, label);
  }
  return [...found.values()];
}
