import {
  type ContractHarness,
  type ContractRule,
  contextOf,
  demand,
  demandPresentable,
  failureOf,
  requestOf,
} from "./contract-harness.ts";
import { ModelError } from "./model-error.ts";

/** What must hold of calls that fail or are given up. */
export const FAILURE_CASES: readonly ContractRule[] = [
  {
    name: "asks nothing once the signal has fired",
    needs: [],
    check: async ({ model, seen }) => {
      const error = await failureOf(
        model.reply(requestOf("Too late?"), contextOf({ signal: AbortSignal.abort() })),
      );
      demand(error.category === "cancelled", `a cancelled call is "${error.category}"`);
      demand((seen?.().length ?? 0) === 0, "a request was made all the same");
    },
  },
  {
    name: "gives up when the signal fires",
    needs: ["stall"],
    check: async ({ model, stallNext }) => {
      const controller = new AbortController();
      stallNext?.();
      const failure = failureOf(
        model.reply(requestOf("Still there?"), contextOf({ signal: controller.signal })),
      );
      controller.abort();
      const error = await failure;
      demand(error.category === "cancelled", `a cancelled call is "${error.category}"`);
    },
  },
  {
    name: "gives up in the middle of waiting, and tells the signal's own reason",
    needs: ["stall", "seen"],
    check: async ({ model, stallNext, seen }) => {
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
  },
  {
    name: "answers again after a call was given up",
    needs: ["stall", "seen", "echo"],
    check: async ({ model, stallNext, seen }) => {
      const controller = new AbortController();
      stallNext?.();
      const failure = failureOf(model.reply(requestOf("First?"), contextOf({ signal: controller.signal })));
      await untilAsked(seen, failure);
      controller.abort();
      await failure;
      const { text } = await model.reply(requestOf("Second?"), contextOf());
      demand(text.includes("Second?"), "the next reply does not belong to its question");
    },
  },
  {
    name: "fails with the right category, in words without secrets, and answers again",
    needs: ["faults"],
    check: async ({ model, faults = {}, secrets = [] }) => {
      for (const [category, provoke] of Object.entries(faults)) {
        provoke();
        const error = await failureOf(model.reply(requestOf("Does it work?"), contextOf()));
        demand(error.category === category, `"${category}" came as "${error.category}": ${error.message}`);
        demandPresentable(error, secrets);
        const { text } = await model.reply(requestOf("And now?"), contextOf());
        demand(typeof text === "string", `there is no reply after "${category}"`);
      }
    },
  },
];

/** Until the other side has been asked, or the call has failed before that. */
async function untilAsked(seen: ContractHarness["seen"], failure: Promise<unknown>): Promise<void> {
  let settled = false;
  failure.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  for (let polls = 0; seen?.().length === 0 && !settled; polls++) {
    demand(polls < 5000, "the other side is never asked");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
