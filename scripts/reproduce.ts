// Computes published numbers of multi-turn benchmarks again: npm run reproduce -- <folder with the data> [--json]
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Entry, Reproduced } from "./reproduce/entries.ts";
import { bigBenchMistake, sycoBench } from "./reproduce/item-scores.ts";
import { craftMd, lostInConversation, tauBench } from "./reproduce/replicated.ts";
import { syconDebate } from "./reproduce/sycon-debate.ts";

const BENCHMARKS: Readonly<Record<string, (folder: string) => Reproduced | Promise<Reproduced>>> = {
  sycon_debate: syconDebate,
  tau_bench: tauBench,
  craft_md: craftMd,
  lost_in_conversation: lostInConversation,
  syco_bench: sycoBench,
  bigbench_mistake: bigBenchMistake,
};

const given = process.argv.slice(2);
const folder = given.find((word) => !word.startsWith("--"));
if (folder === undefined || !existsSync(folder)) {
  console.error(
    `Name the folder with the data: npm run reproduce -- <folder>${folder === undefined ? "" : ` (there is no ${folder})`}`,
  );
  process.exit(2);
}

const entries: Entry[] = [];
for (const [name, reproduce] of Object.entries(BENCHMARKS)) {
  if (!existsSync(join(folder, name))) {
    console.error(`${name}: not in ${folder}, and so not reproduced.`);
    continue;
  }
  const { entries: own, notes } = await reproduce(folder);
  entries.push(...own);
  if (given.includes("--json")) continue;
  console.log(`\n${name}`);
  for (const { group, metric, value, n, interval } of own) {
    const between =
      interval == null ? "" : `  95 % ${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
    console.log(
      `  ${group.padEnd(44)} ${metric.padEnd(38)} ${(value === null ? "–" : value.toFixed(4)).padStart(11)}  n ${n}${between}`,
    );
  }
  for (const note of notes) console.log(`  note: ${note}`);
}
if (given.includes("--json"))
  console.log(
    JSON.stringify(
      entries.map(({ benchmark, group, metric, value, n }) => ({ benchmark, group, metric, value, n })),
      null,
      1,
    ),
  );
