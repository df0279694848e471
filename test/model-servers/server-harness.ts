import type { ContractHarness } from "../../src/apps/contracts/model-contract-calls.ts";
import type { Model } from "../../src/engine/models/model.ts";
import type { ModelServer } from "./model-server.ts";

/** The key that every server of the tests is called with, and that must not be seen anywhere. */
export const KEY = "sk-test-9f8e7d6c5b4a39281706f5e4d3c2b1a0";

/** A model behind a server of the tests, as the contract wants it. */
export function serverHarness(model: Model, server: ModelServer): ContractHarness {
  const said = `The key ${KEY} is not what it should be`;
  return {
    model,
    seen: () => server.requests,
    stallNext: () => server.next("stall"),
    callToolNext: (name, input) => server.next({ toolCalls: [{ id: "call_1", name, input }] }),
    faults: {
      authentication: () => server.next({ status: 401, message: said }),
      permission: () => server.next({ status: 403, message: said }),
      not_found: () => server.next({ status: 404, message: said }),
      bad_request: () => server.next({ status: 400, message: said }),
      rate_limit: () => server.next({ status: 429, message: said }),
      server: () => server.next({ status: 500, message: said }),
      connection: () => server.next("reset"),
      bad_response: () => server.next({ raw: `<html>${KEY}</html>`, type: "text/html" }),
    },
    secrets: [KEY],
    close: () => server.close(),
  };
}
