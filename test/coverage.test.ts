import { expect, test } from "vitest";
import { type Cell, exactWidth, simulate } from "../scripts/coverage.ts";

const CELLS: readonly Cell[] = [
  { kind: "rate", items: 12, replicates: 5, p: 0.1, icc: 0.5 },
  { kind: "rate", items: 12, replicates: 3, p: 0.2, icc: 0.95 },
  { kind: "rate", items: 30, replicates: 1, p: 0.1, icc: 0 },
  { kind: "rate", items: 30, replicates: 5, p: 0.05, icc: 0.8 },
  { kind: "count", items: 12, replicates: 1, p: 0.97, icc: 0.5 },
  { kind: "count", items: 12, replicates: 5, p: 0.9, icc: 0.8 },
  { kind: "count", items: 30, replicates: 3, p: 0.5, icc: 0.2 },
  { kind: "pass^k", items: 12, replicates: 5, p: 0.8, icc: 0.5 },
  { kind: "pass^k", items: 30, replicates: 3, p: 0.9, icc: 0.95 },
];

// The whole grid is npm run coverage: these are cells in which other methods cover too little.
test.each(CELLS)("95 % intervals cover: $kind, $items × $replicates, p $p, correlation $icc", (cell) => {
  const { covered } = simulate(cell, 1_500);
  // 1,500 simulations have an error of 0.6 %.
  expect(covered).toBeGreaterThan(0.925);
  expect(covered).toBeLessThan(0.995);
});

test.each([
  [12, 3, 0.1],
  [12, 5, 0.5],
  [30, 5, 0.03],
])(
  "without correlation intervals are hardly wider than exact ones: %i × %i, p %d",
  (items, replicates, p) => {
    const cell: Cell = { kind: "rate", items, replicates, p, icc: 0 };
    expect(simulate(cell, 1_000).width / exactWidth(cell)).toBeLessThan(1.25);
  },
);
