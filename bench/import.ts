import { execFileSync } from "node:child_process";
import { medianTime, report, shown } from "./measure.ts";

const GOAL = 60;

export function benchImport(): void {
  console.log("start (a new process each time)");
  const library = import.meta.resolve("elenchus");
  const start = (code: string): number =>
    medianTime(() => execFileSync(process.execPath, ["--input-type=module", "--eval", code]), { runs: 15 });
  const bare = start("");
  const withLibrary = start(`import ${JSON.stringify(library)};`);
  const beyond = withLibrary - bare;
  report("bare Node", shown(bare, "ms"));
  report("importing the library, beyond bare Node", shown(beyond, "ms"), {
    text: `≤ ${GOAL} ms`,
    met: beyond <= GOAL,
  });
  report("  against bare Node", `×${(withLibrary / bare).toFixed(2)}`);
}
