import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { typedChainSource } from "./typed-chain.ts";

/** What a typed chain of 200 nodes and 600 edges may cost the compiler, with some room above what it costs now. */
const INSTANTIATION_BUDGET = 400_000;

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = `${root}test/.generated/type-cost`;

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function instantiations(nodes: number): number {
  writeFileSync(`${folder}/chain.ts`, typedChainSource(nodes, "../../../dist/apps/public/index.js"));
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: "../../../tsconfig.json", include: ["chain.ts"] }),
  );
  const tsc = `${root}node_modules/.bin/tsc`;
  const output = execFileSync(tsc, ["-p", folder, "--extendedDiagnostics"], { encoding: "utf8" });
  return Number(/Instantiations:\s+(\d+)/.exec(output)?.[1]);
}

test("a typed chain of 200 nodes stays within its budget, and its cost does not explode", () => {
  const small = instantiations(50);
  const large = instantiations(200);
  expect(large).toBeLessThan(INSTANTIATION_BUDGET);
  // Four times the nodes: a quadratic part is unavoidable (every edge may name every node), a cubic one is not there.
  expect(large / small).toBeLessThan(16);
});
