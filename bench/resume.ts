import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, resumeRun, runScenarios } from "elenchus";
import type { Model } from "elenchus/models";
import { chain, instant } from "./chain.ts";
import { report, shown } from "./measure.ts";

const FINISHED = 10_000;
const UNFINISHED = 100;
const TURNS = 2;
const GOAL_MS = 1000;

export async function benchResume(): Promise<void> {
  console.log(
    `resume (a run with ${FINISHED.toLocaleString("en")} finished conversations of ${TURNS} turns, ${UNFINISHED} left)`,
  );
  const folder = mkdtempSync(join(tmpdir(), "elenchus-bench-"));
  const path = join(folder, "elenchus.db");
  const options = {
    scenarios: chain(TURNS),
    replicates: FINISHED + UNFINISHED,
    run: "long",
    fresh: true,
    keepResults: false,
  };
  const first = await openStore(path);
  const budget = { calls: FINISHED * TURNS };
  for await (const _ of runScenarios({
    allowUnread: true,
    ...options,
    subjects: instant("subject", "yes"),
    store: first,
    budget,
    concurrency: 1,
  }));
  await first.close();

  let firstCall = 0;
  const model = instant("subject", "yes");
  const noting: Model = {
    ...model,
    reply(request, context) {
      firstCall ||= performance.now();
      return model.reply(request, context);
    },
  };
  const start = performance.now();
  const store = await openStore(path);
  for await (const _ of resumeRun("long", { ...options, subjects: noting, store }));
  const { completed } = store.run("long")?.statuses ?? {};
  if (completed !== FINISHED + UNFINISHED) throw new Error(`${completed} conversations are completed`);
  await store.close();
  rmSync(folder, { recursive: true });
  const time = firstCall - start;
  report("time to the first call", shown(time, "ms"), { text: `≤ ${GOAL_MS} ms`, met: time <= GOAL_MS });
}
