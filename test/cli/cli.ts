import { type ChildProcess, fork, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { exitCodeOf } from "../../src/apps/cli/program.ts";
import { capturedTerminal } from "../captured-terminal.ts";
import type { AskedCommand } from "./command-process.ts";

/** The command line as it is published, or another program to be tested in its place, such as `src/apps/cli/main.ts`. */
export const PROGRAM: string =
  process.env.ELENCHUS_PROGRAM ?? fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run \`npm run build\` first`);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** How a command is given. */
export interface Given {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** A copy of the program in another place. */
  readonly program?: string;
}

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Takes what is to be done when something is over: by default, when the test is. */
export type CleanUp = (action: () => void | Promise<void>) => void;

/** A new folder with some files, which goes when the test is over. */
export function folderWith(
  files: Readonly<Record<string, string>> = {},
  cleanUp: CleanUp = onTestFinished,
): string {
  const folder = mkdtempSync(join(tmpdir(), "elenchus-cli-"));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Copies something of this repository into a folder, such as `examples/branching.yaml`. */
export function copyInto(folder: string, name: string): void {
  cpSync(join(ROOT, name), join(folder, name), { recursive: true });
}

/** The configuration of the one user that gives commands in tests, unless a test plays somebody else. */
const USER_FOLDER = mkdtempSync(join(tmpdir(), "elenchus-cli-user-"));
process.on("exit", () => rmSync(USER_FOLDER, { recursive: true, force: true }));

/** Nothing of this machine: no keys, no colours, no CI, a home and a configuration of its own. */
function environmentOf({ folder, environment }: Given): Record<string, string> {
  const { PATH = "" } = process.env;
  const NODE_COMPILE_CACHE = join(tmpdir(), "elenchus-cli-cache");
  return { PATH, HOME: folder, XDG_CONFIG_HOME: USER_FOLDER, NODE_COMPILE_CACHE, ...environment };
}

/** Starts a command, as `elenchus …` would. */
export function start(
  words: readonly string[],
  given: Given,
  cleanUp: CleanUp = onTestFinished,
): ChildProcess {
  const { folder: cwd, program = PROGRAM } = given;
  const child = spawn(process.execPath, [program, ...words], { cwd, env: environmentOf(given) });
  // Whatever a test that has failed left behind.
  cleanUp(() => void child.kill("SIGKILL"));
  return child;
}

/** Gives a command to a shell, in whose script `"$@"` stands for it, and waits for the end of that. */
export function inShell(script: string, words: readonly string[], given: Given): Promise<Ended> {
  const { folder: cwd, input } = given;
  const command = [process.execPath, PROGRAM, ...words];
  const child = spawn("/bin/sh", ["-c", script, "sh", ...command], { cwd, env: environmentOf(given) });
  onTestFinished(() => void child.kill("SIGKILL"));
  return ended(child, input);
}

/** Gives a command and waits for its end. */
export function elenchus(words: readonly string[], given: Given): Promise<Ended> {
  const child = start(words, given);
  return ended(child, given.input);
}

/** Gives a command within this process, which takes a third of the time: where a process is not the point. With columns, as in a terminal. */
export async function elenchusHere(
  words: readonly string[],
  given: Given & { readonly columns?: number },
): Promise<Ended> {
  // Where a process would find it: in its folder.
  const ELENCHUS_STORE = join(given.folder, ".elenchus/elenchus.db");
  const environment = { ELENCHUS_STORE, ...environmentOf(given) };
  const { columns: width } = given;
  const seat = width === undefined ? {} : { width, isTerminal: true };
  const terminal = capturedTerminal(given.folder, { environment, ...seat });
  const code = await exitCodeOf(words, terminal);
  return { code, stdout: terminal.output.text, stderr: terminal.messages.text };
}

/**
 * Gives commands to one process, one after the other: for files that give many, where a process for each would take most of the time. It
 * is the same program with the same arguments, environment, folder and input; but it has no terminal, and code that it has imported stays.
 * Files of tests share it, because it gets quicker with each command. It ends with the process of the tests.
 */
export function inOneProcess(): typeof elenchus {
  return (words, given) => {
    const next = lastCommand.then(() => answer({ ...given, words, environment: environmentOf(given) }));
    lastCommand = next.catch(() => {});
    return next;
  };
}

let commandProcess: ChildProcess | undefined;
let lastCommand: Promise<unknown> = Promise.resolve();

function answer(command: AskedCommand): Promise<Ended> {
  commandProcess ??= startCommandProcess();
  const child = commandProcess;
  // Between commands it does not keep the process of the tests from ending.
  child.ref();
  child.channel?.ref();
  return new Promise<Ended>((resolve, reject) => {
    const onExit = (): void => {
      commandProcess = undefined;
      reject(new Error(`the process of the commands is gone: ${command.words.join(" ")}`));
    };
    child.once("exit", onExit);
    child.once("message", (ended: Ended) => {
      child.off("exit", onExit);
      child.unref();
      child.channel?.unref();
      resolve(ended);
    });
    child.send(command);
  });
}

function startCommandProcess(): ChildProcess {
  const child = fork(fileURLToPath(new URL("command-process.ts", import.meta.url)), [PROGRAM], {
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "elenchus-cli-cache"), PATH: process.env.PATH ?? "" },
    execArgv: [],
    // Vitest waits until everything that has inherited the output of the tests has closed it.
    silent: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (text: Buffer) => process.stderr.write(text));
    (stream as { unref?: () => void } | null)?.unref?.();
  }
  return child;
}

/** What a command that was started says until its end. */
export function ended(child: ChildProcess, input = ""): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  // A command that does not read may be gone before its input is written.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
  });
}

/** A command in a terminal of its own. */
export interface InTerminal {
  /** All that was printed so far, with control characters. */
  readonly printed: () => string;
  write(text: string): void;
  /** Resolves when something was printed that matches, or what was printed so far is as it should be. */
  until(pattern: RegExp | ((printed: string) => boolean)): Promise<void>;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
  readonly ended: Promise<{ readonly code: number; readonly printed: string }>;
}

/** Gives a command in a real pseudo-terminal. */
export function inTerminal(
  words: readonly string[],
  given: Given & {
    readonly columns?: number;
    readonly rows?: number;
    /** As a shell understands it, such as `> out.txt`. */
    readonly redirect?: string;
    /** A command of a shell that is given before, such as `stty cols 0`. */
    readonly setUp?: string;
  },
): InTerminal {
  const { folder: cwd, columns: cols = 80, rows = 24, redirect = "", setUp = ":" } = given;
  const env = { TERM: "xterm-256color", ...environmentOf(given) };
  const command = [process.execPath, PROGRAM, ...words];
  const redirected = ["-c", `${setUp}; exec "$0" "$@" ${redirect}`, ...command];
  const terminal = spawnInTerminal("/bin/sh", redirected, { cwd, env, cols, rows });
  let printed = "";
  let isOver = false;
  const watchers = new Set<() => void>();
  onTestFinished(() => {
    if (!isOver) terminal.kill("SIGKILL");
  });
  terminal.onData((text) => {
    printed += text;
    for (const watch of [...watchers]) watch();
  });
  const end = new Promise<{ readonly code: number; readonly printed: string }>((resolve) => {
    terminal.onExit(({ exitCode, signal = 0 }) => {
      isOver = true;
      for (const watch of [...watchers]) watch();
      // A process that a signal ended has no code of its own; shells make one of the signal.
      resolve({ code: signal === 0 ? exitCode : 128 + signal, printed });
    });
  });
  return {
    printed: () => printed,
    write: (text) => terminal.write(text),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const matches = (): boolean =>
          typeof pattern === "function" ? pattern(printed) : pattern.test(printed);
        const watch = (): void => {
          const isThere = matches();
          if (!isThere && !isOver) return;
          watchers.delete(watch);
          if (isThere) resolve();
          else reject(new Error(`it ended without ${pattern}:\n${printed}`));
        };
        watchers.add(watch);
        watch();
      }),
    resize: (columns, height) => terminal.resize(columns, height),
    kill: (signal) => terminal.kill(signal),
    ended: end,
  };
}
