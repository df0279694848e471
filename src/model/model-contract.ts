import { canonicalJson } from "../value/canonical-json.ts";
import { deepEqual } from "../value/deep-equal.ts";
import { CALL_CASES } from "./contract-calls.ts";
import { FAILURE_CASES } from "./contract-failures.ts";
import {
  type ContractAbility,
  type ContractCase,
  type ContractHarness,
  type ContractRule,
  contextOf,
  demand,
  requestOf,
} from "./contract-harness.ts";

const CARD_CASES: readonly ContractRule[] = [
  {
    name: "has a name and an account",
    needs: [],
    check: async ({ model }) => {
      demand(typeof model.name === "string" && model.name.trim() !== "", "the model has no name");
      demand(typeof model.account === "string" && model.account.trim() !== "", "the model has no account");
    },
  },
  {
    name: "has an identity that is JSON, and stays the same",
    needs: [],
    check: async ({ model }) => {
      const json: unknown = JSON.parse(JSON.stringify(model.identity));
      demand(deepEqual(json, model.identity), "the identity is not JSON");
      demand(Object.keys(model.identity).length > 0, "the identity says nothing");
      await model.reply(requestOf("Who are you?"), contextOf());
      demand(deepEqual(json, model.identity), "the identity changes with a call");
    },
  },
  {
    name: "shows no secret in name, account and identity",
    needs: [],
    check: async ({ model, secrets = [] }) => {
      const shown = canonicalJson([model.name, model.account, model.identity, model.price ?? null]);
      for (const secret of secrets) demand(!shown.includes(secret), "the card of the model shows a secret");
    },
  },
];

/**
 * What every model must do, as cases for any test framework. Each case makes a model of its own with `make`. The other side
 * answers with a text that has the last user's message in it, unless `without` has "echo".
 *
 * @example
 * for (const { name, run } of modelContract(() => myHarness())) test(name, run);
 */
export function modelContract(
  make: () => ContractHarness | Promise<ContractHarness>,
  { without = [] }: { readonly without?: readonly ContractAbility[] } = {},
): readonly ContractCase[] {
  return [...CARD_CASES, ...CALL_CASES, ...FAILURE_CASES]
    .filter(({ needs }) => !needs.some((ability) => without.includes(ability)))
    .map(({ name, needs, check }) => ({ name, run: () => runCase(make, needs, check) }));
}

async function runCase(
  make: () => ContractHarness | Promise<ContractHarness>,
  needs: readonly ContractAbility[],
  check: ContractRule["check"],
): Promise<void> {
  const harness = await make();
  try {
    for (const ability of needs) {
      demand(
        has(harness, ability),
        `the harness has no "${ability}"; give it, or say that it is \`without\``,
      );
    }
    await check(harness);
  } finally {
    await harness.model.close?.();
    await harness.close?.();
  }
}

function has(harness: ContractHarness, ability: ContractAbility): boolean {
  switch (ability) {
    case "seen":
      return harness.seen !== undefined;
    case "stall":
      return harness.stallNext !== undefined;
    case "faults":
      return Object.keys(harness.faults ?? {}).length > 0;
    case "tools":
      return harness.callToolNext !== undefined;
    case "echo":
    case "history":
      return true;
  }
}
