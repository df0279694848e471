import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** The folders in the order of the data. A file may import from its own folder and from those before it. */
const LAYERS = [
  "value",
  "source",
  "issue",
  "shape",
  "logic",
  "check",
  "extract",
  "state",
  "template",
  "outcome",
  "scenario",
  "judge",
  "file",
  "drawing",
  "sandbox",
  "model",
  "simulation",
  "cassette",
  "tool",
  "limit",
  "journal",
  "engine",
  "export",
  "terminal",
  "report",
  "project",
  "command",
  "cli",
];

/** Folders that run anywhere: nothing of Node, no clock, no chance. `file` may load a library on demand. */
const PURE = LAYERS.slice(0, LAYERS.indexOf("sandbox")).filter((layer) => layer !== "file");

/** What decides in the engine, as opposed to what does. */
const PURE_FILES = [
  "step",
  "node-plan",
  "agent-view",
  "transcript",
  "conversation-state",
  "open-turn",
  "decide-outcomes",
  "cells",
].map((name) => join("engine", `${name}.ts`));

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file),
);

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/(?:^(?:import|export) [^;"{]*(?:\{[^}"]*\} )?from |\bimport\()"([^"]+)"/gm)].map(
    (match) => match[1] as string,
  );
}

test("every file stands in a known folder", () => {
  const folders = new Set(files.map((file) => dirname(file)));
  expect([...folders].filter((folder) => folder !== "." && !LAYERS.includes(folder))).toEqual([]);
});

test("imports point one way only", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith("."))
      .map((path) => normalize(join(dirname(file), path)))
      .filter(
        (target) => dirname(file) !== "." && LAYERS.indexOf(dirname(target)) > LAYERS.indexOf(dirname(file)),
      )
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no file imports itself in a circle", () => {
  const graph = new Map(
    files.map((file) => [
      file,
      importsOf(file)
        .filter((path) => path.startsWith("."))
        .map((path) => relative(source, join(source, dirname(file), path))),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
    if (done.has(file) || trail.includes(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test("the core is pure: nothing of Node, no clock, no chance, no eval", () => {
  const impure =
    /from "node:|\bprocess\.|\bDate\.now\b|new Date\(\)|Math\.random|performance\.|\beval\(|new Function\(/;
  const wrong = files.filter(
    (file) =>
      (PURE.includes(dirname(file)) || PURE_FILES.includes(file)) &&
      impure.test(readFileSync(join(source, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

test("libraries are those that were chosen", () => {
  const libraries = new Set(files.flatMap(importsOf).filter((path) => !path.startsWith(".")));
  expect([...libraries].filter((path) => !path.startsWith("node:")).sort()).toEqual([
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "@ai-sdk/mcp",
    "@ai-sdk/openai",
    "@ai-sdk/openai-compatible",
    "@jitl/quickjs-wasmfile-release-sync",
    "@pydantic/genai-prices",
    "ai",
    "better-sqlite3",
    "commander",
    "quickjs-emscripten-core",
    "re2js",
    "yaml",
    "zod",
    "zod/v4/core",
  ]);
});

/** The files and libraries that are loaded together with a file. */
function loadedWith(file: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(source, file), "utf8");
  for (const [, path = ""] of text.matchAll(
    /^(?:import|export) (?!type\b)[^;"{]*(?:\{[^}"]*\} )?from "([^"]+)"/gm,
  )) {
    if (path.startsWith(".")) loadedWith(normalize(join(dirname(file), path)), found);
    else found.add(path);
  }
  return found;
}

test("importing the library loads only what is quick to load", () => {
  const loaded = [...loadedWith("index.ts")];
  expect(loaded.filter((path) => !path.endsWith(".ts"))).toEqual(["re2js"]);
  expect(loaded.filter((path) => /^(?:terminal|report|project|command|cli)\b/.test(path))).toEqual([]);
});

test("the help of the command line loads nothing of what commands do", () => {
  const loaded = [...loadedWith(join("cli", "run-cli.ts"))];
  expect(loaded.filter((path) => path.startsWith("command/"))).toEqual([]);
  expect(loaded.filter((path) => !path.endsWith(".ts") && !path.startsWith("node:"))).toEqual(["commander"]);
});
