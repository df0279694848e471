import type { ResultRow } from "../../src/engine/journal/store/store.ts";

type Parts = { readonly [Key in keyof ResultRow]?: Partial<ResultRow[Key]> };
type Counts = ResultRow["outcomes"][string];

/** A row of results: what is not given is nothing, and all conversations have completed. */
export function resultRow(
  parts: Omit<Parts, "outcomes"> & { outcomes?: Record<string, Partial<Counts>> },
): ResultRow {
  const { scenario = "talk", subject = "model", judge = "rules", conversations = 0 } = parts;
  return {
    scenario,
    subject,
    judge,
    conversations,
    statuses: parts.statuses ?? (conversations === 0 ? {} : { completed: conversations }),
    readers: {},
    turns: { passed: 0, failed: 0, unreadable: 0, unjudged: 0, unverified: 0, ...parts.turns },
    outcomes: Object.fromEntries(
      Object.entries(parts.outcomes ?? {}).map(([name, counts]) => [name, outcomeCounts(counts)]),
    ),
    spending: { calls: 0, cached: 0, tokens: 0, cost: 0, ...parts.spending },
    // Nothing is missing of what is given.
    nodes: (parts.nodes ?? {}) as ResultRow["nodes"],
  };
}

function outcomeCounts(counts: Partial<Counts>): Counts {
  return { yes: 0, no: 0, numbers: 0, mean: null, inconclusive: 0, infrastructure: 0, ...counts };
}
