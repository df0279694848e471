/** Contract suites, for whoever makes a model or a store and wants to know that it is one. */

export { modelContract } from "./model-contract.ts";
export type { ContractAbility, ContractCase, ContractHarness } from "./model-contract-calls.ts";
export { type StoreCase, type StoreHarness, storeContract } from "./store-contract.ts";
