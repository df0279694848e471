import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { runEntry, type Viewed } from "./run-data.ts";

/** At most two updates a second. */
const PAUSE_MS = 500;

/**
 * Tells a page about a run as long as it is written: how far it is, and that there is something new. The page then asks for
 * what it shows. Nothing is sent while nothing changes.
 */
export function liveUpdates(context: Context, viewed: Viewed, run: string): Response {
  return streamSSE(context, async (stream) => {
    const { store, browser } = viewed;
    let isOpen = true;
    let seen = -1;
    stream.onAbort(() => {
      isOpen = false;
    });
    while (isOpen) {
      const version = browser.version();
      if (version !== seen) {
        seen = version;
        const summary = store.run(run);
        if (summary === undefined || summary.run !== run) {
          await stream.writeSSE({ event: "gone", data: "{}" });
          return;
        }
        const entry = runEntry(viewed, summary);
        await stream.writeSSE({ event: "run", data: JSON.stringify(entry) });
        if (entry.state !== "running") return;
      }
      await stream.sleep(PAUSE_MS);
    }
  });
}
