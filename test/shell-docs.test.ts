import { describe, test } from "vitest";
import { fillPage, followPage, lasting } from "./shell-page.ts";

const PAGES = ["docs/first-run.md", "docs/testing-models.md", "docs/continuous-integration.md"];
const PATIENCE_MS = 120_000;

// When what commands print has changed on purpose: FILL_PAGES=1 npx vitest run test/shell-docs.test.ts
const FILLS = process.env.FILL_PAGES === "1";

describe.concurrent.each(PAGES)("%s", (page) => {
  test("shows what its commands print", { timeout: PATIENCE_MS }, async ({ expect }) => {
    const steps = await followPage(page);
    expect(steps.length).toBeGreaterThan(2);
    if (FILLS) fillPage(page, steps);
    for (const { commands, told, printed } of FILLS ? [] : steps)
      expect(`${commands}${lasting(printed)}`).toBe(`${commands}${lasting(told)}`);
  });
});
