import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ended } from "./cli.ts";

/** The person is told what to do in a few lines, and nothing else comes of it. */
export function expectRefusal({ code, stdout, stderr }: Ended, says: readonly (string | RegExp)[]): void {
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
  expectWords(stderr, says);
}

/** A few lines without a stack that say all of it. */
export function expectWords(stderr: string, says: readonly (string | RegExp)[]): void {
  expect(stderr.trimEnd().split("\n").length, stderr).toBeLessThanOrEqual(3);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain("should not have happened");
  for (const part of says) expect(stderr).toMatch(part);
}

/** Every file below a folder, with its bytes. */
export function contentOf(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), "base64")]));
}
