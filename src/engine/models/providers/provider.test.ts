import { expect, test } from "vitest";
import { findProvider, knownProviders } from "./provider.ts";

test("a second account of a known provider keeps everything but the key", () => {
  const known = findProvider("anthropic", {});
  expect(findProvider("team", { team: { kind: "anthropic", apiKeyVariable: "TEAM_KEY" } })).toEqual({
    ...known,
    name: "team",
    keyVariables: ["TEAM_KEY"],
    baseUrlVariables: [],
  });
});

test("a new server has neither key nor price, unless they are given", () => {
  const provider = findProvider("mine", { mine: { kind: "openai", baseUrl: "http://h", structured: false } });
  expect(provider).toEqual({
    name: "mine",
    kind: "openai",
    baseUrl: "http://h",
    baseUrlVariables: [],
    keyVariables: [],
    keyRequired: false,
    structured: false,
  });
});

test("a known provider can be told that there is no key", () => {
  expect(findProvider("openai", { openai: { apiKeyVariable: null } })).toMatchObject({
    keyVariables: [],
    keyRequired: false,
    price: "openai",
  });
});

test("names of the prototype are no providers", () => {
  expect(findProvider("toString", {})).toBeUndefined();
  expect(findProvider("__proto__", {})).toBeUndefined();
});

test("every provider says where its key and its address come from", () => {
  const names = knownProviders().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { keyRequired, keyVariables, baseUrl, baseUrlVariables } of knownProviders()) {
    expect(keyVariables.length > 0 || !keyRequired).toBe(true);
    expect(baseUrl !== undefined || baseUrlVariables.length > 0).toBe(true);
  }
});
