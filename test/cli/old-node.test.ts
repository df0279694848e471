import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, PROGRAM } from "./cli.ts";

const SENTENCE =
  /^elenchus needs Node 22\.19 or newer, and this is Node (\d+\.\d+\.\d+)\. Install a newer one, or put it first: npx --package node@24 --package elenchus elenchus\n$/;

/** What is new in Node since the versions that are too old, and is used by what the entry would load. */
const FORGETFUL = `
  Object.defineProperty(process, "versions", { value: { ...process.versions, node: "VERSION" } });
  delete Promise.withResolvers;
  delete Array.prototype.toSorted;
  delete Iterator.prototype.map;
  delete Set.prototype.union;
  delete process.getBuiltinModule;
`;

function started(node: string, flags: readonly string[], words: readonly string[]) {
  return spawnSync(node, [...flags, PROGRAM, ...words], { cwd: folderWith(), encoding: "utf8" });
}

/** As if this were another Node. */
function asNode(version: string): readonly string[] {
  const module = FORGETFUL.replace("VERSION", version);
  return ["--import", `data:text/javascript,${encodeURIComponent(module)}`];
}

test.for(["18.20.4", "20.11.0", "22.18.1", "21.0.0"])("Node %s is told from one that will do", (version) => {
  for (const words of [["--version"], ["run", "--help"], []]) {
    const { status, stdout, stderr } = started(process.execPath, asNode(version), words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(SENTENCE);
    expect(stderr).toContain(`this is Node ${version}.`);
  }
});

test.for(["22.19.0", "23.0.0", "24.1.0", "100.0.0"])("Node %s will do", (version) => {
  const module = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(module)}`];
  const { status, stdout, stderr } = started(process.execPath, flags, ["--version"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** Nodes of this machine that are too old, if there are any. */
function oldNodes(): readonly string[] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  const files = folders.map((folder) => join(folder, "node")).filter((file) => existsSync(file));
  return [...new Set(files.map((file) => realpathSync(file)))].filter((file) => {
    const version = execFileSync(file, ["--version"], { encoding: "utf8" });
    const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
    return major < 22 || (major === 22 && minor < 18);
  });
}

test.skipIf(oldNodes().length === 0)("a real Node that is too old says so in a sentence", () => {
  for (const node of oldNodes()) {
    for (const words of [["--version"], ["demo"]]) {
      const { status, stdout, stderr } = started(node, [], words);
      expect([node, status, stdout]).toEqual([node, 2, ""]);
      expect(stderr).toMatch(SENTENCE);
    }
  }
});
