/** Contract suites: test your own model or store with the tests that ours pass. */

export { modelContract } from "./model-contract.ts";
export type { ContractAbility, ContractCase, ContractHarness } from "./model-contract-calls.ts";
export { type StoreCase, type StoreHarness, storeContract } from "./store-contract.ts";
