import { beforeAll, describe, test } from "vitest";
import { modelContract } from "../../../apps/contracts/model-contract.ts";
import type { ContractHarness, SeenRequest } from "../../../apps/contracts/model-contract-calls.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { type ErrorCategory, ModelError } from "../model-error.ts";
import { abortedCall, untilAborted } from "../to-model-error.ts";
import { Cassette } from "./cassette.ts";
import { cassetteModel, recordingModel } from "./cassette-model.ts";

/** A model that repeats what it is asked, and does what the contract wants to see. */
function repeatingSide(): ContractHarness {
  const seen: SeenRequest[] = [];
  let next: ((request: ModelRequest) => Promise<ModelReply>) | undefined;
  const model: Model = {
    name: "test/repeat",
    identity: { provider: "test", model: "repeat" },
    account: "test",
    price: null,
    async reply(request, { signal }) {
      if (signal.aborted) throw abortedCall(signal, "test/repeat");
      seen.push(seenRequest(request));
      const answer = next ?? repeat;
      next = undefined;
      return untilAborted(signal, answer(request), () => abortedCall(signal, "test/repeat"));
    },
  };
  const failWith = (category: ErrorCategory) => () => {
    next = async () => {
      throw new ModelError(category, "It did not work.");
    };
  };
  return {
    model,
    seen: () => seen,
    stallNext: () => {
      next = () => new Promise(() => {});
    },
    callToolNext: (name, input) => {
      next = async () => ({ text: "", finish: "tool_calls", toolCalls: [{ id: "1", name, input }] });
    },
    faults: { server: failWith("server"), rate_limit: failWith("rate_limit") },
  };
}

async function repeat({ messages }: ModelRequest): Promise<ModelReply> {
  const last = messages.at(-1);
  return { text: `You said: ${last?.role === "user" ? last.content : "…"}`, finish: "stop" };
}

function seenRequest({ instructions, messages }: ModelRequest): SeenRequest {
  const texts = messages.map((message) =>
    message.role === "tool" ? JSON.stringify(message) : message.content,
  );
  return { texts, first: true, ...(instructions === undefined ? {} : { instructions }) };
}

function recordingHarness(cassette: Cassette): ContractHarness {
  const side = repeatingSide();
  return { ...side, model: recordingModel(side.model, cassette) };
}

describe("a model that is recorded", () => {
  for (const { name, run } of modelContract(() => recordingHarness(new Cassette()))) test(name, run);
});

describe("a cassette with a model to fall back on", () => {
  const make = (): ContractHarness => {
    const side = repeatingSide();
    return { ...side, model: cassetteModel(side.model, new Cassette(), { fallback: side.model }) };
  };
  for (const { name, run } of modelContract(make)) test(name, run);
});

describe("a cassette alone", () => {
  const cassette = new Cassette();
  const without = ["seen", "stall", "faults", "tools"] as const;
  beforeAll(async () => {
    for (const { run } of modelContract(() => recordingHarness(cassette), { without })) await run();
  });
  const make = (): ContractHarness => ({ model: cassetteModel(repeatingSide().model, cassette) });
  for (const { name, run } of modelContract(make, { without })) test(name, run);
});
