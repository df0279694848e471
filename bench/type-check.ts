import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { typedChainSource } from "../test/typed-chain.ts";
import { report, shown } from "./measure.ts";

const GOAL = 5;

export function benchTypeCheck(): void {
  console.log("type check (a chain of 200 typed nodes with 600 edges)");
  const root = fileURLToPath(new URL("../", import.meta.url));
  const folder = `${root}test/.generated`;
  mkdirSync(folder, { recursive: true });
  const check = (source: string): { seconds: number; instantiations: number } => {
    writeFileSync(`${folder}/chain.ts`, source);
    writeFileSync(
      `${folder}/tsconfig.json`,
      JSON.stringify({ extends: "../../tsconfig.json", include: ["chain.ts"] }),
    );
    const output = execFileSync(`${root}node_modules/.bin/tsc`, ["-p", folder, "--extendedDiagnostics"], {
      encoding: "utf8",
    });
    const figure = (name: string): number => Number(new RegExp(`${name}:\\s+([\\d.]+)`).exec(output)?.[1]);
    return { seconds: figure("Total time"), instantiations: figure("Instantiations") };
  };
  try {
    const empty = check('import "../../src/apps/public/index.ts";\n');
    const chain = check(typedChainSource(200, "../../src/apps/public/index.ts"));
    report("instantiations", chain.instantiations.toLocaleString("en"));
    report("time", shown(chain.seconds, "s"), { text: `≤ ${GOAL} s`, met: chain.seconds <= GOAL });
    report("  against a file that only imports", `×${(chain.seconds / empty.seconds).toFixed(1)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
