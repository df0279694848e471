import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "elenchus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareChildren, type StartChild } from "./child.ts";

let folder: string;
let startChild: StartChild;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "elenchus-opening-"));
  startChild = await prepareChildren();
});
afterAll(() => rm(folder, { recursive: true }));

/** Does nothing until something holds, for parts of a millisecond that no timer knows. */
function spinUntil(holds: () => boolean): void {
  while (!holds());
}

/** Moments of the five milliseconds that making a file takes; `npm run kills` tries twice as many. */
const MOMENTS = process.env.ELENCHUS_FAULTS_KILLS === undefined ? 8 : 16;

test.for(Array.from({ length: MOMENTS }, (_, index) => (index * 4.8) / MOMENTS))(
  "a file whose maker was killed %f ms after it was there is made by the next",
  async (delayMs) => {
    const file = join(folder, `${delayMs}.db`);
    // Nobody answers there, and nobody gets that far.
    const assignment = { file, run: "r", url: "http://127.0.0.1:9/ask" };
    const child = startChild(assignment, {
      onSaid: ({ said }) => {
        if (said !== "opening") return;
        const tooLate = performance.now() + 5000;
        spinUntil(() => existsSync(file) || performance.now() > tooLate);
        const moment = performance.now() + delayMs;
        spinUntil(() => performance.now() >= moment);
        child.kill();
      },
    });
    expect((await child.ended).signal).toBe("SIGKILL");
    const store = await openStore(file);
    expect(store.runs()).toEqual([]);
    await store.close();
  },
);
