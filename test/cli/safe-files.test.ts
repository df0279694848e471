import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CAPITAL, capitalFolder } from "./capital-file.ts";
import { folderWith, type Given, inOneProcess, inShell } from "./cli.ts";

const elenchus = inOneProcess();

const RUN = ["run", "capital.yaml", "--subject", "sim/steadfast", "--quiet"];

function makePipe(path: string): void {
  execFileSync("mkfifo", [path]);
}

async function makeSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}

/** A folder with a run in its store. */
async function withRun(files: Readonly<Record<string, string>> = {}): Promise<Given> {
  const given = { folder: capitalFolder(files) };
  expect((await elenchus([...RUN, "--name", "first"], given)).code).toBe(0);
  return given;
}

/** Files that were begun and not removed. */
function leftovers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("unfinished"),
  );
}

/** Commands that write a file that a person names; `npm run attack` tries all of them. */
const ALL: readonly (readonly [string, (path: string) => readonly string[]])[] = [
  ["export", (path) => ["export", "--output", path]],
  ["--junit", (path) => [...RUN, "--junit", path]],
  ["export of a table", (path) => ["export", "--format", "csv", "--output", path]],
  ["export of a cassette", (path) => ["export", "--format", "cassette", "--output", path]],
];
const WRITING = process.env.ELENCHUS_ATTACK === undefined ? ALL.slice(0, 2) : ALL;

describe.each(WRITING)("%s", (_, words) => {
  test("writes over no pipe, socket, device or folder", async () => {
    const given = await withRun();
    const at = (name: string): string => join(given.folder, name);
    makePipe(at("pipe"));
    await makeSocket(at("socket"));
    mkdirSync(at("folder"));
    symlinkSync("/dev/zero", at("device"));
    for (const [name, kind] of [
      ["pipe", "a named pipe"],
      ["socket", "a socket"],
      ["folder", "a folder"],
      ["device", "a device"],
    ] as const) {
      const { code, stderr } = await elenchus(words(name), given);
      expect([name, code, stderr]).toEqual([
        name,
        2,
        expect.stringContaining(`is ${kind}, and only files are written`),
      ]);
    }
    expect(statSync(at("pipe")).isFIFO()).toBe(true);
    expect(statSync(at("socket")).isSocket()).toBe(true);
    expect(lstatSync(at("device")).isSymbolicLink()).toBe(true);
    expect(leftovers(given.folder)).toEqual([]);
  });

  test("leaves no folder through a link", async () => {
    const given = await withRun();
    const elsewhere = folderWith({ "precious.txt": "mine" });
    symlinkSync(join(elsewhere, "precious.txt"), join(given.folder, "file.out"));
    symlinkSync(elsewhere, join(given.folder, "out"));
    symlinkSync(join(elsewhere, "new.txt"), join(given.folder, "dangling"));
    for (const name of ["file.out", "out/precious.txt", "out/deeper/new.txt", "dangling"]) {
      const { code, stderr } = await elenchus(words(name), given);
      expect([name, code]).toEqual([name, 2]);
      expect(stderr).toMatch(/\blink\b/);
    }
    expect(readdirSync(elsewhere)).toEqual(["precious.txt"]);
    expect(readFileSync(join(elsewhere, "precious.txt"), "utf8")).toBe("mine");
  });

  test("replaces a file as a whole, also through a link beside it, and keeps its permissions", async () => {
    const given = await withRun();
    const path = join(given.folder, "real.out");
    writeFileSync(path, "old");
    chmodSync(path, 0o600);
    symlinkSync("real.out", join(given.folder, "link.out"));
    expect((await elenchus(words("link.out"), given)).code).toBe(0);
    expect(lstatSync(join(given.folder, "link.out")).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, "utf8")).not.toBe("old");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(leftovers(given.folder)).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "a full disk is a sentence, and leaves the file as it was",
    async () => {
      const given = await withRun();
      writeFileSync(join(given.folder, "old.out"), "old");
      // No file may grow: what a full disk does, without the rights to make one. The store is elsewhere.
      const limited = await inShell('ulimit -f 0; "$@"', words("old.out"), given);
      expect(limited.code).toBe(2);
      expect(limited.stderr).not.toMatch(/should not have happened/);
      expect(readFileSync(join(given.folder, "old.out"), "utf8")).toBe("old");
      expect(leftovers(given.folder)).toEqual([]);
    },
  );
});

test("a store is not written behind a link that leaves the folder", async () => {
  const elsewhere = folderWith();
  for (const [link, target] of [
    [".elenchus", elsewhere],
    [".elenchus/elenchus.db", join(elsewhere, "new.db")],
  ] as const) {
    const folder = capitalFolder({ "below/capital.yaml": CAPITAL, "elenchus.config.yaml": "seed: 1\n" });
    if (link !== ".elenchus") mkdirSync(join(folder, ".elenchus"));
    symlinkSync(target, join(folder, link));
    for (const at of [folder, join(folder, "below")]) {
      const { code, stderr } = await elenchus(RUN, { folder: at });
      expect([link, code, stderr]).toEqual([link, 2, expect.stringMatching(/\blink\b/)]);
    }
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("--record writes only new files, in no folder that is elsewhere", async () => {
  const given = await withRun();
  const elsewhere = folderWith({ "precious.txt": "mine" });
  makePipe(join(given.folder, "pipe"));
  symlinkSync(elsewhere, join(given.folder, "out"));
  symlinkSync(join(elsewhere, "new.txt"), join(given.folder, "dangling"));
  for (const name of ["pipe", "out/precious.txt", "out/new.txt", "dangling", "/dev/null"]) {
    const { code } = await elenchus([...RUN, "--record", name], given);
    expect([name, code]).toEqual([name, 2]);
  }
  expect(readdirSync(elsewhere)).toEqual(["precious.txt"]);
  expect(statSync(join(given.folder, "pipe")).isFIFO()).toBe(true);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("a place for results that cannot be written is refused before the run", async () => {
  const folder = capitalFolder();
  makePipe(join(folder, "pipe"));
  const { code, stderr } = await elenchus([...RUN, "--junit", "pipe"], { folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining("pipe is a named pipe")]);
  const { stdout } = await elenchus(["list", "--json"], { folder });
  expect(stdout).not.toContain("conversations");
});

test.each(["-", "/dev/stdout"])("export to %s writes to the stream", async (place) => {
  const given = await withRun();
  const plain = await elenchus(["export"], given);
  expect(await elenchus(["export", "--output", place], given)).toEqual(plain);
  const shell = await inShell('"$@" > out.jsonl', ["export", "--output", place], given);
  expect([shell.code, shell.stderr]).toEqual([0, ""]);
  expect(readFileSync(join(given.folder, "out.jsonl"), "utf8")).toBe(plain.stdout);
  const cassette = await elenchus(["export", "--format", "cassette", "--output", place], given);
  expect(cassette.code).toBe(0);
  expect(existsSync(join(given.folder, "-"))).toBe(false);
});

test("what goes to /dev/null goes nowhere, and /dev/null stays what it is", async () => {
  const given = await withRun();
  const ended = await elenchus(["export", "--output", "/dev/null"], given);
  expect(ended).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

describe("reading", () => {
  test("pipes, sockets and devices among scenarios are named and skipped", async () => {
    const folder = folderWith({ "scenarios/capital.yaml": CAPITAL });
    const at = (name: string): string => join(folder, "scenarios", name);
    makePipe(at("pipe.yaml"));
    await makeSocket(at("socket.yaml"));
    symlinkSync("/dev/zero", at("zero.yaml"));
    for (const name of ["scenarios", "scenarios/*.yaml"]) {
      const { code, stdout, stderr } = await elenchus(
        ["run", name, "--subject", "sim/steadfast", "--quiet"],
        { folder },
      );
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^elenchus: 1 conversation, /)]);
      expect(stderr.split("\n").slice(0, 3)).toEqual([
        "scenarios/pipe.yaml is a named pipe, not a file; it is skipped.",
        "scenarios/socket.yaml is a socket, not a file; it is skipped.",
        "scenarios/zero.yaml is a device, not a file; it is skipped.",
      ]);
    }
    const checked = await elenchus(["check", "scenarios"], { folder });
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining("warning: scenarios/zero.yaml is a device"),
    ]);
  });

  test("a pipe that a person names is read", async () => {
    const folder = capitalFolder();
    makePipe(join(folder, "pipe.yaml"));
    const words = ["run", "pipe.yaml", "--subject", "sim/steadfast", "--quiet"];
    const { code, stdout } = await inShell('cat capital.yaml > pipe.yaml & "$@"', words, { folder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^elenchus: 1 conversation, /)]);
  });

  test.each([
    ["a scenario", ["run", "zero.yaml", "--subject", "sim/steadfast"]],
    ["a project file", ["run", "capital.yaml", "--config", "zero.yaml"]],
    ["a cassette", [...RUN, "--replay", "zero.yaml"]],
    ["a run's file", ["import", "zero.yaml"]],
  ])("a device is not read as %s", async (_, words) => {
    const folder = capitalFolder();
    symlinkSync("/dev/zero", join(folder, "zero.yaml"));
    const { code, stderr } = await elenchus(words, { folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining("zero.yaml is a device, not a file")]);
  });

  test.each([
    ["scenarios", ["run", "-", "--subject", "sim/steadfast"], "has more than 50 MB"],
    ["a run's file", ["import", "-"], "line 1: it is longer than 64000000 characters"],
  ])("standard input without an end is not read for ever as %s", async (_, words, message) => {
    const { code, stderr } = await inShell('cat /dev/zero | "$@"', words, { folder: capitalFolder() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/should not have happened/);
  });
});

test.runIf(existsSync("/dev/full"))(
  "standard output on a full disk is a sentence, and the exit code is 2",
  async () => {
    const given = await withRun();
    const all = [
      ["export"],
      ["run", ...RUN.slice(1), "--json"],
      ["list"],
      ["show"],
      ["show", "--json"],
      RUN,
      ["export", "--output", "/dev/stdout"],
    ];
    for (const words of process.env.ELENCHUS_ATTACK === undefined ? all.slice(0, 3) : all) {
      const { code, stderr } = await inShell('"$@" > /dev/full', words, given);
      expect([words, code, stderr]).toEqual([
        words,
        2,
        expect.stringMatching(/Standard output cannot be written: .*no space left/),
      ]);
      expect(stderr).not.toMatch(/should not have happened/);
    }
  },
);
