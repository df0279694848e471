import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { chmod, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { type Assignment, CHILD_VARIABLE } from "./benchmark.ts";
import type { Said } from "./run-benchmark.ts";

const PROGRAM = fileURLToPath(new URL("run-benchmark.ts", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** How a process came to its end. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: readonly Said[];
  readonly stderr: string;
}

/** A process that runs the benchmark. */
export interface Child {
  /** As the server knows it. */
  readonly name: string;
  /** Sends SIGKILL, if the process is still there. */
  kill(): void;
  readonly ended: Promise<Ended>;
}

/** How a process is started. */
export interface ChildOptions {
  readonly onSaid?: (said: Said) => void;
  /** The user that it runs as. */
  readonly uid?: number;
  /** What no file that it writes may exceed, in blocks of 512 bytes. */
  readonly fileLimit?: number;
}

let children = 0;

/** Starts a process that begins or resumes a run. */
export type StartChild = (assignment: Assignment, options?: ChildOptions) => Child;

/** What the processes need, in a folder that any user can read. */
interface Prepared {
  readonly program: string;
  readonly cache: string;
}

let prepared: Promise<Prepared> | undefined;

/**
 * Puts the program of the processes into one file: they live for half a second, and would spend most of it loading the sources one by
 * one. Files of tests share it, with what the processes have compiled.
 */
export async function prepareChildren(): Promise<StartChild> {
  prepared ??= prepare();
  const { program, cache } = await prepared;
  return (assignment, { uid, fileLimit, onSaid } = {}) => {
    const name = `child-${process.pid}-${++children}`;
    const plain = [process.execPath, program, JSON.stringify(assignment)] as const;
    const limited = ["sh", "-c", `ulimit -f ${fileLimit} && exec "$@"`, "sh", ...plain] as const;
    const [command, ...rest] = fileLimit === undefined ? plain : limited;
    const child = spawn(command, rest, {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH ?? "",
        [CHILD_VARIABLE]: name,
        NODE_COMPILE_CACHE: cache,
      },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    return { name, kill: () => child.kill("SIGKILL"), ended: ended(child, onSaid) };
  };
}

async function prepare(): Promise<Prepared> {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-children-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  await build({
    input: PROGRAM,
    platform: "node",
    external: /^[^./]/,
    logLevel: "silent",
    output: { dir: join(folder, "program"), format: "esm" },
  });
  await symlink(MODULES, join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  return { program: join(folder, "program", "run-benchmark.js"), cache: join(folder, "compiled") };
}

function ended(child: ChildProcess, onSaid: ((said: Said) => void) | undefined): Promise<Ended> {
  const said: Said[] = [];
  let [line, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = `${line}${chunk}`.split("\n");
    line = lines.pop() ?? "";
    for (const text of lines) {
      const one = JSON.parse(text) as Said;
      said.push(one);
      onSaid?.(one);
    }
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, said, stderr }));
  });
}

/** What a process said at its end; an error with all it said if it did not finish. */
export function finished({ code, said, stderr }: Ended): Extract<Said, { said: "finished" }> {
  const last = said.at(-1);
  if (code === 0 && last?.said === "finished") return last;
  throw new Error(`The process ended with ${code}. ${JSON.stringify(last)} ${stderr}`);
}

/** Why a process gave up. */
export function failed({ code, signal, said, stderr }: Ended): Extract<Said, { said: "failed" }> {
  const last = said.at(-1);
  if (code === 1 && signal === null && stderr === "" && last?.said === "failed") return last;
  throw new Error(`The process ended with ${code ?? signal}. ${JSON.stringify(last)} ${stderr}`);
}
