import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Dataset } from "../datasets/dataset.ts";
import { cellGroups, type Factors } from "./cell-source.ts";
import { parseShard } from "./shard.ts";
import { shardCells } from "./shard-cells.ts";

async function factorsOf(rows: readonly string[], more: Partial<Factors> = {}): Promise<Factors> {
  const source = { rows: rows.map((id) => ({ id, text: `of ${id}` })), id: "id" };
  const dataset = await Dataset.open(source);
  return {
    scenarios: [{ name: "s", dataset }],
    subjects: ["a", "b"],
    judges: ["j"],
    replicates: 2,
    seed: 0,
    ...more,
  };
}

/** The names of the cells of a shard: everything but positions. */
async function namesIn(factors: Factors, index: number, of: number): Promise<readonly string[]> {
  const shard = await shardCells(factors, { index, of });
  const names: string[] = [];
  for await (const { cells } of cellGroups({ ...factors, shard }))
    for (const { index: _, rowIndex: __, ...cell } of cells) names.push(JSON.stringify(cell));
  expect(names).toHaveLength(shard.size);
  return names;
}

const rowNames = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 40 });

test("shards have every conversation once, and are of the same size", async () => {
  await fc.assert(
    fc.asyncProperty(
      rowNames,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (rows, of, replicates, judges) => {
        const names = Array.from({ length: judges }, (_, judge) => `judge ${judge}`);
        const factors = await factorsOf(rows, { replicates, judges: names });
        const shards = await Promise.all(
          Array.from({ length: of }, (_, index) => namesIn(factors, index + 1, of)),
        );
        expect(shards.flat().sort()).toEqual([...(await namesIn(factors, 1, 1))].sort());
        const sizes = shards.map(({ length }) => length / judges);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 40 },
  );
});

test("the order of rows makes no difference", async () => {
  await fc.assert(
    fc.asyncProperty(rowNames, async (rows) => {
      const shuffled = await factorsOf([...rows].reverse());
      const factors = await factorsOf(rows);
      for (const index of [1, 2, 3])
        expect([...(await namesIn(shuffled, index, 3))].sort()).toEqual(
          [...(await namesIn(factors, index, 3))].sort(),
        );
    }),
    { numRuns: 20 },
  );
});

test("a new row moves few conversations to another shard", async () => {
  const rows = Array.from({ length: 300 }, (_, index) => `row ${index}`);
  const one = { replicates: 1, subjects: ["a"] };
  const before = await factorsOf(rows, one);
  const after = await factorsOf(["new", ...rows], one);
  let stayed = 0;
  for (let index = 1; index <= 5; index++) {
    const now = new Set(await namesIn(after, index, 5));
    stayed += (await namesIn(before, index, 5)).filter((name) => now.has(name)).length;
  }
  expect(stayed).toBeGreaterThan(290);
});

test("the conversations of an item go to different shards", async () => {
  const factors = await factorsOf(["only", "other"], { replicates: 3 });
  for (let index = 1; index <= 3; index++) {
    const names = await namesIn(factors, index, 3);
    expect(names.filter((name) => name.includes('"only"'))).toHaveLength(2);
  }
});

test("a shard is written as one of how many", () => {
  expect(parseShard("2/5")).toEqual({ index: 2, of: 5 });
  expect(parseShard(" 1 / 1 ")).toEqual({ index: 1, of: 1 });
  for (const text of ["0/5", "6/5", "2", "2/0", "-1/5", "1.5/2", "a/b", "1/99999999", "", "2/5/6"])
    expect(parseShard(text)).toMatch(/is no shard/);
});
