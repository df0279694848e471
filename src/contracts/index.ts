/** Contract suites, for whoever makes a model or a store and wants to know that it is one. */

export type { ContractAbility, ContractCase, ContractHarness } from "./model/contract-harness.ts";
export { modelContract } from "./model/model-contract.ts";
export { type StoreCase, type StoreHarness, storeContract } from "./store/store-contract.ts";
