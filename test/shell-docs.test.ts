import { describe, test } from "vitest";
import { fillPage, followPage, lasting } from "./shell-page.ts";

const PAGES = [
  "README.md",
  "docs/first-run.md",
  "docs/from-excel.md",
  "docs/testing-models.md",
  "docs/continuous-integration.md",
  "docs/coming-from-promptfoo.md",
  "docs/coming-from-inspect.md",
  "docs/coming-from-deepeval.md",
];
const PATIENCE_MS = 120_000;

// When what commands print has changed on purpose: FILL_PAGES=1 npx vitest run test/shell-docs.test.ts
const FILLS = process.env.FILL_PAGES === "1";

/** A line with nothing but … stands for any lines: what was printed has it in their place, where all else is as it was told. */
function withGaps(printed: string, told: string): string {
  const [start = "", end] = told.split(GAP);
  const isLike = end !== undefined && printed.startsWith(start) && printed.endsWith(end);
  return isLike ? `${start}${GAP}${end}` : printed;
}

const GAP = "\n…\n";

describe.concurrent.each(PAGES)("%s", (page) => {
  test("shows what its commands print", { timeout: PATIENCE_MS }, async ({ expect }) => {
    const steps = await followPage(page);
    expect(steps).not.toEqual([]);
    if (FILLS) fillPage(page, steps);
    for (const { commands, told, printed } of FILLS ? [] : steps)
      expect(`${commands}${withGaps(lasting(printed), lasting(told))}`).toBe(`${commands}${lasting(told)}`);
  });
});
