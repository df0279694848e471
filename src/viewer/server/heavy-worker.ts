// The program of a thread that computes what looks at every conversation of a run, so that the server goes on answering.
import { parentPort, workerData } from "node:worker_threads";
import { errorMessage } from "../../core/error-message.ts";
import { provideLiquid } from "../../core/liquid/liquid-engine.ts";
import { openStore } from "../../journal/store/open-store.ts";
import { loadLiquid } from "../../run/liquid-library.ts";
import { type HeavyRequest, heavyAnswer } from "./heavy-answer.ts";

const store = await openStore(String(workerData), { readOnly: true });
provideLiquid(loadLiquid);
parentPort?.on(
  "message",
  async ({ id, request }: { readonly id: number; readonly request: HeavyRequest }) => {
    try {
      parentPort?.postMessage({ id, json: JSON.stringify(await heavyAnswer(store, request)) });
    } catch (error) {
      parentPort?.postMessage({ id, problem: errorMessage(error) });
    }
  },
);
