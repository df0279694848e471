import { openStore, StoreError } from "../../src/apps/public/index.ts";

/**
 * The calls whose answers a file holds, as the server names them: the reply or the judgement is in the journal, or the answer
 * is among the calls of the project where the run looks there.
 */
export async function durableCalls(
  file: string,
  run: string,
  { fresh }: { readonly fresh: boolean },
): Promise<ReadonlySet<string>> {
  const durable = new Set<string>();
  const store = await openStore(file, { readOnly: true }).catch((error: unknown) => {
    if (error instanceof StoreError && isUnfinished(error)) return null;
    throw error;
  });
  if (store === null) return durable;
  for (const event of store.events(run)) {
    if (event.type === "turn-reply") durable.add(`${event.conversation} ${event.turn} subject`);
    if (event.type === "turn-judgement") durable.add(`${event.conversation} ${event.turn} judge`);
    if (event.type === "call-start" && !fresh && event.identity !== undefined) {
      if (store.calls.find(event.identity) !== undefined)
        durable.add(`${event.conversation} ${event.turn} ${event.purpose}`);
    }
  }
  await store.close();
  return durable;
}

/** Killed before the file was a store: it is not there, it is empty, or its making must be undone, which no reader can do. */
function isUnfinished({ code, cause }: StoreError): boolean {
  if (code === "missing" || code === "io" || code === "not_a_store") return true;
  return cause instanceof Error && "code" in cause && cause.code === "SQLITE_READONLY_ROLLBACK";
}
