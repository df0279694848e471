// A few files instead of hundreds: loading small modules one by one takes Node longer than running them. What is loaded on
// demand becomes files of its own. The types come from tsc; see docs/decisions/002-one-file-to-import.md.
import { readFileSync } from "node:fs";

const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(new URL("./package.json", import.meta.url), "utf8"),
);

const EVERYWHERE = {
  platform: "node",
  // Commands share a file, so that what one loads on demand may be there already.
  checks: { ineffectiveDynamicImport: false },
  external: (id) =>
    Object.keys({ ...dependencies, ...peerDependencies, ...peerDependenciesMeta }).some(
      (name) => id === name || id.startsWith(`${name}/`),
    ),
};

const OUTPUT = {
  dir: "dist",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  // Readable, because people see this code in stack traces and in their debugger. Maps would be twice as large as the code.
  minify: false,
  comments: { legal: true, annotation: true, jsdoc: false },
};

const library = {
  ...EVERYWHERE,
  input: {
    index: "src/apps/public/index.ts",
    checks: "src/apps/public/checks.ts",
    judge: "src/apps/public/judge.ts",
    models: "src/apps/public/models.ts",
    store: "src/apps/public/store.ts",
    engine: "src/apps/public/engine.ts",
    statistics: "src/apps/public/statistics.ts",
    report: "src/apps/public/report.ts",
    analysis: "src/apps/public/analysis.ts",
    cli: "src/apps/cli/main.ts",
    "ai-sdk": "src/apps/public/ai-sdk.ts",
    contracts: "src/apps/public/contracts.ts",
    interchange: "src/apps/public/interchange.ts",
    otel: "src/apps/public/otel.ts",
    vitest: "src/apps/public/vitest.ts",
    // Programs of threads and of a process, which are loaded by their file names.
    "heavy-program": "src/apps/viewer/server/heavy-program.ts",
  },
  output: {
    ...OUTPUT,
    // Each file holds what is loaded together: what help needs, the library, and what commands do.
    codeSplitting: {
      groups: [
        // Small, and used by the help, the library and others: in the file of one, the others would load all of it.
        {
          name: "shared",
          test: /src\/(?:core\/(?:defaults|lazy|error-message)|engine\/run\/shard|system\/terminal\/printable-text|engine\/journal\/store\/store-error)\.ts$/,
          priority: 5,
        },
        // An entry of its own that needs nothing else.
        { name: "statistics", test: /src\/(?:core\/statistics\/|apps\/public\/statistics\.ts)/, priority: 4 },
        // Used by a store on a server and by commands: in the file of commands, the store would load all of them.
        { name: "postgres-connection", test: /postgres\/postgres-connection\.ts$/, priority: 4 },
        { name: "command-line", test: /src\/apps\/cli\/program\.ts$/, priority: 3 },
        { name: "library", test: /src\/apps\/public\/index\.ts$/, priority: 2 },
        // What the other entries need beside the library: whoever imports the library alone does not wait for it.
        {
          name: "library-more",
          test: /src\/apps\/public\/(?:judge|models|store|report)\.ts$/,
          priority: 1,
        },
        // Without what loads a web server: Node takes 30 ms for it.
        {
          name: "commands",
          test: /src\/apps\/cli\/(?!main|program|look\/view\.ts|workers\/worker\.ts)/,
          priority: 0,
        },
      ],
    },
  },
};

/** A thread that needs little of the library has its own copy of that, in one file: to load all of it takes longer than to start. */
const thread = (name, file) => ({
  ...EVERYWHERE,
  input: { [name]: file },
  output: { ...OUTPUT, codeSplitting: false },
});

export default [
  library,
  thread("sandbox-worker", "src/engine/run/sandbox/sandbox-worker.ts"),
  thread("parquet-worker", "src/engine/datasets/parquet-worker.ts"),
];
