import { canonicalJson, deepEqual } from "../../core/values/json.ts";
import { ModelError } from "../../engine/models/model-error.ts";
import {
  CALL_CASES,
  type ContractAbility,
  type ContractCase,
  type ContractHarness,
  type ContractRule,
  contextOf,
  demand,
  demandPresentable,
  failureOf,
  requestOf,
  rule,
} from "./model-contract-calls.ts";

const CARD_CASES: Readonly<Record<string, ContractRule>> = {
  "has a name and an account": rule([], async ({ model }) => {
    demand(typeof model.name === "string" && model.name.trim() !== "", "the model has no name");
    demand(typeof model.account === "string" && model.account.trim() !== "", "the model has no account");
  }),
  "has an identity that is JSON, and stays the same": rule([], async ({ model }) => {
    const json: unknown = JSON.parse(JSON.stringify(model.identity));
    demand(deepEqual(json, model.identity), "the identity is not JSON");
    demand(Object.keys(model.identity).length > 0, "the identity says nothing");
    await model.reply(requestOf("Who are you?"), contextOf());
    demand(deepEqual(json, model.identity), "the identity changes with a call");
  }),
  "shows no secret in name, account and identity": rule([], async ({ model, secrets = [] }) => {
    const shown = canonicalJson([model.name, model.account, model.identity, model.price ?? null]);
    for (const secret of secrets) demand(!shown.includes(secret), "the card of the model shows a secret");
  }),
};

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
  return Object.entries({ ...CARD_CASES, ...CALL_CASES, ...FAILURE_CASES })
    .filter(([, { needs }]) => !needs.some((ability) => without.includes(ability)))
    .map(([name, rule]) => ({ name, run: () => runCase(make, rule) }));
}

async function runCase(
  make: () => ContractHarness | Promise<ContractHarness>,
  { needs, test }: ContractRule,
): Promise<void> {
  const harness = await make();
  try {
    for (const ability of needs) {
      demand(
        HAS[ability](harness),
        `the harness has no "${ability}"; give it, or say that it is \`without\``,
      );
    }
    await test(harness);
  } finally {
    await harness.model.close?.();
    await harness.close?.();
  }
}

const HAS: Readonly<Record<ContractAbility, (harness: ContractHarness) => boolean>> = {
  seen: ({ seen }) => seen !== undefined,
  stall: ({ stallNext }) => stallNext !== undefined,
  faults: ({ faults = {} }) => Object.keys(faults).length > 0,
  tools: ({ callToolNext }) => callToolNext !== undefined,
  echo: () => true,
  history: () => true,
};

/** What must hold of calls that fail or are given up. */
const FAILURE_CASES: Readonly<Record<string, ContractRule>> = {
  "asks nothing once the signal has fired": rule([], async ({ model, seen }) => {
    const error = await failureOf(
      model.reply(requestOf("Too late?"), contextOf({ signal: AbortSignal.abort() })),
    );
    demand(error.category === "cancelled", `a cancelled call is "${error.category}"`);
    demand((seen?.().length ?? 0) === 0, "a request was made all the same");
  }),
  "gives up when the signal fires": rule(["stall"], async ({ model, stallNext }) => {
    const controller = new AbortController();
    stallNext?.();
    const failure = failureOf(
      model.reply(requestOf("Still there?"), contextOf({ signal: controller.signal })),
    );
    controller.abort();
    const error = await failure;
    demand(error.category === "cancelled", `a cancelled call is "${error.category}"`);
  }),
  "gives up in the middle of waiting, and tells the signal's own reason": rule(
    ["stall", "seen"],
    async ({ model, stallNext, seen }) => {
      const controller = new AbortController();
      const reason = new ModelError("timeout", "No answer within the time limit.");
      stallNext?.();
      const failure = failureOf(
        model.reply(requestOf("Still there?"), contextOf({ signal: controller.signal })),
      );
      await untilAsked(seen, failure);
      controller.abort(reason);
      demand((await failure) === reason, "the reason of the signal got lost");
    },
  ),
  "answers again after a call was given up": rule(
    ["stall", "seen", "echo"],
    async ({ model, stallNext, seen }) => {
      const controller = new AbortController();
      stallNext?.();
      const failure = failureOf(model.reply(requestOf("First?"), contextOf({ signal: controller.signal })));
      await untilAsked(seen, failure);
      controller.abort();
      await failure;
      const { text } = await model.reply(requestOf("Second?"), contextOf());
      demand(text.includes("Second?"), "the next reply does not belong to its question");
    },
  ),
  "fails with the right category, in words without secrets, and answers again": rule(
    ["faults"],
    async ({ model, faults = {}, secrets = [] }) => {
      for (const [category, provoke] of Object.entries(faults)) {
        provoke();
        const error = await failureOf(model.reply(requestOf("Does it work?"), contextOf()));
        demand(error.category === category, `"${category}" came as "${error.category}": ${error.message}`);
        demandPresentable(error, secrets);
        const { text } = await model.reply(requestOf("And now?"), contextOf());
        demand(typeof text === "string", `there is no reply after "${category}"`);
      }
    },
  ),
};

/** Until the other side has been asked, or the call has failed before that. */
async function untilAsked(seen: ContractHarness["seen"], failure: Promise<unknown>): Promise<void> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  failure.then(settle, settle);
  for (let polls = 0; seen?.().length === 0 && !settled; polls++) {
    demand(polls < 5000, "the other side is never asked");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
