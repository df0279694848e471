import { writeSync } from "node:fs";
import { openStore, resumeRun, runScenarios, StoreError } from "../../src/apps/public/index.ts";
import { type Assignment, benchmark, told } from "./benchmark.ts";

/** What the process says on its standard output, a line each. */
export type Said =
  | { readonly said: "opening" }
  | { readonly said: "opened" }
  | {
      readonly said: "finished";
      readonly told: string;
      readonly calls: readonly (readonly [number, number])[];
    }
  | { readonly said: "failed"; readonly name: string; readonly code?: string; readonly message: string };

/** Written at once, so that nothing that was said is lost when the process is killed. */
function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

/** Begins the run, or goes on with it. */
async function hold(assignment: Assignment): Promise<void> {
  const { file, run, lockTimeoutMs } = assignment;
  say({ said: "opening" });
  const store = await openStore(file, lockTimeoutMs === undefined ? {} : { lockTimeoutMs });
  say({ said: "opened" });
  const options = { ...benchmark(assignment), store };
  // The beginning of a name would be enough to find another run.
  const held = store.run(run)?.run === run ? resumeRun(run, options) : runScenarios(options);
  const results = await held.results;
  await store.close();
  say({
    said: "finished",
    told: told(results),
    calls: results.map(({ spending }) => [spending.calls, spending.cached]),
  });
}

try {
  await hold(JSON.parse(process.argv[2] ?? "") as Assignment);
} catch (error) {
  const { name, message } = error as Error;
  say({ said: "failed", name, message, ...(error instanceof StoreError ? { code: error.code } : {}) });
  process.exitCode = 1;
}
