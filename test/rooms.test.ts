import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../src", import.meta.url));

/** The floors of the source tree. Each may import the floors named here, and nothing of the others. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  system: ["core"],
  engine: ["core", "system"],
  insight: ["core", "system", "engine"],
  apps: ["core", "system", "engine", "insight"],
};

/** The rooms of each floor, and which others of the same floor they may import. The core is one room. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  system: { files: [], secrets: [], terminal: [] },
  engine: {
    grading: [],
    models: ["grading"],
    datasets: [],
    journal: ["grading", "models"],
    run: ["grading", "models", "datasets", "journal"],
    scale: ["journal", "run"],
  },
  insight: { report: [], analysis: [] },
  apps: {
    project: [],
    interchange: [],
    viewer: [],
    contracts: [],
    cli: ["project", "interchange", "viewer"],
    public: ["project", "contracts", "interchange"],
  },
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
const roomOf = (file: string): string => file.split("/")[1] as string;

/** The files of this package that a file imports, as paths below `src`. */
function targetsOf(file: string): readonly string[] {
  return importsOf(file)
    .filter((path) => path.startsWith("."))
    .map((path) => normalize(join(dirname(file), path)));
}

const edges = files.flatMap((file) => targetsOf(file).map((target) => [file, target] as const));

test("every file stands in a room of a floor", () => {
  const strays = files.filter((file) => {
    const floor = floorOf(file);
    return !(floor in FLOORS) || (floor in ROOMS && !(roomOf(file) in (ROOMS[floor] ?? {})));
  });
  expect(strays).toEqual([]);
});

test("a floor imports only floors below it", () => {
  const wrong = edges.filter(
    ([file, target]) =>
      floorOf(file) !== floorOf(target) && !FLOORS[floorOf(file)]?.includes(floorOf(target)),
  );
  expect(wrong.map(([file, target]) => `${file} imports ${target}`)).toEqual([]);
});

test("a room imports only the rooms of its floor that it may, and all of those", () => {
  const inside = edges.filter(
    ([file, target]) =>
      floorOf(file) in ROOMS && floorOf(file) === floorOf(target) && roomOf(file) !== roomOf(target),
  );
  const wrong = inside.filter(
    ([file, target]) => !ROOMS[floorOf(file)]?.[roomOf(file)]?.includes(roomOf(target)),
  );
  expect(wrong.map(([file, target]) => `${file} imports ${target}`)).toEqual([]);
  const used = new Set(inside.map(([file, target]) => `${roomOf(file)} → ${roomOf(target)}`));
  const allowed = Object.values(ROOMS).flatMap((rooms) =>
    Object.entries(rooms).flatMap(([room, others]) => others.map((other) => `${room} → ${other}`)),
  );
  expect(allowed.filter((pair) => !used.has(pair))).toEqual([]);
});

test("no two folders import each other", () => {
  /** The folders in which two files part: what one imports of the other. */
  const parting = ([file, target]: readonly [string, string]): readonly [string, string] => {
    const [own, other] = [dirname(file).split("/"), dirname(target).split("/")];
    const common = own.findIndex((folder, i) => folder !== other[i]);
    const depth = common === -1 ? own.length : common;
    // A folder that contains the other one is no neighbour.
    if (depth === own.length || depth === other.length) return ["", ""];
    return [own.slice(0, depth + 1).join("/"), other.slice(0, depth + 1).join("/")];
  };
  const pairs = new Set(edges.map(parting).map(([one, other]) => `${one} ↔ ${other}`));
  const mutual = [...pairs].filter((pair) => {
    const [one = "", other = ""] = pair.split(" ↔ ");
    return one < other && pairs.has(`${other} ↔ ${one}`);
  });
  expect(mutual).toEqual([]);
});

test("CONTRIBUTING.md draws the floors, and names rooms and files that exist", () => {
  const root = dirname(source);
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  // An arrow is drawn to the floors right below: the others follow.
  const arrows = Object.entries(FLOORS).flatMap(([floor, below]) =>
    below
      .filter((target) => !below.some((other) => FLOORS[other]?.includes(target)))
      .map((target) => `${floor} --> ${target}`),
  );
  expect([...text.matchAll(/^ +(\w+ --> \w+)$/gm)].map((match) => match[1]).sort()).toEqual(arrows.sort());
  const rooms = [...text.matchAll(/^\| `([a-z]+)` +\|/gm)].map((match) => match[1]);
  const known = ["core", ...Object.values(ROOMS).flatMap((of) => Object.keys(of))];
  expect(rooms.sort()).toEqual(known.sort());
  const named = [...text.matchAll(/`((?:src|test|bench|packs|docs)\/[^`\s]*)`/g)].map(
    (match) => match[1] as string,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("no file imports itself in a circle", () => {
  const graph = new Map(files.map((file) => [file, targetsOf(file)]));
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
  // SHA-256 of Node, which has no state.
  expect(wrong).toEqual(["core/values/hash.ts"]);
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
    "acorn",
    "better-sqlite3",
    "bullmq",
    "commander",
    "fflate",
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
  for (const thread of ["sandbox", "parquet"])
    expect(imports(`${thread}-worker.js`).filter((path) => path.startsWith("."))).toEqual([]);
});
