import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

// Each promise of docs/reference/security.md names its tests: `file`: name; name. A name may leave out parts with "…". Names without a
// file are in the files that the head of their table names, or in test/cli/trust.test.ts.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/reference/security.md"), "utf8");
const DEFAULT = "test/cli/trust.test.ts";

interface NamedTest {
  readonly files: readonly string[];
  /** Empty if all tests of the file are meant. */
  readonly name: string;
}

interface Promised {
  readonly promise: string;
  readonly tests: readonly NamedTest[];
}

/** The rows of all tables that have a column of tests. */
function promises(): readonly Promised[] {
  return PAGE.split(/\n\n+/).flatMap((block) => {
    const [head, , ...rows] = block.split("\n").filter((line) => line.startsWith("|"));
    if (head === undefined || !/\| test\b[^|]*\|$/.test(head)) return [];
    let files = filesIn(head);
    return rows.map((row) => {
      const [promise = "", cell = ""] = cells(row);
      const tests = cell.split(/;\s*/).map((part) => {
        const [, named, rest] = /^((?:`[^`]+`(?:, )?)+|the same file)?:?\s*(.*)$/s.exec(part) ?? [];
        if (named?.startsWith("`")) files = filesIn(named);
        return { files: files.length === 0 ? [DEFAULT] : files, name: rest ?? "" };
      });
      if (filesIn(head).length > 0 || !cell.includes("`")) files = filesIn(head);
      return { promise, tests };
    });
  });
}

function cells(row: string): readonly string[] {
  return row
    .replaceAll("\\|", "\u0000")
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim().replaceAll("\u0000", "|"));
}

function filesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name = ""]) => name);
}

/** True if a file has tests of this name. Titles of `test.each` are put together from pieces, so "that" may stand apart from the rest. */
function has(file: string, name: string): boolean {
  const source = readFileSync(join(ROOT, file), "utf8");
  const pieces = name
    .split("…")
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
  return pieces.every((piece) => source.includes(piece) || source.includes(piece.replace(/^that /, "")));
}

test("there are promises in every part of the page", () => {
  expect(promises().length).toBeGreaterThan(45);
});

describe.each(promises())("$promise", ({ tests }) => {
  test.each(tests)("$name is a test", ({ files, name }) => {
    for (const file of files) expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect([name, files.some((file) => has(file, name))]).toEqual([name, true]);
  });
});
