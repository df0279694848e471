// The program of a process that computes what looks at every conversation of a run, so that the server goes on answering.
import { errorMessage } from "../../../core/error-message.ts";
import { provideLiquid } from "../../../core/liquid/liquid-engine.ts";
import { openStore } from "../../../engine/journal/store/open-store.ts";
import type { Store } from "../../../engine/journal/store/store.ts";
import { loadLiquid } from "../../../engine/run/liquid-library.ts";
import { type HeavyRequest, heavyAnswer } from "./heavy-answer.ts";

/** The first message says which store it is. */
type Message = { readonly path: string } | { readonly id: number; readonly request: HeavyRequest };

provideLiquid(loadLiquid);
let store: Promise<Store> | undefined;
process.on("message", async (message: Message) => {
  if ("path" in message) {
    store = openStore(message.path, { readOnly: true });
    // Each request says so.
    store.catch(() => {});
    return;
  }
  const { id, request } = message;
  try {
    const json = JSON.stringify(await heavyAnswer((await store) as Store, request));
    process.send?.({ id, json });
  } catch (error) {
    process.send?.({ id, problem: errorMessage(error) });
  }
});
// The server is gone.
process.on("disconnect", () => process.exit());
