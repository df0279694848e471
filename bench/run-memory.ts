import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { report } from "./measure.ts";

const SIZES = [1_000, 10_000, 100_000];
const GOAL = 1.5;

export function benchRunMemory(): void {
  console.log("memory of a run whose events are consumed as they come (2 turns each)");
  const script = fileURLToPath(new URL("./run-memory-child.ts", import.meta.url));
  const peaks = SIZES.map((size) => {
    const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", script, String(size)], {
      encoding: "utf8",
    });
    const peak = Number(stdout);
    if (!(peak > 0)) throw new Error(stderr);
    return peak;
  });
  for (const [index, size] of SIZES.entries())
    report(`${size.toLocaleString("en")} conversations`, `${((peaks[index] as number) / 1e6).toFixed(1)} MB`);
  const ratio = (peaks.at(-1) as number) / (peaks[0] as number);
  report("largest against smallest", `×${ratio.toFixed(2)}`, { text: `≤ ×${GOAL}`, met: ratio <= GOAL });
}
