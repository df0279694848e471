import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** How many conversations a worker has at the same time. */
export const PLACES = 64;

/** A scenario of so many questions about each row; rules read the replies, so that there is one call a turn. */
export function scenarioFile(rows: number, turns: number, prefix = "r"): string {
  const nodes = Array.from(
    { length: turns },
    (_, index) => `  n${index}: { question: { question: "{{ row.id }}: question ${index}?", rawAnswer: x } }`,
  );
  const edges = nodes.map(
    (_, index) => `  - { source: n${index}, target: ${index + 1 < turns ? `n${index + 1}` : "END"} }`,
  );
  const ids = Array.from({ length: rows }, (_, index) => `    - { id: ${prefix}${index} }`);
  return `name: chain-${prefix}\nentry: n0\ndataset:\n  id: id\n  rows:\n${ids.join("\n")}\nnodes:\n${nodes.join("\n")}\nedges:\n${edges.join("\n")}\n`;
}

/** A command that has been started. */
export interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
  log(): string;
}

/** Starts a command of the package. */
export function start(
  words: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Command {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [CLI, ...words], {
    cwd: folder,
    env: { PATH, HOME: folder, ...environment },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, text }));
  return { child, ended, log: () => text };
}

/** Looks again and again until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Starts a worker; resolves when it takes jobs. */
export async function startWorker(
  url: string,
  folder: string,
  options: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly concurrency?: number;
    readonly more?: readonly string[];
  },
): Promise<Command> {
  const { environment = {}, concurrency = PLACES, more = [] } = options;
  const worker = start(
    ["worker", url, "--concurrency", String(concurrency), "--json", ...more],
    folder,
    environment,
  );
  await Promise.race([
    until(() => worker.log().includes('"ready"')),
    worker.ended.then(({ text }) => Promise.reject(new Error(text))),
  ]);
  return worker;
}
