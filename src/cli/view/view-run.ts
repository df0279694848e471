import { randomBytes } from "node:crypto";
import type { Terminal } from "../../terminal/terminal.ts";

/** A run that can be seen in a browser. */
export interface ViewedRun {
  /** Its name, which is part of the address. */
  readonly run: string;
  /** Resolves when the person has seen enough. */
  untilStopped(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a viewer for a run that is about to begin. */
export async function viewRun(
  store: string,
  name: string | undefined,
  terminal: Terminal,
): Promise<ViewedRun> {
  const { interrupted, pageOf, serveStore, showAddress } = await import("./view.ts");
  const run = name ?? randomBytes(6).toString("hex");
  const viewer = await serveStore(store, {}, terminal);
  // Standard output is for results.
  const messages = { ...terminal, output: terminal.messages };
  await showAddress(viewer, { page: pageOf(run), opens: true }, messages);
  return {
    run,
    untilStopped: async () => {
      terminal.messages.write("The viewer stays open. Press Ctrl-C to stop.\n");
      await interrupted();
    },
    close: () => viewer.close(),
  };
}
