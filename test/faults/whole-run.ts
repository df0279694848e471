import Database from "better-sqlite3";
import { openStore } from "../../src/apps/public/index.ts";

/** What a file says of a finished run, as far as it does not depend on when and how often it was interrupted. */
export interface WholeRun {
  readonly statuses: unknown;
  readonly hasEnded: boolean;
  /** The results table, without what the calls took. */
  readonly results: string;
  /** How often each thing that happens once in a conversation is in the journal, by how often. */
  readonly times: Readonly<Record<number, number>>;
  /** What SQLite says about the file. */
  readonly integrity: unknown;
}

/** Reads a finished run out of a file. */
export async function wholeRun(file: string, run: string): Promise<WholeRun> {
  const store = await openStore(file, { readOnly: true });
  const summary = store.run(run);
  const results = store.results(run).map(({ spending: _, ...row }) => row);
  const counts = new Map<string, number>();
  for (const event of store.events(run)) {
    const place = placeOf(event);
    if (place !== null) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  await store.close();
  const times: Record<number, number> = {};
  for (const count of counts.values()) times[count] = (times[count] ?? 0) + 1;
  const database = new Database(file, { readonly: true });
  const integrity = database.pragma("integrity_check", { simple: true });
  database.close();
  return {
    statuses: summary?.statuses,
    hasEnded: (summary?.endedAt ?? null) !== null,
    results: JSON.stringify(results),
    times,
    integrity,
  };
}

type StoredEvent =
  ReturnType<Awaited<ReturnType<typeof openStore>>["events"]> extends Iterable<infer Event> ? Event : never;

/** Where something happened that happens once; null for what may happen again when a run is resumed. */
function placeOf(event: StoredEvent): string | null {
  switch (event.type) {
    case "conversation-start":
    case "conversation-end":
      return `${event.type} ${event.conversation}`;
    case "turn-reply":
    case "hop":
      return `${event.type} ${event.conversation} ${event.turn}`;
    case "turn-judgement":
      return `${event.type} ${event.conversation} ${event.turn} ${event.part}`;
    case "turn-end":
      return `${event.type} ${event.conversation} ${event.result.turn}`;
    case "outcome":
      return `${event.type} ${event.conversation} ${event.name}`;
    default:
      return null;
  }
}
