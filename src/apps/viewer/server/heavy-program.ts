// The program of a process that computes one answer which looks at every conversation of a run, so that the server goes on answering.
import { errorMessage } from "../../../core/error-message.ts";
import { provideLiquid } from "../../../core/liquid/liquid-engine.ts";
import { openStore } from "../../../engine/journal/store/open-store.ts";
import { loadLiquid } from "../../../engine/run/liquid-library.ts";
import { type HeavyRequest, heavyAnswer } from "./heavy-answer.ts";
import type { HeavyReply } from "./heavy-process.ts";

provideLiquid(loadLiquid);
process.once(
  "message",
  async ({ path, request }: { readonly path: string; readonly request: HeavyRequest }) => {
    const reply = await answerTo(path, request);
    process.send?.(reply, () => process.exit());
  },
);
// The server is gone.
process.on("disconnect", () => process.exit());

async function answerTo(path: string, request: HeavyRequest): Promise<HeavyReply> {
  try {
    const store = await openStore(path, { readOnly: true });
    return { json: JSON.stringify(await heavyAnswer(store, request)) };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}
