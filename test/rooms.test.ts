import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** The rooms of the house, and for each the other rooms it may import. CONTRIBUTING.md shows the same as a picture. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  statistics: [],
  files: ["core"],
  secrets: ["core"],
  terminal: ["core"],
  grading: ["core", "statistics"],
  models: ["core", "files", "secrets", "terminal", "grading"],
  datasets: ["core", "models"],
  journal: ["core", "secrets", "grading", "models"],
  run: ["core", "secrets", "grading", "models", "datasets", "journal"],
  report: ["core", "statistics", "terminal", "grading", "models", "journal"],
  analysis: ["core", "grading", "models", "journal", "run"],
  project: ["core", "files", "grading", "models", "datasets", "run", "report"],
  viewer: ["core", "files", "secrets", "statistics", "models", "journal", "run", "analysis", "report"],
  cli: [
    "core",
    "files",
    "secrets",
    "terminal",
    "models",
    "journal",
    "run",
    "analysis",
    "report",
    "project",
    "interchange",
    "viewer",
    "scale",
  ],
  scale: ["core", "models", "journal", "run"],
  contracts: ["core", "models", "journal"],
  interchange: ["core", "statistics", "models", "journal", "run"],
  public: [
    "core",
    "statistics",
    "grading",
    "models",
    "datasets",
    "journal",
    "run",
    "report",
    "analysis",
    "project",
    "contracts",
    "interchange",
    "scale",
  ],
};

/** The floors of the house from below, each with its rooms; `system` serves all but the core, which imports nothing. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  core: ["core", "statistics"],
  system: ["files", "secrets", "terminal"],
  engine: ["grading", "models", "datasets", "journal", "run", "scale"],
  insight: ["report", "analysis"],
  apps: ["project", "cli", "viewer", "interchange", "public", "contracts"],
};

/** Rooms and folders that use nothing of Node, no clock and no random numbers. */
const PURE = ["core/", "engine/grading/", "engine/run/step/"];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test(-d)?\.ts$/.test(file),
);

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/(?:^(?:import|export) [^;"{]*(?:\{[^}"]*\} )?from |\bimport\()"([^"]+)"/gm)].map(
    (match) => match[1] as string,
  );
}

const floorOf = (file: string): string => file.split("/")[0] as string;

/** The core is a room itself, with one more inside. */
function roomOf(file: string): string {
  const [floor = "", room = ""] = file.split("/");
  return floor === "core" && room !== "statistics" ? floor : room;
}

test("every file stands in a room of its floor", () => {
  expect(files.filter((file) => !FLOORS[floorOf(file)]?.includes(roomOf(file)))).toEqual([]);
  expect(Object.values(FLOORS).flat().sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test("a floor imports only floors below it", () => {
  const order = Object.keys(FLOORS);
  const wrong = Object.entries(FLOORS).flatMap(([floor, rooms]) =>
    rooms.flatMap((room) =>
      (MAY_IMPORT[room] ?? [])
        .filter(
          (other) =>
            order.indexOf(floor) < order.findIndex((candidate) => FLOORS[candidate]?.includes(other)),
        )
        .map((other) => `${room} imports ${other}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test("a room imports only the rooms it may", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith("."))
      .map((path) => normalize(join(dirname(file), path)))
      .filter((target) => roomOf(target) !== roomOf(file))
      .filter((target) => !MAY_IMPORT[roomOf(file)]?.includes(roomOf(target)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("the list allows no more than is used", () => {
  const used = new Set(
    files.flatMap((file) =>
      importsOf(file)
        .filter((path) => path.startsWith("."))
        .map((path) => `${roomOf(file)} → ${roomOf(normalize(join(dirname(file), path)))}`),
    ),
  );
  const allowed = Object.entries(MAY_IMPORT).flatMap(([room, others]) =>
    others.map((other) => `${room} → ${other}`),
  );
  expect(allowed.filter((pair) => !used.has(pair))).toEqual([]);
});

test("CONTRIBUTING.md draws the rooms, and names files that exist", () => {
  const root = dirname(source);
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const reaches = (from: string, to: string): boolean =>
    (MAY_IMPORT[from] ?? []).some((room) => room === to || reaches(room, to));
  // An arrow is drawn where no other room lies between.
  const arrows = Object.entries(MAY_IMPORT).flatMap(([room, others]) =>
    others
      .filter((target) => !others.some((other) => reaches(other, target)))
      .map((target) => `${room} --> ${target}`),
  );
  expect([...text.matchAll(/^ +(\w+ --> \w+)$/gm)].map((match) => match[1]).sort()).toEqual(arrows.sort());
  const rooms = [...text.matchAll(/^\| `([a-z]+)` +\|/gm)].map((match) => match[1]);
  expect(rooms.sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  const named = [...text.matchAll(/`((?:src|test|bench|packs|docs)\/[^`\s]*)`/g)].map(
    (match) => match[1] as string,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
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
      PURE.some((folder) => file.startsWith(folder)) && impure.test(readFileSync(join(source, file), "utf8")),
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
    "@dagrejs/dagre",
    "@hono/node-server",
    "@jitl/quickjs-wasmfile-release-sync",
    "@observablehq/plot",
    "@opentelemetry/api",
    "@opentelemetry/exporter-metrics-otlp-http",
    "@opentelemetry/exporter-trace-otlp-http",
    "@opentelemetry/resources",
    "@opentelemetry/sdk-metrics",
    "@opentelemetry/sdk-trace",
    "@pydantic/genai-prices",
    "@tanstack/react-virtual",
    "@xyflow/react",
    "acorn",
    "better-sqlite3",
    "bullmq",
    "commander",
    "hono",
    "hono/cookie",
    "hono/streaming",
    "hyparquet",
    "hyparquet-writer",
    "ioredis",
    "liquidjs",
    "pg",
    "quickjs-emscripten-core",
    "re2js",
    "react",
    "react-dom/client",
    "undici",
    "undici/lib/dispatcher/agent.js",
    "vitest",
    "yaml",
  ]);
});

/** The files and libraries that are loaded together with a file. */
function loadedWith(file: string, root = source, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(root, file), "utf8");
  for (const [, path = ""] of text.matchAll(
    /^(?:import|export) (?!type\b)[^;"{]*(?:\{[^}"]*\} )?from "([^"]+)"/gm,
  )) {
    if (path.startsWith(".")) loadedWith(normalize(join(dirname(file), path)), root, found);
    else found.add(path);
  }
  return found;
}

test("importing the library loads only what is quick to load", () => {
  const loaded = [...loadedWith("apps/public/index.ts")];
  expect(loaded.filter((path) => !path.endsWith(".ts"))).toEqual(["re2js"]);
  expect(loaded.filter((path) => /^apps\/cli\b/.test(path))).toEqual([]);
});

test("the help of the command line loads nothing of what commands do", () => {
  const loaded = [...loadedWith(join("apps", "cli", "program.ts"))];
  expect(loaded.filter((path) => /^apps\/cli\/[^/]+\/(?!.*-commands?\.ts)/.test(path))).toEqual([]);
  expect(loaded.filter((path) => !path.endsWith(".ts") && !path.startsWith("node:"))).toEqual(["commander"]);
});

const built = fileURLToPath(new URL("../dist/", import.meta.url));

test("in the built package, the library and the help share no file that either has to wait for", () => {
  const library = [...loadedWith("index.js", built)].sort();
  expect(library).toEqual(["index.js", "library.js", "re2js", "shared.js"]);
  expect([...loadedWith("command-line.js", built)]).not.toContain("library.js");
});

test("commands in the built package load a web server only where they serve", () => {
  const imports = (file: string): string[] =>
    [...readFileSync(join(built, file), "utf8").matchAll(/^import .*from "([^"]+)"/gm)].map(
      ([, path = ""]) => path,
    );
  const servers = /^(?:hono|@hono|node:http)\b/;
  expect(imports("commands.js").filter((path) => servers.test(path))).toEqual([]);
  expect(imports("view.js").filter((path) => servers.test(path))).not.toEqual([]);
  // Files of threads stand for themselves: a second file could replace one of the library.
  for (const thread of ["read-ahead", "run-file", "sandbox", "parquet", "postgres"])
    expect(imports(`${thread}-worker.js`).filter((path) => path.startsWith("."))).toEqual([]);
});
