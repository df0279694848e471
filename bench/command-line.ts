import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { medianTime, report, shown } from "./measure.ts";

const RUNS = 15;

/** How long the command line takes to say something: a new process each time. */
export function benchCommandLine(): void {
  console.log("command line (a new process each time)");
  const program = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
  const time = (...words: readonly string[]): number =>
    medianTime(() => execFileSync(process.execPath, words, { stdio: "ignore" }), { runs: RUNS });
  const bare = time("--eval", "");
  report("bare Node", shown(bare, "ms"));
  for (const [flag, goal] of [
    ["--version", 120],
    ["--help", 150],
  ] as const) {
    const took = time(program, flag);
    report(`elenchus ${flag}`, shown(took, "ms"), { text: `≤ ${goal} ms`, met: took <= goal });
    report("  against bare Node", `×${(took / bare).toFixed(2)}`);
  }
}
