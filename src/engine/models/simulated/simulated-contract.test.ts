import { describe, test } from "vitest";
import { modelContract } from "../../../apps/contracts/model-contract.ts";
import type { ContractHarness } from "../../../apps/contracts/model-contract-calls.ts";
import { INITIAL_STATE } from "../../../core/state/state.ts";
import { template } from "../../../core/templates/template.ts";
import { simulatedModel } from "./simulated-model.ts";

const question = {
  question: "What is the capital of Australia?",
  rawAnswer: "Canberra",
  template: template({ city: { type: "string", description: "the city", truth: "Canberra" } }),
};

/** A simulated model has no `reply`: the test adds one that passes the question and the state. */
function harnessOf(reference: string): ContractHarness {
  const model = simulatedModel(reference);
  const input = { question, state: INITIAL_STATE };
  return { model: { ...model, reply: (request, context) => model.simulate(request, context, input) } };
}

describe.each(["sim/steadfast", "sim/stubborn", "sim/waverer", "sim/silent?empty=0", "sim/flaky?fail=0"])(
  "%s",
  (reference) => {
    const without = ["echo", "seen", "stall", "faults", "tools"] as const;
    for (const { name, run } of modelContract(() => harnessOf(reference), { without })) test(name, run);
  },
);
