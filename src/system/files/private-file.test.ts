import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readPrivateFile, userFolder, writePrivateFile } from "./private-file.ts";

const root = mkdtempSync(join(tmpdir(), "elenchus-private-"));
afterAll(() => rmSync(root, { recursive: true }));

test("private files are written whole, with their folder, and leave nothing else behind", () => {
  const path = join(root, "new", "file");
  expect(writePrivateFile(path, "one")).toBe(true);
  expect(writePrivateFile(path, "two")).toBe(true);
  expect(readPrivateFile(path)).toBe("two");
  expect(readdirSync(join(root, "new"))).toEqual(["file"]);
  expect([statSync(join(root, "new")).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
});

test("what others can change or a link leads to is not read", () => {
  const path = join(root, "open");
  writePrivateFile(path, "text");
  symlinkSync(path, join(root, "link"));
  expect(readPrivateFile(join(root, "link"))).toBeUndefined();
  for (const mode of [0o640, 0o604, 0o622]) {
    chmodSync(path, mode);
    expect(readPrivateFile(path)).toBeUndefined();
  }
  expect(readFileSync(path, "utf8")).toBe("text");
  expect(readPrivateFile(join(root, "missing"))).toBeUndefined();
  expect(writePrivateFile(join(path, "below-a-file"), "text")).toBe(false);
});

test.each([
  [{ XDG_CONFIG_HOME: "/c", HOME: "/home/me" }, "linux", "/c/elenchus"],
  [{ XDG_CONFIG_HOME: "c", HOME: "/home/me" }, "linux", "/home/me/.config/elenchus"],
  [{ XDG_CONFIG_HOME: "", HOME: "/home/me" }, "darwin", "/home/me/.config/elenchus"],
  [{ APPDATA: "/data", HOME: "/home/me" }, "linux", "/home/me/.config/elenchus"],
  [{ APPDATA: "/data", USERPROFILE: "/me" }, "win32", "/data/elenchus"],
  [{ USERPROFILE: "/me" }, "win32", "/me/.config/elenchus"],
  [{ HOME: "me" }, "linux", undefined],
  [{}, "linux", undefined],
] as const)("%j on %s: %s", (environment, platform, folder) => {
  expect(userFolder(environment, platform)).toBe(folder);
});
