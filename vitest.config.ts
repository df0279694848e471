import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import SlowFilesFirst from "./test/slow-files-first.ts";

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^elenchus$/,
        replacement: fileURLToPath(new URL("./src/apps/public/index.ts", import.meta.url)),
      },
      {
        find: /^elenchus\/([a-z-]+)$/,
        replacement: fileURLToPath(new URL("./src/apps/public/$1.ts", import.meta.url)),
      },
    ],
  },
  test: {
    // Only a test that hangs takes this long. On a very busy machine, one that starts many processes takes half a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests share modules: a file that leaves something behind in one is a bug, and loading each module once saves a minute.
    isolate: false,
    // Many tests wait for processes of the command line: one more worker than cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    // Threads load sources by themselves, each time anew: with what the last one has compiled, in half the time.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "elenchus-test-cache") },
    // A test that blocks its process ends the run with an error.
    reporters: [
      "default",
      "./test/stuck-tests.ts",
      ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : []),
    ],
    sequence: { sequencer: SlowFilesFirst },
    // A page in a browser takes longer than the second that is usual, where other tests keep the machine busy.
    expect: { poll: { timeout: 20_000 } },
    // Starts a PostgreSQL server if a test asks for one.
    globalSetup: ["./test/postgres-server.ts"],
    setupFiles: ["./test/property-seed.ts", "./test/ended-worker.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
  },
});
