import { expect, test } from "vitest";
import { ConcurrencyWindow } from "./admission-control.ts";

function round(window: ConcurrencyWindow): void {
  window.holdBack();
  for (let left = window.limit; left > 0; left--) window.succeed();
}

test("doubles with every clean round that it held back", () => {
  const window = new ConcurrencyWindow(1_000, 64);
  const limits = [0, 1, 2, 3, 4].map(() => {
    round(window);
    return window.limit;
  });
  expect(limits).toEqual([128, 256, 512, 1_000, 1_000]);
});

test("does not grow while nobody is held back", () => {
  const window = new ConcurrencyWindow(undefined, 10);
  for (let calls = 0; calls < 1_000; calls++) window.succeed();
  expect(window.limit).toBe(10);
});

test("other trouble only delays growth", () => {
  const window = new ConcurrencyWindow(undefined, 10);
  window.holdBack();
  for (let calls = 0; calls < 9; calls++) window.succeed();
  window.pauseGrowth();
  for (let calls = 0; calls < 9; calls++) window.succeed();
  expect(window.limit).toBe(10);
  window.succeed();
  expect(window.limit).toBe(20);
});

test("is cut by a refusal when it was full, and then grows by steps", () => {
  const window = new ConcurrencyWindow(undefined, 100);
  window.cut(true);
  expect(window.limit).toBe(70);
  round(window);
  round(window);
  expect(window.limit).toBe(86);
  window.cut(false);
  expect(window.limit).toBe(86);
});

test("an account is untried until its first clean round or refusal", () => {
  const [clean, refused] = [new ConcurrencyWindow(), new ConcurrencyWindow()];
  expect([clean.isUntried, refused.isUntried]).toEqual([true, true]);
  round(clean);
  refused.cut(false);
  expect([clean.isUntried, refused.isUntried]).toEqual([false, false]);
  expect(new ConcurrencyWindow(10).isUntried).toBe(false);
});

test("one call is always allowed", () => {
  const window = new ConcurrencyWindow(undefined, 2);
  for (let cuts = 0; cuts < 10; cuts++) window.cut(true);
  expect(window.limit).toBe(1);
});
