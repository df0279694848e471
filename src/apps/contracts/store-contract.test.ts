import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedPostgres } from "../../../test/postgres-server.ts";
import { memoryStore } from "../../engine/journal/store/memory-store.ts";
import { openStore } from "../../engine/journal/store/open-store.ts";
import type { Store } from "../../engine/journal/store/store.ts";
import { type StoreHarness, storeContract } from "./store-contract.ts";

async function inFile(): Promise<StoreHarness> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-store-"));
  const path = join(folder, "deep", "elenchus.db");
  let store = await openStore(path);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openStore(path);
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function onServer(): Promise<StoreHarness> {
  const url = await sharedPostgres();
  let store = await openStore(url);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openStore(url);
      return store;
    },
    dispose: async () => store.close(),
  };
}

describe.each([
  ["in a file", inFile],
  ["on a server", onServer],
])("a store %s", (_, make) => {
  for (const { name, run } of storeContract(make)) test(name, run);
});

test("the contract is broken by a store that forgets, mixes up or makes up", async () => {
  const failing = async (change: (store: Store) => Partial<Store>): Promise<number> => {
    const make = async (): Promise<StoreHarness> => {
      const store = memoryStore();
      const changed = change(store);
      const handler: ProxyHandler<Store> = {
        get(_, key) {
          const value = Reflect.get(key in changed ? changed : store, key);
          return typeof value === "function" ? value.bind(store) : value;
        },
      };
      return { store: new Proxy(store, handler), dispose: async () => store.close() };
    };
    const results = await Promise.allSettled(storeContract(make).map(({ run }) => run()));
    return results.filter(({ status }) => status === "rejected").length;
  };
  expect(await failing(() => ({}))).toBe(0);
  expect(
    await failing((store) => ({ events: (run, name) => [...store.events(run, name)].slice(0, -1) })),
  ).toBeGreaterThan(3);
  expect(
    await failing((store) => ({ events: (run, name) => [...store.events(run, name)].toReversed() })),
  ).toBeGreaterThan(1);
  expect(await failing(() => ({ delete: () => {} }))).toBeGreaterThan(1);
  expect(await failing(() => ({ results: () => [] }))).toBeGreaterThan(1);
  expect(await failing(() => ({ tag: () => {} }))).toBeGreaterThan(1);
});
