import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileError, refuseUnwritable, writeWholeFile } from "./write-whole-file.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function* failing(): Generator<string> {
  yield "x".repeat(2_000_000);
  throw new Error("no more");
}

test("a file is written with its folders, from many pieces", async () => {
  const folder = newFolder();
  const pieces = Array.from({ length: 3000 }, (_, index) => `${index}\n`.repeat(200));
  await writeWholeFile("a/b/c.txt", pieces, { folder });
  expect(readFileSync(join(folder, "a/b/c.txt"), "utf8")).toBe(pieces.join(""));
  expect(readdirSync(join(folder, "a/b"))).toEqual(["c.txt"]);
});

test("what fails in the middle leaves the old file, and nothing else", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "a.txt"), "old");
  await expect(writeWholeFile("a.txt", failing(), { folder })).rejects.toThrow("no more");
  expect(readdirSync(folder)).toEqual(["a.txt"]);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("old");
});

test("a path outside of the folder is what somebody asked for", async () => {
  const folder = newFolder();
  const elsewhere = newFolder();
  await writeWholeFile(join(elsewhere, "a.txt"), ["new"], { folder });
  expect(readFileSync(join(elsewhere, "a.txt"), "utf8")).toBe("new");
});

test("a folder that itself is reached through a link is no way out", async () => {
  const real = newFolder();
  const folder = join(newFolder(), "link");
  symlinkSync(real, folder);
  await writeWholeFile("out/a.txt", ["new"], { folder });
  expect(readFileSync(join(real, "out/a.txt"), "utf8")).toBe("new");
});

test.each([
  ["a/b.txt", "a part of its path is a file, not a folder"],
  ["folder", "is a folder, and only files are written"],
  ["away/new.txt", "leads out of its folder through a link"],
  ["gone", "is a link to something that does not exist"],
])("%s: %s", async (path, problem) => {
  const folder = newFolder();
  writeFileSync(join(folder, "a"), "");
  mkdirSync(join(folder, "folder"));
  symlinkSync(tmpdir(), join(folder, "away"));
  symlinkSync("nothing", join(folder, "gone"));
  const error: unknown = await writeWholeFile(path, ["new"], { folder }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FileError);
  expect((error as FileError).message).toContain(problem);
});

test("what can be written is not refused before, though its folder does not exist yet", async () => {
  const folder = newFolder();
  await refuseUnwritable("new/results.xml", { folder });
  expect(readdirSync(folder)).toEqual([]);
  // Permissions alone would allow it to an administrator.
  if (process.platform === "linux")
    await expect(refuseUnwritable("/proc/results.xml", { folder })).rejects.toThrow("/proc takes no files");
});

test("with `keeps`, what is there stays, whatever it is", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "a.txt"), "old");
  symlinkSync("nothing", join(folder, "gone"));
  const keeps = { folder, keeps: true };
  expect(await writeWholeFile("a.txt", ["new"], keeps)).toBe(false);
  expect(await writeWholeFile("gone", ["new"], keeps)).toBe(false);
  expect(await writeWholeFile("b.txt", ["new"], keeps)).toBe(true);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("old");
  expect(readdirSync(folder).sort()).toEqual(["a.txt", "b.txt", "gone"]);
});

test("of several that write a new file at once, one does", async () => {
  const folder = newFolder();
  const written = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      writeWholeFile("new.txt", [String(index)], { folder, keeps: true }),
    ),
  );
  expect(written.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe(String(written.indexOf(true)));
  expect(readdirSync(folder)).toEqual(["new.txt"]);
});
