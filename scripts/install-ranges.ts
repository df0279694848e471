// Installs the package beside old and new versions of its peers, each in a fresh project: npm resolves them, tsc accepts a small file, and the
// integration works. Needs the npm registry; for BullMQ also redis-server. `npm run ranges`, or `npm run ranges -- zod bullmq`.
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPostgres } from "../test/postgres-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

/** A project with versions of other packages. */
interface Range {
  readonly packages: readonly string[];
  /** Compiled by tsc. */
  readonly file: string;
  /** Uses what is installed; throws if it does not work. */
  readonly use: (project: Project) => Promise<void>;
}

interface Project {
  readonly folder: string;
  readonly command: (
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ) => Promise<string>;
}

const SCENARIO = `import { END, question, Scenario } from "elenchus";
export const scenario = new Scenario("capital")
  .addNode("ask", {
    question: question({
      question: "Capital of Australia?",
      rawAnswer: "Canberra",
      template: {
        fields: {
          city: { type: "string", description: "the capital", truth: "Canberra", extract: { type: "aliases", values: { Canberra: [] } } },
        },
      },
    }),
  })
  .addEdge("ask", END)
  .addOutcome("right", { type: "turn_check", scope: { type: "first_turn" }, field: "verify_result", expected: true })
  .setEntry("ask")
  .validate();
`;

const VITEST = `${SCENARIO}
import { runScenarios } from "elenchus";
import { describeScenario } from "elenchus/vitest";
import { expect, test } from "vitest";
describeScenario("capital", { scenarios: scenario, subject: { model: async () => "Canberra.", name: "agent" } });
test("matchers", async () => {
  const results = await runScenarios({ scenarios: scenario, subjects: { model: async () => "Canberra.", name: "agent" } }).results;
  expect(results).toReach("right", { atLeast: 1 });
  expect(results[0]).toHaveOutcome("right");
  expect(results[0]).not.toTakePath(["nowhere"]);
  await expect(Promise.resolve(results[0])).resolves.toTakePath(["ask"]);
  // @ts-expect-error a share is needed
  expect(() => expect(results).toReach("right")).toThrow();
});
`;

const ZOD = `import { template, verified } from "elenchus";
import { templateToZod } from "elenchus/judge";
import { z } from "zod";
const given = template({
  n: verified(z.number(), { description: "a number", truth: 4 }),
  day: verified(z.iso.date().optional(), { description: "a day", truth: "2026-01-01" }),
  // @ts-expect-error the truth is of another type
  wrong: verified(z.enum(["a", "b"]), { description: "a letter", truth: "c" }),
});
if (templateToZod(given, z).safeParse({ n: "4" }).success) throw new Error("A text is no number.");
`;

const OTEL = `import { openTelemetry } from "elenchus/otel";
import { trace } from "@opentelemetry/api";
export const observer = openTelemetry({ tracer: trace.getTracer("own") });
`;

const vitest = (version: string): Range => ({
  packages: [`vitest@${version}`],
  file: VITEST,
  use: async ({ command }) => {
    await command(["node_modules/vitest/vitest.mjs", "run", "file.test.ts"]);
  },
});

const zod = (version: string): Range => ({
  packages: [`zod@${version}`],
  file: ZOD,
  use: async ({ command }) => {
    await command(["file.test.ts"]);
  },
});

const otel = (...packages: readonly string[]): Range => ({
  packages: packages.map((name) => `@opentelemetry/${name}`),
  file: OTEL,
  use: exportsOverOtlp,
});

/** The paths to which data was sent over OTLP. */
async function exportsOverOtlp({ command }: Project): Promise<void> {
  const paths = new Set<string>();
  const server: Server = createServer((request, response) => {
    paths.add(request.url ?? "");
    request
      .resume()
      .on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const said = await command([CLI, ...STEADFAST, "--otel"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    if (!paths.has("/v1/traces") || !paths.has("/v1/metrics"))
      throw new Error(`Only ${[...paths].join(", ") || "nothing"} was sent. ${said}`);
  } finally {
    server.close();
  }
}

const CLI = "node_modules/elenchus/dist/cli.js";
const STEADFAST = "run pack:pressure --tag geography --subject sim/steadfast --quiet".split(" ");

const bullmq = (...packages: readonly string[]): Range => ({
  packages: [...packages, "pg"],
  file: SCENARIO,
  use: runsOnWorkers,
});

async function runsOnWorkers({ folder, command }: Project): Promise<void> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) throw new Error("There is no redis-server.");
  const port = 20_000 + (process.pid % 20_000);
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--requirepass", "p:w"];
  const redis = spawn("redis-server", flags, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const postgres = await startPostgres();
  const [queue, store] = [`redis://:p%3Aw@127.0.0.1:${port}/1`, postgres.url()];
  const worker = spawn(process.execPath, [CLI, "worker", queue, "--store", store], {
    cwd: folder,
    stdio: "ignore",
  });
  try {
    await command([CLI, ...STEADFAST, "--workers", queue, "--store", store]);
  } finally {
    worker.kill();
    await once(worker, "exit");
    redis.kill();
    await postgres.close();
  }
}

const RANGES: Readonly<Record<string, Range>> = {
  "vitest 3.0": vitest("3.0.0"),
  "vitest 3": vitest("3"),
  "vitest 4": vitest("4"),
  "vitest latest": vitest("latest"),
  "zod 4.0": zod("4.0.0"),
  "zod 4.1": zod("4.1.8"),
  "zod latest": zod("latest"),
  "otel 1.15": otel(
    ...["api@1.4.1", "resources@1.15.0", "sdk-trace-base@1.15.0", "sdk-metrics@1.15.0"],
    ...["exporter-trace-otlp-http@0.41.0", "exporter-metrics-otlp-http@0.41.0"],
  ),
  "otel 1": otel(
    ...["api@1.9.0", "resources@1", "sdk-trace-base@1", "sdk-metrics@1"],
    ...["exporter-trace-otlp-http@0.57.2", "exporter-metrics-otlp-http@0.57.2"],
  ),
  "otel 2.0": otel(
    ...["api@1.9.0", "resources@2.0.0", "sdk-trace-base@2.0.0", "sdk-metrics@2.0.0"],
    ...["exporter-trace-otlp-http@0.200.0", "exporter-metrics-otlp-http@0.200.0"],
  ),
  "otel latest": otel(
    ...["api@latest", "resources@latest", "sdk-trace@latest", "sdk-metrics@latest"],
    ...["exporter-trace-otlp-http@latest", "exporter-metrics-otlp-http@latest"],
  ),
  "otel @vercel/otel": {
    packages: ["@vercel/otel", "@opentelemetry/api@1.9.0"],
    file: OTEL,
    use: async ({ command }) => {
      await command([CLI, ...STEADFAST]);
    },
  },
  "neighbours of peers that are not installed": {
    packages: ["vite@5", "jsdom@22", "redis@4", "ioredis@5", "zod@4.0.0", "typescript@5"],
    file: SCENARIO,
    use: async ({ command }) => {
      await command([CLI, ...STEADFAST]);
    },
  },
  "bullmq 5.0": bullmq("bullmq@5.0.0", "ioredis@5"),
  "bullmq 5": bullmq("bullmq@5"),
  "bullmq latest": bullmq("bullmq@latest", "ioredis@5"),
};

async function tried({ packages, file, use }: Range, tarball: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-range-"));
  const command: Project["command"] = async (words, environment = {}) => {
    const { stdout, stderr } = await run(process.execPath, words, {
      cwd: folder,
      env: { ...process.env, ...environment },
    });
    return `${stdout}${stderr}`;
  };
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    // Refuses what does not fit, as it does for everyone.
    await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
    await run("npm", ["install", "--no-audit", "--no-fund", tarball, "@types/node"], { cwd: folder });
    writeFileSync(join(folder, "file.test.ts"), file);
    const options = {
      ...{ module: "nodenext", target: "es2024", strict: true, noEmit: true, skipLibCheck: true },
      types: ["node"],
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
    );
    await command([join(root, "node_modules/typescript/bin/tsc")]);
    await use({ folder, command });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const packed = join(mkdtempSync(join(tmpdir(), "elenchus-packed-")), "elenchus.tgz");
mkdirSync(dirname(packed), { recursive: true });
const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", dirname(packed)], {
  cwd: root,
});
const tarball = join(dirname(packed), stdout.trim().split("\n").at(-1) ?? "");
for (const [name, range] of Object.entries(RANGES)) {
  if (wanted.length > 0 && !wanted.some((word) => name.startsWith(word))) continue;
  try {
    await tried(range, tarball);
    console.log(`✓ ${name}`);
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    console.log(`✗ ${name}\n${`${message}\n${stdout}${stderr}`.trim().slice(-3_000)}`);
    process.exitCode = 1;
  }
}
rmSync(dirname(packed), { recursive: true });
process.exit();
