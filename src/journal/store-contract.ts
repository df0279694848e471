import { CALL_RULES } from "./contract-calls.ts";
import { JOURNAL_RULES } from "./contract-journal.ts";
import { RUN_RULES } from "./contract-runs.ts";
import type { StoreCase, StoreHarness } from "./store-harness.ts";

export type { StoreCase, StoreHarness } from "./store-harness.ts";

/**
 * What every store must do, as cases for any test framework. Each case makes a store of its own with `make`, empty.
 *
 * @example
 * for (const { name, run } of storeContract(() => myHarness())) test(name, run);
 */
export function storeContract(make: () => Promise<StoreHarness>): readonly StoreCase[] {
  return [...RUN_RULES, ...JOURNAL_RULES, ...CALL_RULES].map(({ name, reopens = false, check }) => ({
    name,
    run: async () => {
      const harness = await make();
      try {
        if (!reopens || harness.reopen !== undefined) await check(harness);
      } finally {
        await harness.dispose();
      }
    },
  }));
}
