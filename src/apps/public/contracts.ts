/** Contract suites: test your own model or store with the tests that ours pass. */

export { modelContract } from "../contracts/model-contract.ts";
export type { ContractAbility, ContractCase, ContractHarness } from "../contracts/model-contract-calls.ts";
export { type StoreCase, type StoreHarness, storeContract } from "../contracts/store-contract.ts";
